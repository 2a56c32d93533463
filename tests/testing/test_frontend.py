"""The frontend of a recording: what it sends, and after what."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from mockbackend.recording.exchanges import walk
from mockbackend.recording.reader import Reader
from mockbackend.testing.frontend import moves
from mockbackend.testing.process import Manners, converse
from mockbackend.testing.sources import MemorySource, recording

if TYPE_CHECKING:
    import pytest

INIT = {"type": "init", "version": 1, "working_dir": "/"}
EVENTS: tuple[tuple[float, str, Any], ...] = (
    (0.5, "frontend", INIT),
    (1, "backend", {"type": "auth_status", "authenticated": True}),
    (1.1, "frontend", {"type": "ping"}),
    (1.2, "backend", {"type": "pong"}),
    (1.5, "backend", "raw"),
    (3, "frontend", {"type": "cancel"}),
    (4, "frontend", {"type": "shutdown"}),
    (5, "start", {}),
    (6, "frontend", INIT),
)


def test_each_move_comes_after_what_had_been_received_and_as_long_after_it() -> None:
    reader = Reader(MemorySource(recording(*EVENTS)))
    assert [(move.after, move.gap_us, move.event.kind) for move in moves(reader)] == [
        (0, 500_000, "init"),
        (2, 1_500_000, "cancel"),
        (2, 1_000_000, "shutdown"),
    ]
    assert [move.event.kind for move in moves(reader, pings=True)] == ["init", "ping", "cancel", "shutdown"]
    second = [run for run, _ in walk(reader)][-1]
    assert [(move.after, move.event.kind) for move in moves(reader, second)] == [(0, "init")]


def backend(code: str) -> list[str]:
    return [sys.executable, "-c", f"import sys, time\n{code}"]


def test_a_backend_that_dies_is_noticed() -> None:
    reader = Reader(MemorySource(recording(*EVENTS)))
    outcome = converse(backend("sys.stderr.write('oh no'); sys.exit(3)"), moves(reader), heard=lambda line: None)
    assert (outcome.code, outcome.stderr, outcome.given_up) == (3, b"oh no", False)


def test_a_backend_that_says_nothing_is_given_up_and_does_not_stay() -> None:
    reader = Reader(MemorySource(recording(*EVENTS)))
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nsys.stdin.read()"
    outcome = converse(backend(code), moves(reader), heard=lambda line: None, manners=Manners(patience_s=0.2))
    assert outcome.given_up


def test_pings_are_sent_and_pongs_are_heard_but_not_counted() -> None:
    code = """
for line in sys.stdin:
    if "ping" in line: print('{"type":"pong"}', flush=True)
    if "init" in line: time.sleep(0.2); print("a\\nb", flush=True)
    if "shutdown" in line: break
sys.stdout.write("half")
"""
    heard: list[bytes] = []
    said: list[bytes] = []
    reader = Reader(MemorySource(recording(*EVENTS)))
    outcome = converse(
        backend(code), moves(reader), heard=heard.append, said=said.append, manners=Manners(ping_every_s=0.05)
    )
    assert outcome.code == 0
    assert b'{"type":"pong"}\n' in heard
    assert [line for line in heard if b"pong" not in line] == [b"a\n", b"b\n", b"half"]
    assert b"".join(said).count(b"\n") == 3


def test_the_environment_can_be_added_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT", "1")
    heard: list[bytes] = []
    converse(
        backend("import os; print(os.environ['KEPT'], os.environ['ADDED'])"), [], heard=heard.append, env={"ADDED": "2"}
    )
    assert heard == [b"1 2\n"]
