"""Taps: what they write, and that they never disturb."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from mockbackend.engine.events import CLOSED, WOKEN, Received
from mockbackend.engine.steps import Emit, Exit, Note, Stderr
from mockbackend.io.background import Background
from mockbackend.io.files import create
from mockbackend.io.talk import Talk
from mockbackend.io.taps import LogTap, RecordTap, RelayTap
from mockbackend.protocol.lines import TooLong
from mockbackend.recording.recorder import Recorder
from mockbackend.recording.wiretap import Wiretap

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def told() -> list[Note]:
    return []


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.jsonl"


@pytest.fixture
def file(path: Path, told: list[Note]) -> Background:
    return Background(create(path).file, str(path), told.append)


def test_a_session_is_recorded(file: Background, path: Path) -> None:
    tap = RecordTap(Recorder({}), file)
    tap.heard(WOKEN, 0)
    tap.heard(Received(b'{"type":"ping"}'), 1)
    tap.said([], 1)
    tap.said([Emit(b'{"type":"pong"}\n')], 2)
    file.close(5)
    assert path.read_bytes() == (
        b'{"t":0.000001,"from":"frontend","msg":{"type":"ping"}}\n{"t":0.000002,"from":"backend","msg":{"type":"pong"}}\n'
    )


def test_what_passes_is_recorded(file: Background, path: Path) -> None:
    recorder = Recorder({})
    tap = RelayTap(Wiretap(recorder), recorder, file, time.monotonic_ns() // 1000, "here")
    tap.noter("frontend")(b"a\nb")
    tap.noted(3)
    tap.marked(2)
    tap.marked(3)
    tap.ended("frontend", 4)
    tap.exited(0, None, 5)
    file.close(5)
    assert [line.partition(b",")[2] for line in path.read_bytes().splitlines()] == [
        b'"from":"frontend","raw":"a"}',
        b'"event":"marker","name":"here-1"}',
        b'"event":"marker","name":"here-2"}',
        b'"from":"frontend","eol":"","raw":"b"}',
        b'"event":"input_closed"}',
        b'"event":"exit","code":0}',
    ]


def test_a_log_is_for_people(file: Background, path: Path) -> None:
    tap = LogTap(file)
    for event in (WOKEN, Received(b"hello \x00"), Received(TooLong(b"xx", 99)), CLOSED):
        tap.heard(event, 1_500_000)
    tap.said([Emit(b"out\n"), Stderr(b"err\n"), Note("hm \ud800", "warn"), Exit(3), Exit(137, 9)], 2_000_000)
    file.close(5)
    assert [line.strip() for line in path.read_text().splitlines()] == [
        "1.500000 < hello \\u0000",
        "1.500000 < xx (99 bytes)",
        "1.500000 < (end of input)",
        "2.000000 > out",
        "2.000000 ! err",
        "2.000000 warn hm \\ud800",
        "2.000000 > (exit: code 3)",
        "2.000000 > (exit: signal 9)",
    ]


def test_talk_says_what_is_important_enough() -> None:
    ours, theirs = os.pipe()
    talk = Talk("warn", theirs)
    talk(Note("no", "info"))
    talk(Note("yes", "warn"))
    talk(Stderr(b"recorded\n"))
    talk(Note("bad \ud800", "error"))
    Talk("debug", theirs)(Note("detail", "debug"))
    os.close(theirs)
    with os.fdopen(ours, "rb") as file:
        assert file.read().decode().splitlines() == [
            "mockbackend: warning: yes",
            "recorded",
            "mockbackend: error: bad \\ud800",
            "mockbackend: detail",
        ]


def test_what_does_not_fit_is_dropped() -> None:
    ours, theirs = os.pipe()
    Talk("info", theirs)(Stderr(b"x" * 1_000_000))
    os.close(theirs)
    with os.fdopen(ours, "rb") as file:
        assert 0 < len(file.read()) < 1_000_000


def test_nobody_has_to_listen_to_talk() -> None:
    ours, theirs = os.pipe()
    talk = Talk("info", theirs)
    for _ in range(5000):
        talk(Note("x" * 100))
    os.close(ours)
    talk(Note("nobody is there"))
    os.close(theirs)
    talk(Note("and neither are we"))
