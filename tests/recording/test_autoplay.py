"""Autoplay: everything is said, and nobody is waited for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mockbackend.engine.events import Received
from mockbackend.engine.pacing import at_most, recorded
from mockbackend.engine.session import Session
from mockbackend.engine.steps import Emit, Exit
from mockbackend.recording.autoplay import Autoplay
from mockbackend.recording.ids import FreshIds
from mockbackend.recording.reader import Reader
from mockbackend.testing.conversation import SECOND, line, play
from mockbackend.testing.sources import MemorySource, recording

if TYPE_CHECKING:
    from mockbackend.engine.events import Event

F, B = "frontend", "backend"
EVENTS = (
    (0, F, {"type": "init", "version": 1, "working_dir": "/"}),
    (1, B, {"type": "session_started", "session_id": "session-0123456789"}),
    (2, F, {"type": "user_message", "content": "hi"}),
    (3, B, {"type": "tool_start", "id": "t1", "tool": "x", "input": {}}),
    (3, B, {"type": "room_query", "request_id": "q", "query": "describe"}),
    (9, F, {"type": "room_query_response", "request_id": "q", "description": ""}),
    (10, B, {"type": "assistant_text_delta", "content": "a"}),
    (20, F, {"type": "user_message", "content": "more"}),
    (21, B, {"type": "assistant_text_delta", "content": "b"}),
    (22, F, {"type": "shutdown"}),
    (23, "exit", {"code": 3}),
)


def show(
    *inputs: tuple[float, Event],
    events: tuple[tuple[float, str, Any], ...] = EVENTS,
    until: float | None = None,
    **options: Any,
) -> list[tuple[float, str]]:
    author = Autoplay(Reader(MemorySource(recording(*events))), options.pop("pace", recorded), **options)
    heard = [(round(at * SECOND), event) for at, event in inputs]
    told: list[tuple[float, str]] = []
    done = play(Session(author), heard, close=False, until=None if until is None else round(until * SECOND))
    for at, action in done:
        match action:
            case Emit(data):
                message = json.loads(data)
                told.append((at / SECOND, message.get("content") or message["type"]))
            case Exit(code):
                told.append((at / SECOND, f"exit {code}"))
            case _:
                raise AssertionError(action)
    return told


def test_everything_is_said_at_its_time_and_then_the_process_ends() -> None:
    assert show() == [
        (1, "session_started"),
        (3, "tool_start"),
        (3, "room_query"),
        (10, "a"),
        (21, "b"),
        (21, "exit 3"),
    ]


def test_a_crash_comes_at_its_time() -> None:
    assert show(events=(*EVENTS[:4], (5, "exit", {"code": 137})))[-1] == (5, "exit 137")


def test_the_frontend_starts_nothing_but_is_heard() -> None:
    told = show(
        (0.5, line({"type": "init", "version": 1, "working_dir": "/"})),
        (3.5, line({"type": "user_message", "content": "x"})),
        (4, line({"type": "ping"})),
        (5, Received(b"{")),
        (11, line({"type": "shutdown"})),
    )
    assert told == [
        (1, "session_started"),
        (3, "tool_start"),
        (3, "room_query"),
        (4, "pong"),
        (5, "error"),
        (10, "a"),
        (11, "exit 0"),
    ]


def test_a_cancel_ends_the_exchange_and_the_next_begins() -> None:
    assert show((5, line({"type": "cancel"})))[3:] == [
        (5, "tool_end"),
        (5, "session_ended"),
        (6, "b"),
        (6, "exit 3"),
    ]
    assert show((20.5, line({"type": "cancel"})))[-2:] == [(20.5, "session_ended"), (20.5, "exit 3")]


def test_it_can_begin_again_with_the_first_message() -> None:
    told = show(loop=True, until=50)
    assert [word for _, word in told].count("a") > 2
    assert [word for _, word in told].count("session_started") == 1
    assert show(events=EVENTS[:2], loop=True)[-1] == (1, "exit 0")


def test_long_pauses_are_shortened_like_anywhere() -> None:
    assert show(pace=at_most(SECOND))[-1][0] == 4


def test_ids_can_be_fresh() -> None:
    author = Autoplay(Reader(MemorySource(recording(*EVENTS))), recorded, ids=FreshIds(1))
    first = play(Session(author))[0][1]
    assert isinstance(first, Emit)
    assert FreshIds(1).new("session-0123456789").encode() in first.data


def test_the_author_is_never_asked_for_exchanges() -> None:
    author = Autoplay(Reader(MemorySource(recording(*EVENTS))), recorded)
    with pytest.raises(AssertionError):
        author.opening(None)  # type: ignore[arg-type]
    assert author.includes_prompt()
    assert author.farewell(gone=True) == author.farewell(gone=False) == [Exit(0)]
