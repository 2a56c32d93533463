"""Cut the byte streams that pass by into lines of a recording.

Bytes come as the operating system hands them out: half a line, a hundred lines, a code point torn in two. A
line is written down when its end has come, with the time of that; the rest of a stream when the stream ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockbackend.protocol.lines import LineBuffer, TooLong
from mockbackend.recording.model import BACKEND, FRONTEND, STDERR

if TYPE_CHECKING:
    from mockbackend.recording.recorder import Recorder


_NO_LIMIT = 1 << 62


class Wiretap:
    """Records what passes between a frontend and a backend; nothing is too long for it."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._over = False
        self._buffers = {sender: LineBuffer(_NO_LIMIT) for sender in (FRONTEND, BACKEND, STDERR)}

    def passed(self, sender: str, data: bytes, now: int) -> bytes:
        """Return what to write about *data*, which *sender* sent at *now*; nothing once there is nobody to hear it."""
        if self._over:
            return b""
        lines = [line for line in self._buffers[sender].feed(data) if not isinstance(line, TooLong)]
        return self._recorder.lines(sender, lines, now) if lines else b""

    def ended(self, sender: str, now: int) -> bytes:
        """Return what to write about the end of a stream; nothing once the backend has ended."""
        if self._over:
            return b""
        return self._rest(sender, now) + (self._recorder.input_closed(now) if sender == FRONTEND else b"")

    def exited(self, code: int, signal: int | None, now: int) -> bytes:
        """Return what to write about the end of the backend: the last there is."""
        self._over = True
        return b"".join(self._rest(sender, now) for sender in self._buffers) + self._recorder.ended(code, signal, now)

    def _rest(self, sender: str, now: int) -> bytes:
        """Return what to write about a last line without a newline."""
        rest = self._buffers[sender].finish()
        return self._recorder.lines(sender, [rest], now, b"") if isinstance(rest, bytes) else b""
