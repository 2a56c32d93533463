"""Timing by name: which paces a set of options makes."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from mockbackend.engine.pacing import DELTA, instant
from mockbackend.engine.timing import Timing, pace_for

if TYPE_CHECKING:
    from mockbackend.engine.pacing import Random, Timed

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
