"""The player: tracks, their clocks, and what they wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbackend.engine.player import Player
from mockbackend.engine.steps import Await, Emit, Exit, Fork, Join, Note, Stderr, Wait
from mockbackend.errors import ScriptError

if TYPE_CHECKING:
    from mockbackend.engine.steps import Action, Script

S = 1_000_000


def run(player: Player, until: int = 1000 * S, budget: int = 10_000) -> list[tuple[int, Action]]:
    """Advance to every deadline up to *until*; return what was said, and when."""
    said: list[tuple[int, Action]] = []
    while (due := player.deadline) is not None and due <= until:
        out: list[Action] = []
        player.advance(due, out, budget)
        said += [(due, action) for action in out]
    return said


def say(*texts: str, every: int = S) -> Script:
    for text in texts:
        yield Wait(every)
        yield Emit(text.encode())


def texts(said: list[tuple[int, Action]]) -> list[tuple[int, str]]:
    return [(at, action.data.decode()) for at, action in said if isinstance(action, Emit)]


def test_a_script_speaks_at_the_times_that_it_waits_for() -> None:
    player = Player()
    player.start(say("a", "b"), 5 * S)
    assert texts(run(player)) == [(6 * S, "a"), (7 * S, "b")]
    assert player.ended == [0]


def test_lateness_does_not_add_up() -> None:
    player = Player()
    player.start(say("a", "b", "c"), 0)
    out: list[Action] = []
    player.advance(round(1.9 * S), out, 10)
    assert player.deadline == 2 * S


def test_tracks_are_merged_by_time_and_then_by_number() -> None:
    player = Player()
    player.start(say("a1", "a2", "a3"), 0)
    player.start(say("b1", "b2", every=S // 2), 0)
    assert texts(run(player)) == [(S // 2, "b1"), (S, "a1"), (S, "b2"), (2 * S, "a2"), (3 * S, "a3")]


def test_a_late_call_still_merges_tracks_by_their_own_times() -> None:
    player = Player()
    player.start(say("a1", "a2"), 0)
    player.start(say("b1", "b2", every=S // 2), 0)
    out: list[Action] = []
    player.advance(10 * S, out, 100)
    assert [action.data for action in out if isinstance(action, Emit)] == [b"b1", b"a1", b"b2", b"a2"]


def test_a_script_that_never_waits_leaves_room_for_others_to_be_heard() -> None:
    def endless() -> Script:
        while True:
            yield Emit(b"x")

    player = Player()
    player.start(endless(), 3)
    out: list[Action] = []
    player.advance(3, out, 10)
    assert len(out) == 5  # A step and a byte each.
    assert player.deadline == 3


def test_a_script_that_only_waits_for_no_time_spends_its_budget_too() -> None:
    def endless() -> Script:
        while True:
            yield Wait(0)

    player = Player()
    player.start(endless(), 0)
    player.advance(0, [], 10)
    assert player.deadline == 0


def test_an_awaiting_script_goes_on_from_the_delivery() -> None:
    def ask() -> Script:
        reply = yield Await("answer")
        yield Wait(S)
        yield Emit(str(reply).encode())

    player = Player()
    player.start(ask(), 0)
    assert run(player) == []
    assert player.deadline is None
    assert player.deliver("answer", 42, 7 * S)
    assert texts(run(player)) == [(8 * S, "42")]


def test_a_delivery_that_nobody_awaits_is_lost_unless_it_is_kept() -> None:
    def ask() -> Script:
        reply = yield Await("a")
        yield Emit(str(reply).encode())

    player = Player()
    assert not player.deliver("a", 1, 0)
    assert not player.deliver("a", 2, 0, keep=True)
    assert not player.deliver("a", 3, 0, keep=True)
    player.start(ask(), S)
    player.start(ask(), S)
    player.start(ask(), S)
    assert texts(run(player)) == [(S, "2"), (S, "3")]


def test_two_scripts_that_await_the_same_are_served_in_turn() -> None:
    def ask(name: str) -> Script:
        reply = yield Await("a")
        yield Emit(f"{name}{reply}".encode())

    player = Player()
    player.start(ask("x"), 0)
    player.start(ask("y"), 0)
    run(player)
    player.deliver("a", 1, S)
    player.deliver("a", 2, S)
    assert texts(run(player)) == [(S, "x1"), (S, "y2")]


def test_a_timeout_answers_with_none() -> None:
    def ask() -> Script:
        reply = yield Await("a", 2 * S)
        yield Emit(repr(reply).encode())

    player = Player()
    player.start(ask(), 0)
    player.start(ask(), S)
    assert texts(run(player)) == [(2 * S, "None"), (3 * S, "None")]
    assert not player.deliver("a", 1, 5 * S)


def test_an_answer_in_time_makes_the_timeout_void() -> None:
    def ask() -> Script:
        first = yield Await("a", 2 * S)
        second = yield Await("b", 10 * S)
        yield Emit(f"{first} {second}".encode())

    player = Player()
    player.start(ask(), 0)
    run(player, until=0)
    player.deliver("a", "yes", S)
    assert texts(run(player)) == [(11 * S, "yes None")]


def test_forked_scripts_run_beside_their_parent_and_can_be_joined() -> None:
    def parent() -> Script:
        number = yield Fork(say("child", every=2 * S))
        yield Emit(b"parent")
        yield Join(number)
        yield Emit(b"joined")
        yield Join(number)
        yield Emit(b"again")

    player = Player()
    player.start(parent(), 0)
    assert texts(run(player)) == [(0, "parent"), (2 * S, "child"), (2 * S, "joined"), (2 * S, "again")]
    assert player.ended == [1, 0]


def test_what_is_not_for_the_frontend_passes_in_order() -> None:
    def mixed() -> Script:
        yield Note("a")
        yield Emit(b"b")
        yield Stderr(b"c")

    player = Player()
    player.start(mixed(), 0)
    assert [action for _, action in run(player)] == [Note("a"), Emit(b"b"), Stderr(b"c")]


def test_exit_ends_every_track() -> None:
    def dies() -> Script:
        yield Wait(2 * S)
        yield Exit(137)
        yield Emit(b"never")

    player = Player()
    player.start(say("a", "b", "c"), 0)
    player.start(dies(), 0)
    said = run(player)
    assert said[-1] == (2 * S, Exit(137))
    assert texts(said) == [(S, "a"), (2 * S, "b")]


def test_stopping_closes_scripts_and_forgets_what_was_kept() -> None:
    closed: list[str] = []

    def script() -> Script:
        try:
            yield Await("a")
        finally:
            closed.append("closed")

    player = Player()
    player.start(script(), 0)
    run(player)
    player.deliver("b", 1, 0, keep=True)
    player.stop()
    assert closed == ["closed"]
    assert player.deadline is None
    assert not player.deliver("a", 1, 0)
    player.start(script(), 0)
    assert run(player) == []


def test_what_is_no_step_is_an_error() -> None:
    def wrong() -> Script:
        yield "hello"  # type: ignore[misc]

    player = Player()
    player.start(wrong(), 0)
    with pytest.raises(ScriptError, match="steps only, not 'hello'"):
        player.advance(0, [], 10)


@given(
    st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=4),
    st.integers(1, 7),
)
def test_a_budget_changes_nothing_but_the_number_of_calls(waits: list[list[int]], budget: int) -> None:
    def script(name: int, gaps: list[int]) -> Script:
        for index, gap in enumerate(gaps):
            yield Wait(gap)
            yield Emit(f"{name}.{index}".encode())

    def outcome(steps: int) -> list[tuple[int, Action]]:
        player = Player()
        for name, gaps in enumerate(waits):
            player.start(script(name, gaps), 0)
        return run(player, budget=steps)

    assert outcome(budget) == outcome(10_000)
