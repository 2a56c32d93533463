"""Cut a recording into exchanges: an opening, and all that follows until the next one.

An *opening* is a well-formed `init` or `user_message`. What else the recorded frontend sent has a *role* in
its exchange: room responses are sync points, a cancel or a line that the backend refused is good for one of
the same from the live frontend.

A file may hold several *runs* of the backend, each begun by `start`. A cursor walks one run: it reads each
exchange once, in order, and looks ahead or goes elsewhere only when asked to, so that memory stays constant
and nothing is read before it is needed.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from mockbackend.protocol.fields import check
from mockbackend.recording.model import EXIT, FRONTEND, START, Event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mockbackend.engine.incoming import Incoming
    from mockbackend.recording.model import Position
    from mockbackend.recording.reader import Reader


_RUN_EVENTS = frozenset({START, EXIT})


class Role(Enum):
    """What a line of the recorded frontend means to a replay."""

    OPENING = "opens an exchange"
    RESPONSE = "answers a request of the backend"
    CANCEL = "cancels"
    PING = "is answered live"
    SHUTDOWN = "ends the run"
    MODE = "has no answer"
    REFUSED = "was refused, being malformed"
    BLANK = "is no line at all"


_ROLES = {
    "init": Role.OPENING,
    "user_message": Role.OPENING,
    "room_query_response": Role.RESPONSE,
    "room_action_response": Role.RESPONSE,
    "cancel": Role.CANCEL,
    "ping": Role.PING,
    "shutdown": Role.SHUTDOWN,
    "mode_change": Role.MODE,
}


def role(event: Event) -> Role:
    """Return the role of a line that the recorded frontend sent."""
    if event.message is None:
        return Role.REFUSED if event.data.strip() else Role.BLANK
    found = _ROLES.get(event.kind or "")
    if found is None or check(dict(event.message)) is not None:
        return Role.REFUSED
    return found


def opens(event: Event) -> bool:
    """Say whether *event* begins an exchange."""
    return event.sender == FRONTEND and role(event) is Role.OPENING


class Contents(NamedTuple):
    """What a whole exchange holds: cancels, refused lines, and the opening behind it, if there is one."""

    cancels: int
    refused: int
    following: Event | None


class Cursor:
    """Walk one run of a recording.

    Attributes:
        reader: The recording.
        position: Where to read on: behind the last event that was handed out.
        run: Where the run begins.
    """

    def __init__(self, reader: Reader, run: Position | None = None) -> None:
        self.run = run or reader.start
        self.reader = reader
        self.go(self.run)

    def go(self, position: Position) -> None:
        """Read on from *position*, as if an exchange began there."""
        self.position = position
        self._events = self._read(position)
        self._held: Event | None = None
        self._begin = position
        self._contents: Contents | None = None

    def body(self) -> Iterator[Event]:
        """Yield the events up to the next opening or to the end of the run, and stay in front of it."""
        if self._held is not None:
            return
        for event in self._events:
            if event.sender == FRONTEND and opens(event):
                self._held = event
                return
            self.position = event.after
            yield event

    def next_opening(self) -> Event | None:
        """Pass over what is left of the exchange; take the next opening. None: the run is over."""
        for _ in self.body():
            pass
        opening, self._held = self._held, None
        if opening is not None:
            self.position = self._begin = opening.after
            self._contents = None
        return opening

    def everything(self) -> Iterator[Event]:
        """Yield all events up to the end of the run, openings too."""
        while True:
            yield from self.body()
            if (opening := self.next_opening()) is None:
                return
            yield opening

    def at_end(self) -> bool:
        """Whether nothing of the run is left, once `body` has been read."""
        return self._held is None and next(iter(self._read(self.position)), None) is None

    def following(self) -> Event | None:
        """Return the opening behind this exchange without moving; free when the exchange has been read."""
        return self._held if self._held is not None else self.contents().following

    def contents(self) -> Contents:
        """Look at the whole of this exchange, what is ahead included, without moving."""
        if self._contents is None:
            self._contents = self._look()
        return self._contents

    def _look(self) -> Contents:
        cancels = refused = 0
        for event in self._read(self._begin):
            if event.sender != FRONTEND:
                continue
            match role(event):
                case Role.OPENING:
                    return Contents(cancels, refused, event)
                case Role.CANCEL:
                    cancels += 1
                case Role.REFUSED:
                    refused += 1
                case _:
                    pass
        return Contents(cancels, refused, None)

    def rest(self, position: Position) -> Iterator[Event]:
        """Yield the events of the run from *position* on without moving."""
        return self._read(position)

    def openings(self) -> Iterator[tuple[Position, Event]]:
        """Yield all openings of the run, each with the position in front of it, without moving."""
        position = self.run
        for event in self._read(self.run):
            if opens(event):
                yield position, event
            position = event.after

    def _read(self, position: Position) -> Iterator[Event]:
        """Yield the events of this run only."""
        fresh = position == self.run
        for event in self.reader.events(position):
            if event.sender is None:
                if event.name == START and not fresh:
                    return
                fresh = fresh and event.name not in _RUN_EVENTS
            elif fresh:
                fresh = False
            yield event


def walk(reader: Reader) -> Iterator[tuple[Position, Event]]:
    """Yield all events of a recording, each with the beginning of its run."""
    run = before = reader.start
    fresh = True
    for event in reader.events():
        if event.name == START and not fresh:
            run = before
        fresh = fresh and event.sender is None and event.name not in _RUN_EVENTS
        before = event.after
        yield run, event


def choose_run(reader: Reader, resumes: str | None, renew: Callable[[Any], Any]) -> Position:
    """Return the run that fits an `init` which resumes the session *resumes* (None: it starts a new one).

    It is the first run whose own `init` does the same; else the one after the run that started that session;
    else the first. *renew* gives the live id of a recorded one.
    """
    started_in = later = judged = None
    for run, event in walk(reader):
        if run != judged and opens(event) and event.kind == "init":
            if renew(resumed(event)) == resumes:
                return run
            judged = run
        if started_in is None:
            message = event.message or {}
            if resumes and event.kind == "session_started" and renew(message.get("session_id")) == resumes:
                started_in = run
        elif later is None and run != started_in:
            later = run
    return later or reader.start


def resumed(init: Event | Incoming) -> str | None:
    """Return the session that an `init`, recorded or live, resumes."""
    message = init.message or {}
    for key in ("resume_session_id", "resume"):
        if isinstance(value := message.get(key), str):
            return value
    return None
