"""Taps: what they write, and that they never disturb."""

from __future__ import annotations

import io
import os

from mockbackend.engine.events import CLOSED, WOKEN, Received
from mockbackend.engine.steps import Emit, Exit, Note, Stderr
from mockbackend.io.talk import Talk
from mockbackend.io.taps import FileTap, LogTap, RecordTap
from mockbackend.protocol.lines import TooLong
from mockbackend.recording.recorder import Recorder


class FullDisk(io.BytesIO):
    def write(self, data: object) -> int:
        raise OSError(28, "No space left on device")


def test_a_recording_is_written_when_there_is_time() -> None:
    file = io.BytesIO()
    tap = RecordTap(Recorder(), file, "x", lambda note: None)
    tap.heard(WOKEN, 0)
    tap.heard(Received(b'{"type":"ping"}'), 1)
    tap.said([], 1)
    tap.said([Emit(b'{"type":"pong"}\n')], 2)
    assert file.getvalue() == b""
    tap.flush()
    assert file.getvalue() == (
        b'{"t":0.000001,"from":"frontend","msg":{"type":"ping"}}\n{"t":0.000002,"from":"backend","msg":{"type":"pong"}}\n'
    )


def test_a_large_batch_is_written_even_when_there_is_no_time() -> None:
    file = io.BytesIO()
    FileTap(file, "x", lambda note: None).write(b"x" * 300_000)
    assert len(file.getvalue()) == 300_000


def test_a_full_disk_is_told_once_and_the_session_goes_on() -> None:
    told: list[Note] = []
    tap = FileTap(FullDisk(), "x.jsonl", told.append)
    for _ in range(3):
        tap.write(b"x")
        tap.flush()
    assert told == [Note("x.jsonl: No space left on device; what follows is missing from this file", "warn")]


def test_a_log_is_for_people() -> None:
    file = io.BytesIO()
    tap = LogTap(file, "x", lambda note: None)
    for event in (WOKEN, Received(b"hello \x00"), Received(TooLong(b"xx", 99)), CLOSED):
        tap.heard(event, 1_500_000)
    tap.said([Emit(b"out\n"), Stderr(b"err\n"), Note("hm \ud800", "warn"), Exit(3), Exit(137, 9)], 2_000_000)
    tap.flush()
    assert [line.strip() for line in file.getvalue().decode().splitlines()] == [
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
