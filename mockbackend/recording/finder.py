"""Find the exchange that a live opening belongs to, and say why when none does.

By position, it is the next one with an opening of the same type: exchanges in between are passed over. By
content, it is the one whose recorded text is equal, or the most similar one. A miss is explained with what
came, what was expected, and the nearest candidate.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from mockbackend.engine.matching import differences, nearest, shown
from mockbackend.errors import UsageError
from mockbackend.recording.exchanges import Cursor, choose_run, opens, resumed, walk
from mockbackend.recording.ids import fresh
from mockbackend.recording.model import MARKER

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockbackend.engine.incoming import Incoming
    from mockbackend.recording.ids import FreshIds
    from mockbackend.recording.model import Event, Position
    from mockbackend.recording.reader import Reader


class Match(Enum):
    """Which exchange a `user_message` opens."""

    POSITION = "position"
    CONTENT = "content"
    EXACT = "exact"


class Found(NamedTuple):
    """The opening that fits, or None; and what there is to tell the user about it."""

    opening: Event | None
    notes: tuple[str, ...] = ()


class Finder:
    """Walks a recording as live openings come.

    Attributes:
        cursor: Where the walk is.
    """

    def __init__(
        self,
        reader: Reader,
        match: Match,
        start_at: int | str | None,
        ids: FreshIds | None,
        pass_over: Callable[[Event], None],
    ) -> None:
        """Prepare to start at *start_at*: the number of a user message (from 1), or a marker's name.

        *pass_over* is told each event that the walk leaves out.

        Raises:
            UsageError: There is no such place.
        """
        self.cursor = Cursor(reader)
        self._pass_over = pass_over
        self._reader = reader
        self._match = match
        self._ids = ids
        self._fresh = True  # No opening has been taken.
        self._start_at = start_at
        self._start = self._locate()

    def init(self, incoming: Incoming) -> Found:
        """Find the exchange for an `init`; the first one chooses the run."""
        notes: list[str] = []
        if self._fresh:
            self._choose_run(incoming)
        opening = self._next("init", notes)
        return Found(opening, tuple(notes) if opening is not None else ())

    def rewind(self) -> None:
        """Go back to the beginning of the run."""
        self.cursor.go(self.cursor.run)

    def message(self, incoming: Incoming) -> Found:
        """Find the exchange for a `user_message`."""
        self._fresh = False
        if self._start is not None:
            self._pass_over_to(self._start)
            self._start = None
        text = str(incoming.message.get("content", ""))
        if self._match is not Match.POSITION:
            return self._by_content(text, incoming)
        notes: list[str] = []
        opening = self._next("user_message", notes)
        if opening is not None and (unlike := _unlike(opening, incoming)):
            notes.append(f"played anyway, by position: {unlike}")
        return Found(opening, tuple(notes))

    def in_last_run(self) -> bool:
        """Whether no other run follows the one that is walked."""
        last = self.cursor.run
        for last, _ in walk(self._reader):  # noqa: B007  # what is left of the loop is what is wanted
            pass
        return last == self.cursor.run

    def _choose_run(self, incoming: Incoming) -> None:
        self._fresh = False
        following = self.cursor.following()
        wanted = resumed(incoming)
        if following is not None and following.kind == "init" and fresh(self._ids, resumed(following)) == wanted:
            return
        run = choose_run(self._reader, wanted, lambda recorded: fresh(self._ids, recorded))
        if run != self.cursor.run:
            self.cursor = Cursor(self._reader, run)
            self._start = self._locate()

    def _locate(self) -> Position | None:
        """Return where to start in the run that is walked."""
        return None if self._start_at is None else _locate(self.cursor, self._reader.name, self._start_at)

    def _next(self, kind: str, notes: list[str]) -> Event | None:
        """Take the next opening of *kind*; note what was passed over."""
        passed = 0
        while True:
            for event in self.cursor.body():
                self._pass_over(event)
            opening = self.cursor.next_opening()
            if opening is None or opening.kind == kind:
                break
            passed += 1
        if passed and opening is not None:
            notes.append(f"passed over {passed} recorded exchange(s) to get to the {kind} of line {opening.number}")
        return opening

    def _pass_over_to(self, position: Position) -> None:
        while self.cursor.position < position:
            for event in self.cursor.body():
                self._pass_over(event)
            following = self.cursor.following()
            if following is None or self.cursor.position >= position:
                break
            self.cursor.next_opening()
        self.cursor.go(position)

    def _by_content(self, text: str, incoming: Incoming) -> Found:
        places = [(place, event) for place, event in self.cursor.openings() if event.kind == "user_message"]
        if not places:
            return Found(None)
        exact = [place for place in places if not _unlike(place[1], incoming)]
        # Of equals, the next one: a demo may ask the same thing twice and get two answers.
        here = self.cursor.position
        ahead = [place for place in exact if place[0] >= here]
        if exact:
            return self._take((ahead or exact)[0][0])
        best = nearest(text, (_text(event) for _, event in places)) or 0
        place, event = places[best]
        if self._match is Match.EXACT:
            return Found(
                None,
                (f"no recorded user_message is like it; the nearest, line {event.number}: {_unlike(event, incoming)}",),
            )
        return Found(self._take(place).opening, (f"took the nearest, line {event.number}: {_unlike(event, incoming)}",))

    def _take(self, place: Position) -> Found:
        if place < self.cursor.position:
            self.cursor.go(place)
        else:
            self._pass_over_to(place)
        return Found(self.cursor.next_opening())


def _locate(cursor: Cursor, name: str, start_at: int | str) -> Position:
    """Return the position in front of the user message that *start_at* names."""
    places = [(place, event) for place, event in cursor.openings() if event.kind == "user_message"]
    if isinstance(start_at, int):
        if not 1 <= start_at <= len(places):
            raise UsageError(f"--start-at {start_at}: {name} has {len(places)} user message(s)")
        return places[start_at - 1][0]
    here, before, markers = None, cursor.run, []
    for event in Cursor(cursor.reader, cursor.run).everything():
        if opens(event) and event.kind == "user_message":
            here = before
        if event.name == MARKER:
            markers.append(str(event.fields.get("name")))
            if markers[-1] == start_at:
                return here or (places[0][0] if places else cursor.run)
        before = event.after
    known = ", ".join(markers) or "none"
    raise UsageError(f"--start-at {start_at}: {name} has no such marker; it has: {known}")


def _unlike(opening: Event, incoming: Incoming) -> str:
    """Return how a live opening differs from the recorded one; empty when it does not, or cannot be read."""
    if incoming.decoded is None:
        return ""
    return "; ".join(str(difference) for difference in differences(opening.message or {}, incoming.message))


def _text(opening: Event) -> str:
    return str((opening.message or {}).get("content", ""))


def describe(incoming: Incoming) -> str:
    """Return what came, for an explanation."""
    return f"{incoming.kind} {shown(incoming.message.get('content', ''))}"
