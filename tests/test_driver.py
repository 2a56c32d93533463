"""The driver, in virtual time: order, back-pressure, and every way to end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbackend.driver import HIGH_WATER, Driver, Ending
from mockbackend.engine.pacing import instant, recorded
from mockbackend.engine.session import Session
from mockbackend.engine.steps import Note, Stderr
from mockbackend.recording.reader import Reader
from mockbackend.recording.replay import AtEnd, Options, Replay
from mockbackend.testing.sources import MemorySource, recording
from mockbackend.testing.virtual import DeadlockError, VirtualFrontend

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockbackend.engine.events import Event
    from mockbackend.engine.pacing import Pace
    from mockbackend.engine.steps import Action

S = 1_000_000
F, B = "frontend", "backend"
INIT = {"type": "init", "version": 1, "working_dir": "/"}
ASK = {"type": "user_message", "content": "hi"}
STARTED = {"type": "session_started", "session_id": "s"}


def data(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def delta(text: str) -> dict[str, Any]:
    return {"type": "assistant_text_delta", "content": text}


EVENTS = ((0, F, INIT), (0.5, B, STARTED), (1, F, ASK), (2, B, delta("a")), (3, B, delta("b")))


class Ears:
    """A tap that remembers."""

    def __init__(self) -> None:
        self.noted: list[tuple[int, str]] = []

    def heard(self, event: Event, now: int) -> None:
        self.noted.append((now, type(event).__name__))

    def said(self, actions: Sequence[Action], now: int) -> None:
        self.noted += [(now, type(action).__name__) for action in actions]


def drive(
    frontend: VirtualFrontend,
    *,
    events: tuple[tuple[float, str, Any], ...] = EVENTS,
    pace: Pace = recorded,
    taps: tuple[Ears, ...] = (),
    told: list[Note | Stderr] | None = None,
    options: Options | None = None,
) -> Ending:
    session = Session(Replay(Reader(MemorySource(recording(*events))), pace, options))
    return Driver(session, frontend, frontend.clock, taps=taps, tell=(told if told is not None else []).append).run()


def times(frontend: VirtualFrontend) -> list[tuple[float, str]]:
    return [
        (at / S, json.loads(line).get("content") or json.loads(line)["type"])
        for at, chunk in frontend.received
        for line in chunk.splitlines()
    ]


def test_a_session_runs_in_its_own_time_and_ends_with_the_input() -> None:
    frontend = VirtualFrontend([(5 * S, data(INIT)), (9 * S, data(ASK))], closes_at=9 * S)
    assert drive(frontend) == Ending(0, None, "exit")
    assert times(frontend) == [(5.5, "session_started"), (10, "a"), (11, "b")]


def test_the_last_line_needs_no_newline() -> None:
    frontend = VirtualFrontend([(0, data(INIT)), (0, data(ASK)[:-1])], closes_at=0)
    drive(frontend)
    assert [word for _, word in times(frontend)] == ["session_started", "a", "b"]


def test_what_is_due_is_said_before_what_came_later_is_heard() -> None:
    frontend = VirtualFrontend([(0, data(INIT) + data(ASK)), (3 * S, data({"type": "ping"}))], closes_at=3 * S)
    ears = Ears()
    drive(frontend, taps=(ears,))
    assert times(frontend)[-2:] == [(2.5, "b"), (3, "pong")]
    assert ears.noted[0] == (0, "Woken")
    assert (3 * S, "Received") in ears.noted
    assert (3 * S, "Closed") in ears.noted


def test_notes_and_stderr_go_to_people() -> None:
    told: list[Note | Stderr] = []
    events = (*EVENTS[:2], (0.7, "stderr", "ready"))
    frontend = VirtualFrontend([(0, data(INIT)), (2 * S, data(ASK))], closes_at=2 * S)
    drive(frontend, events=events, told=told)
    assert told[0] == Stderr(b"ready\n")
    assert isinstance(told[1], Note)


def test_a_broken_stdout_ends_everything_in_the_middle_of_a_wait() -> None:
    frontend = VirtualFrontend([(0, data(INIT) + data(ASK))], gone_at=round(1.7 * S))
    assert drive(frontend) == Ending(0, None, "the frontend closed our stdout")
    assert times(frontend) == [(0.5, "session_started"), (1.5, "a")]


def test_an_interrupt_ends_everything_in_an_orderly_way() -> None:
    frontend = VirtualFrontend([(0, data(INIT))], interrupted_at=7 * S)
    ears = Ears()
    assert drive(frontend, taps=(ears,)) == Ending(0, None, "interrupted")


def test_a_crash_is_passed_on() -> None:
    events = (*EVENTS[:4], (2.5, "exit", {"signal": 9}))
    frontend = VirtualFrontend([(0, data(INIT) + data(ASK))])
    assert drive(frontend, events=events) == Ending(137, 9, "exit")
    assert times(frontend)[-1] == (1.5, "a")


LONG = (*EVENTS[:3], *((2, B, delta("x" * 990)) for _ in range(500)))


def test_a_frontend_that_does_not_read_leaves_one_batch_in_our_hands() -> None:
    frontend = VirtualFrontend(
        [(0, data(INIT)), (2 * S, data(ASK)), (5 * S, data({"type": "cancel"}))],
        closes_at=8 * S,
        stalls=[(1 * S, 6 * S)],
    )
    drive(frontend, events=LONG, pace=instant)
    words = [word[:20] for _, word in times(frontend)]
    assert 0 < words.count("x" * 20) * 1000 < 2 * HIGH_WATER
    assert words[-1] == "session_ended"


def test_nothing_is_lost_when_a_frontend_reads_slowly() -> None:
    frontend = VirtualFrontend(
        [(0, data(INIT)), (2 * S, data(ASK))],
        closes_at=3 * S,
        stalls=[(at * S, at * S + S // 2) for at in range(2, 20)],
    )
    drive(frontend, events=LONG, pace=instant)
    assert frontend.output == data(STARTED) + data(delta("x" * 990)) * 500


def test_lateness_does_not_add_up() -> None:
    steady = (*EVENTS[:3], *((1 + at / 10, B, delta(str(at))) for at in range(1, 40)))
    frontend = VirtualFrontend([(0, data(INIT)), (1 * S, data(ASK))], closes_at=1 * S, stalls=[(2 * S, 3 * S)])
    drive(frontend, events=steady)
    got = {word: at for at, word in times(frontend)}
    assert got["9"] == pytest.approx(1.9)
    assert got["12"] == 3
    assert got["30"] == pytest.approx(4.0)


def test_a_flood_of_pings_that_nobody_hears_the_answers_of_is_not_heard_either() -> None:
    flood = data({"type": "ping"}) * 100_000
    frontend = VirtualFrontend([(1, flood) for _ in range(4)], closes_at=2 * S, stalls=[(1, 5 * S)])
    drive(frontend)
    assert frontend.output == data({"type": "pong"}) * 400_000


def test_an_exit_does_not_wait_for_a_frontend_that_never_reads() -> None:
    frontend = VirtualFrontend(
        [(0, data(INIT)), (2 * S, data(ASK)), (3 * S, data({"type": "shutdown"}))], stalls=[(1 * S, 3600 * S)]
    )
    ending = drive(frontend, events=LONG, pace=instant)
    assert ending.why == "exit, with a frontend that does not read"
    assert frontend.now == 4 * S


def test_a_deadlock_is_an_exception() -> None:
    with pytest.raises(DeadlockError):
        drive(VirtualFrontend([(0, data(INIT))]))


def test_the_end_of_the_recording_can_end_the_process_while_the_input_is_open() -> None:
    frontend = VirtualFrontend([(0, data(INIT)), (1, data(ASK))])
    assert drive(frontend, options=Options(at_end=AtEnd.STOP)) == Ending(0, None, "exit")


@given(st.data())
def test_any_chunking_of_the_input_gives_the_same_output(draw: st.DataObject) -> None:
    lines = (
        data(INIT)
        + b"\n"
        + data(ASK)
        + b"{oops\r\n"
        + data({"type": "ping"})
        + data({"type": "cancel"})
        + data(ASK)[:-1]
    )
    chunks, rest = [], lines
    while rest:
        size = draw.draw(st.integers(1, len(rest)))
        chunks.append((0, rest[:size]))
        rest = rest[size:]
    whole, parts = VirtualFrontend([(0, lines)], closes_at=0), VirtualFrontend(chunks, closes_at=0)
    drive(whole)
    drive(parts)
    assert parts.output == whole.output


def test_an_interrupt_from_inside_is_seen_too() -> None:
    frontend = VirtualFrontend([(0, data(INIT))])
    frontend.interrupt()
    frontend.close()
    assert drive(frontend).why == "interrupted"


def test_a_frontend_that_goes_after_the_exit_changes_nothing_about_it() -> None:
    events = (*EVENTS[:4], (2, "exit", {"code": 42}))
    frontend = VirtualFrontend([(0, data(INIT)), (S, data(ASK))], stalls=[(S, 9 * S)], gone_at=round(2.5 * S))
    assert drive(frontend, events=events) == Ending(42, None, "the frontend closed our stdout")
