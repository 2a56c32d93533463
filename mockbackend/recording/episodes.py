"""Let a recording go on where it ended: new episodes for the conversation of its last run.

How a run ended is not part of the conversation any more when it goes on: `input_closed`, a `shutdown` and the
`exit` are left out. Everything else keeps its bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockbackend.recording.exchanges import Role, role
from mockbackend.recording.model import EXIT, FRONTEND, INPUT_CLOSED, START
from mockbackend.recording.scrub import lines, raw_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockbackend.recording.model import Event, Source


def unended(source: Source) -> Iterator[bytes]:
    """Yield the lines of a recording that has a header, without the end of its last run."""
    yield next(raw_lines(source))
    last_start = max((line.number for line in lines(source) if line.event and line.event.name == START), default=0)
    for line in lines(source):
        if line.event is None or line.number < last_start or not _parts(line.event):
            yield line.was if line.was.endswith(b"\n") else line.was + b"\n"


def _parts(event: Event) -> bool:
    if event.sender == FRONTEND:
        return role(event) is Role.SHUTDOWN
    return event.name in {INPUT_CLOSED, EXIT}
