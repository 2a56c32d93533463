"""The stage: a conversation as its audience sees it."""

from __future__ import annotations

import json
from typing import Any

from mockbackend.report.stage import Stage


def seen(*lines: tuple[str, Any]) -> str:
    shown: list[str] = []
    clock = iter(range(1000))
    stage = Stage(lambda text, style: shown.append(text), lambda: float(next(clock)))
    for who, what in lines:
        line = what.encode() if isinstance(what, str) else json.dumps(what).encode()
        (stage.heard if who == "b" else stage.said)(line + b"\n")
    stage.finish()
    return "".join(shown)


def test_text_streams_and_a_complete_ends_its_line() -> None:
    delta = {"type": "assistant_text_delta", "content": "Hel"}
    assert (
        seen(
            ("b", delta),
            ("b", {**delta, "content": "lo"}),
            ("b", {"type": "assistant_message_complete", "content": "Hello"}),
        )
        == "Hello\n"
    )


def test_a_message_that_was_never_streamed_is_shown_whole() -> None:
    complete = {"type": "assistant_message_complete", "content": "Hello"}
    assert seen(("b", complete), ("b", {**complete, "content": ""}), ("b", complete)) == "Hello\nHello\n"


def test_text_that_ends_its_own_line_gets_no_other_end() -> None:
    delta = {"type": "assistant_text_delta", "content": "a\n"}
    assert (
        seen(("b", delta), ("b", {**delta, "content": ""}), ("b", {"type": "session_ended", "reason": "success"}))
        == "a\n  session ended: success\n"
    )


def test_tools_are_told_with_their_time_and_outcome() -> None:
    start = {"type": "tool_start", "id": "a", "tool": "Bash", "input": {"command": "pytest"}}
    assert seen(
        ("b", start),
        ("b", {"type": "tool_end", "id": "a", "output": "ok", "success": True}),
        ("b", {**start, "input": {}}),
        ("b", {"type": "tool_end", "id": "a", "output": ["no"], "success": False}),
        ("b", {"type": "tool_end", "id": "unknown", "output": "", "success": True}),
        ("b", {**start, "input": "odd"}),
    ).splitlines() == [
        "  ⚙ Bash pytest",
        "  ✓ Bash in 1.0 s",
        "  ⚙ Bash ",
        '  ✗ Bash after 1.0 s: ["no"]',
        "  ✓ a tool in 0.0 s",
        "  ⚙ Bash ",
    ]


def test_everything_else_has_a_line_of_its_own() -> None:
    text = {"type": "assistant_text_delta", "content": "text"}
    assert seen(
        ("f", {"type": "init"}),
        ("b", {"type": "auth_status", "authenticated": True}),
        ("b", {"type": "auth_status", "authenticated": False, "error": "no key"}),
        ("b", {"type": "session_started", "session_id": "s"}),
        ("f", {"type": "user_message", "content": "hi"}),
        ("b", text),
        ("b", {"type": "error", "code": "SDK_ERROR", "message": "oh"}),
        ("b", {"type": "subagent_spawn", "id": "a", "task": "look"}),
        ("b", {"type": "subagent_message", "id": "a", "content": "found"}),
        ("b", {"type": "subagent_end", "id": "a", "success": True}),
        ("b", {"type": "subagent_end", "id": "a", "success": False}),
        ("b", {"type": "room_query", "query": "describe"}),
        ("f", {"type": "room_query_response", "description": "tidy"}),
        ("b", {"type": "room_action", "action": {"type": "clear_room"}}),
        ("f", {"type": "room_action_response", "message": "done"}),
        ("b", {"type": "compaction_occurred"}),
        ("b", {"type": "pong"}),
        ("b", "npm WARN"),
        ("b", "[1]"),
        ("f", {"type": "mode_change", "mode": "plan"}),
        ("f", {"type": "cancel"}),
        ("f", "{broken"),
        ("f", {"type": "shutdown"}),
    ).splitlines() == [
        "  init",
        "  authenticated",
        "  not authenticated: no key",
        "  session started, some model",
        "",
        "› hi",
        "",
        "text",
        "  ! SDK_ERROR: oh",
        "  ⤷ subagent: look",
        "    found",
        "  ⤶ subagent done",
        "  ⤶ subagent failed",
        "  ? room: describe",
        "    room: tidy",
        "  ! room: clear_room",
        "    room: done",
        "  compaction_occurred",
        "  (not a message: npm WARN)",
        "  (not a message: [1])",
        "  mode: plan",
        "  ■ cancel",
        "› {broken",
    ]
