"""Paces: other gaps, the same items in the same order."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbackend.engine.pacing import (
    DELTA,
    SYNC,
    at_most,
    buffered,
    bursty,
    chain,
    instant,
    jitter,
    recorded,
    speed,
)
from mockbackend.engine.profiles import realistic

if TYPE_CHECKING:
    from mockbackend.engine.pacing import Pace, Timed

MS = 1000


def gaps(pace: Pace, items: list[Timed]) -> list[int | None]:
    return [gap for gap, _, _ in pace(items)]


def deltas(*gaps_us: int) -> list[Timed]:
    return [(gap, DELTA, index) for index, gap in enumerate(gaps_us)]


def test_recorded_keeps_gaps_and_makes_unknown_ones_nothing() -> None:
    assert gaps(recorded, [(5, "a", 0), (None, "b", 1)]) == [5, 0]


def test_instant_has_no_gaps() -> None:
    assert gaps(instant, deltas(5, 7)) == [0, 0]


def test_speed_divides() -> None:
    assert gaps(speed(2), [(5, "a", 0), (None, "b", 1), (10, "c", 2)]) == [2, 0, 5]


def test_long_gaps_are_shortened() -> None:
    assert gaps(at_most(6), [(5, "a", 0), (7, "b", 1), (None, "c", 2)]) == [5, 6, 0]


def test_a_chain_applies_its_paces_in_order() -> None:
    assert gaps(chain(speed(0.5), at_most(8)), deltas(3, 5)) == [6, 8]
    assert gaps(chain(), deltas(3)) == [3]


def test_jitter_stays_within_its_share_and_follows_from_the_seed() -> None:
    items = deltas(*[1000] * 50)
    varied = gaps(jitter(0.25, random.Random(1)), items)
    assert all(750 <= (gap or 0) <= 1250 for gap in varied)
    assert len(set(varied)) > 20
    assert varied == gaps(jitter(0.25, random.Random(1)), items)
    assert varied != gaps(jitter(0.25, random.Random(2)), items)


def test_jitter_takes_an_unknown_gap_for_none() -> None:
    assert gaps(jitter(1.0, random.Random(1)), [(None, "a", 0)]) == [0]


def test_buffered_says_a_message_at_once_when_it_is_complete() -> None:
    items: list[Timed] = [*deltas(10, 20, 30), (40, "assistant_message_complete", 3), (5, "tool_start", 4)]
    assert gaps(buffered, items) == [100, 0, 0, 0, 5]


def test_buffered_lets_go_of_its_deltas_before_the_frontend_is_waited_for() -> None:
    assert list(buffered([*deltas(10, 20), (0, SYNC, 2), (3, "tool_end", 3)])) == [
        (30, DELTA, 0),
        (0, DELTA, 1),
        (0, SYNC, 2),
        (3, "tool_end", 3),
    ]


def test_buffered_loses_nothing_when_the_stream_ends_in_mid_message() -> None:
    assert gaps(buffered, deltas(10, 20)) == [30, 0]
    assert gaps(buffered, [(None, DELTA, 0), (None, "x", 1)]) == [0, 0]


def test_bursty_collects_deltas_for_some_hundred_milliseconds() -> None:
    steady = gaps(bursty(random.Random(3)), deltas(*[20 * MS] * 200))
    pauses = [gap for gap in steady if gap]
    assert all(300 * MS <= gap <= 770 * MS for gap in pauses[:-1])
    assert sum(gap or 0 for gap in steady) == 200 * 20 * MS


def test_bursty_does_not_hold_deltas_over_what_follows_them() -> None:
    items: list[Timed] = [*deltas(10, 20), (7, "tool_start", 2), (None, "tool_end", 3), (None, DELTA, 4)]
    assert gaps(bursty(random.Random(3)), items) == [30, 0, 7, 0, 0]


KINDS = st.sampled_from([DELTA, SYNC, "tool_start", "assistant_message_complete", "exit"])


@given(st.lists(st.tuples(st.none() | st.integers(0, 10**7), KINDS), max_size=40), st.integers(0, 99))
@pytest.mark.parametrize(
    "name", ["recorded", "instant", "speed", "at_most", "jitter", "buffered", "bursty", "realistic"]
)
def test_no_pace_loses_or_reorders_anything(name: str, drawn: list[tuple[int | None, str]], seed: int) -> None:
    rng = random.Random(seed)
    paces: dict[str, Pace] = {
        "recorded": recorded,
        "instant": instant,
        "speed": speed(3),
        "at_most": at_most(99),
        "jitter": jitter(1.0, rng),
        "buffered": buffered,
        "bursty": bursty(rng),
        "realistic": realistic(rng),
    }
    items: list[Timed] = [(gap, kind, index) for index, (gap, kind) in enumerate(drawn)]
    paced = list(paces[name](items))
    assert [item[1:] for item in paced] == [item[1:] for item in items]
    assert all(gap is not None and gap >= 0 for gap, _, _ in paced)
