"""A recording in memory, to test with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = {"mockbackend": 1, "protocol": 1}


class MemorySource:
    """Bytes as a source, handed out in chunks of *size*."""

    def __init__(self, content: bytes, *, name: str = "memory.jsonl", size: int = 65_536) -> None:
        self.name = name
        self.content = content
        self._size = size

    def chunks(self, offset: int = 0) -> Iterator[bytes]:
        """Yield the content from *offset* on."""
        for start in range(offset, len(self.content), self._size):
            yield self.content[start : start + self._size]


def recording(*events: tuple[float, str, Any], header: dict[str, Any] | None = None) -> bytes:
    """Return a recording of *events*: (seconds, who or what, message, raw text or fields).

    "frontend", "backend" and "stderr" say a message (a dict) or a raw line (a str); any other name is something
    that happened, with its fields.
    """
    lines = [json.dumps(HEADER if header is None else header)]
    for at, who, what in events:
        seconds = f"{at:.6f}"
        if who not in {"frontend", "backend", "stderr"}:
            more = "".join(f",{json.dumps(key)}:{json.dumps(value)}" for key, value in (what or {}).items())
            lines.append(f'{{"t":{seconds},"event":"{who}"{more}}}')
        else:
            key = "raw" if isinstance(what, str) else "msg"
            text = json.dumps(what, separators=(",", ":"), ensure_ascii=False)
            lines.append(f'{{"t":{seconds},"from":"{who}","{key}":{text}}}')
    return ("\n".join(lines) + "\n").encode()
