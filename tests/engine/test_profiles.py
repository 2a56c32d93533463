"""The measured profile: a turn takes as long as a real one."""

from __future__ import annotations

import random
from statistics import quantiles as measure
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from mockbackend.engine.pacing import DELTA, SYNC
from mockbackend.engine.profiles import FIRST_TOKEN, TOOL, draw, realistic

if TYPE_CHECKING:
    from mockbackend.engine.pacing import Timed

S = 1_000_000


def item(kind: str, **message: Any) -> Timed:
    return (None, kind, SimpleNamespace(message={"type": kind, **message}))


def paced(items: list[Timed], seed: int = 1, factor: float = 1.0) -> list[int]:
    return [gap or 0 for gap, _, _ in realistic(random.Random(seed), factor)(items)]


@pytest.mark.parametrize("distribution", [FIRST_TOKEN, TOOL["Bash"], TOOL["Read"]], ids=["first token", "Bash", "Read"])
def test_drawn_values_have_the_measured_quantiles(distribution: Any) -> None:
    rng = random.Random(1)
    drawn = measure([draw(distribution, rng) for _ in range(20_000)], n=20)
    wanted = dict(distribution)
    for index, share in ((0, 0.05), (4, 0.25), (9, 0.5), (14, 0.75), (18, 0.95)):
        assert drawn[index] == pytest.approx(wanted[share], rel=0.12, abs=0.01)


def test_a_draw_of_the_highest_number_is_the_longest() -> None:
    assert draw(FIRST_TOKEN, SimpleNamespace(random=lambda: 1.0)) == FIRST_TOKEN[-1][1]


def test_the_first_token_lets_wait_and_the_others_come_in_bursts() -> None:
    gaps = paced([item(DELTA, content="word ") for _ in range(400)])
    assert gaps[0] > 2 * S
    assert gaps.count(0) > 100
    assert all(gap < S for gap in gaps[1:])


def test_text_comes_at_a_rate_that_was_measured() -> None:
    for seed in range(20):
        gaps = paced([item(DELTA, content="x" * 10) for _ in range(300)], seed)
        assert 75 < 3000 / (sum(gaps[1:]) / S) < 700


def test_a_message_ends_after_its_last_burst_was_said() -> None:
    slow = [item(DELTA, content="x" * 1000), item("assistant_message_complete")]
    assert paced(slow)[1] > S


def test_a_tool_ends_its_own_duration_after_it_began() -> None:
    items = [item("tool_start", id="a", tool="Read"), item("tool_start", id="b", tool="Bash"), item("tool_end", id="a")]
    first, second, third = paced(items)
    assert first > 2 * S
    assert second < S
    assert third < S
    assert paced([item("tool_end", id="never started")]) == [0]


def test_nothing_is_waited_for_before_the_frontend_is() -> None:
    assert paced([(None, SYNC, None)]) == [0]


def test_the_model_thinks_again_after_a_tool_has_ended() -> None:
    items = [item("tool_start", id="a", tool="Read"), item("tool_end", id="a"), item(DELTA, content="x")]
    assert paced(items)[2] > 2 * S


def test_starting_up_and_subagents_take_their_time() -> None:
    assert paced([item("auth_status")])[0] > S // 2
    assert paced([item("subagent_message", id="a", content="x")])[0] > S


def test_a_factor_scales_everything() -> None:
    items = [item("auth_status"), item(DELTA, content="x"), item("assistant_message_complete")]
    assert paced(items, factor=0.5) == [pytest.approx(gap / 2, abs=1) for gap in paced(items)]
