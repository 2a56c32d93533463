"""What a session says by itself: pongs, refusals, the end of a cancelled exchange."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockbackend.engine.auth import Auth
from mockbackend.engine.steps import Emit
from mockbackend.protocol.catalogue import ERROR_CODES, PROTOCOL_VERSION
from mockbackend.protocol.codec import encode
from mockbackend.protocol.rules import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockbackend.engine.steps import Message


_REFUSED_KEYS = {
    Auth.INVALID: ("Invalid API key", "AUTH_FAILED"),
    Auth.EXPIRED: ("The login has expired", "TOKEN_REFRESH_FAILED"),
}


def emit(message: Message) -> Emit:
    """Return the step that says *message*."""
    return Emit(encode(message), message)


def error(code: str, text: str, *, recoverable: bool | None = None) -> Emit:
    """Return the step that says an `error`; whether it is *recoverable* follows from the catalogue."""
    if recoverable is None:
        recoverable = ERROR_CODES[code].recoverable
    return emit({"type": "error", "code": code, "message": text, "recoverable": recoverable})


def ended(reason: str) -> Emit:
    """Return the step that says `session_ended`."""
    return emit({"type": "session_ended", "reason": reason})


def refused_version(init: Message) -> Emit:
    """Answer an `init` of another protocol version (Protocol: "Negotiation Flow")."""
    version = f"{init['version']!r:.40}"
    return error("PROTOCOL_MISMATCH", f"version {version} is not spoken here, only version {PROTOCOL_VERSION}")


def refused_key(auth: Auth, init: Message) -> Iterator[Emit]:
    """Answer an `init` that *auth* does not let in (Protocol: `auth_status`, "Error codes")."""
    text, code = "No API key provided", None
    if init.get("api_key"):
        text, code = _REFUSED_KEYS[auth]
    yield emit({"type": "auth_status", "authenticated": False, "error": text})
    if code is not None:
        yield error(code, text)


def refused_message(state: State) -> Emit:
    """Answer a `user_message` that no session is there for."""
    wanted = {
        State.LOCKED: "send init with a valid api_key first",
        State.MISMATCHED: f"send init with version {PROTOCOL_VERSION} first",
    }.get(state, "send init first")
    return error("NOT_AUTHENTICATED", f"no session: {wanted}")


PONG = emit({"type": "pong"})
