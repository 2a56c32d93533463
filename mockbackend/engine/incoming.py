"""A line of the frontend, read: what kind it is, and what is wrong with it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from mockbackend.errors import MalformedLineError
from mockbackend.protocol.codec import abbreviate, decode
from mockbackend.protocol.lines import TooLong

if TYPE_CHECKING:
    from mockbackend.engine.steps import Message

_BOM = b"\xef\xbb\xbf"
_NOTHING: Message = {}


class Incoming(NamedTuple):
    """One line of the frontend.

    Attributes:
        line: Its bytes, without the newline (only the beginning of a line over the limit).
        kind: Its `type`, also of a malformed line that has one; else None.
        decoded: The message, or None when the line is malformed.
        reason: Why it is malformed, with the beginning of the line; else empty.
    """

    line: bytes
    kind: str | None
    decoded: dict[str, Any] | None
    reason: str = ""

    @property
    def message(self) -> Message:
        """The decoded message; empty when the line is malformed."""
        return _NOTHING if self.decoded is None else self.decoded


SHORT = 64
"""Bytes up to which a line is worth remembering."""


def read(line: bytes | TooLong, *, first: bool = False) -> Incoming | None:
    """Decode *line*; None when it is blank. The *first* line may begin with a byte order mark."""
    shown = line.head if isinstance(line, TooLong) else line
    if first and shown.startswith(_BOM) and not isinstance(line, TooLong):
        line = shown = shown[len(_BOM) :]
    if not isinstance(line, TooLong) and not line.strip(b" \t\r"):
        return None
    try:
        message = decode(line)
    except MalformedLineError as problem:
        return Incoming(shown, problem.kind, None, f"{problem.reason}, in: {abbreviate(shown)}")
    return Incoming(shown, message["type"], message)


@lru_cache(maxsize=16)
def read_short(line: bytes) -> Incoming | None:
    """Return `read` of a short *line*: a frontend says few of them, a ping above all, again and again."""
    return read(line)
