"""What a recording is made of: a header, and events.

A recording is a file of JSON lines, described in prose in `recordings/README.md`. Its first line is the
header, each further line one event: a line that the frontend or the backend sent, a piece of standard
error, or something that happened (`start`, `exit`, `marker`, `input_closed`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FORMAT = 1
"""The number under "mockbackend" in the header. A higher one is refused."""

FRONTEND, BACKEND, STDERR = "frontend", "backend", "stderr"
START, EXIT, MARKER, INPUT_CLOSED = "start", "exit", "marker", "input_closed"

Position = tuple[int, int]
"""Where a reader is: the offset in bytes, and the number of the line there (from 1)."""


class Source(Protocol):
    """Bytes that can be read again from any place; `io.files` has the real ones."""

    name: str

    def chunks(self, offset: int = 0) -> Iterator[bytes]:
        """Yield the content from *offset* (bytes) on."""
        ...


class Header(NamedTuple):
    """The first line: all its *fields*; a bare file of messages has none."""

    fields: Mapping[str, Any]
    bare: bool = False

    @property
    def summary(self) -> str:
        """One sentence of what the recording shows, or nothing."""
        value = self.fields.get("summary")
        return value if isinstance(value, str) else ""

    @property
    def backend(self) -> str:
        """Name and version of the recorded backend, as far as they are known."""
        backend = self.fields.get("backend")
        if not isinstance(backend, dict):
            return ""
        return " ".join(str(backend[key]) for key in ("name", "version") if backend.get(key))


class Event(NamedTuple):
    """One line of a recording after the header.

    Attributes:
        at: Microseconds since the recording began; None in a bare file.
        sender: "frontend", "backend", "stderr", or None when something happened (then *name* says what).
        data: The line's own bytes as they went over the wire, with what ended it.
        message: The line as a JSON object, or None when it is none.
        kind: The `type` of the message, if it has one.
        name: "start", "exit", "marker", … or None when a peer sent a line.
        fields: The keys of the recording's line that are not told by the attributes above.
        number: The line's number in the file, from 1.
        after: The position behind it.
    """

    at: int | None
    sender: str | None
    data: bytes
    message: Mapping[str, Any] | None
    kind: str | None
    name: str | None
    fields: Mapping[str, Any]
    number: int
    after: Position
