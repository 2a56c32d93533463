"""Taps that write to files: the recorder, and the log.

A tap must never disturb the session that it observes: what cannot be written is missing from the file, and
one warning says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockbackend.engine.events import Closed, Received
from mockbackend.engine.steps import Emit, Exit, Note, Stderr
from mockbackend.protocol.codec import abbreviate
from mockbackend.protocol.lines import TooLong

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import BinaryIO

    from mockbackend.engine.events import Event
    from mockbackend.engine.steps import Action
    from mockbackend.recording.recorder import Recorder

_BATCH = 1 << 18
"""Bytes in hand from which on a tap writes even while the session is busy."""


class FileTap:
    """Collects bytes and writes them to *file*, whenever it is told that there is time for it."""

    def __init__(self, file: BinaryIO, name: str, warn: Callable[[Note], None]) -> None:
        self._file = file
        self._name = name
        self._warn = warn
        self._batch = bytearray()
        self._broken = False

    def write(self, data: bytes) -> None:
        """Take *data*; it reaches the file at the next `flush`."""
        self._batch += data
        if len(self._batch) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Write what has been collected."""
        if not self._batch or self._broken:
            return
        try:
            self._file.write(self._batch)
            self._file.flush()
        except OSError as problem:
            self._broken = True
            self._warn(Note(f"{self._name}: {problem.strerror}; what follows is missing from this file", "warn"))
        self._batch.clear()


class RecordTap(FileTap):
    """Writes a recording of the session."""

    def __init__(self, recorder: Recorder, file: BinaryIO, name: str, warn: Callable[[Note], None]) -> None:
        super().__init__(file, name, warn)
        self._recorder = recorder

    def heard(self, event: Event, now: int) -> None:
        """Write what the frontend sent."""
        if line := self._recorder.heard(event, now):
            self.write(line)

    def said(self, actions: Sequence[Action], now: int) -> None:
        """Write what was sent to the frontend, and how the session ended."""
        if actions:
            self.write(self._recorder.said(actions, now))


class LogTap(FileTap):
    """Writes a log for people: each line both ways with its time, abbreviated, and all notes."""

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
        self.write(f"{now / 1e6:12.6f} {mark} {text}\n".encode(errors="backslashreplace"))
