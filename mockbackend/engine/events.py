"""Events: what happens to a session. Each comes with the logical time at which it happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from mockbackend.protocol.lines import TooLong


class Received(NamedTuple):
    """The frontend sent *line* (without its newline).

    *end* is what ended it: a newline, or nothing for the last line of the input.
    """

    line: bytes | TooLong
    end: bytes = b"\n"


class Closed(NamedTuple):
    """The frontend will send nothing more."""


class Woken(NamedTuple):
    """The session started, or its deadline has come."""


WOKEN = Woken()
CLOSED = Closed()

Event: TypeAlias = Received | Closed | Woken
