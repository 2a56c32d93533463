"""Time as a chain of pure functions over what is about to be said.

A *timed* item is a triple: how long it comes after the one before it (microseconds; None when nobody knows,
as in a bare file), what kind it is, and the item itself. A *pace* turns a stream of them into another with
other gaps, and never changes their order or loses one::

    pace = chain(recorded, speed(2.0), at_most(5_000_000))

Items of the kind `SYNC` are where a replay waits for the frontend; no pace moves anything over them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeAlias

Timed: TypeAlias = tuple[int | None, str, Any]
Pace: TypeAlias = Callable[[Iterable[Timed]], Iterator[Timed]]

SYNC = "sync"
DELTA = "assistant_text_delta"


class Random(Protocol):
    """The one thing that is asked of a source of randomness; `random.Random(seed)` is one."""

    def random(self) -> float:
        """Return a number in [0, 1)."""
        ...


def chain(*paces: Pace) -> Pace:
    """Return the pace that applies *paces* one after another."""

    def chained(items: Iterable[Timed]) -> Iterator[Timed]:
        for pace in paces:
            items = pace(items)
        return iter(items)

    return chained


def recorded(items: Iterable[Timed]) -> Iterator[Timed]:
    """Keep the recorded gaps; what has none follows at once."""
    for gap, kind, item in items:
        yield gap or 0, kind, item


def instant(items: Iterable[Timed]) -> Iterator[Timed]:
    """Say everything as soon as its turn comes."""
    for _, kind, item in items:
        yield 0, kind, item


def speed(factor: float) -> Pace:
    """Play *factor* times as fast."""

    def sped(items: Iterable[Timed]) -> Iterator[Timed]:
        for gap, kind, item in items:
            yield round((gap or 0) / factor), kind, item

    return sped


def at_most(longest_us: int) -> Pace:
    """Shorten longer gaps to *longest_us*, so that nobody waits for what nobody wants to see."""

    def capped(items: Iterable[Timed]) -> Iterator[Timed]:
        for gap, kind, item in items:
            yield min(gap or 0, longest_us), kind, item

    return capped


def jitter(share: float, rng: Random) -> Pace:
    """Make each gap longer or shorter by up to *share* of itself."""

    def jittered(items: Iterable[Timed]) -> Iterator[Timed]:
        for gap, kind, item in items:
            factor = 1 + share * (2 * rng.random() - 1)
            yield max(0, round((gap or 0) * factor)), kind, item

    return jittered


def buffered(items: Iterable[Timed]) -> Iterator[Timed]:
    """Hold a message's deltas back and say them at once, as wrappers do that wait for the whole message."""
    held: list[Timed] = []
    silence = 0
    for given, kind, item in items:
        gap = given or 0
        if kind == DELTA:
            silence += gap
            held.append((0, kind, item))
            continue
        if held and kind != SYNC:  # All of it comes when what ends the message would have come.
            silence, gap = silence + gap, 0
        yield from _burst(held, silence)
        yield gap, kind, item
        silence = 0
    yield from _burst(held, silence)


def bursty(rng: Random) -> Pace:
    """Collect deltas for 300 to 750 ms and say them at once, as some models stream."""

    def burst(items: Iterable[Timed]) -> Iterator[Timed]:
        held: list[Timed] = []
        silence, patience = 0, _patience(rng)
        for gap, kind, item in items:
            if kind == DELTA:
                silence += gap or 0
                held.append((0, kind, item))
                if silence >= patience:
                    yield from _burst(held, silence)
                    silence, patience = 0, _patience(rng)
                continue
            yield from _burst(held, silence)
            silence = 0
            yield gap or 0, kind, item
        yield from _burst(held, silence)

    return burst


def _patience(rng: Random) -> int:
    return 300_000 + int(450_000 * rng.random())


def _burst(held: list[Timed], silence: int) -> Iterator[Timed]:
    """Yield all of *held* at once, after *silence*; forget it."""
    for index, (_, kind, item) in enumerate(held):
        yield (silence if index == 0 else 0), kind, item
    held.clear()
