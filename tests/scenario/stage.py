"""Put a scenario on stage: what the tests of scenarios share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mockbackend.engine.steps import Emit
from mockbackend.engine.timing import Timing, agent_pacer
from mockbackend.io.loader import Shelf
from mockbackend.io.world import seeds, world
from mockbackend.scenario.author import Cast, ScenarioAuthor
from mockbackend.testing.rehearsal import Rehearsal

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockbackend.engine.steps import Action
    from mockbackend.scenario.author import Library


class OneAct:
    """A library of one scenario, which is a function of a turn or an object."""

    def __init__(self, author: Any, name: str = "test") -> None:
        self.cast = Cast(name, author if hasattr(author, "turn") else _Act(author))
        self.trouble = ""

    def current(self) -> tuple[Cast, str]:
        return self.cast, self.trouble

    def find(self, name: str) -> Cast:
        return self.cast


class _Act:
    def __init__(self, function: Any) -> None:
        self.turn = function


def author_of(library: Library, *, seed: int = 0, timing: Timing = Timing.REALISTIC) -> ScenarioAuthor:
    pacer = agent_pacer(timing, lambda: seeds(seed)("time"), max_gap_us=5_000_000)
    return ScenarioAuthor(library, world(seed), pacer)


def rehearse(scenario: Any, *tries: str, seed: int = 0, timing: Timing = Timing.REALISTIC) -> Rehearsal:
    """Rehearse *scenario*, a name or a function, with its own tries unless others are given."""
    library: Callable[[], Library]
    if isinstance(scenario, str):
        library = lambda: Shelf(scenario, {})  # noqa: E731
        tries = tries or Shelf(scenario, {}).declaration.tries
    else:
        library = lambda: OneAct(scenario)  # noqa: E731
    rehearsal = Rehearsal(lambda: author_of(library(), seed=seed, timing=timing))
    rehearsal.run(tries or ("hi",))
    return rehearsal


def messages(said: list[tuple[int, Action]]) -> list[dict[str, Any]]:
    return [dict(action.message) for _, action in said if isinstance(action, Emit) and action.message is not None]


def words(said: list[tuple[int, Action]], *, start: int = 2) -> list[str]:
    """Return what was said after the start, each in a few words."""
    return [_word(action) for _, action in said][start:]


def _word(action: Action) -> str:
    if not isinstance(action, Emit):
        return f"{type(action).__name__.lower()} {next(iter(action), '')!r:.60}"
    if action.message is None:
        return f"raw {action.data!r}"
    message = dict(action.message)
    kind = message.pop("type")
    short = next((str(message[key]) for key in ("content", "reason", "code", "tool", "task") if key in message), "")
    return f"{kind} {short}".strip() if len(short) < 60 else f"{kind} {json.dumps(message)[:60]}"
