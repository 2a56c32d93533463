"""The survey: what a recording holds, in figures."""

from __future__ import annotations

from mockbackend.recording.reader import Reader
from mockbackend.report.survey import survey
from mockbackend.testing.sources import MemorySource, recording


def test_everything_is_counted() -> None:
    found = survey(
        Reader(
            MemorySource(
                recording(
                    (0, "start", {}),
                    (0, "frontend", {"type": "user_message", "content": "a"}),
                    (1, "backend", {"type": "tool_start", "id": "a", "tool": "Read", "input": {}}),
                    (2, "backend", {"type": "tool_end", "id": "a", "output": "", "success": False}),
                    (3, "backend", {"type": "tool_start", "id": "b", "tool": "Read", "input": {}}),
                    (3, "backend", {"type": "tool_end", "id": "b", "output": "", "success": True}),
                    (3, "backend", "raw"),
                    (4, "marker", {"name": "here"}),
                    (5, "exit", {"code": 3}),
                    (6, "start", {}),
                    (7, "exit", {"signal": 9}),
                ),
            ),
        ),
    )
    assert (found.events, found.turns, found.duration_us) == (11, 1, 7_000_000)
    assert (found.tools["Read"], found.failed_tools, found.kinds["tool_end"]) == (2, 1, 2)
    assert (found.markers, found.ends, len(found.runs)) == (["here"], ["code 3", "signal 9"], 2)


def test_a_bare_file_has_no_duration() -> None:
    assert survey(Reader(MemorySource(b'{"type":"ping"}\n'))).duration_us == 0
