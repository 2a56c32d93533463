"""Check a recording: every problem with its line, not the first alone.

An *error* is what a replay stumbles over; a *warning* is what one should know: a message of the backend that
does not fit the protocol is replayed as it is, and perhaps recorded for that very reason. What a frontend
sent wrongly is no problem at all: the real backend refused it, and the recording says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mockbackend.errors import BrokenLineError, UnusableFileError
from mockbackend.protocol.catalogue import BACKEND_TYPES
from mockbackend.recording.exchanges import Role, opens, role
from mockbackend.recording.model import BACKEND, EXIT, FRONTEND, INPUT_CLOSED, MARKER, START
from mockbackend.recording.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockbackend.recording.model import Event, Source

ERROR, WARNING = "error", "warning"
_HAPPENINGS = frozenset({START, EXIT, MARKER, INPUT_CLOSED})


class Problem(NamedTuple):
    """One problem: the number of its line (0: the file as a whole), "error" or "warning", and what it is."""

    line: int
    severity: str
    text: str


def check(source: Source) -> Iterator[Problem]:
    """Yield the problems of a recording in the order of its lines."""
    try:
        reader = Reader(source, skip_bad_lines=True)
    except BrokenLineError as problem:
        yield Problem(problem.line, ERROR, problem.why)
    except UnusableFileError as problem:
        yield Problem(0, ERROR, problem.why)
    else:
        yield from _check_events(reader)


def _check_events(reader: Reader) -> Iterator[Problem]:
    checker = _Checker()
    told = 0
    try:
        for event in reader.events():
            yield from _bad_lines(reader, told)
            told = len(reader.skipped)
            yield from checker.look_at(event)
    except UnusableFileError as problem:  # Packed, and damaged in the middle.
        yield Problem(0, ERROR, problem.why)
    yield from _bad_lines(reader, told)
    yield from checker.conclude()


def _bad_lines(reader: Reader, told: int) -> Iterator[Problem]:
    """Yield what the reader passed over since *told* problems ago."""
    for skipped in list(reader.skipped.values())[told:] if len(reader.skipped) > told else ():
        _, number, why = skipped.removeprefix(reader.name).split(":", 2)
        cut = why.strip().startswith("the file was cut off")
        yield Problem(int(number), WARNING if cut else ERROR, why.strip().removeprefix("skipped: "))


class _Checker:
    """Looks at one event after another."""

    def __init__(self) -> None:
        self._last: int | None = None
        self._asked: set[object] = set()
        self._events = 0
        self._openings = 0

    def look_at(self, event: Event) -> Iterator[Problem]:
        """Yield the problems of *event*."""
        self._events += 1
        if event.at is not None:
            if self._last is not None and event.at < self._last:
                back = (self._last - event.at) / 1e6
                yield Problem(event.number, ERROR, f'"t" goes back by {back:.6f} s: expected it to grow')
            self._last = event.at
        if event.sender is None and event.name not in _HAPPENINGS:
            yield Problem(event.number, WARNING, f'unknown event "{event.name}": it is kept, and nothing is made of it')
        elif event.sender == BACKEND:
            yield from self._from_backend(event)
        elif event.sender == FRONTEND:
            yield from self._from_frontend(event)

    def conclude(self) -> Iterator[Problem]:
        """Yield the problems of the recording as a whole."""
        if not self._events:
            yield Problem(0, WARNING, "holds no events: nothing will ever be said")
        elif not self._openings:
            yield Problem(0, WARNING, "holds no init and no user_message: nothing will ever be answered")

    def _from_backend(self, event: Event) -> Iterator[Problem]:
        message = event.message
        if message is None:
            return  # Backends do say what is no JSON; frontends have to cope.
        if event.kind in {"room_query", "room_action"}:
            self._asked.add(message.get("request_id"))
        if event.kind not in BACKEND_TYPES:
            known = "no type" if event.kind is None else f'the unknown type "{event.kind}"'
            yield Problem(event.number, WARNING, f"a message of {known}")
            return
        from pydantic import ValidationError

        from mockbackend.protocol.messages import explain, parse_backend

        try:
            parse_backend(message)
        except ValidationError as problem:
            for text in explain(problem):
                yield Problem(event.number, WARNING, f"does not fit the protocol: {text}")

    def _from_frontend(self, event: Event) -> Iterator[Problem]:
        self._openings += opens(event)
        if role(event) is Role.RESPONSE:
            request = (event.message or {}).get("request_id")
            if request not in self._asked:
                yield Problem(event.number, WARNING, f'answers the request "{request}", which was never asked')
