"""Timing by name: which paces a set of options makes."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from mockbackend.engine.pacing import DELTA, instant
from mockbackend.engine.replies import emit
from mockbackend.engine.timing import Timing, agent_pacer, pace_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockbackend.engine.pacing import Pace, Random, Timed

S = 1_000_000


def rng() -> Random:
    return random.Random(5)


def no_chance() -> Random:
    raise AssertionError("nothing was to be left to chance")


ITEM = SimpleNamespace(message={"content": "hello there "})
ITEMS: list[Timed] = [(S, DELTA, ITEM)] * 60


def gaps(timing: Timing, items: list[Timed] = ITEMS, **options: Any) -> list[int]:
    return [gap or 0 for gap, _, _ in pace_for(timing, options.pop("rng", rng), **options)(items)]


def test_instant_is_instant_whatever_else_is_wished() -> None:
    assert pace_for(Timing.INSTANT, no_chance, factor=2, jitter_share=0.5) is instant


def test_recorded_gaps_are_kept_and_nothing_is_left_to_chance() -> None:
    assert gaps(Timing.RECORDED, rng=no_chance) == [S] * 60


def test_speed_and_the_longest_gap_apply_in_this_order() -> None:
    assert gaps(Timing.RECORDED, factor=0.5, max_gap_us=S + 1, rng=no_chance) == [S + 1] * 60


def test_jitter_comes_last() -> None:
    varied = gaps(Timing.RECORDED, max_gap_us=S, jitter_share=0.1)
    assert len(set(varied)) > 50
    assert max(varied) > S


@pytest.mark.parametrize("timing", [Timing.FAST, Timing.REALISTIC, Timing.SLOW])
def test_a_profile_replaces_the_recorded_gaps(timing: Timing) -> None:
    assert S not in gaps(timing)


def test_profiles_differ_by_a_factor() -> None:
    fast, normal, slow = (sum(gaps(timing)) for timing in (Timing.FAST, Timing.REALISTIC, Timing.SLOW))
    assert normal == pytest.approx(5 * fast, rel=0.01)
    assert slow == pytest.approx(3 * normal, rel=0.01)


def test_what_has_no_times_gets_realistic_ones() -> None:
    assert gaps(Timing.RECORDED, timed=False) == gaps(Timing.REALISTIC)


def test_bursty_and_buffered_work_on_recorded_gaps() -> None:
    assert gaps(Timing.BUFFERED, rng=no_chance) == [60 * S] + [0] * 59
    assert sum(gaps(Timing.BURSTY)) == 60 * S


def agent_gaps(pacer: Callable[[bool], Pace], *items: Timed, asked: bool = False) -> list[int]:
    return [gap or 0 for gap, _, _ in pacer(asked)(iter(items))]


DELTAS: list[Timed] = [(None, "assistant_text_delta", emit({"type": "assistant_text_delta", "content": "word "}))] * 40


def test_an_instant_agent_takes_no_time() -> None:
    assert agent_gaps(agent_pacer(Timing.INSTANT, lambda: random.Random(0)), (5, "sync", None), *DELTAS) == [0] * 41


@pytest.mark.parametrize(("timing", "factor"), [(Timing.FAST, 0.2), (Timing.REALISTIC, 1), (Timing.SLOW, 3)])
def test_what_a_scenario_waits_for_is_kept_but_for_the_profile(timing: Timing, factor: float) -> None:
    pacer = agent_pacer(timing, lambda: random.Random(0), max_gap_us=1000)
    assert agent_gaps(pacer, (9_000_000, "tool_end", emit({"type": "tool_end", "id": "t"}))) == [9_000_000 * factor]


def test_what_is_made_up_is_no_longer_than_the_longest_gap() -> None:
    pacer = agent_pacer(Timing.REALISTIC, lambda: random.Random(0), max_gap_us=1000)
    assert max(agent_gaps(pacer, *DELTAS, asked=True)) == 1000


def test_a_model_that_was_asked_thinks_before_its_first_word() -> None:
    pacer = agent_pacer(Timing.REALISTIC, lambda: random.Random(0))
    assert agent_gaps(pacer, *DELTAS, asked=True)[0] > 2_000_000
    assert agent_gaps(pacer, *DELTAS)[0] == 0


def test_an_agent_can_be_bursty_buffered_fast_and_jittered() -> None:
    calm = agent_gaps(agent_pacer(Timing.REALISTIC, lambda: random.Random(0)), *DELTAS)
    assert sum(agent_gaps(agent_pacer(Timing.REALISTIC, lambda: random.Random(0), factor=2), *DELTAS)) < sum(calm)
    assert sum(1 for gap in agent_gaps(agent_pacer(Timing.BUFFERED, lambda: random.Random(0)), *DELTAS) if gap) == 1
    assert sum(1 for gap in agent_gaps(agent_pacer(Timing.BURSTY, lambda: random.Random(0)), *DELTAS) if gap) < sum(
        map(bool, calm)
    )
    assert agent_gaps(agent_pacer(Timing.REALISTIC, lambda: random.Random(0), jitter_share=0.5), *DELTAS) != calm


def test_an_agent_thinks_before_it_does_something_in_the_room_and_compacts_at_length() -> None:
    pacer = agent_pacer(Timing.REALISTIC, lambda: random.Random(0))
    asked = emit({"type": "room_query", "request_id": "r", "query": "describe"})
    compacted = emit({"type": "compaction_occurred"})
    thought, compaction = agent_gaps(
        pacer, (None, "room_query", asked), (None, "compaction_occurred", compacted), asked=True
    )
    assert thought > 2_000_000
    assert compaction > 7_000_000
