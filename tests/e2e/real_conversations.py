"""What a frontend says to a real agent, and when: conversations to record, each a generator of moves.

A move is a message to send, the name of a type of message to wait for (the next one of it), or one of the moves
below. While it waits, the frontend answers whatever the agent asks about its room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

Message = dict[str, Any]


class Quiet(NamedTuple):
    """Wait until the agent has said nothing for so many seconds."""

    seconds: float = 1.0


class Kill(NamedTuple):
    """Kill the agent."""


Move = Message | str | Quiet | Kill
DONE = "assistant_message_complete"


def ask(name: str) -> Message:
    return {"type": "user_message", "content": f"scenario:{name}"}


CANCEL: Message = {"type": "cancel"}

CONVERSATIONS: dict[str, Iterable[Move]] = {
    "one_tool": [ask("one_tool"), DONE, DONE, Quiet()],
    "parallel_tools": [
        ask("parallel_tools"),
        "tool_end",
        "tool_end",
        "tool_end",
        "tool_end",
        "tool_end",
        DONE,
        Quiet(),
    ],
    "subagent_foreground": [ask("subagent_foreground"), "subagent_spawn", "subagent_end", DONE, Quiet(2)],
    "subagent_background": [ask("subagent_background"), "subagent_spawn", DONE, "subagent_end", DONE, Quiet(2)],
    "cancel_mid_text": [
        ask("cancel_mid_text"),
        "assistant_text_delta",
        CANCEL,
        "session_ended",
        ask("plain_chat"),
        DONE,
        Quiet(),
    ],
    "cancel_mid_tool": [ask("cancel_mid_tool"), "tool_start", Quiet(0.5), CANCEL, "session_ended", Quiet()],
    "compaction": [
        *(ask("compaction_manual.1"), DONE),
        *({"type": "user_message", "content": "/compact"}, "compaction_occurred"),
        *(ask("compaction_manual.2"), DONE, Quiet()),
    ],
    "api_529": [ask("api_529"), "error", DONE, Quiet()],
    "cut_stream": [ask("cut_stream"), DONE, Quiet(2)],
    "queued_message": [ask("queued_message"), "tool_start", ask("queued_message.coverage"), DONE, Quiet(3)],
    "room_tour": [ask("room_tour"), "room_query", DONE, Quiet(2)],
}
"""Each begins behind an `init`, and ends with the end of input."""

CRASH: Iterable[Move] = [ask("crash_mid_tool"), "tool_start", Quiet(0.5), Kill()]
RESUME: Iterable[Move] = [ask("crash_resume"), DONE, Quiet()]


def answer(message: Message) -> Message | None:
    """What the frontend answers to a message about its room."""
    match message:
        case {"type": "room_query", "request_id": request}:
            return {"type": "room_query_response", "request_id": request, "description": "A quiet room with a desk."}
        case {"type": "room_action", "request_id": request}:
            return {"type": "room_action_response", "request_id": request, "success": True}
        case _:
            return None
