"""A line of the frontend, read: what kind it is, what is wrong with it, and what it is to a session."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from mockbackend.errors import MalformedLineError
from mockbackend.protocol.catalogue import PROTOCOL_VERSION
from mockbackend.protocol.codec import abbreviate, decode, encode
from mockbackend.protocol.lines import TooLong
from mockbackend.protocol.rules import Input

if TYPE_CHECKING:
    from mockbackend.engine.auth import Auth
    from mockbackend.engine.steps import Message

_BOM = b"\xef\xbb\xbf"
_NOTHING: Message = {}
_SHORT = 64
"""Bytes up to which a line is worth remembering."""

_INPUTS = {
    "init": Input.INIT,
    "user_message": Input.USER_MESSAGE,
    "cancel": Input.CANCEL,
    "ping": Input.PING,
    "mode_change": Input.MODE_CHANGE,
    "room_query_response": Input.ROOM_RESPONSE,
    "room_action_response": Input.ROOM_RESPONSE,
    "shutdown": Input.SHUTDOWN,
}


class Incoming(NamedTuple):
    """One line of the frontend.

    Attributes:
        line: Its bytes, without the newline (only the beginning of a line over the limit).
        kind: Its `type`, also of a malformed line that has one; else None.
        decoded: The message, or None when the line is malformed.
        reason: Why it is malformed, with the beginning of the line; else empty.
    """

    line: bytes
    kind: str | None
    decoded: dict[str, Any] | None
    reason: str = ""

    @property
    def message(self) -> Message:
        """The decoded message; empty when the line is malformed."""
        return _NOTHING if self.decoded is None else self.decoded


def read(line: bytes | TooLong, *, first: bool = False) -> Incoming | None:
    """Decode *line*; None when it is blank. The *first* line may begin with a byte order mark."""
    if isinstance(line, TooLong):
        return _decode(line, line.head)
    if first and line.startswith(_BOM):
        line = line[len(_BOM) :]
    return _read_short(line) if len(line) <= _SHORT else _decode(line, line)


@lru_cache(maxsize=16)
def _read_short(line: bytes) -> Incoming | None:
    """Read a short *line*; a frontend says few of them, a ping above all, again and again."""
    return _decode(line, line) if line.strip(b" \t\r") else None


def _decode(line: bytes | TooLong, shown: bytes) -> Incoming:
    try:
        message = decode(line)
    except MalformedLineError as problem:
        return Incoming(shown, problem.kind, None, f"{problem.reason}, in: {abbreviate(shown)}")
    return Incoming(shown, message["type"], message)


def classify(incoming: Incoming, auth: Auth) -> Input:
    """Return which input of the life cycle a line is."""
    if incoming.decoded is None:
        return Input.MALFORMED
    kind = _INPUTS[str(incoming.kind)]
    if kind is Input.INIT:
        version = incoming.message["version"]
        if version != PROTOCOL_VERSION or isinstance(version, bool):
            return Input.INIT_MISMATCHED
        if not auth.accepts(incoming.message):
            return Input.INIT_UNAUTHENTICATED
    return kind


def prompted(text: str) -> Incoming:
    """Return the `user_message` that an `initial_prompt` stands for."""
    message: dict[str, object] = {"type": "user_message", "content": text}
    return Incoming(encode(message).removesuffix(b"\n"), "user_message", message)
