"""The closed sets and tables of the protocol document, as plain data.

Models, wire checks, rules and docs are made from these. Sources: the protocol document, by section.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

PROTOCOL_VERSION = 1
"""Protocol: "Version Number"."""

FRONTEND_TYPES = (
    "init",
    "user_message",
    "cancel",
    "ping",
    "mode_change",
    "room_query_response",
    "room_action_response",
    "shutdown",
)
"""Protocol: "Frontend → Backend Messages", in the document's order."""

BACKEND_TYPES = (
    "session_started",
    "assistant_text_delta",
    "assistant_message_complete",
    "tool_start",
    "tool_end",
    "subagent_spawn",
    "subagent_message",
    "subagent_end",
    "room_action",
    "room_query",
    "session_ended",
    "compaction_occurred",
    "pong",
    "error",
    "auth_status",
)
"""Protocol: "Backend → Frontend Messages", in the document's order."""

MODES = ("auto", "plan")
ATTACHMENT_TYPES = ("image", "file")
NOTE_COLORS = ("yellow", "pink", "blue", "green")
ROOM_ACTIONS = ("create_note", "remove_note", "move_note", "clear_room")
QUERIES = ("describe", "examine")
END_REASONS = ("success", "error_max_turns", "error_during_execution", "error_max_budget_usd", "cancelled")
COMPACTION_TRIGGERS = ("manual", "auto")


class ErrorCode(NamedTuple):
    """What an `error` code means, whether the frontend can go on, and what it should do."""

    meaning: str
    recoverable: bool
    frontend_action: str


# Two lists of the document in one: PERMISSION_DENIED stands only in the catalogue, TOKEN_REFRESH_FAILED only with
# the message. The latter is recoverable like the other failures of authentication: a new login mends it.
ERROR_CODES: Mapping[str, ErrorCode] = {
    "PROTOCOL_MISMATCH": ErrorCode("Version incompatibility", False, "Show error dialog, exit"),
    "SDK_NOT_FOUND": ErrorCode("Claude Code CLI not installed", False, "Show installation instructions, exit"),
    "SDK_ERROR": ErrorCode("SDK threw exception", True, "Show error, allow retry"),
    "PARSE_ERROR": ErrorCode("Malformed frontend message", True, "Log warning, continue"),
    "AUTH_FAILED": ErrorCode("Authentication error", True, "Show error, prompt for API key"),
    "NOT_AUTHENTICATED": ErrorCode("Backend not initialized with auth", True, "Send init message with api_key"),
    "TOKEN_REFRESH_FAILED": ErrorCode("OAuth token refresh failed", True, "Show error, prompt for a new login"),
    "PERMISSION_DENIED": ErrorCode("User denied permission prompt", True, "Continue (SDK handles)"),
}
"""Protocol: "Error codes" and "Error Code Catalog"."""


class MessageSize(NamedTuple):
    """How large a message usually is, and may be at most, in bytes of its line."""

    typical: int
    maximum: int


_KB, _MB = 1024, 1024 * 1024

SIZES: Mapping[str, MessageSize] = {
    "init": MessageSize(200, _KB),
    "user_message": MessageSize(500, 100 * _KB),
    "assistant_text_delta": MessageSize(50, _KB),
    "tool_start": MessageSize(300, 10 * _KB),
    "tool_end": MessageSize(_KB, _MB),
    "room_action": MessageSize(500, 10 * _KB),
    "room_query_response": MessageSize(2 * _KB, 50 * _KB),
}
"""Protocol: "Message Size"; types that are not listed there have no limit of their own."""
