"""Talk to people: on stderr, never on stdout, which belongs to the protocol.

Whoever spawned us may never read our stderr. Its pipe fills up, and a write would block for good: what does
not fit is dropped instead. A session must not stop because nobody listens to its remarks.
"""

from __future__ import annotations

import os
import select
import sys

from mockbackend.engine.steps import Note, Stderr

_LEVELS = {"debug": 0, "info": 1, "warn": 2, "error": 3}
_MARKS = {"warn": "warning: ", "error": "error: "}

_CAN_ASK = sys.platform != "win32"
"""Whether select knows more than sockets."""

_PIECE = getattr(select, "PIPE_BUF", 512)
"""Bytes that a pipe takes without blocking, once select has called it writable."""


class Talk:
    """Writes notes to stderr: those of *level* and above ("debug", "info", "warn", "error")."""

    def __init__(self, level: str = "info", fd: int = 2) -> None:
        self._level = _LEVELS[level]
        self._fd = fd

    def __call__(self, what: Note | Stderr) -> None:
        """Say *what*, if it is important enough; what the recorded backend said on stderr always is."""
        match what:
            case Stderr(data):
                self._write(data)
            case Note(text, level) if _LEVELS[level] >= self._level:
                mark = _MARKS.get(level, "")
                self._write(f"mockbackend: {mark}{text}\n".encode(errors="backslashreplace"))
            case _:
                pass

    def _write(self, data: bytes) -> None:
        """Write *data* in pieces that cannot block; drop the rest when there is no room for the next."""
        try:
            for start in range(0, len(data), _PIECE):
                if not self._has_room():
                    return
                os.write(self._fd, data[start : start + _PIECE])
        except (OSError, ValueError):
            return  # Nobody is there to be told.

    def _has_room(self) -> bool:
        return not _CAN_ASK or bool(select.select([], [self._fd], [], 0)[1])
