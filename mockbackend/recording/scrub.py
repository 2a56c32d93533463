"""Take secrets out of a recording that is there already.

Two walks: the first learns (an `init` may tell a key that stands in an earlier line), the second writes. A line
in which nothing is found keeps its bytes; in others, only what was found changes. Lines that are no events are
looked at as text, and kept.
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any, NamedTuple

from mockbackend.recording.format import format_header
from mockbackend.recording.objects import parse_object
from mockbackend.recording.reader import Reader
from mockbackend.recording.recorder import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mockbackend.recording.model import Event, Source
    from mockbackend.redaction.redactor import Redactor

_FILE = "file"
"""Who "sent" what no peer sent."""


class Line(NamedTuple):
    """A line of the file, with its newline: its *number*, what it *was*, and who sent what."""

    number: int
    was: bytes
    event: Event | None

    @property
    def what(self) -> str:
        """Say what it is, for people."""
        if self.event is None:
            return "a line that is no event"
        return " ".join(filter(None, (self.event.sender or "event", self.event.kind or self.event.name)))


def lines(source: Source) -> Iterator[Line]:
    """Yield all lines of a recording behind its header; of a bare file, all lines.

    Raises:
        UnusableFileError: It is no recording.
    """
    reader = Reader(source, skip_bad_lines=True)
    events = reader.events()
    event = next(events, None)
    for number, line in enumerate(raw_lines(source, reader.start[0]), reader.start[1]):
        if event is not None and event.number == number:
            yield Line(number, line, event)
            event = next(events, None)
        else:
            yield Line(number, line, None)


def scrubbed(line: Line, redactor: Redactor) -> bytes:
    """Return *line* without what *redactor* finds in it."""
    event = line.event
    body = line.was.removesuffix(b"\n")
    newline = line.was[len(body) :]
    if event is None or event.sender is None:
        return redactor.line(_FILE, body) + newline
    said = event.data.rstrip(b"\r\n")
    (kept,) = redactor.lines(event.sender, [said])
    if kept == said:
        return line.was
    if event.message is not None:
        # It stands in the line as it went over the wire.
        before, _, behind = line.was.rpartition(said)
        return before + kept + behind
    fields: dict[str, Any] = {}
    for key, value in parse_object(body).items():
        fields |= _text(kept) if key in {"raw", "b64"} else {key: value}
    return format_header(fields).removesuffix(b"\n") + newline


def header(source: Source, counts: Mapping[str, int], redacted: Sequence[str]) -> bytes:
    """Return the header of *source* with what was taken out; nothing for a bare file."""
    fields: dict[str, Any] = dict(Reader(source).header.fields)
    if not fields:
        return b""
    total = counted(fields.get("redactions"), counts)
    known = fields.get("redacted")
    fields["redacted"] = sorted({*(known if isinstance(known, list) else []), *redacted})
    if total:
        fields["redactions"] = dict(sorted(total.items()))
    return format_header(fields)


def raw_lines(source: Source, offset: int = 0) -> Iterator[bytes]:
    """Yield the lines from *offset* on with their newlines; the last one may have none."""
    rest = b""
    for chunk in source.chunks(offset):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line + b"\n"
    if rest:
        yield rest


def _text(line: bytes) -> dict[str, str]:
    try:
        return {"raw": line.decode()}
    except UnicodeDecodeError:
        return {"b64": b64encode(line).decode()}
