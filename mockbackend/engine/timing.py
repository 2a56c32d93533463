"""The time profiles by name, and the pace that a set of options asks for."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from mockbackend.engine.pacing import at_most, buffered, bursty, chain, instant, jitter, recorded, speed

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockbackend.engine.pacing import Pace, Random


class Timing(Enum):
    """Where the gaps come from."""

    RECORDED = "recorded"
    INSTANT = "instant"
    FAST = "fast"
    REALISTIC = "realistic"
    SLOW = "slow"
    BURSTY = "bursty"
    BUFFERED = "buffered"


_FACTORS = {Timing.FAST: 0.2, Timing.REALISTIC: 1.0, Timing.SLOW: 3.0}


def pace_for(
    timing: Timing,
    rng: Callable[[], Random],
    *,
    factor: float = 1.0,
    max_gap_us: int | None = None,
    jitter_share: float = 0.0,
    timed: bool = True,
) -> Pace:
    """Return the pace for *timing*, *factor* times as fast, with no gap over *max_gap_us*.

    *rng* is called only when something is left to chance. What is not *timed* has no recorded gaps: they are
    made up as for `REALISTIC`.
    """
    if timing is Timing.INSTANT:
        return instant
    gaps = _gaps(timing, rng, timed=timed)
    paces = _shaped(timing, gaps, rng, factor)
    if max_gap_us is not None:
        paces.append(at_most(max_gap_us))
    if jitter_share:
        paces.append(jitter(jitter_share, rng()))
    return chain(*paces)


def agent_pacer(
    timing: Timing,
    rng: Callable[[], Random],
    *,
    factor: float = 1.0,
    max_gap_us: int | None = None,
    jitter_share: float = 0.0,
) -> Callable[[bool], Pace]:
    """Return what gives a pace to each track of a scenario, for *timing* and *factor* times as fast.

    What a scenario waits for is kept; the rest takes as long as a real agent does, but at most *max_gap_us*. The
    pace of a track begins with a model that was just asked something, or with one that is in the middle of it.
    """
    if timing is Timing.INSTANT:
        return lambda _: instant
    from mockbackend.engine.profiles import lifelike  # measured tables, not needed for an instant session

    chance = rng()

    def pace(asked: bool) -> Pace:  # noqa: FBT001  # the seam's
        gaps = lifelike(chance, _FACTORS.get(timing, 1.0), longest_us=max_gap_us, asked=asked)
        paces = _shaped(timing, gaps, lambda: chance, factor)
        if jitter_share:
            paces.append(jitter(jitter_share, chance))
        return chain(*paces)

    return pace


def _shaped(timing: Timing, gaps: Pace, rng: Callable[[], Random], factor: float) -> list[Pace]:
    paces = [gaps]
    if timing is Timing.BURSTY:
        paces.append(bursty(rng()))
    if timing is Timing.BUFFERED:
        paces.append(buffered)
    if factor != 1.0:
        paces.append(speed(factor))
    return paces


def _gaps(timing: Timing, rng: Callable[[], Random], *, timed: bool) -> Pace:
    if timing not in _FACTORS and timed:
        return recorded
    from mockbackend.engine.profiles import realistic  # measured tables, rarely needed

    return realistic(rng(), _FACTORS.get(timing, 1.0))
