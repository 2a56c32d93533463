"""Count what a recording holds: turns, tools, time. It streams, so that any size will do."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mockbackend.recording.exchanges import walk
from mockbackend.recording.model import EXIT, MARKER

if TYPE_CHECKING:
    from mockbackend.recording.model import Position
    from mockbackend.recording.reader import Reader


@dataclass(slots=True)
class Survey:
    """What was counted.

    Attributes:
        events: Lines after the header.
        turns: Messages of the user.
        duration_us: Time of the last event, in microseconds; 0 for a bare file.
        kinds: Messages by type, of both peers.
        tools: Tool runs by name.
        failed_tools: Those that ended without success.
        markers: Names of markers, in order.
        ends: How each run ended, in words; a run without an `exit` has none.
        runs: Where each run begins.
    """

    events: int = 0
    turns: int = 0
    duration_us: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    tools: Counter[str] = field(default_factory=Counter)
    failed_tools: int = 0
    markers: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    runs: list[Position] = field(default_factory=list)


def survey(reader: Reader) -> Survey:
    """Return what *reader* holds.

    Raises:
        UnusableFileError: It cannot be read to its end.
    """
    found = Survey()
    for run, event in walk(reader):
        found.events += 1
        found.duration_us = max(found.duration_us, event.at or 0)
        if not found.runs or found.runs[-1] != run:
            found.runs.append(run)
        message = event.message or {}
        if event.kind is not None:
            found.kinds[event.kind] += 1
        if event.kind == "user_message":
            found.turns += 1
        elif event.kind == "tool_start":
            found.tools[str(message.get("tool"))] += 1
        elif event.kind == "tool_end" and message.get("success") is False:
            found.failed_tools += 1
        elif event.name == MARKER:
            found.markers.append(str(event.fields.get("name")))
        elif event.name == EXIT:
            signal = event.fields.get("signal")
            found.ends.append(f"code {event.fields.get('code')}" if signal is None else f"signal {signal}")
    return found
