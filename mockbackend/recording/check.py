"""Check a recording: every problem with its line, not the first alone.

An *error* is what a replay stumbles over; a *warning* is what one should know: a message of the backend that
does not fit the protocol is replayed as it is, and perhaps recorded for that very reason. What a frontend
sent wrongly is no problem at all when the real backend refused it, and the recording says so; what nobody
refused is a slip of somebody who wrote it by hand.
"""

from __future__ import annotations

import sys
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from mockbackend.errors import BrokenLineError, MalformedLineError, UnusableFileError
from mockbackend.protocol.catalogue import BACKEND_TYPES
from mockbackend.protocol.codec import decode
from mockbackend.recording.exchanges import Role, opens, role
from mockbackend.recording.format import parse_event
from mockbackend.recording.model import BACKEND, EXIT, FRONTEND, INPUT_CLOSED, MARKER, START
from mockbackend.recording.objects import parse_object
from mockbackend.recording.reader import Reader
from mockbackend.recording.timeline import exit_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockbackend.recording.model import Event, Position, Source

ERROR, WARNING = "error", "warning"
_MOST = 255
"""An exit code has eight bits."""
_HAPPENINGS = frozenset({START, EXIT, MARKER, INPUT_CLOSED})
_CONTENT = ("msg", "raw", "b64")
_REFUSALS = frozenset({"PARSE_ERROR", "PROTOCOL_MISMATCH"})
"""What a backend answers to a line that is no message. Other errors come in the middle of turns, too."""


class Problem(NamedTuple):
    """One problem: the number of its line (0: the file as a whole), "error" or "warning", and what it is."""

    line: int
    severity: str
    text: str


def check(source: Source) -> list[Problem]:
    """Return the problems of a recording in the order of its lines, and last those of the file as a whole."""
    return sorted(_problems(source), key=lambda problem: problem.line or sys.maxsize)


def _problems(source: Source) -> Iterator[Problem]:
    shapes: list[Problem] = []

    def parse(line: bytes, after: Position) -> Event:
        event = parse_event(line, after)
        shapes.extend(_check_shape(line, event))
        return event

    try:
        reader = Reader(source, skip_bad_lines=True, parse=parse)
    except BrokenLineError as problem:
        yield Problem(problem.line, ERROR, problem.why)
    except UnusableFileError as problem:
        yield Problem(0, ERROR, problem.why)
    else:
        yield from _check_events(reader)
        yield from shapes


def _check_events(reader: Reader) -> Iterator[Problem]:
    checker = _Checker(reader)
    try:
        for event in reader.events():
            yield from checker.look_at(event)
    except UnusableFileError as problem:  # Packed, and damaged in the middle.
        yield Problem(0, ERROR, problem.why)
    for skip in reader.skipped.values():
        if skip.cut_off:
            yield Problem(skip.number, WARNING, f"the file was cut off here; the line is skipped ({skip.why})")
        else:
            yield Problem(skip.number, ERROR, skip.why)
    yield from checker.conclude()


class _Checker:
    """Looks at one event after another."""

    def __init__(self, reader: Reader) -> None:
        self._bare = reader.header.bare
        self._first: Event | None = None
        self._unrefused: deque[Problem] = deque()  # Lines of the frontend that the backend has to refuse yet.
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
        yield from self._unrefused
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
        if event.kind == "error" and message.get("code") in _REFUSALS and self._unrefused:
            self._unrefused.popleft()
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
        what = role(event)
        if what is Role.REFUSED:
            self._unrefused.append(Problem(event.number, WARNING, _why_refused(event)))
        self._openings += opens(event)
        if what is Role.RESPONSE:
            request = (event.message or {}).get("request_id")
            if request not in self._asked:
                yield Problem(event.number, WARNING, f'answers the request "{request}", which was never asked')


def _why_refused(event: Event) -> str:
    """Say what is wrong with a line of the frontend that is no message."""
    try:
        decode(event.data.rstrip(b"\r\n"))
    except MalformedLineError as problem:
        opening = event.kind in {"init", "user_message"}
        effect = "; nothing is opened by it" if opening else ""
        what = event.kind if opening else "message"
        return f"is no valid {what}, and no error answers it: {problem.reason}{effect}"
    return 'is a message that a replay takes for none: expected it under "msg"'


def _check_shape(line: bytes, event: Event) -> Iterator[Problem]:
    """Yield what is odd about the keys of the recording's *line*."""
    head = line.removesuffix(b'"msg":' + event.data[:-1] + b"}")
    if event.sender is None or (head != line and b"raw" not in head and b"b64" not in head):
        return  # Most lines: no need to read them once more.
    keys = [*parse_object(line)]
    found = [key for key in _CONTENT if key in keys]
    if len(found) > 1:
        played = "msg" if event.message is not None else next(key for key in found if key != "msg")
        text = f'expected one of "msg", "raw" and "b64", found {" and ".join(found)}; a replay takes "{played}"'
        yield Problem(event.number, WARNING, text)
    elif found == ["msg"] and keys[-1] != "msg":
        text = f'expected "msg" to be the last key, found "{keys[-1]}" behind it; it is read all the same'
        yield Problem(event.number, WARNING, text)


def _check_exit(event: Event) -> Iterator[Problem]:
    code, signal, ending = event.fields.get("code"), event.fields.get("signal"), exit_of(event)
    if signal is not None and ending.signal is None:
        text = f'expected "signal" to be one that ends a process ("SIGKILL" or 9), found {signal!r:.40}'
        yield Problem(event.number, WARNING, f"{text}; a replay ends with code {ending.code}")
    elif signal is None and (isinstance(code, bool) or not isinstance(code, int) or not 0 <= code <= _MOST):
        text = f'expected "code" to be a number from 0 to {_MOST}, found {code!r:.40}'
        yield Problem(event.number, WARNING, f"{text}; a replay ends with code {ending.code}")
