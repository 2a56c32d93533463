"""Strict replay: the frontend has to do what the recorded one did, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mockbackend.engine.events import Received
from mockbackend.engine.pacing import instant, recorded
from mockbackend.engine.session import Session
from mockbackend.engine.steps import Emit, Exit, Note
from mockbackend.recording.ids import FreshIds
from mockbackend.recording.reader import Reader
from mockbackend.recording.strict import StrictReplay
from mockbackend.testing.conversation import SECOND, line, play
from mockbackend.testing.sources import MemorySource, recording

if TYPE_CHECKING:
    from mockbackend.engine.pacing import Pace

F, B = "frontend", "backend"
INIT = {"type": "init", "version": 1, "working_dir": "/home/dev/demo"}
STARTED = {"type": "session_started", "session_id": "s1"}
ASK = {"type": "user_message", "content": "one"}
MODE = {"type": "mode_change", "mode": "plan"}
QUERY = {"type": "room_query", "request_id": "q1", "query": "describe"}
ANSWER = {"type": "room_query_response", "request_id": "q1", "description": "tidy"}
CANCEL = {"type": "cancel"}
SHUTDOWN = {"type": "shutdown"}
PING = {"type": "ping"}


def delta(text: str) -> dict[str, Any]:
    return {"type": "assistant_text_delta", "content": text}


EVENTS = (
    (0, F, INIT),
    (0.5, B, STARTED),
    (1, F, ASK),
    (2, B, delta("a")),
    (2.5, F, PING),
    (2.5, B, {"type": "pong"}),
    (3, F, "{broken"),
    (4, F, MODE),
    (5, B, QUERY),
    (6, F, ANSWER),
    (7, B, delta("b")),
    (8, F, SHUTDOWN),
    (9, "exit", {"code": 0}),
)
BROKEN = Received(b"{broken")


def replay(
    *inputs: tuple[float, dict[str, Any] | Received],
    events: tuple[tuple[float, str, Any], ...] = EVENTS,
    ids: FreshIds | None = None,
    pace: Pace = recorded,
) -> tuple[list[tuple[float, str]], list[str]]:
    """Return what was done, (seconds, what), and the findings."""
    author = StrictReplay(Reader(MemorySource(recording(*events))), pace, ids)
    heard = [(round(at * SECOND), what if isinstance(what, Received) else line(what)) for at, what in inputs]
    done: list[tuple[float, str]] = []
    for at, action in play(Session(author), heard):
        match action:
            case Emit(_, message):
                assert message is not None
                told = f"{message['code']} {message['recoverable']}" if message["type"] == "error" else message["type"]
                done.append((at / SECOND, str(message.get("content", told))))
            case Exit(code):
                done.append((at / SECOND, f"exit {code}"))
            case Note(text, level):
                assert (text.partition(":")[0], level) == ("strict", "warn")
            case _:
                raise AssertionError(action)
    return done, author.findings


GOOD: list[tuple[float, dict[str, Any] | Received]] = [
    (10, INIT),
    (11, ASK),
    (13, BROKEN),
    (14, MODE),
    (20, ANSWER),
    (30, SHUTDOWN),
]


def test_a_frontend_that_does_the_same_gets_the_same_and_a_clean_verdict() -> None:
    done, findings = replay(*GOOD)
    assert done == [
        (10.5, "session_started"),
        (12, "a"),
        (15, "room_query"),
        (21, "b"),
        (30, "exit 0"),
    ]
    assert findings == []


def test_every_line_is_waited_for_even_those_without_an_answer() -> None:
    done, findings = replay(*GOOD[:3], (100, MODE), *[(at + 100, what) for at, what in GOOD[4:]])
    assert [at for at, word in done if word == "room_query"] == [101]
    assert findings == []


def test_lines_that_come_early_wait_for_their_turn() -> None:
    done, findings = replay(*[(0, what) for _, what in GOOD[:-1]], (100, SHUTDOWN))
    assert [word for _, word in done] == ["session_started", "a", "room_query", "b", "exit 0"]
    assert findings == []


def test_pings_may_come_at_any_time_and_are_answered() -> None:
    done, findings = replay(*GOOD[:2], (11.5, PING), *GOOD[2:])
    assert (11.5, "pong") in done
    assert findings == []


def test_another_content_is_a_finding_and_the_replay_goes_on() -> None:
    other = {**ASK, "content": "two"}
    done, findings = replay(GOOD[0], (11, other), *GOOD[2:])
    assert findings == ['line 4: user_message: content: expected "one", found "two"']
    assert done[-1] == (30, "exit 4")
    assert (21, "b") in done


def test_what_differs_from_machine_to_machine_is_no_finding() -> None:
    assert replay((10, {**INIT, "working_dir": "/elsewhere", "api_key": "k"}), *GOOD[1:])[1] == []


def test_another_malformed_line_is_a_finding() -> None:
    done, findings = replay(*GOOD[:2], (13, Received(b"[oops")), *GOOD[3:])
    assert findings == ["line 8: expected {broken, found [oops"]
    assert done[-1] == (30, "exit 4")


def test_a_line_of_another_type_ends_the_replay_with_an_explanation() -> None:
    done, findings = replay(*GOOD[:2], (13, CANCEL), (14, PING))
    assert findings == ['line 8: expected {broken, found cancel {"type":"cancel"}']
    assert done[-2:] == [(13, "SDK_ERROR False"), (13, "exit 4")]


def test_a_message_where_another_was_recorded_names_both() -> None:
    _, findings = replay(GOOD[0], (11, CANCEL))
    assert findings == [
        'line 4: expected user_message {"type":"user_message","content":"one"}, found cancel {"type":"cancel"}'
    ]


def test_input_that_ends_too_early_is_a_finding() -> None:
    done, findings = replay(*GOOD[:5])
    assert findings == ['the input ended before line 13: expected shutdown {"type":"shutdown"}']
    assert done[-1] == (21, "exit 4")
    assert replay()[1] == [
        "the input ended before line 2: expected init " + '{"type":"init","version":1,"working_dir":"/home/dev/demo"}'
    ]


def test_a_shutdown_that_comes_too_early_is_a_finding_and_exits_at_once() -> None:
    done, findings = replay(*GOOD[:2], (11.5, SHUTDOWN))
    assert findings == ['line 8: expected {broken, found shutdown {"type":"shutdown"}']
    assert done[-1] == (11.5, "exit 4")


def test_a_burst_that_ends_with_the_shutdown_is_compared_to_its_end() -> None:
    done, findings = replay(*[(0, what) for _, what in GOOD])
    assert findings == []
    assert done[-1] == (0, "exit 0")
    _, findings = replay((0, INIT), (0, {**ASK, "content": "two"}), *[(0, what) for _, what in GOOD[2:]])
    assert findings == ['line 4: user_message: content: expected "one", found "two"']


def test_more_than_was_recorded_ends_the_replay() -> None:
    events = EVENTS[:4]
    done, findings = replay((0, INIT), (1, ASK), (5, CANCEL), events=events)
    assert findings == ['expected nothing more, found cancel {"type":"cancel"}']
    assert done[-1] == (5, "exit 4")


def test_a_shutdown_after_everything_was_said_is_fine() -> None:
    assert replay((0, INIT), (1, ASK), (5, SHUTDOWN), events=EVENTS[:4])[1] == []


def test_lines_left_over_when_the_input_ends_are_a_finding() -> None:
    _, findings = replay((0, INIT), (0, ASK), (0, CANCEL), (0, SHUTDOWN), events=EVENTS[:4])
    assert findings == ['expected nothing more, found cancel {"type":"cancel"}']


def test_a_crash_ends_with_its_own_code_unless_there_are_findings() -> None:
    events = (*EVENTS[:4], (3, "exit", {"code": 137}))
    assert replay((0, INIT), (1, ASK), events=events)[0][-1] == (3, "exit 137")
    assert replay((0, INIT), (1, {**ASK, "content": "x"}), events=events)[0][-1] == (3, "exit 4")


def test_the_first_init_chooses_the_run() -> None:
    resume = {**INIT, "resume_session_id": "s1"}
    events: Any = (*EVENTS[:2], (3, "start", {}), (3, F, resume), (3.5, B, delta("resumed")))
    assert replay((0, resume), events=events) == ([(0.5, "resumed"), (0.5, "exit 0")], [])
    assert replay((0, INIT), events=events) == ([(0.5, "session_started"), (0.5, "exit 0")], [])
    assert replay((0, {**INIT, "resume": "unheard of"}), events=events[:2])[1] == [
        'line 2: init: resume: expected nothing, found "unheard of"',
    ]


def test_a_first_line_that_is_no_init_is_compared_like_any_other() -> None:
    assert replay((0, CANCEL))[0][-1] == (0, "exit 4")


def test_fresh_ids_are_expected_back() -> None:
    ids = FreshIds(1)
    fresh = {**ANSWER, "request_id": ids.new("q1")}
    assert replay(*GOOD[:4], (20, fresh), (30, SHUTDOWN), ids=ids)[1] == []
    assert replay(*GOOD, ids=FreshIds(1))[1] != []


def test_instantly_it_is_the_same() -> None:
    assert replay(*GOOD, pace=instant)[1] == []


def test_the_author_is_never_asked_for_exchanges() -> None:
    author = StrictReplay(Reader(MemorySource(recording(*EVENTS))), recorded)
    with pytest.raises(AssertionError):
        author.opening(None)  # type: ignore[arg-type]
    with pytest.raises(AssertionError):
        author.cancelling()
    with pytest.raises(AssertionError):
        author.cancelled()
    assert author.includes_prompt()


def test_a_frontend_that_is_gone_without_a_word_has_not_done_everything() -> None:
    author = StrictReplay(Reader(MemorySource(recording(*EVENTS))), recorded)
    *notes, end = author.farewell(gone=True)
    assert len(notes) == 1
    assert end == Exit(4)
