"""The relay: what it does when one end closes, a signal comes, or time runs out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbackend.engine.relay import (
    Close,
    End,
    Ended,
    Event,
    Finish,
    KillAll,
    Passed,
    Relay,
    Signal,
    Signalled,
    Woken,
)

S = 1_000_000
QUIET = S // 4
TERM, KILL = 15, 9


def play(*events: tuple[float, Event], grace: int = 5 * S) -> list[tuple[float, object]]:
    """Deliver events at their seconds, and the deadlines between them; return what was done, and when."""
    relay = Relay(grace)
    done: list[tuple[float, object]] = []

    def handle(event: Event, at: int) -> None:
        done.extend((at / S, action) for action in relay.handle(event, at))

    for seconds, event in events:
        while (deadline := relay.deadline) is not None and deadline <= seconds * S:
            handle(Woken(), deadline)
        handle(event, round(seconds * S))
    while (deadline := relay.deadline) is not None and not any(isinstance(what, Finish) for _, what in done):
        handle(Woken(), deadline)
    return done


def test_the_end_of_input_is_passed_on_and_answers_in_flight_still_arrive() -> None:
    assert play((0, End.INPUT), (9, Passed()), (10, End.BACKEND_OUTPUT), (10, End.BACKEND_STDERR), (11, Ended(0))) == [
        (0, Close(End.BACKEND_INPUT)),
        (10, Close(End.OUTPUT)),
        (11, Finish(0, None)),
    ]


@pytest.mark.parametrize(
    ("end", "other"),
    [
        (End.OUTPUT, End.BACKEND_OUTPUT),
        (End.STDERR, End.BACKEND_STDERR),
        (End.BACKEND_INPUT, End.INPUT),
        (End.BACKEND_OUTPUT, End.OUTPUT),
    ],
)
def test_each_end_is_closed_on_the_other_side_once(end: End, other: End) -> None:
    assert play((0, end), (1, end), (2, other)) == [(0, Close(other))]


def test_the_backend_may_close_its_stderr_and_go_on() -> None:
    assert play((0, End.BACKEND_STDERR)) == []


def test_a_signal_is_passed_on_and_gives_time_to_end() -> None:
    assert play(
        (0, Signalled(TERM, to_all=False)), (1, Ended(143, TERM)), (1, End.BACKEND_OUTPUT), (1, End.STDERR)
    ) == [
        (0, Signal(TERM, to_all=False)),
        (1, Close(End.OUTPUT)),
        (1, Close(End.BACKEND_STDERR)),
        (1, Finish(143, TERM)),
    ]


def test_a_signal_that_is_not_meant_to_end_it_is_only_passed_on() -> None:
    assert play((0, Signalled(10, to_all=False, ends=False)), (100, Passed())) == [(0, Signal(10, to_all=False))]
    late = Signalled(10, to_all=False, ends=False)
    assert play((0, Ended(0)), (0.1, late)) == [(0.25, Finish(0, None))]


def test_who_does_not_end_in_time_is_killed() -> None:
    assert play((0, Signalled(2, to_all=True)), (3, Signalled(2, to_all=True)), (5.1, Ended(137, KILL))) == [
        (0, Signal(2, to_all=True)),
        (3, Signal(2, to_all=True)),
        (5, KillAll()),
        (5.35, Finish(137, KILL)),
    ]


def test_a_frontend_that_is_gone_leaves_the_backend_its_time() -> None:
    assert play((0, End.INPUT), (1, End.OUTPUT)) == [
        (0, Close(End.BACKEND_INPUT)),
        (1, Close(End.BACKEND_OUTPUT)),
        (6, KillAll()),
    ]


def test_a_frontend_that_only_stops_reading_is_not_gone() -> None:
    assert play((0, End.OUTPUT), (100, Passed())) == [(0, Close(End.BACKEND_OUTPUT))]


def test_a_backend_that_closes_its_output_is_not_a_frontend_that_is_gone() -> None:
    assert play((0, End.INPUT), (1, End.BACKEND_OUTPUT), (100, Passed())) == [
        (0, Close(End.BACKEND_INPUT)),
        (1, Close(End.OUTPUT)),
    ]


def test_what_an_ended_backend_has_left_behind_is_heard_as_long_as_it_speaks_and_then_killed() -> None:
    assert play((0, Ended(1)), (0.2, Passed()), (0.4, Passed())) == [(0.65, Finish(1, None))]
    chatty = [(tick / 10, Passed()) for tick in range(1, 60)]
    assert play((0, Ended(1)), *chatty) == [(5, KillAll()), (6.15, Finish(1, None))]


def test_an_ended_backend_is_heard_out_however_slowly_the_frontend_reads() -> None:
    relay = Relay(5 * S)
    assert relay.handle(Ended(0), 0) == []
    assert relay.deadline == QUIET
    assert relay.handle(Woken(blocked=True), QUIET) == []
    assert relay.deadline == 2 * QUIET
    assert relay.handle(Woken(blocked=True), 5 * S) == [KillAll()]
    assert relay.handle(Woken(blocked=False), 6 * S) == [Finish(0, None)]
    assert relay.handle(Ended(0), 7 * S) == []


def test_a_signal_ends_the_wait_for_a_frontend_that_does_not_read() -> None:
    assert play((0, Ended(0)), (0.1, Signalled(TERM, to_all=False))) == [(0.1, Finish(0, None))]


EVENTS = st.one_of(
    st.sampled_from(End),
    st.builds(Signalled, st.integers(1, 15), st.booleans(), st.booleans()),
    st.just(Passed()),
    st.builds(Woken, st.booleans()),
)


@given(st.lists(st.tuples(st.integers(0, 3 * S), EVENTS), max_size=12), st.integers(0, 10 * S))
def test_whatever_happens_it_finishes_once_the_backend_has_ended(events: list[tuple[int, Event]], grace: int) -> None:
    relay, now, closed = Relay(grace), 0, []
    for gap, event in events:
        now += gap
        closed += [action for action in relay.handle(event, now) if isinstance(action, Close)]
    assert len(closed) == len(set(closed))
    actions = relay.handle(Ended(7), now)
    waits = 0
    while not any(isinstance(action, Finish) for action in actions):
        assert relay.deadline is not None
        now, waits = max(now, relay.deadline), waits + 1
        actions = relay.handle(Woken(), now)
        assert waits < 9
    assert actions[-1] == Finish(7, None)
