"""Play a recording from the first line to the last without waiting for anybody.

The frontend is heard all the same: pings are answered, `shutdown` ends the show, and `cancel` ends the
exchange that plays; then the next one begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockbackend.engine.author import Claim
from mockbackend.engine.steps import Exit
from mockbackend.recording.exchanges import Cursor
from mockbackend.recording.timeline import NOTHING, Timeline

if TYPE_CHECKING:
    from mockbackend.engine.incoming import Incoming
    from mockbackend.engine.pacing import Pace
    from mockbackend.engine.steps import Action, Script
    from mockbackend.recording.ids import FreshIds
    from mockbackend.recording.reader import Reader

_HEARD = frozenset({"cancel", "shutdown"})


class Autoplay:
    """Author a session that runs by itself; at the end it exits as recorded, or begins again."""

    def __init__(self, reader: Reader, pace: Pace, *, loop: bool = False, ids: FreshIds | None = None) -> None:
        self._loop = loop
        self._timeline = Timeline(pace, NOTHING, ids.renew if ids else None)
        self._cursor = Cursor(reader)

    def prologue(self) -> Script | None:
        """Return the show."""
        return self._show(0)

    def claims(self, incoming: Incoming) -> Claim:
        """Claim whatever would start something: it has started already."""
        heard = incoming.decoded is None or incoming.kind in _HEARD
        return Claim.NONE if heard else Claim.ANSWERED

    def opening(self, incoming: Incoming) -> Script:
        """Never asked: every opening is claimed."""
        raise AssertionError(incoming)

    def includes_prompt(self) -> bool:
        """Say yes: everything is included."""
        return True

    def cancelling(self) -> Script | None:
        """Let every cancel go right."""
        return None

    def cancelled(self) -> Script | None:
        """Go on with the next exchange."""
        self._timeline.forget()
        for event in self._cursor.body():
            self._timeline.pass_over(event)
        opening = self._cursor.next_opening()
        return self._end() if opening is None else self._show(opening.at)

    def farewell(self, *, gone: bool) -> list[Action]:
        """End as recorded, if anybody is there to see it."""
        return [Exit(0) if gone else self._timeline.exit]

    def _show(self, since: int | None) -> Script:
        yield from self._timeline.play(self._cursor.everything(), since)
        yield from self._end()

    def _end(self) -> Script:
        while self._loop:
            self._cursor.go(self._cursor.run)
            first = next((event for event in self._cursor.everything() if event.kind == "user_message"), None)
            if first is None:
                break
            yield from self._timeline.play(self._cursor.everything(), first.at)
        yield self._timeline.exit
