"""Check a recording: every problem with its line, not the first alone.

An *error* is what a replay stumbles over; a *warning* is what one should know: a message of the backend that
does not fit the protocol is replayed as it is, and perhaps recorded for that very reason. What a frontend
sent wrongly is no problem at all: the real backend refused it, and the recording says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mockbackend.errors import BrokenLineError, UnusableFileError
from mockbackend.protocol import fields
from mockbackend.protocol.catalogue import BACKEND_TYPES
from mockbackend.recording.exchanges import Role, opens, role
from mockbackend.recording.model import BACKEND, EXIT, FRONTEND, INPUT_CLOSED, MARKER, START
from mockbackend.recording.reader import Reader
from mockbackend.recording.timeline import exit_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockbackend.recording.model import Event, Source

ERROR, WARNING = "error", "warning"
_MOST = 255
"""An exit code has eight bits."""
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
    checker = _Checker(reader)
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
    for skip in list(reader.skipped.values())[told:] if len(reader.skipped) > told else ():
        if skip.cut_off:
            yield Problem(skip.number, WARNING, f"the file was cut off here; the line is skipped ({skip.why})")
        else:
            yield Problem(skip.number, ERROR, skip.why)


class _Checker:
    """Looks at one event after another."""

    def __init__(self, reader: Reader) -> None:
        self._bare = reader.header.bare
        self._first: Event | None = None
        self._refused: Problem | None = None  # A line of the frontend that the backend has to refuse yet.
        self._last: int | None = None
        self._asked: set[object] = set()
        self._openings = 0

    def look_at(self, event: Event) -> Iterator[Problem]:
        """Yield the problems of *event*."""
        self._first = self._first or event
        if event.at is not None:
            if self._last is not None and event.at < self._last:
                back = (self._last - event.at) / 1e6
                text = f'"t" goes back by {back:.6f} s: expected it to grow; it is played without a pause'
                yield Problem(event.number, WARNING, text)
            self._last = event.at
        if event.sender is None and event.name not in _HAPPENINGS:
            yield Problem(event.number, WARNING, f'unknown event "{event.name}": it is kept, and nothing is made of it')
        elif event.name == EXIT:
            yield from _check_exit(event)
        elif event.sender == BACKEND:
            yield from self._from_backend(event)
        elif event.sender == FRONTEND:
            yield from self._from_frontend(event)

    def conclude(self) -> Iterator[Problem]:
        """Yield the problems of the recording as a whole."""
        yield from self._unrefused()
        if self._first is None:
            yield Problem(0, WARNING, "holds no events: nothing will ever be said")
        elif self._bare and self._first.sender == BACKEND:
            yield Problem(0, WARNING, "begins with the backend: openings are put in where turns seem to begin")
        elif not self._openings:
            yield Problem(0, WARNING, "holds no init and no user_message: nothing will ever be answered")

    def _from_backend(self, event: Event) -> Iterator[Problem]:
        message = event.message
        if message is None:
            return  # Backends do say what is no JSON; frontends have to cope.
        if event.kind == "error":
            self._refused = None
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
        yield from self._unrefused()
        if event.kind in {"init", "user_message"} and role(event) is Role.REFUSED:
            text = f"is no valid {event.kind}, and no error answers it: {fields.check(dict(event.message or {}))}"
            self._refused = Problem(event.number, WARNING, f"{text}; nothing is opened by it")
        self._openings += opens(event)
        if role(event) is Role.RESPONSE:
            request = (event.message or {}).get("request_id")
            if request not in self._asked:
                yield Problem(event.number, WARNING, f'answers the request "{request}", which was never asked')

    def _unrefused(self) -> Iterator[Problem]:
        """Yield what no backend refused, though it is no message: a slip of somebody who wrote it by hand."""
        if self._refused is not None:
            yield self._refused
            self._refused = None


def _check_exit(event: Event) -> Iterator[Problem]:
    code, signal = event.fields.get("code"), event.fields.get("signal")
    if signal is not None and exit_of(event).signal is None:
        yield Problem(event.number, WARNING, f'expected "signal" to be the name of a signal, found {signal!r:.40}')
    elif signal is None and (isinstance(code, bool) or not isinstance(code, int) or not 0 <= code <= _MOST):
        text = f'expected "code" to be a number from 0 to {_MOST}, found {code!r:.40}; a replay ends with'
        yield Problem(event.number, WARNING, f"{text} {exit_of(event).code}")
