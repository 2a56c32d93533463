"""Chance, the same everywhere: choices made of nothing but one number in [0, 1) at a time.

Python keeps the sequence of `random.Random(seed).random()` from version to version, and that of no other
method of it. So the others are made here, under their usual names, from that one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, MutableSequence, Sequence

    from mockbackend.engine.pacing import Random

    Seeds = Callable[[str], Random]
    """Returns the source of chance for a purpose: the same purpose, the same numbers."""

T = TypeVar("T")

_HEX = "0123456789abcdef"
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Rng:
    """What a scenario leaves to chance; its methods are those of `random.Random` that one needs."""

    def __init__(self, source: Random) -> None:
        self.random = source.random

    def randrange(self, stop: int) -> int:
        """Return an integer in [0, *stop*)."""
        return int(self.random() * stop)

    def randint(self, low: int, high: int) -> int:
        """Return an integer in [*low*, *high*]."""
        return low + self.randrange(high - low + 1)

    def uniform(self, low: float, high: float) -> float:
        """Return a number between *low* and *high*."""
        return low + (high - low) * self.random()

    def choice(self, items: Sequence[T]) -> T:
        """Return one of *items*; raise `IndexError` if there are none."""
        return items[self.randrange(len(items))]

    def choices(self, items: Sequence[T], weights: Sequence[float] | None = None, *, k: int = 1) -> list[T]:
        """Return *k* of *items*, each as often as its weight says."""
        if weights is None:
            return [self.choice(items) for _ in range(k)]
        return [self._weighted(items, weights) for _ in range(k)]

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """Return *k* different ones of *items*."""
        rest = list(items)
        return [rest.pop(self.randrange(len(rest))) for _ in range(k)]

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Put *items* in another order, in place."""
        items[:] = self.sample(items, len(items))

    def uuid(self) -> str:
        """Return an id in the form of a UUID of version 4."""
        digits = "".join(_HEX[self.randrange(16)] for _ in range(32))
        return (
            f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{_HEX[8 + self.randrange(4)]}{digits[17:20]}-{digits[20:]}"
        )

    def token(self, length: int) -> str:
        """Return *length* letters and digits, as ids of tools end in."""
        return "".join(_BASE62[self.randrange(62)] for _ in range(length))

    def _weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        left = self.random() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            left -= weight
            if left < 0:
                return item
        return items[-1]
