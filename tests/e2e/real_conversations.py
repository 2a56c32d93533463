"""What a frontend says to a real agent, and when: conversations to record, each a list of moves.

A move is a message to send, or one of the moves below. While it waits, the frontend answers whatever the agent
asks about its room. Each conversation waits for the last words of its scenario, so one that goes another way fails.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Message = dict[str, Any]


class Heard(NamedTuple):
    """Wait for the next message of a type that has these words in it, escaped as JSON has them."""

    kind: str
    words: str = ""


class Quiet(NamedTuple):
    """Wait until the agent has said nothing for so many seconds."""

    seconds: float


class Kill(NamedTuple):
    """Kill the agent and its process group."""


class Ended(NamedTuple):
    """Wait until the agent has ended, though its input is open."""


Move = Message | Heard | Quiet | Kill | Ended

PROJECT = {
    "README.md": "# A cart\n",
    "src/cart/__init__.py": "",
    "src/cart/money.py": "class Money: ...\n",
    "src/cart/cart.py": "from cart.money import Money\n",
    "src/cart/report.py": "from cart.cart import Money\n",
    "tests/__init__.py": "",
    "tests/test_cart.py": "def test_cart(): pass\n",
}
"""What the scenarios read and run."""

CANCEL: Message = {"type": "cancel"}
PING: Message = {"type": "ping"}
SHUTDOWN: Message = {"type": "shutdown"}


def ask(text: str) -> Message:
    return {"type": "user_message", "content": text}


def play(scenario: str) -> Message:
    return ask(f"scenario:{scenario}")


def told(words: str) -> Heard:
    return Heard("assistant_message_complete", words)


CONVERSATIONS: dict[str, list[Move]] = {
    "one_tool": [play("one_tool"), Heard("tool_end", '"success":true'), told("has **four** tests"), SHUTDOWN, Ended()],
    "parallel_tools": [
        play("parallel_tools"),
        *([Heard("tool_start")] * 5),
        told("The dependencies form a simple chain"),
    ],
    "subagent_foreground": [
        play("subagent_foreground"),
        Heard("subagent_spawn"),
        Heard("subagent_message", "Three findings"),
        Heard("subagent_end", '"success":true'),
        told("The reviewer found three problems"),
    ],
    "subagent_background": [
        play("subagent_background"),
        Heard("subagent_spawn"),
        told("It is running in the background"),
        Heard("subagent_end", '"success":true'),
        told("The overview is ready"),
    ],
    "a message while a subagent works": [
        play("subagent_background"),
        told("It is running in the background"),
        ask("Sorry, one sentence is enough."),
        told("save disk space"),
        Heard("subagent_end", '"success":true'),
        Heard("assistant_message_complete"),
    ],
    "cancel_mid_text": [
        play("cancel_mid_text"),
        Heard("assistant_text_delta"),
        CANCEL,
        Heard("session_ended", "cancelled"),
        ask("Sorry, one sentence is enough."),
        told("save disk space"),
    ],
    "cancel_mid_tool": [
        play("cancel_mid_tool"),
        Heard("tool_start"),
        Quiet(0.5),
        CANCEL,
        Heard("session_ended", "cancelled"),
        ask("How far did it get?"),
        told("the run was stopped"),
    ],
    "compaction_manual": [
        play("compaction_manual.1"),
        told("Three decisions come first"),
        ask("/compact"),
        Heard("compaction_occurred", '"manual"'),
        play("compaction_manual.2"),
        told("destroying the key"),
    ],
    "api_529": [
        play("api_529"),
        Heard("error", "HTTP 529"),
        Heard("error", "HTTP 529"),
        told("It is a small shopping cart"),
    ],
    "cut_stream": [
        play("cut_stream"),
        Heard("assistant_text_delta"),
        Heard("error", "connection lost"),
        told("in every report"),
    ],
    "a message while a tool runs": [
        play("queued_message"),
        Heard("tool_start"),
        PING,
        Heard("pong"),
        ask("And what about coverage?"),
        told("There is no coverage tool"),
    ],
    "a message while a text comes": [
        play("plain_chat"),
        Heard("assistant_text_delta"),
        ask("And what about coverage?"),
        told("A **mutex**"),
        told("There is no coverage tool"),
    ],
    "room_tour": [
        play("room_tour"),
        Heard("room_query", '"describe"'),
        Heard("room_query", '"examine"'),
        Heard("room_action", '"remove_note"'),
        Heard("room_action", '"move_note"'),
        Heard("room_action", '"create_note"'),
        Heard("room_query", '"wall"'),
        told("Tidy again"),
        ask("Thanks! And now clear everything, I want to start with an empty room."),
        Heard("room_action", '"clear_room"'),
        told("The room is empty"),
    ],
}
"""Each begins behind an `init`, and ends with the end of input."""

CRASH: list[Move] = [play("crash_mid_tool"), Heard("tool_start"), Quiet(0.5), Kill(), Ended()]
RESUME: list[Move] = [play("crash_resume"), told("We were rebuilding the search index")]


def answer(message: Message) -> Message | None:
    """What the frontend answers to a message about its room."""
    match message:
        case {"type": "room_query", "request_id": request}:
            return {"type": "room_query_response", "request_id": request, "description": "A quiet room with a desk."}
        case {"type": "room_action", "request_id": request}:
            return {"type": "room_action_response", "request_id": request, "success": True, "message": "It is done."}
        case _:
            return None
