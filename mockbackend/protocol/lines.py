r"""Split a byte stream into lines.

Pure: no I/O, no clock. Feed it whatever the transport read, in any chunking; it remembers the rest. Lines end
at "\\n" only: U+2028 and its like occur inside JSON strings. A line over the limit is skipped in bounded memory
and handed out as `TooLong` where it ends, so that one bad line costs one answer and not the session.
"""

from __future__ import annotations

from typing import NamedTuple

MAX_LINE_BYTES = 16 * 1024 * 1024
"""A hundred times the largest message that the protocol allows (1 MB of tool output), and then some."""

_HEAD = 160
"""Bytes kept of a line that is too long: enough to show its first 80 characters."""


class TooLong(NamedTuple):
    """A line that was longer than allowed: its beginning, and its *size* in bytes without the newline."""

    head: bytes
    size: int


class LineBuffer:
    """Accumulate bytes and hand out complete lines, without their newline."""

    def __init__(self, limit: int = MAX_LINE_BYTES) -> None:
        """Allow lines of up to *limit* bytes."""
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0  # Of the unfinished line, also when it is being skipped.
        self._head = b""  # Of the line that is being skipped; empty: none is.

    def feed(self, data: bytes) -> list[bytes | TooLong]:
        """Add *data* and return the lines that it completed, oldest first."""
        if not self._size and len(data) <= self._limit and data.find(b"\n") == len(data) - 1:
            return [data[:-1]] if data else []  # One line in one chunk: what frontends mostly send.
        first, *others = data.split(b"\n")
        self._add(first)
        if not others:
            return []
        lines = [self._take()]
        rest = others.pop()
        lines += [line if len(line) <= self._limit else TooLong(line[:_HEAD], len(line)) for line in others]
        self._add(rest)
        return lines

    def finish(self) -> bytes | TooLong | None:
        """Return the last line if no newline ended it; None when there is none."""
        return self._take() if self._size else None

    def _add(self, data: bytes) -> None:
        self._size += len(data)
        if self._head:
            return
        if data:
            # Parts are joined once, when the line is complete: n chunks cost O(n), not O(n²).
            self._parts.append(data)
        if self._size > self._limit:
            self._head = b"".join(self._parts)[:_HEAD]
            self._parts.clear()

    def _take(self) -> bytes | TooLong:
        line = TooLong(self._head, self._size) if self._head else b"".join(self._parts)
        self._parts.clear()
        self._size, self._head = 0, b""
        return line
