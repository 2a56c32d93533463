"""Give openings to a bare file that has none: what `tee` leaves of a backend's stdout alone.

Without the frontend's lines nobody knows where exchanges began. But a backend's own lines tell most of it: all
starts with an `init`, and what is said first after the session has started, or has ended, answers a user.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockbackend.protocol.codec import encode
from mockbackend.recording.model import BACKEND
from mockbackend.recording.objects import FormatError, parse_object
from mockbackend.recording.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockbackend.recording.model import Source

_INIT = encode({"type": "init", "version": 1, "working_dir": ""})
_MESSAGE = encode({"type": "user_message", "content": ""})
_BETWEEN_TURNS = frozenset({"auth_status", "session_started", "session_ended", "error", "pong"})


def with_openings(source: Source) -> Source:
    """Return *source*, or one with openings put in if it is a bare file that begins with the backend.

    Raises:
        UnusableFileError: It is no recording.
    """
    reader = Reader(source)
    first = next(reader.events(), None) if reader.header.bare else None
    return _Dressed(source) if first is not None and first.sender == BACKEND else source


class _Dressed:
    """A source with lines put in. Each reading begins at the front again: slow for large files, but constant."""

    def __init__(self, source: Source) -> None:
        self.name = source.name
        self._source = source

    def chunks(self, offset: int = 0) -> Iterator[bytes]:
        for line in self._lines():
            if offset < len(line):
                yield line[offset:]
                offset = 0
            else:
                offset -= len(line)

    def _lines(self) -> Iterator[bytes]:
        yield _INIT
        in_turn = False
        for line in _split(self._source):
            kind = _kind(line)
            if kind in _BETWEEN_TURNS:
                in_turn = in_turn and kind in {"error", "pong"}
            elif kind is not None and not in_turn:
                in_turn = True
                yield _MESSAGE
            yield line


def _split(source: Source) -> Iterator[bytes]:
    rest = b""
    for chunk in source.chunks():
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line + b"\n"
    if rest:
        yield rest + b"\n"


def _kind(line: bytes) -> str | None:
    try:
        kind = parse_object(line.rstrip()).get("type")
    except FormatError:
        return None
    return kind if isinstance(kind, str) else None
