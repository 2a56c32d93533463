"""A recording goes on: its end is no end any more, and what was not recorded is for somebody else to answer."""

from __future__ import annotations

import json
from typing import Any

from mockbackend.driver import Driver
from mockbackend.engine.pacing import instant
from mockbackend.engine.session import Session
from mockbackend.recording.episodes import unended
from mockbackend.recording.reader import Reader
from mockbackend.recording.replay import Options, PassedOn, Replay
from mockbackend.testing.sources import MemorySource, recording
from mockbackend.testing.virtual import VirtualFrontend

INIT: dict[str, Any] = {"type": "init", "version": 1, "working_dir": "/"}
STARTED = {"type": "session_started", "session_id": "s"}
F, B = "frontend", "backend"


def ask(text: str) -> dict[str, Any]:
    return {"type": "user_message", "content": text}


def line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode()


RUN = recording((0, F, INIT), (1, B, STARTED), (2, F, ask("a")), (3, B, {"type": "pong"}))


def play(sends: list[bytes], content: bytes = RUN) -> tuple[Replay, Session, Driver, bytes]:
    frontend = VirtualFrontend([(0, b"".join(sends))], closes_at=0)
    author = Replay(Reader(MemorySource(content)), instant, Options(pass_on=True))
    session = Session(author)
    driver = Driver(session, frontend, frontend.clock, tell=lambda _: None)
    driver.run()
    return author, session, driver, b"".join(data for _, data in frontend.received)


def test_what_was_not_recorded_is_passed_on_with_all_that_follows() -> None:
    sends = [line(INIT), line(ask("a")), line(ask("b")), line(ask("c")), b'{"type":"ping"}', b"half"]
    author, session, driver, said = play([b"\n".join(sends)])
    assert author.passed_on == PassedOn(line(INIT), line(ask("b")))
    assert b"SDK_ERROR" not in said
    passed = [*session.waiting, *bytes(driver.unheard).splitlines()]
    assert passed == [line(ask("c")), b'{"type":"ping"}', b"half"]


def test_what_is_recorded_is_not_passed_on() -> None:
    author, _, _, said = play([line(INIT) + b"\n", line(ask("a")) + b"\n"])
    assert author.passed_on is None
    assert b"session_started" in said


def test_what_the_init_says_itself_is_not_said_twice() -> None:
    init = line({**INIT, "initial_prompt": "go"})
    author, _, _, _ = play([init + b"\n"], recording((0, F, INIT), (1, B, STARTED)))
    assert author.passed_on == PassedOn(init, b"")


def test_only_the_last_run_can_go_on() -> None:
    second = b'{"t":9,"event":"start","pid":2}\n' + RUN.partition(b"\n")[2]
    author, _, _, said = play([line(INIT) + b"\n", line(ask("a")) + b"\n", line(ask("b")) + b"\n"], RUN + second)
    assert author.passed_on is None
    assert b"only the last one can be added to" in said


def test_the_end_of_the_last_run_is_left_out() -> None:
    start, closed, left = (
        b'{"t":%d,"event":"start"}\n',
        b'{"t":5,"event":"input_closed"}\n',
        b'{"t":6,"event":"exit","code":0}\n',
    )
    header, _, run = RUN.partition(b"\n")
    shutdown = b'{"t":4,"from":"frontend","msg":{"type":"shutdown"}}\n'
    last = b'{"t":7,"from":"stderr","raw":"bye"}'
    whole = (
        header
        + b"\n"
        + start % 0
        + run
        + closed
        + left
        + start % 9
        + run
        + shutdown
        + closed
        + left
        + b"no event\n"
        + last
    )
    assert b"".join(unended(MemorySource(whole))) == (
        header + b"\n" + start % 0 + run + closed + left + start % 9 + run + b"no event\n" + last + b"\n"
    )
    assert b"".join(unended(MemorySource(RUN))) == RUN
