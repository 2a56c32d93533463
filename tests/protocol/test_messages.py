"""The models: every message of the document, strict, with unknown fields kept."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import ValidationError

from mockbackend.protocol import catalogue
from mockbackend.protocol.messages import (
    Action,
    BackendMessage,
    FrontendMessage,
    NoteColor,
    explain,
    parse_backend,
    parse_frontend,
)

BACKEND: dict[str, dict[str, Any]] = {
    "session_started": {"session_id": "s", "model": "m", "tools": ["Read"]},
    "assistant_text_delta": {"content": "x"},
    "assistant_message_complete": {"content": "x"},
    "tool_start": {"id": "t", "tool": "Read", "input": {"file_path": "/"}},
    "tool_end": {"id": "t", "output": [1, {"a": None}], "success": True},
    "subagent_spawn": {"id": "a", "task": "x"},
    "subagent_message": {"id": "a", "content": "x"},
    "subagent_end": {"id": "a", "success": False},
    "room_action": {"action": {"type": "clear_room"}, "request_id": "r"},
    "room_query": {"request_id": "r", "query": "examine", "target": "Ideas"},
    "session_ended": {"reason": "cancelled"},
    "compaction_occurred": {"old_session_id": "a", "new_session_id": "b", "trigger": "auto"},
    "pong": {},
    "error": {"code": "SDK_ERROR", "message": "x", "recoverable": True},
    "auth_status": {"authenticated": False, "error": "No API key provided"},
}


def kinds(union: Any) -> list[str]:
    models = get_args(get_args(union)[0])
    return [get_args(model.model_fields["type"].annotation)[0] for model in models]


def test_there_is_a_model_for_every_message_and_for_nothing_else() -> None:
    assert tuple(kinds(FrontendMessage)) == catalogue.FRONTEND_TYPES
    assert tuple(kinds(BackendMessage)) == catalogue.BACKEND_TYPES == tuple(BACKEND)
    assert tuple(kinds(Action)) == catalogue.ROOM_ACTIONS


@pytest.mark.parametrize("kind", catalogue.BACKEND_TYPES)
def test_a_message_of_the_backend_is_read_and_written_as_it_was(kind: str) -> None:
    message = {"type": kind, **BACKEND[kind], "unknown": {"kept": [1]}}
    assert parse_backend(message).model_dump(exclude_unset=True) == message


@pytest.mark.parametrize("kind", catalogue.BACKEND_TYPES)
def test_every_field_is_required_or_may_be_null(kind: str) -> None:
    optional = {"model", "tools", "target", "error", "request_id"} - ({"request_id"} if kind == "room_query" else set())
    for name in BACKEND[kind]:
        message = {"type": kind, **BACKEND[kind]}
        del message[name]
        if name in optional:
            parse_backend(message)
            parse_backend({**message, name: None})
        else:
            with pytest.raises(ValidationError, match="Field required"):
                parse_backend(message)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            {"type": "tool_end", "id": "t", "output": "", "success": 1},
            "tool_end.success: Input should be a valid boolean",
        ),
        ({"type": "session_ended", "reason": "bored"}, "session_ended.reason: Input should be"),
        ({"type": "wave"}, "message: Input tag 'wave'"),
        (
            {
                "type": "room_action",
                "action": {"type": "create_note", "title": "", "content": "", "surface": "", "color": "red"},
            },
            "room_action.action.create_note.color: Input should be 'yellow', 'pink', 'blue' or 'green'",
        ),
        (
            {"type": "session_started", "session_id": "s", "tools": ["a", 1]},
            "session_started.tools[1]: Input should be a valid string",
        ),
    ],
)
def test_problems_are_explained_with_their_path(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValidationError) as caught:
        parse_backend(change)
    assert explain(caught.value)[0].startswith(problem)


@pytest.mark.parametrize("action", catalogue.ROOM_ACTIONS)
def test_every_room_action_is_known(action: str) -> None:
    fields = {"title": "t", "content": "c", "surface": "s", "from_surface": "a", "to_surface": "b", "color": "pink"}
    parse_backend({"type": "room_action", "action": {"type": action, **fields}})


def test_the_closed_sets_are_those_of_the_catalogue() -> None:
    assert get_args(NoteColor) == catalogue.NOTE_COLORS
    for kind, field, values in (
        ("session_ended", "reason", catalogue.END_REASONS),
        ("room_query", "query", catalogue.QUERIES),
        ("compaction_occurred", "trigger", catalogue.COMPACTION_TRIGGERS),
    ):
        for value in values:
            parse_backend({"type": kind, **BACKEND[kind], field: value})


def test_messages_of_the_wrong_side_are_unknown() -> None:
    with pytest.raises(ValidationError):
        parse_frontend({"type": "pong"})
    with pytest.raises(ValidationError):
        parse_backend({"type": "ping"})


def test_every_error_code_of_the_document_is_in_the_catalogue() -> None:
    assert set(catalogue.ERROR_CODES) == {
        "PROTOCOL_MISMATCH",
        "SDK_ERROR",
        "PARSE_ERROR",
        "AUTH_FAILED",
        "NOT_AUTHENTICATED",
        "TOKEN_REFRESH_FAILED",
        "SDK_NOT_FOUND",
        "PERMISSION_DENIED",
    }
    assert [code for code, entry in catalogue.ERROR_CODES.items() if not entry.recoverable] == [
        "PROTOCOL_MISMATCH",
        "SDK_NOT_FOUND",
    ]


def test_sizes_are_those_of_the_document() -> None:
    assert set(catalogue.SIZES) < {*catalogue.FRONTEND_TYPES, *catalogue.BACKEND_TYPES}
    assert catalogue.SIZES["tool_end"].maximum == 1_048_576
    assert all(size.typical <= size.maximum for size in catalogue.SIZES.values())
