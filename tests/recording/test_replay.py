"""Replay: the recorded answer to a live frontend, in the recorded order and time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mockbackend.engine.auth import Auth
from mockbackend.engine.events import Received
from mockbackend.engine.pacing import instant, recorded
from mockbackend.engine.session import Session
from mockbackend.engine.steps import Emit, Exit, Note, Stderr
from mockbackend.errors import UsageError
from mockbackend.recording.finder import Match
from mockbackend.recording.ids import FreshIds
from mockbackend.recording.reader import Reader
from mockbackend.recording.replay import AtEnd, Options, Replay
from mockbackend.testing.conversation import SECOND, line, play
from mockbackend.testing.sources import MemorySource, recording

if TYPE_CHECKING:
    from mockbackend.engine.pacing import Pace
    from mockbackend.engine.steps import Action

INIT = {"type": "init", "version": 1, "working_dir": "/home/dev/demo"}
STARTED = {"type": "session_started", "session_id": "s1"}
CANCEL = {"type": "cancel"}
ENDED = {"type": "session_ended", "reason": "cancelled"}
SHUTDOWN = {"type": "shutdown"}
PING, PONG = {"type": "ping"}, {"type": "pong"}


def user(text: str = "hi") -> dict[str, Any]:
    return {"type": "user_message", "content": text}


def delta(text: str) -> dict[str, Any]:
    return {"type": "assistant_text_delta", "content": text}


def query(request_id: str) -> dict[str, Any]:
    return {"type": "room_query", "request_id": request_id, "query": "describe"}


def answer(request_id: str) -> dict[str, Any]:
    return {"type": "room_query_response", "request_id": request_id, "description": "tidy"}


F, B = "frontend", "backend"
TWO_TURNS = (
    (0.0, F, INIT),
    (0.5, B, STARTED),
    (5.0, F, user("one")),
    (6.0, B, delta("1a")),
    (7.0, B, delta("1b")),
    (20.0, F, user("two")),
    (20.5, B, delta("2a")),
)


def replay(
    events: tuple[tuple[float, str, Any], ...],
    *inputs: tuple[float, dict[str, Any] | Received],
    pace: Pace = recorded,
    options: Options | None = None,
    ids: FreshIds | None = None,
    header: dict[str, Any] | None = None,
    close: bool = True,
    until: float | None = None,
    **session: Any,
) -> list[tuple[float, str]]:
    """Play a recording to a frontend; return (seconds, what was done)."""
    author = Replay(Reader(MemorySource(recording(*events, header=header))), pace, options, ids)
    heard = [(round(at * SECOND), what if isinstance(what, Received) else line(what)) for at, what in inputs]
    done = play(Session(author, **session), heard, close=close, until=None if until is None else round(until * SECOND))
    return [(at / SECOND, _told(action)) for at, action in done]


def _told(action: Action) -> str:
    match action:
        case Emit(data, None):
            return data.decode(errors="replace")
        case Emit(data, message):
            assert message is not None
            assert json.loads(data) == message
            for key in ("content", "session_id", "request_id", "id", "reason", "code", "error"):
                if key in message:
                    return str(message[key])
            return str(message["type"])
        case Exit(code, None):
            return f"exit {code}"
        case Exit(_, signal):
            return f"signal {signal}"
        case Stderr(data):
            return f"stderr {data.decode()}"
        case Note(text, level):
            return f"{level}: {text}"


def said(*args: Any, **options: Any) -> list[str]:
    return [word for _, word in replay(*args, **options) if not word.startswith("debug")]


def test_a_live_opening_starts_the_next_exchange_in_its_own_time() -> None:
    assert replay(TWO_TURNS, (1, INIT), (100, user("one")), (200, user("two"))) == [
        (1.5, "s1"),
        (101, "1a"),
        (102, "1b"),
        (200.5, "2a"),
        (200.5, "exit 0"),
    ]


def test_an_early_message_waits_until_its_exchange_is_due() -> None:
    assert replay(TWO_TURNS, (0, INIT), (0, user("one")), (0, user("two"))) == [
        (0.5, "s1"),
        (1.5, "1a"),
        (2.5, "1b"),
        (3.0, "2a"),
        (3.0, "exit 0"),
    ]


def test_a_message_recorded_in_mid_turn_opens_its_exchange_there() -> None:
    events = ((0, F, INIT), (1, F, user("a")), (2, B, delta("x")), (3, F, user("b")), (4, B, delta("y")))
    assert replay(events, (0, INIT), (1, user("a")), (9, user("b")))[-3:] == [(2, "x"), (10, "y"), (10, "exit 0")]


def test_instant_keeps_order_and_gates() -> None:
    assert replay(TWO_TURNS, (0, INIT), (3, user("one")), pace=instant) == [
        (0, "s1"),
        (3, "1a"),
        (3, "1b"),
        (3, "exit 0"),
    ]


def test_what_was_said_before_the_first_opening_is_said_at_its_time() -> None:
    events = ((0.5, B, "npm WARN"), (0.7, "stderr", "ready"), *((at + 1, *rest) for at, *rest in TWO_TURNS))
    assert replay(events, (0, INIT), (4, PING))[:4] == [  # type: ignore[arg-type]
        (0.5, "npm WARN\n"),
        (0.7, "stderr ready\n"),
        (1.2, "s1"),
        (4, "pong"),
    ]


ROOM = (
    (0, F, INIT),
    (0, B, STARTED),
    (1, F, user()),
    (2, B, query("q1")),
    (2, B, query("q2")),
    (3, F, answer("q2")),
    (4, B, delta("after q2")),
    (5, F, answer("q1")),
    (6, B, delta("after q1")),
)


def test_what_followed_an_answer_waits_for_the_live_one_and_time_counts_from_it() -> None:
    inputs = ((0, INIT), (1, user()), (50, answer("q2")), (80, answer("q1")))
    assert replay(ROOM, *inputs)[-3:] == [(51, "after q2"), (81, "after q1"), (81, "exit 0")]


def test_an_answer_that_comes_earlier_than_recorded_is_kept_until_its_place_comes() -> None:
    inputs = ((0, INIT), (1, user()), (2.5, answer("q1")), (50, answer("q2")))
    assert replay(ROOM, *inputs)[-3:] == [(51, "after q2"), (52, "after q1"), (52, "exit 0")]


def test_no_answer_means_no_more_and_the_end_of_input_ends_it() -> None:
    assert replay(ROOM, (0, INIT), (1, user()))[-2:] == [(2, "q2"), (2, "exit 0")]


def test_a_late_answer_that_changed_nothing_is_not_waited_for() -> None:
    events = (
        *ROOM[:3],
        (2, B, query("q1")),
        (12, B, delta("timeout")),
        (14, F, answer("q1")),
        (20, F, user()),
        (21, B, delta("next")),
    )
    assert replay(events, (0, INIT), (1, user()), (13, user()))[-3:] == [(12, "timeout"), (14, "next"), (14, "exit 0")]


def test_an_answer_to_what_was_never_asked_is_not_waited_for() -> None:
    events = (*ROOM[:3], (2, F, answer("unknown")), (3, B, delta("x")))
    assert replay(events, (0, INIT), (1, user()))[-2:] == [(3, "x"), (3, "exit 0")]


def test_other_frontend_lines_do_not_hold_the_replay_up() -> None:
    mode = {"type": "mode_change", "mode": "plan"}
    events = (*TWO_TURNS[:3], (5.5, F, mode), (5.6, F, "{broken"), (5.7, F, ""), (6, B, delta("x")))
    assert replay(events, (0, INIT), (1, user("one")))[-2:] == [(2, "x"), (2, "exit 0")]


CANCELLED = (
    *TWO_TURNS[:3],
    (6, B, delta("x")),
    (7, F, CANCEL),
    (7.2, B, ENDED),
    (9, F, user("two")),
    (10, B, delta("y")),
)


@pytest.mark.parametrize("at", [2.5, 3.0, 3.1, 3.4])
def test_a_recorded_cancel_answers_a_live_one_early_or_late(at: float) -> None:
    assert replay(CANCELLED, (0, INIT), (1, user("one")), (at, CANCEL), (5, user("two")))[1:] == [
        (2, "x"),
        (3.2, "cancelled"),
        (6, "y"),
        (6, "exit 0"),
    ]


def test_a_second_cancel_is_a_cancel_of_its_own() -> None:
    got = replay(CANCELLED, (0, INIT), (1, user("one")), (2.5, CANCEL), (2.6, CANCEL), (5, user("two")))
    assert got[1:] == [(2, "x"), (2.6, "cancelled"), (6, "y"), (6, "exit 0")]


def test_a_cancel_that_was_not_recorded_skips_to_the_next_exchange() -> None:
    got = replay(TWO_TURNS, (0, INIT), (1, user("one")), (2.5, CANCEL), (5, user("two")))
    assert got == [(0.5, "s1"), (2, "1a"), (2.5, "cancelled"), (5.5, "2a"), (5.5, "exit 0")]


def test_a_cancel_voids_what_the_room_was_asked() -> None:
    events = (*ROOM[:4], (3, F, user("b")), (4, F, answer("q1")), (5, B, delta("x")))
    got = replay(events, (0, INIT), (1, user()), (2.5, CANCEL), (3, user("b")))
    assert got[-2:] == [(5, "x"), (5, "exit 0")]


def test_a_recorded_refusal_answers_a_live_malformed_line_and_a_second_gets_its_own() -> None:
    refusal = {"type": "error", "code": "PARSE_ERROR", "message": "recorded", "recoverable": True}
    events = (*TWO_TURNS[:2], (1, F, "{broken"), (1.5, B, refusal), (5, F, user("one")), (6, B, delta("x")))
    broken = Received(b"[1,2,3]")
    unknown = (*events[:2], (1, F, {"type": "wave"}), *events[3:])
    assert [at for at, word in replay(unknown, (0, INIT), (1, broken)) if word == "PARSE_ERROR"] == [1.5]
    got = replay(events, (0, INIT), (1, broken), (2, broken))
    assert [at for at, word in got if word == "PARSE_ERROR"] == [1.5, 2]


def test_a_refused_line_of_a_passed_exchange_answers_nothing_more() -> None:
    events = (*TWO_TURNS[:2], (1, F, "{broken"), (5, F, user("one")), (6, B, delta("x")))
    got = said(events, (0, INIT), (1, user("one")), (1.5, Received(b"{")))
    assert got == ["s1", "PARSE_ERROR", "x", "exit 0"]


def test_a_message_that_was_refused_before_init_is_refused_as_recorded() -> None:
    refusal = {"type": "error", "code": "NOT_AUTHENTICATED", "message": "recorded", "recoverable": True}
    events = ((0, F, user()), (1, B, refusal), (2, F, INIT), (3, B, STARTED))
    assert replay(events, (0, user()), (5, INIT)) == [(1, "NOT_AUTHENTICATED"), (6, "s1"), (6, "exit 0")]
    assert said(events, (0, INIT)) == ["s1", "exit 0"]


def test_a_message_before_init_that_was_not_recorded_so_is_refused() -> None:
    assert said(TWO_TURNS, (0, user()), (1, INIT)) == ["NOT_AUTHENTICATED", "s1", "exit 0"]


def test_what_we_refuse_but_the_real_backend_understood_opens_its_exchange() -> None:
    odd = '{"type":"user_message","content":"\\ud83d"}'
    lines = (
        recording(*TWO_TURNS[:2])
        + b'{"t":1.000000,"from":"frontend","msg":%s}\n' % odd.encode()
        + recording((2, B, delta("x"))).split(b"\n", 1)[1]
    )
    author = Replay(Reader(MemorySource(lines)), recorded)
    done = play(Session(author), [(0, line(INIT)), (SECOND, Received(odd.encode()))])
    assert [(at / SECOND, _told(action)) for at, action in done] == [(0.5, "s1"), (2, "x"), (2, "exit 0")]


def test_pings_are_answered_live_and_recorded_pairs_are_left_out() -> None:
    events = (*TWO_TURNS[:3], (5.5, F, PING), (5.6, B, PONG), (6, B, delta("x")), (6.5, B, PONG))
    assert replay(events, (0, INIT), (1, user("one")), (1.2, PING)) == [
        (0.5, "s1"),
        (1.2, "pong"),
        (2, "x"),
        (2.5, "pong"),
        (2.5, "exit 0"),
    ]


def test_a_second_init_plays_the_recorded_second_init_or_starts_over() -> None:
    again = (*TWO_TURNS, (30, F, INIT), (30.5, B, {**STARTED, "session_id": "s2"}))
    assert said(again, (0, INIT), (1, user("one")), (2, INIT)) == ["s1", "1a", "s2", "exit 0"]
    assert said(TWO_TURNS, (0, INIT), (1, user("one")), (2.5, INIT), (3, user("one"))) == [
        "s1",
        "1a",
        "s1",
        "1a",
        "1b",
        "exit 0",
    ]


def test_an_early_second_init_waits_for_its_exchange_when_it_is_the_next() -> None:
    again = (*TWO_TURNS[:5], (30, F, INIT), (30.5, B, {**STARTED, "session_id": "s2"}))
    assert said(again, (0, INIT), (1, user("one")), (1, INIT)) == ["s1", "1a", "1b", "s2", "exit 0"]


def test_starting_over_forgets_what_was_asked_and_how_it_ended() -> None:
    events = (*ROOM[:4], (3, F, SHUTDOWN), (4, "exit", {"code": 3}))
    got = replay(events, (0, INIT), (1, user()), (5, INIT), close=False)
    assert got[-1] == (5, "s1")


def test_the_wrong_version_is_refused_unless_it_was_recorded_so() -> None:
    wrong = {**INIT, "version": 2}
    mismatch = {"type": "error", "code": "PROTOCOL_MISMATCH", "message": "recorded", "recoverable": False}
    assert said(TWO_TURNS, (0, wrong), (1, INIT)) == ["PROTOCOL_MISMATCH", "s1", "exit 0"]
    events = ((0, F, wrong), (1, B, mismatch))
    assert replay(events, (0, wrong)) == [(1, "PROTOCOL_MISMATCH"), (1, "exit 0")]


def test_auth_refuses_before_the_recording_says_anything() -> None:
    got = said(
        TWO_TURNS, (0, INIT), (0, user("one")), (1, {**INIT, "api_key": "k"}), (2, user("one")), auth=Auth.REQUIRED
    )
    assert got == ["No API key provided", "NOT_AUTHENTICATED", "s1", "1a", "1b", "exit 0"]


def test_a_recording_without_init_starts_a_session_all_the_same() -> None:
    events = ((5, F, user("one")), (6, B, delta("x")))
    assert said(events, (0, INIT), (1, user("one"))) == ["auth_status", "replay", "x", "exit 0"]


def test_a_crash_is_replayed_with_its_code_or_signal() -> None:
    events = (*TWO_TURNS[:4], (9, "exit", {"code": 137}))
    assert replay(events, (0, INIT), (1, user("one")))[-1] == (5, "exit 137")
    for name, number in (("SIGKILL", 9), ("kill", 9), ("term", 15), (6, 6)):
        assert said((*events[:-1], (9, "exit", {"signal": name})), (0, INIT), (1, user()))[-1] == f"signal {number}"
    assert said((*events[:-1], (9, "exit", {"signal": 19})), (0, INIT), (1, user()))[-1] == "exit 147"
    for odd in ({}, {"code": "x"}, {"signal": "SIGNONSENSE"}, {"signal": -1}, {"signal": True}):
        assert said((*events[:-1], (9, "exit", odd)), (0, INIT), (1, user()))[-1] == "exit 0"


@pytest.mark.parametrize("leave", [(8, F, SHUTDOWN), (8, "input_closed", {})])
def test_an_exit_that_the_frontend_asked_for_waits_for_the_live_one(leave: tuple[float, str, Any]) -> None:
    events = (*TWO_TURNS[:4], leave, (9, "exit", {"code": 3}))
    got = replay(events, (0, INIT), (1, user("one")), close=False)
    assert got == [(0.5, "s1"), (2, "1a")]
    assert replay(events, (0, INIT), (1, user("one")), (7, SHUTDOWN))[-1] == (7, "exit 3")
    assert replay(events, (0, INIT), (1, user("one")))[-1] == (2, "exit 3")


def test_a_shutdown_in_mid_turn_exits_at_once() -> None:
    assert replay(TWO_TURNS, (0, INIT), (1, user()), (1.5, SHUTDOWN))[-1] == (1.5, "exit 0")


def test_after_the_last_exchange_there_is_an_error_and_the_session_goes_on() -> None:
    got = replay(TWO_TURNS[:4], (0, INIT), (1, user("one")), (3, user("more")), (4, PING))
    assert got[2][1].startswith('warn: memory.jsonl: user_message "more": the recording has no further user_message')
    assert got[3:] == [(3, "SDK_ERROR"), (4, "pong"), (4, "exit 0")]


def test_the_recording_can_loop() -> None:
    options = Options(at_end=AtEnd.LOOP)
    got = said(TWO_TURNS, (0, INIT), *((at, user()) for at in (10, 20, 30)), options=options)
    assert got == ["s1", "1a", "1b", "2a", "1a", "1b", "exit 0"]
    assert said(TWO_TURNS[:2], (0, INIT), (1, user()), options=options)[-2:] == ["SDK_ERROR", "exit 0"]


def test_the_process_can_stop_with_the_recording() -> None:
    options = Options(at_end=AtEnd.STOP)
    got = replay(TWO_TURNS, (0, INIT), (1, user()), (5, user()), options=options, close=False)
    assert got[-2:] == [(5.5, "2a"), (5.5, "exit 0")]
    ended = (*TWO_TURNS, (21, F, SHUTDOWN), (22, "exit", {"code": 3}))
    assert replay(ended, (0, INIT), (1, user()), (5, user()), options=options, close=False)[-1] == (5.5, "exit 3")


def test_a_turn_can_be_started_at_and_the_session_starts_all_the_same() -> None:
    lazy = (
        (0, F, INIT),
        (1, F, user("one")),
        (1.5, B, STARTED),
        (2, B, delta("1")),
        (5, F, user("two")),
        (6, B, delta("2")),
    )
    for events, begin in ((TWO_TURNS, [(0.5, "s1")]), (lazy, [(1, "s1")])):
        got = replay(events, (0, INIT), (1, user("two")), options=Options(start_at=2))
        assert got[: len(begin)] == begin
        assert [word for _, word in got[len(begin) :]] == ["2a" if events is TWO_TURNS else "2", "exit 0"]


def test_a_marker_can_be_started_at() -> None:
    events = (*TWO_TURNS[:6], (20.2, "marker", {"name": "here"}), TWO_TURNS[6])
    assert said(events, (0, INIT), (1, user("two")), options=Options(start_at="here")) == ["s1", "2a", "exit 0"]
    early = ((0, "marker", {"name": "here"}), *TWO_TURNS)
    assert said(early, (0, INIT), (1, user("one")), options=Options(start_at="here")) == ["s1", "1a", "1b", "exit 0"]
    alone = ((0, "marker", {"name": "here"}), *TWO_TURNS[:2])
    assert said(alone, (0, INIT), options=Options(start_at="here")) == ["s1", "exit 0"]


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        (0, "--start-at 0: memory.jsonl has 2 user message(s)"),
        (3, "--start-at 3: memory.jsonl has 2 user message(s)"),
        ("x", "--start-at x: memory.jsonl has no such marker; it has: a, b"),
    ],
)
def test_a_place_that_is_not_there_is_a_usage_error(place: int | str, problem: str) -> None:
    events = (*TWO_TURNS, (30, "marker", {"name": "a"}), (31, "marker", {"name": "b"}))
    with pytest.raises(UsageError, match=problem.replace("(", r"\(").replace(")", r"\)")):
        replay(events, options=Options(start_at=place))
    with pytest.raises(UsageError, match="it has: none"):
        replay(TWO_TURNS, options=Options(start_at="x"))


MENU = (
    *TWO_TURNS[:2],
    *((5, F, user("run the tests")), (6, B, delta("tests"))),
    *((10, F, user("write a poem")), (11, B, delta("poem"))),
    *((20, F, user("run the tests")), (21, B, delta("tests again"))),
)


def test_by_content_the_equal_text_is_played_the_next_of_equals_first() -> None:
    options = Options(match=Match.CONTENT)
    inputs = [(at, user(text)) for at, text in ((1, "write a poem"), (5, "run the tests"), (9, "run the tests"))]
    assert said(MENU, (0, INIT), *inputs, options=options) == ["s1", "poem", "tests again", "tests", "exit 0"]


def test_by_content_the_nearest_text_is_played_and_the_miss_explained() -> None:
    got = replay(MENU, (0, INIT), (1, user("a poem, please")), options=Options(match=Match.CONTENT))
    [note] = [word for _, word in got if word.startswith("debug")]
    assert "took the nearest" in note
    assert 'content: expected "write a poem", found "a poem, please"' in note
    assert got[-2][1] == "poem"


def test_exactly_means_equal_or_an_explained_miss() -> None:
    got = replay(MENU, (0, INIT), (1, user("a poem")), (2, user("write a poem")), options=Options(match=Match.EXACT))
    assert (
        'no recorded user_message is like it; the nearest, line 6: content: expected "write a poem", found "a poem"'
        in got[1][1]
    )
    assert [word for _, word in got[2:]] == ["SDK_ERROR", "poem", "exit 0"]


def test_by_content_without_any_message_is_a_miss() -> None:
    assert said(TWO_TURNS[:2], (0, INIT), (1, user()), options=Options(match=Match.CONTENT))[-2:] == [
        "SDK_ERROR",
        "exit 0",
    ]


def test_a_session_started_that_was_passed_over_by_content_is_said() -> None:
    lazy = (
        (0, F, INIT),
        (1, F, user("one")),
        (1.5, B, STARTED),
        (2, B, delta("1")),
        (5, F, user("two")),
        (6, B, delta("2")),
    )
    got = said(lazy, (0, INIT), (1, user("two")), (3, user("one")), options=Options(match=Match.CONTENT))
    assert got == ["s1", "2", "s1", "1", "exit 0"]


def test_by_position_a_differing_text_is_noted_for_who_wants_to_know() -> None:
    got = replay(TWO_TURNS, (0, INIT), (1, user("other")))
    assert got[1][1] == 'debug: memory.jsonl:4: played anyway, by position: content: expected "one", found "other"'


def test_passing_over_exchanges_is_noted() -> None:
    again = (*TWO_TURNS, (30, F, INIT), (30.5, B, {**STARTED, "session_id": "s2"}))
    notes = [word for _, word in replay(again, (0, INIT), (1, INIT)) if word.startswith("debug")]
    assert notes == ["debug: memory.jsonl:9: passed over 2 recorded exchange(s) to get to the init of line 9"]


def test_a_recorded_initial_prompt_is_answered_where_it_was() -> None:
    prompted = {**INIT, "initial_prompt": "go"}
    events = ((0, F, prompted), (1, B, STARTED), (2, B, delta("x")), (5, F, user("two")), (6, B, delta("y")))
    assert said(events, (0, prompted)) == ["s1", "x", "exit 0"]
    assert said(TWO_TURNS, (0, prompted)) == ["s1", "1a", "1b", "exit 0"]


START = "start"
RUNS = (
    (0, START, {"pid": 1}),
    (0, F, INIT),
    (0, B, {**STARTED, "session_id": "old"}),
    (5, "exit", {"code": 137}),
    (6, START, {"pid": 2}),
    (6, F, {**INIT, "resume_session_id": "old"}),
    (6, B, {**STARTED, "session_id": "resumed"}),
    (8, START, {"pid": 3}),
    (8, F, INIT),
    (8, B, {**STARTED, "session_id": "third"}),
)


def test_the_run_whose_init_fits_is_played() -> None:
    assert replay(RUNS, (0, INIT))[-1] == (5, "exit 137")
    assert said(RUNS, (0, {**INIT, "resume_session_id": "old"})) == ["resumed", "exit 0"]
    assert said(RUNS, (0, {**INIT, "resume": "old"})) == ["resumed", "exit 0"]
    assert said(RUNS, (0, {**INIT, "resume": "resumed"})) == ["third", "exit 0"]
    assert said(RUNS, (0, {**INIT, "resume": "unheard of"}))[0] == "old"
    assert said(RUNS[4:], (0, INIT)) == ["third", "exit 0"]


def test_a_run_ends_where_the_next_begins() -> None:
    options = Options(at_end=AtEnd.STOP)
    events = (*TWO_TURNS[:4], (8, START, {}), *((at + 10, *rest) for at, *rest in TWO_TURNS))
    assert replay(events, (0, INIT), (1, user()), options=options, close=False)[-1] == (2, "exit 0")  # type: ignore[arg-type]


def test_fresh_ids_are_new_and_consistent() -> None:
    tool = {"type": "tool_start", "id": "toolu_0123456789abcdef", "tool": "Read", "input": {}}
    end = {"type": "tool_end", "id": "toolu_0123456789abcdef", "output": "", "success": True}
    events = (
        *ROOM[:3],
        (2, B, tool),
        (3, B, query("q1")),
        (4, F, answer("q1")),
        (5, B, end),
        (6, B, "raw toolu_0123456789abcdef"),
    )
    ids = FreshIds(7)
    got = said(events, (0, INIT), (1, user()), (4, answer(ids.new("q1"))), ids=ids)
    assert got[:4] == [
        ids.new("s1"),
        ids.new("toolu_0123456789abcdef"),
        ids.new("q1"),
        ids.new("toolu_0123456789abcdef"),
    ]
    assert "q1" not in got
    assert len(set(got)) == 5
    assert said(events, (0, INIT), (1, user()), (4, answer("q1")), ids=FreshIds(7))[-1] == "exit 0"


def test_a_fresh_session_can_be_resumed_under_the_same_seed() -> None:
    session = FreshIds(7).new("old")
    assert said(RUNS, (0, {**INIT, "resume": session}), ids=FreshIds(7))[0] == FreshIds(7).new("resumed")
    lazy = ((0, F, INIT), (1, F, user("one")), (1.5, B, STARTED), (5, F, user("two")), (6, B, delta("2")))
    got = said(lazy, (0, INIT), (1, user("two")), options=Options(start_at=2), ids=FreshIds(7))
    assert got[0] == FreshIds(7).new("s1")


def test_each_turn_can_be_ended_on_request() -> None:
    complete = {"type": "assistant_message_complete", "content": "1a1b"}
    events = (*TWO_TURNS[:5], (8, B, complete))
    assert said(events, (0, INIT), (1, user()), end_each_turn=True) == ["s1", "1a", "1b", "1a1b", "success", "exit 0"]


def test_a_clock_that_was_set_back_does_not_play_backwards() -> None:
    events = (*TWO_TURNS[:4], (5.5, B, delta("earlier")), (6, B, delta("later")))
    assert replay(events, (0, INIT), (1, user("one")))[2:4] == [(2, "earlier"), (2.5, "later")]


def test_pings_in_what_was_passed_over_count() -> None:
    events = (
        *TWO_TURNS[:5],
        (9, F, PING),
        (9, F, {"type": "mode_change", "mode": "plan"}),
        (20, F, user("two")),
        (20.1, B, PONG),
        (20.5, B, delta("2a")),
    )
    assert said(events, (0, INIT), (1, user("two")), options=Options(start_at=2)) == ["s1", "2a", "exit 0"]
    answered = (*TWO_TURNS[:5], (9, F, PING), (9, B, PONG), (9, B, PONG), (20, F, user("two")), (20.1, B, PONG))
    assert said(answered, (0, INIT), (1, user("two")), options=Options(start_at=2)) == ["s1", "pong", "exit 0"]


def test_an_end_that_was_passed_over_counts() -> None:
    events = (*TWO_TURNS[:5], (9, F, SHUTDOWN), (10, "exit", {"code": 3}))
    assert replay(events, (0, INIT), (1, user("one")), (2.5, CANCEL), (3, user("two")))[-1] == (3, "exit 3")
    author = Replay(Reader(MemorySource(recording(*events))), recorded)
    assert author.farewell(gone=True) == [Exit(0)]


def test_an_init_and_a_message_that_come_during_the_prologue_wait_for_its_end() -> None:
    events = ((0.5, B, "npm WARN"), *((at + 1, *rest) for at, *rest in TWO_TURNS))
    got = replay(events, (0, INIT), (0, user("one")), (0, PING))  # type: ignore[arg-type]
    assert got == [(0, "pong"), (0.5, "npm WARN\n"), (1.0, "s1"), (2.0, "1a"), (3.0, "1b"), (3.0, "exit 0")]


def test_a_turn_is_counted_in_the_run_that_is_played() -> None:
    second: Any = (
        (30, START, {}),
        (30, F, {**INIT, "resume": "s1"}),
        (31, F, user("a")),
        (32, B, delta("1st")),
        (33, F, user("b")),
        (34, B, delta("2nd")),
    )
    got = said((*TWO_TURNS, *second), (0, {**INIT, "resume": "s1"}), (1, user("b")), options=Options(start_at=2))
    assert got == ["2nd", "exit 0"]
