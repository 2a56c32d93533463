"""A recording as lines for people: what was said, by whom, when, and how long it took.

Deltas of one message become one line, a tool's end tells how long it ran, pings are counted rather than shown.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from mockbackend.protocol.codec import abbreviate
from mockbackend.recording.model import BACKEND, FRONTEND, STDERR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mockbackend.recording.model import Event

_MARKS = {FRONTEND: "→", BACKEND: "←", STDERR: "!", None: "●"}
_TEXT = "assistant_text_delta"


class Row(NamedTuple):
    """One line: the time (µs, None in a bare file), a mark for who spoke, what it is, and a digest of it."""

    at: int | None
    mark: str
    what: str
    digest: str


def timeline(events: Iterable[Event], *, full: bool = False) -> Iterator[Row]:
    """Yield the rows for *events*; every event has one of its own if *full*."""
    folded: list[Event] = []
    starts: dict[object, int | None] = {}
    for event in events:
        if not full:
            if folded and (event.kind != folded[0].kind or event.sender != folded[0].sender):
                yield _fold(folded)
                folded.clear()
            if event.kind == _TEXT and event.sender == BACKEND:
                folded.append(event)
                continue
            if event.kind in {"ping", "pong"}:
                continue
        yield _row(event, starts)
    if folded:
        yield _fold(folded)


def _fold(deltas: list[Event]) -> Row:
    text = "".join(str((event.message or {}).get("content", "")) for event in deltas)
    first, last = deltas[0].at, deltas[-1].at
    span = "" if first is None or last is None else f" in {(last - first) / 1e6:.1f} s"
    return Row(first, _MARKS[BACKEND], f"{len(deltas)} deltas{span}", _quoted(text))


def _row(event: Event, starts: dict[object, int | None]) -> Row:
    mark = _MARKS[event.sender]
    if event.sender is None:
        fields = ", ".join(f"{key} {value}" for key, value in event.fields.items())
        return Row(event.at, mark, str(event.name), fields)
    if event.message is None or event.kind is None:
        return Row(event.at, mark, "raw", abbreviate(event.data.rstrip(b"\r\n")))
    digest = _digest(event.kind, event.message)
    if event.kind in {"tool_start", "subagent_spawn"}:
        starts[event.message.get("id")] = event.at
    if event.kind in {"tool_end", "subagent_end"}:
        start = starts.get(event.message.get("id"))
        took = "" if start is None or event.at is None else f" after {(event.at - start) / 1e6:.1f} s"
        digest = f"{'done' if event.message.get('success') else 'failed'}{took}{digest}"
    return Row(event.at, mark, event.kind, digest)


def _digest(kind: str, message: Mapping[str, Any]) -> str:
    match kind:
        case "user_message":
            files = message.get("attachments")
            return _quoted(message.get("content")) + (f" with {len(files)} attachment(s)" if files else "")
        case "tool_start":
            return f"{message.get('tool')} {_brief(message.get('input'))}"
        case "tool_end":
            return f": {_brief(message.get('output'))}"
        case "subagent_end":
            return ""
        case "room_action" if isinstance(action := message.get("action"), dict):
            return " ".join(str(value) for value in action.values())
        case "error":
            return f"{message.get('code')}: {message.get('message')}"
        case _:
            values = (value for key, value in message.items() if key not in {"type", "id", "request_id", "tools"})
            return " ".join(_brief(value) for value in values)


def _brief(value: Any) -> str:
    return _quoted(value) if isinstance(value, str) else abbreviate(json.dumps(value, ensure_ascii=False).encode())


def _quoted(text: Any) -> str:
    return abbreviate(str(text).encode(errors="replace"))
