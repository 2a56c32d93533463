"""Write down what was said: events, actions and bytes as lines of a recording.

Pure: it is told what was said and when, and hands out bytes for a file; somebody else writes them. What is
secret is taken out here, before anything else is made of a line.

The header is the one line that is written more than once: what the recorded session tells about its backend,
and how much was taken out, is known only as it goes. So it ends in spaces, room enough for what may come, and
is always of the same length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockbackend.engine.events import Closed, Received
from mockbackend.engine.steps import Emit, Exit, Stderr
from mockbackend.protocol.catalogue import PROTOCOL_VERSION
from mockbackend.protocol.lines import TooLong
from mockbackend.recording.format import format_event, format_happening, format_header
from mockbackend.recording.model import BACKEND, EXIT, FORMAT, FRONTEND, INPUT_CLOSED, MARKER, START, STDERR
from mockbackend.recording.objects import FormatError, parse_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mockbackend.engine.events import Event
    from mockbackend.engine.steps import Action
    from mockbackend.redaction.redactor import Redactor

_ROOM = 512
"""Bytes of the header for what is not known at the beginning."""


def header_fields(recorded_at: str, backend: Mapping[str, Any]) -> dict[str, Any]:
    """Return the header of a recording of *backend*, begun at *recorded_at* (ISO 8601, UTC)."""
    return {"mockbackend": FORMAT, "protocol": PROTOCOL_VERSION, "recorded_at": recorded_at, "backend": dict(backend)}


class Recorder:
    """Turns what happens in a session into lines of a recording.

    Its times are those of the session, *offset* microseconds later: a second run in the same file goes on
    where the first one ended. They never go back.
    """

    def __init__(
        self,
        fields: Mapping[str, Any],
        *,
        offset: int = 0,
        redactor: Redactor | None = None,
        line: bytes = b"",
    ) -> None:
        """Write a header of *fields*; they are those of *line*, if the file has a first line already."""
        self._fields = dict(fields)
        self._known: dict[str, Any] = {}  # What the session has told.
        self._offset = offset
        self._last = offset
        self._redactor = redactor
        self._line = line or self._padded(format_header(self._fields), _ROOM)

    def header(self) -> bytes:
        """Return the first line, with all that is known by now."""
        counts = counted(self._fields.get("redactions"), self._redactor.counts if self._redactor else {})
        if not self._known and counts == counted(self._fields.get("redactions"), {}):
            return self._line
        several = {"redactions": dict(sorted(counts.items()))}
        altogether = {"redactions": {"secret": sum(counts.values())}}
        for more in (several, altogether, {}):
            line = format_header({**self._fields, **self._known, **(more if counts else {})})
            if len(line) <= len(self._line):
                return self._padded(line, len(self._line) - len(line))
        return self._line

    @staticmethod
    def _padded(line: bytes, room: int) -> bytes:
        return line[:-1] + b" " * room + b"\n"

    def started(self, pid: int) -> bytes:
        """Return the line that begins a run."""
        return format_happening(self._at(0), START, {"pid": pid})

    def ended(self, code: int, signal: int | None, now: int) -> bytes:
        """Return the line that says how the backend ended."""
        return format_happening(self._at(now), EXIT, {"code": code} if signal is None else {"signal": signal})

    def marked(self, name: str, now: int) -> bytes:
        """Return the line that marks a place."""
        return format_happening(self._at(now), MARKER, {"name": name})

    def input_closed(self, now: int) -> bytes:
        """Return the line that says that the frontend closed its end."""
        return format_happening(self._at(now), INPUT_CLOSED)

    def lines(self, sender: str, lines: Sequence[bytes], now: int, end: bytes = b"\n") -> bytes:
        """Return what to write about *lines*, which *sender* sent at *now*; *end* is what ended each."""
        at = self._at(now)
        if self._redactor is not None:
            lines = self._redactor.lines(sender, lines)
        for line in lines:
            if sender == BACKEND and b'"session_started"' in line:
                self._learn(line)
        return b"".join([format_event(at, sender, line, end) for line in lines])

    def heard(self, event: Event, now: int) -> bytes:
        """Return what to write about an *event* that happened at *now*; nothing when it is only a wake-up."""
        match event:
            case Received(TooLong(head, size)):
                # Nobody keeps such a line whole; its beginning says what it was, its size how long.
                if self._redactor is not None:
                    head = self._redactor.beginning(head)
                line = format_event(self._at(now), FRONTEND, head, b"")
                return line.removesuffix(b"}\n") + b',"size":%d}\n' % size
            case Received(bytes(line), end):
                return self.lines(FRONTEND, [line], now, end)
            case Closed():
                return self.input_closed(now)
            case _:
                return b""

    def said(self, actions: Iterable[Action], now: int) -> bytes:
        """Return what to write about *actions* that were done at *now*."""
        written = []
        for action in actions:
            match action:
                case Emit(data):
                    end = b"\n" if data.endswith(b"\n") else b""
                    written.append(self.lines(BACKEND, [data.removesuffix(b"\n")], now, end))
                case Stderr(data):
                    written.append(self.lines(STDERR, [data.removesuffix(b"\n")], now))
                case Exit(code, signal):
                    written.append(self.ended(code, signal, now))
                case _:
                    pass  # A note is for the user of mockbackend alone.
        return b"".join(written)

    def _at(self, now: int) -> int:
        self._last = max(self._last, now + self._offset)
        return self._last

    def _learn(self, line: bytes) -> None:
        """Take from a `session_started` what it says about the backend."""
        try:
            message = parse_object(line)
        except FormatError:
            return
        backend = self._known.get("backend", self._fields.get("backend"))
        before = backend if isinstance(backend, dict) else {}
        known = dict(before)
        for key, value in message.items():
            if isinstance(value, str) and (key == "model" or key.endswith("version")):
                known.setdefault("version" if key.endswith("version") else key, value)
        if known != before:
            self._known["backend"] = known


def counted(before: object, counts: Mapping[str, int]) -> dict[str, int]:
    """Return *counts* and those of *before*, the header's own, together."""
    total = dict(before) if isinstance(before, dict) else {}
    for kind, count in counts.items():
        total[kind] = total.get(kind, 0) + count
    return {kind: count for kind, count in total.items() if isinstance(count, int)}
