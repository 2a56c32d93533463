"""Taps that write to files: recorders, and the log.

A tap must never disturb the session that it observes: its file is written in the background (see
`io.background`), and what cannot be written is missing from the file, and told.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mockbackend.engine.events import Closed, Received
from mockbackend.engine.steps import Emit, Exit, Note, Stderr
from mockbackend.protocol.codec import abbreviate
from mockbackend.protocol.lines import TooLong

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mockbackend.engine.events import Event
    from mockbackend.engine.steps import Action
    from mockbackend.io.background import Background
    from mockbackend.recording.recorder import Recorder
    from mockbackend.recording.wiretap import Wiretap

_LINE = 128
"""Bytes that a message takes in a queue, about."""


class RecordTap:
    """Writes a recording of a session that the driver runs."""

    def __init__(self, recorder: Recorder, file: Background) -> None:
        self._recorder = recorder
        self._file = file

    def heard(self, event: Event, now: int) -> None:
        """Write what the frontend sent."""
        if isinstance(event, Received | Closed):
            self._file.put(self._recorder.heard, event, now, size=_LINE)

    def said(self, actions: Sequence[Action], now: int) -> None:
        """Write what was sent to the frontend, and how the session ended."""
        if actions:
            self._file.wait()
            self._file.put(self._recorder.said, actions, now, size=_LINE * len(actions))


class RelayTap:
    """Writes a recording of what passes a proxy."""

    def __init__(self, wiretap: Wiretap, recorder: Recorder, file: Background, began_us: int, marker: str) -> None:
        """Count from *began_us* of the monotonic clock; call the moments that are marked *marker*, with a number."""
        self._began = began_us
        self._wiretap = wiretap
        self._recorder = recorder
        self._file = file
        self._marker = marker
        self._markers = 0

    def noter(self, sender: str) -> Callable[[bytes], None]:
        """Return what notes that *sender* said something: all that stands between a line and its reader."""
        note, make, began, clock = self._file.note, self._wiretap.passed, self._began, time.monotonic_ns

        def passing(data: bytes) -> None:
            now = clock()
            note((now, make, (sender, data, now // 1000 - began)))

        return passing

    def noted(self, size: int) -> None:
        """Write what was noted."""
        self._file.noted(size)
        self._file.wait()

    def ended(self, sender: str, now: int) -> None:
        """Write the end of a stream."""
        self._file.put(self._wiretap.ended, sender, now)

    def exited(self, code: int, signal: int | None, now: int) -> None:
        """Write how the backend ended."""
        self._file.put(self._wiretap.exited, code, signal, now)

    def marked(self, now: int) -> None:
        """Write a marker."""
        self._markers += 1
        self._file.put(self._recorder.marked, f"{self._marker}-{self._markers}", now)


class LogTap:
    """Writes a log for people: each line both ways with its time, abbreviated, and all notes."""

    def __init__(self, file: Background) -> None:
        self._file = file

    def heard(self, event: Event, now: int) -> None:
        """Log what the frontend sent."""
        match event:
            case Received(TooLong(head, size)):
                self._log(now, "<", f"{abbreviate(head)} ({size} bytes)")
            case Received(bytes(line)):
                self._log(now, "<", abbreviate(line))
            case Closed():
                self._log(now, "<", "(end of input)")
            case _:
                pass

    def said(self, actions: Sequence[Action], now: int) -> None:
        """Log what was said, and to whom."""
        self._file.wait()
        for action in actions:
            match action:
                case Emit(data):
                    self._log(now, ">", abbreviate(data.rstrip(b"\n")))
                case Stderr(data):
                    self._log(now, "!", abbreviate(data.rstrip(b"\n")))
                case Note(text, level):
                    self._log(now, level, text)
                case Exit(code, signal):
                    self._log(now, ">", f"(exit: code {code})" if signal is None else f"(exit: signal {signal})")

    def _log(self, now: int, mark: str, text: str) -> None:
        line = f"{now / 1e6:12.6f} {mark} {text}\n".encode(errors="backslashreplace")
        self._file.put(bytes, line, size=len(line))
