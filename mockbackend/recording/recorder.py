"""Write down what was said: the tap that makes a recording, as bytes for a file.

Pure: it is told what was said and when, and hands out the lines of the file; somebody else writes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockbackend.engine.events import Closed, Received
from mockbackend.engine.steps import Emit, Exit, Stderr
from mockbackend.protocol.catalogue import PROTOCOL_VERSION
from mockbackend.protocol.lines import TooLong
from mockbackend.recording.format import format_event, format_happening, format_header
from mockbackend.recording.model import BACKEND, EXIT, FORMAT, FRONTEND, INPUT_CLOSED, START, STDERR

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mockbackend.engine.events import Event
    from mockbackend.engine.steps import Action


def header(recorded_at: str, backend: Mapping[str, Any]) -> bytes:
    """Return the first line of a recording of *backend*, begun at *recorded_at* (ISO 8601, UTC)."""
    fields = {"mockbackend": FORMAT, "protocol": PROTOCOL_VERSION, "recorded_at": recorded_at, "backend": dict(backend)}
    return format_header(fields)


class Recorder:
    """Turns events and actions of a session into lines of a recording.

    Its times are those of the session, *offset* microseconds later: a second run in the same file goes on
    where the first one ended.
    """

    def __init__(self, offset: int = 0) -> None:
        self._offset = offset

    def started(self, pid: int) -> bytes:
        """Return the line that begins a run."""
        return format_happening(self._offset, START, {"pid": pid})

    def heard(self, event: Event, now: int) -> bytes:
        """Return what to write about an *event* that happened at *now*; nothing when it is only a wake-up."""
        at = now + self._offset
        match event:
            case Received(TooLong(head, size)):
                # Nobody keeps such a line whole; its beginning says what it was, its size how long.
                line = format_event(at, FRONTEND, head, b"")
                return line.removesuffix(b"}\n") + b',"size":%d}\n' % size
            case Received(bytes(line), end):
                return format_event(at, FRONTEND, line, end)
            case Closed():
                return format_happening(at, INPUT_CLOSED)
            case _:
                return b""

    def said(self, actions: Iterable[Action], now: int) -> bytes:
        """Return what to write about *actions* that were done at *now*."""
        at = now + self._offset
        lines = []
        for action in actions:
            match action:
                case Emit(data):
                    newline = data.endswith(b"\n")
                    lines.append(format_event(at, BACKEND, data[:-1] if newline else data, b"\n" if newline else b""))
                case Stderr(data):
                    lines.append(format_event(at, STDERR, data.removesuffix(b"\n")))
                case Exit(code, signal):
                    lines.append(format_happening(at, EXIT, {"code": code} if signal is None else {"signal": signal}))
                case _:
                    pass  # A note is for the user of mockbackend alone.
        return b"".join(lines)
