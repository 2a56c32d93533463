"""The frontend of a recording: it does what the recorded one did, and nothing else.

It sends each recorded line when it has received all lines of the backend that came before it, pongs aside, and
as long after the last of them as the recorded one did. So it can hold a conversation with any backend that
says what was recorded: with the replay itself, fast or slow, or with the real one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mockbackend.recording.exchanges import Cursor
from mockbackend.recording.model import BACKEND, FRONTEND

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockbackend.recording.model import Event, Position
    from mockbackend.recording.reader import Reader


class Move(NamedTuple):
    """What the frontend does next.

    Attributes:
        after: Lines of the backend that have to have come before, in all, pongs not counted.
        gap_us: How long after the last of them, in microseconds; 0 in a bare file.
        event: The recorded line; `event.data` is what to send.
    """

    after: int
    gap_us: int
    event: Event


def moves(reader: Reader, run: Position | None = None, *, pings: bool = False) -> Iterator[Move]:
    """Yield what the recorded frontend did in *run* (default: the first), in order; *pings* only on request."""
    received, last = 0, 0
    for event in Cursor(reader, run).everything():
        if event.sender == BACKEND and event.kind != "pong":
            received += 1
            last = event.at or 0
        elif event.sender == FRONTEND and (pings or event.kind != "ping"):
            yield Move(received, max(0, (event.at or 0) - last), event)
            last = event.at or 0
