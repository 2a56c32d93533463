"""Keep account of what is open: tools, subagents, and requests to the room.

A cancel has to close what is open, and an answer counts only for a request that was asked. What was
closed by a cancel stays closed: a later line of its tool or subagent is swallowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockbackend.protocol.rules import PAIRS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockbackend.engine.steps import Message

_CLOSABLE = tuple(pair for pair in PAIRS if pair.key == "id")
_REQUESTS = tuple(pair for pair in PAIRS if pair.key == "request_id")

TRACKED = frozenset(
    {kind for pair in _CLOSABLE for kind in (pair.first, pair.last)}
    | {pair.first for pair in _REQUESTS}
    | {"subagent_message"},
)
"""The types of messages that `Ledger.note` has to see."""

_FIRST = {pair.first: pair for pair in (*_CLOSABLE, *_REQUESTS)}
_LAST = {pair.last: pair for pair in (*_CLOSABLE, *_REQUESTS)}

STOPPED = "The user stopped this."
"""The `output` of a tool that a cancel closed."""


class Ledger:
    """The open items of a session, by the type of the message that opened them, in order."""

    def __init__(self) -> None:
        self._open: dict[str, dict[str, None]] = {first: {} for first in _FIRST}
        self._silenced: set[str] = set()

    def note(self, message: Message) -> bool:
        """Enter a message of the backend whose type is in `TRACKED`; return whether it may be said."""
        kind = message["type"]
        if (pair := _FIRST.get(kind)) is not None:
            if isinstance(key := message.get(pair.key or ""), str):
                self._open[kind][key] = None
                self._silenced.discard(key)
            return True
        key = message.get("id")
        if key in self._silenced:
            return False
        if (pair := _LAST.get(kind)) is not None and isinstance(key, str):
            self._open[pair.first].pop(key, None)
        return True

    def answers(self, kind: str, request_id: str) -> bool:
        """Take note of a room response; return whether its request was open."""
        return self._open[_LAST[kind].first].pop(request_id, 0) is None

    def tools_run(self) -> bool:
        """Whether a tool has not ended."""
        return bool(self._open["tool_start"])

    def close(self) -> Iterator[Message]:
        """Close what is open, the last opened first, and yield the messages that say so."""
        items = [(pair, key) for pair in _CLOSABLE for key in self._open[pair.first]]
        for pair, key in reversed(items):
            output = {"output": STOPPED} if pair.last == "tool_end" else {}
            yield {"type": pair.last, "id": key, **output, "success": False}
            self._silenced.add(key)
        for opened in self._open.values():
            opened.clear()

    def abandon(self) -> None:
        """Leave open what is open, for good; what would close it later is swallowed."""
        for pair in _CLOSABLE:
            self._silenced.update(self._open[pair.first])
        for opened in self._open.values():
            opened.clear()

    def reset(self) -> None:
        """Forget everything: the session starts anew."""
        for opened in self._open.values():
            opened.clear()
        self._silenced.clear()
