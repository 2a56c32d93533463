"""What a generated session takes from outside: chance from its seed, the vocabulary, and Faker."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from mockbackend.errors import UsageError
from mockbackend.io.shipped import shipped
from mockbackend.io.vocabulary import VocabularyFiles
from mockbackend.scenario.memory import World

if TYPE_CHECKING:
    from collections.abc import Callable

    from faker import Faker

    from mockbackend.scenario.chance import Seeds


def seeds(seed: int) -> Seeds:
    """Return chance by purpose, all of it from *seed*."""
    return lambda purpose: random.Random(f"{seed} {purpose}")


def world(seed: int, locale: str | None = None) -> World:
    """Return the world of *seed*.

    Raises:
        UsageError: Faker does not know the *locale*.
    """
    if locale is not None:
        _check(locale)
    return World(seeds(seed), VocabularyFiles(shipped("generators") / "vocabulary"), _faker(locale), locale)


def _faker(locale: str | None) -> Callable[[int], Faker]:
    def make(seed: int) -> Faker:
        from faker import Faker  # slow; only when a scenario asks for it

        fake = Faker(locale or "en_US")
        fake.seed_instance(seed)
        return fake

    return make


def _check(locale: str) -> None:
    from faker.config import AVAILABLE_LOCALES  # slow; only with --locale

    if locale not in AVAILABLE_LOCALES:
        from difflib import get_close_matches

        near = get_close_matches(locale, AVAILABLE_LOCALES, 3)
        hint = f"did you mean {' or '.join(near)}?" if near else "see the list in Faker's documentation"
        raise UsageError(f"--locale {locale}: Faker does not know it; {hint}")
