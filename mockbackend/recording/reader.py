"""Read a recording as a stream: constant memory, whatever its size.

A reader hands out events from any position of its source, as often as it is asked: that is how a replay
looks ahead, and how it goes back. What it cannot read is an error with file and line; two things are
forgiven. A *last* line without newline that cannot be read is where the recorder was cut off: it is reported
and skipped. And with *skip_bad_lines* so is every other.

A file whose first line is a message of the protocol is *bare*: what `tee` leaves. Its events have no time,
and who sent them follows from their type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mockbackend.errors import BrokenLineError, UnusableFileError
from mockbackend.protocol.catalogue import BACKEND_TYPES, FRONTEND_TYPES, PROTOCOL_VERSION
from mockbackend.recording.format import parse_event
from mockbackend.recording.model import BACKEND, FORMAT, FRONTEND, Event, Header
from mockbackend.recording.objects import FormatError, parse_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mockbackend.recording.model import Position, Source

_EXAMPLE = '{"mockbackend":1,"protocol":1,…}'
_BOM = b"\xef\xbb\xbf"


class Skip(NamedTuple):
    """A line that was passed over: its *file* and *number*, and why; or it was *cut_off*, being the last."""

    file: str
    number: int
    why: str
    cut_off: bool = False

    def __str__(self) -> str:
        told = "the file was cut off here; the line is skipped" if self.cut_off else "skipped"
        return f"{self.file}:{self.number}: {told} ({self.why})"


class Reader:
    """One recording, opened.

    Attributes:
        name: The file, as the user named it.
        header: Its first line.
        start: The position of the first event.
        skipped: What was passed over so far, once each, by the position behind it.
    """

    def __init__(self, source: Source, *, skip_bad_lines: bool = False) -> None:
        """Read the header of *source*.

        Raises:
            UnusableFileError: It is empty, binary, of another tool or of a newer format.
        """
        self.name = source.name
        self.skipped: dict[Position, Skip] = {}
        self._source = source
        self._skip = skip_bad_lines
        self.header, self.start = self._read_header()
        self._parse: Callable[[bytes, Position], Event] = _parse_bare if self.header.bare else parse_event

    def events(self, position: Position | None = None) -> Iterator[Event]:
        """Yield the events from *position* (default: the first) to the end of the file.

        Raises:
            BrokenLineError: A line cannot be read.
        """
        offset, number = position or self.start
        parse = self._parse
        rest = b""
        for chunk in self._source.chunks(offset):
            lines = (rest + chunk if rest else chunk).split(b"\n")
            rest = lines.pop()
            for line in lines:
                offset += len(line) + 1
                number += 1
                try:
                    event = parse(line, (offset, number))
                except FormatError as problem:
                    self._forgive(line, (offset, number), problem)
                    continue
                yield event
        if rest:
            after = (offset + len(rest), number + 1)
            try:
                event = parse(rest, after)
            except FormatError as problem:
                self.skipped[after] = Skip(self.name, number, str(problem), cut_off=True)
                return
            yield event

    def _forgive(self, line: bytes, after: Position, problem: FormatError) -> None:
        """Pass over a blank line, and over a bad one if the user said so."""
        if not line.strip():
            return
        number = after[1] - 1
        if not self._skip:
            hint = f"--skip-bad-lines passes over such lines, `mockbackend validate {self.name}` lists them"
            raise BrokenLineError(self.name, number, f"{problem}. {hint}")
        self.skipped[after] = Skip(self.name, number, str(problem))

    def _read_header(self) -> tuple[Header, Position]:
        line, ended = _first_line(self._source)
        if not line.strip(_BOM + b" \t\r"):
            raise UnusableFileError(self.name, f"is empty; expected a recording, which begins with {_EXAMPLE}")
        if b"\0" in line:
            raise UnusableFileError(self.name, f"is binary; expected JSON lines beginning with {_EXAMPLE}")
        try:
            fields = parse_object(line.removeprefix(_BOM))
        except FormatError as problem:
            why = f"{_no_header(line, ended=ended)}: {problem}; a recording begins with {_EXAMPLE}"
            raise BrokenLineError(self.name, 1, why) from None
        if "mockbackend" not in fields:
            kind = fields.get("type")
            if kind not in FRONTEND_TYPES and kind not in BACKEND_TYPES:
                raise BrokenLineError(self.name, 1, _no_recording(fields))
            return Header({}, bare=True), (0, 1)
        self._check_versions(fields)
        return Header(fields), (len(line) + 1, 2)

    def _check_versions(self, fields: dict[str, object]) -> None:
        for key, known in (("mockbackend", FORMAT), ("protocol", PROTOCOL_VERSION)):
            found = fields.get(key, known)
            if isinstance(found, bool) or not isinstance(found, int) or found < 1:
                raise BrokenLineError(self.name, 1, f'expected "{key}" to be {known}, found {found!r:.40}')
            if found > known:
                what = "format" if key == "mockbackend" else "protocol version"
                raise BrokenLineError(
                    self.name,
                    1,
                    f"needs a newer mockbackend, one that reads {what} {found}; this one reads {what} {known}",
                )


def _first_line(source: Source) -> tuple[bytes, bool]:
    """Return the first line, and whether a newline ended it. A file without newlines is read to 1 MiB at most."""
    line = b""
    for chunk in source.chunks():
        head, newline, _ = chunk.partition(b"\n")
        line += head
        if newline:
            return line, True
        if len(line) > 1 << 20:
            break
    return line, False


def _parse_bare(line: bytes, after: Position) -> Event:
    """Return the event that a line of a bare file is: any line that is no message of the frontend is the backend's."""
    try:
        message = parse_object(line.removeprefix(_BOM))
    except FormatError:
        if not line.strip():
            raise
        return Event(None, BACKEND, line + b"\n", None, None, None, {}, after[1] - 1, after)
    kind = message.get("type")
    sender = FRONTEND if kind in FRONTEND_TYPES else BACKEND
    kind = kind if isinstance(kind, str) else None
    return Event(None, sender, line + b"\n", message, kind, None, {}, after[1] - 1, after)


def _no_header(line: bytes, *, ended: bool) -> str:
    """Say what a file is whose first line is no JSON object."""
    begun = line.lstrip(_BOM).startswith(b"{")
    if begun and not ended:
        return "was cut off in its header"
    if line.strip(_BOM + b" \t\r") in {b"{", b"["}:
        return "is JSON over several lines, and a recording has one object a line"
    return "is not a recording"


def _no_recording(fields: dict[str, object]) -> str:
    """Say what a file is whose first line is some JSON object."""
    if "t" in fields and ("from" in fields or "event" in fields):
        return 'lacks its header: the first line has to be one like {"mockbackend":1,"protocol":1}, before any event'
    return (
        "is not a recording of mockbackend but of some other program: expected a header "
        f"{_EXAMPLE} or a message of the protocol, found {_shown(fields)}"
    )


def _shown(fields: dict[str, object]) -> str:
    keys = ", ".join(f'"{key}"' for key in list(fields)[:5])
    return f"an object with {keys or 'no keys'}"
