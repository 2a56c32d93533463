"""The timeline: one readable line for each thing that happened."""

from __future__ import annotations

from typing import Any

import pytest

from mockbackend.recording.reader import Reader
from mockbackend.report.timeline import timeline
from mockbackend.testing.sources import MemorySource, recording


def rows(*events: tuple[float, str, Any], full: bool = False) -> list[tuple[float, str, str, str]]:
    reader = Reader(MemorySource(recording(*events)))
    return [((at or 0) / 1e6, mark, what, digest) for at, mark, what, digest in timeline(reader.events(), full=full)]


def delta(text: str) -> dict[str, str]:
    return {"type": "assistant_text_delta", "content": text}


def test_deltas_of_one_message_are_one_row() -> None:
    assert rows(
        (1, "backend", delta("a ")),
        (1.5, "backend", delta("b")),
        (2, "backend", {"type": "pong"}),
        (3, "backend", delta("c")),
    ) == [
        (1, "←", "2 deltas in 0.5 s", "a b"),
        (3, "←", "1 deltas in 0.0 s", "c"),
    ]


def test_everything_has_a_row_on_request() -> None:
    found = rows((1, "backend", delta("a")), (1, "backend", delta("b")), (2, "frontend", {"type": "ping"}), full=True)
    assert [what for _, _, what, _ in found] == ["assistant_text_delta", "assistant_text_delta", "ping"]


@pytest.mark.parametrize(
    ("message", "digest"),
    [
        ({"type": "user_message", "content": "hi\n"}, "hi\\n"),
        ({"type": "user_message", "content": "hi", "attachments": [{}, {}]}, "hi with 2 attachment(s)"),
        ({"type": "tool_start", "id": "x", "tool": "Read", "input": {"file_path": "/a"}}, 'Read {"file_path": "/a"}'),
        ({"type": "tool_end", "id": "x", "output": ["a"], "success": True}, 'done: ["a"]'),
        ({"type": "subagent_end", "id": "x", "success": False}, "failed"),
        ({"type": "room_action", "action": {"type": "clear_room"}}, "clear_room"),
        ({"type": "room_action", "action": "odd"}, "odd"),
        ({"type": "error", "code": "SDK_ERROR", "message": "oh"}, "SDK_ERROR: oh"),
        ({"type": "session_started", "session_id": "s", "model": "m", "tools": ["a"]}, "s m"),
    ],
)
def test_a_message_is_told_in_brief(message: dict[str, Any], digest: str) -> None:
    assert rows((1, "backend", message))[0][2:] == (message["type"], digest)


def test_an_end_tells_how_long_it_took() -> None:
    start = {"type": "tool_start", "id": "a", "tool": "x", "input": {}}
    end = {"type": "tool_end", "id": "a", "output": "out", "success": True}
    assert rows((1, "backend", start), (3.5, "backend", end))[1][3] == "done after 2.5 s: out"


def test_other_lines_and_happenings_have_their_marks() -> None:
    assert rows((1, "frontend", "{broken"), (2, "stderr", "ready"), (3, "exit", {"code": 3})) == [
        (1, "→", "raw", "{broken"),
        (2, "!", "raw", "ready"),
        (3, "●", "exit", "code 3"),
    ]


def test_a_bare_file_has_rows_without_times() -> None:
    reader = Reader(
        MemorySource(b'{"type":"assistant_text_delta","content":"x"}\n{"type":"tool_end","id":"a","success":true}\n')
    )
    assert [(row.at, row.what) for row in timeline(reader.events())] == [(None, "1 deltas"), (None, "tool_end")]
