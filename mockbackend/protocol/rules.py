"""The life cycle of a session, as a table.

A session is the stand-in for one frontend connection. Whatever the frontend sends is one of a few
*inputs*; what a session does about it depends on nothing but its *state*. `LIFE_CYCLE` says both: which
input may come when, what is answered, and which state follows. The session of the engine runs this very
table, and the diagram in `docs/life-cycle.md` is drawn from it, so that neither can lie.

`MAY_COME` says in which states each message of the backend is in place, and `PAIRS` what must follow
what: every `tool_start` wants its `tool_end`, every `room_query` its `room_query_response`.

Sources: the protocol document ("Message Schemas", "Protocol Version Negotiation", "Error Code Catalog");
where it is silent, `docs/decisions/0002-reading-the-protocol.md`.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Member(Enum):
    # Members are singletons, so that their identity will do as a hash; Enum's own is computed in Python.
    __hash__ = object.__hash__


class State(_Member):
    """Where a session is in its life."""

    FRESH = "no init yet"
    MISMATCHED = "protocol refused"
    LOCKED = "not authenticated"
    BUSY = "an exchange runs"
    IDLE = "waiting for the user"
    OVER = "ended"


class Input(_Member):
    """What can reach a session from outside, or from its own exchange."""

    INIT = "init"
    INIT_MISMATCHED = "init (other version)"
    INIT_UNAUTHENTICATED = "init (key missing or refused)"
    USER_MESSAGE = "user_message"
    CANCEL = "cancel"
    PING = "ping"
    MODE_CHANGE = "mode_change"
    ROOM_RESPONSE = "room response"
    SHUTDOWN = "shutdown"
    MALFORMED = "malformed line"
    EXCHANGE_OVER = "exchange over"


class Reaction(_Member):
    """What a session does about an input."""

    BEGIN = "session anew"
    REFUSE_VERSION = "PROTOCOL_MISMATCH"
    REFUSE_KEY = "auth_status false"
    REFUSE_MESSAGE = "NOT_AUTHENTICATED"
    REFUSE_LINE = "PARSE_ERROR"
    OPEN = "turn"
    QUEUE = "queued"
    STOP = "session_ended"
    PONG = "pong"
    NOTE_MODE = "mode noted"
    DELIVER = "delivered"
    EXIT = "exit"
    REST = "rest"


_Row = tuple[State, Reaction]


def _rows(state: State, user_message: _Row) -> Mapping[Input, _Row]:
    """The rows of *state*: all states answer alike, but for a `user_message`."""
    return {
        Input.INIT: (State.BUSY, Reaction.BEGIN),
        Input.INIT_MISMATCHED: (State.MISMATCHED, Reaction.REFUSE_VERSION),
        Input.INIT_UNAUTHENTICATED: (State.LOCKED, Reaction.REFUSE_KEY),
        Input.USER_MESSAGE: user_message,
        Input.CANCEL: (State.IDLE if state is State.BUSY else state, Reaction.STOP),
        Input.PING: (state, Reaction.PONG),
        Input.MODE_CHANGE: (state, Reaction.NOTE_MODE),
        Input.ROOM_RESPONSE: (state, Reaction.DELIVER),
        Input.SHUTDOWN: (State.OVER, Reaction.EXIT),
        Input.MALFORMED: (state, Reaction.REFUSE_LINE),
        Input.EXCHANGE_OVER: (State.IDLE if state is State.BUSY else state, Reaction.REST),
    }


LIFE_CYCLE: Mapping[State, Mapping[Input, _Row]] = {
    State.FRESH: _rows(State.FRESH, (State.FRESH, Reaction.REFUSE_MESSAGE)),
    State.MISMATCHED: _rows(State.MISMATCHED, (State.MISMATCHED, Reaction.REFUSE_MESSAGE)),
    State.LOCKED: _rows(State.LOCKED, (State.LOCKED, Reaction.REFUSE_MESSAGE)),
    State.IDLE: _rows(State.IDLE, (State.BUSY, Reaction.OPEN)),
    State.BUSY: _rows(State.BUSY, (State.BUSY, Reaction.QUEUE)),
    State.OVER: {},
}

_STARTED = frozenset({State.BUSY, State.IDLE})
_ANY = frozenset(State) - {State.OVER}

# A background subagent speaks on after its turn, and its end starts a turn that nobody asked for, so
# that what belongs to a turn may come while the user is idle, too.
MAY_COME: Mapping[str, frozenset[State]] = {
    "session_started": _STARTED,
    "assistant_text_delta": _STARTED,
    "assistant_message_complete": _STARTED,
    "tool_start": _STARTED,
    "tool_end": _STARTED,
    "subagent_spawn": _STARTED,
    "subagent_message": _STARTED,
    "subagent_end": _STARTED,
    "room_action": _STARTED,
    "room_query": _STARTED,
    "session_ended": _ANY,
    "compaction_occurred": _STARTED,
    "pong": _ANY,
    "error": _ANY,
    "auth_status": _ANY - {State.FRESH},
}


class Pair(NamedTuple):
    """Two messages that belong together: *first* opens what *last* closes; *key* holds their common id.

    *owed_by* names the side that has to send the last one: "backend" or "frontend".
    """

    first: str
    last: str
    key: str | None
    owed_by: str


PAIRS: tuple[Pair, ...] = (
    Pair("tool_start", "tool_end", "id", "backend"),
    Pair("subagent_spawn", "subagent_end", "id", "backend"),
    Pair("room_query", "room_query_response", "request_id", "frontend"),
    Pair("room_action", "room_action_response", "request_id", "frontend"),
    Pair("ping", "pong", None, "backend"),
    Pair("cancel", "session_ended", None, "backend"),
)
