"""The seam between a session and whoever writes its lines: a recording, or a scenario.

The session knows the protocol's life cycle; its author knows what is said. Each line of the frontend is
first shown to the author (`claims`), because a recording's own answer wins over the session's: where the
real backend answered a malformed line, a second `PARSE_ERROR` would be one too many.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockbackend.engine.incoming import Incoming
    from mockbackend.engine.steps import Action, Script


class Claim(Enum):
    """What an author makes of a line of the frontend."""

    NONE = "not mine: the session answers by its own rules"
    ANSWERED = "mine, and its answer comes with what plays: the session says nothing"
    OPENS = "mine, and it opens an exchange: the session asks for its script when it is due"
    AWAITED = "mine: a script awaits it under the topic LINE"


LINE = "line"
"""The topic under which an `AWAITED` line reaches a script."""


class Author(Protocol):
    """Writes what a session says."""

    def prologue(self) -> Script | None:
        """Return what is said before the frontend said anything."""

    def claims(self, incoming: Incoming) -> Claim:
        """Say whose business *incoming* is."""
        ...

    def opening(self, incoming: Incoming) -> Script:
        """Return the script of the exchange that *incoming* opens, now that it is due."""
        ...

    def includes_prompt(self) -> bool:
        """Say whether the script of the last `init` answers its `initial_prompt`, too."""
        ...

    def cancelling(self) -> Script | None:
        """Learn that the frontend cancels what runs; return what happens instead, if the cancel is to go wrong.

        It runs beside the exchange, which goes on until the script says `Stop`, or to its end.
        """

    def cancelled(self) -> Script | None:
        """Learn that the frontend cancelled what runs, if anything does; return what goes on nevertheless."""

    def farewell(self, *, gone: bool) -> Sequence[Action]:
        """Return the last actions of a session that ends because the frontend leaves; the last is an `Exit`.

        It said `shutdown` or closed its end, or it is *gone* without a word.
        """
        ...
