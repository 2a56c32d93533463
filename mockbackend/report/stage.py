"""Show a session in a terminal while it happens: what the demo's audience sees."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mockbackend.protocol.codec import abbreviate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Write = Callable[[str, str], None]


class Stage:
    """Writes a conversation through *write*, which takes a text and the name of a style ("" for none)."""

    def __init__(self, write: Write, clock: Callable[[], float], speed: float = 1.0) -> None:
        """Take *clock* for one that goes *speed* times as fast as what is told."""
        self._write = write
        self._speed = speed
        self._clock = clock  # Seconds.
        self._column = 0  # Whether something stands on the current line.
        self._tools: dict[object, tuple[str, float]] = {}
        self._said = ""

    def heard(self, line: bytes) -> None:
        """Show a line of the backend."""
        message = _decoded(line)
        if message is None:
            self._line(f"  (not a message: {abbreviate(line.rstrip())})", "dim")
            return
        match message.get("type"):
            case "assistant_text_delta":
                self._text(str(message.get("content", "")))
            case "assistant_message_complete":
                self._complete(str(message.get("content", "")))
            case "tool_start":
                self._start(message)
            case "tool_end":
                self._end(message)
            case "pong":
                pass
            case kind:
                self._happening(str(kind), message)

    def said(self, line: bytes) -> None:
        """Show a line of the frontend."""
        message = _decoded(line)
        match (message or {}).get("type"):
            case "user_message":
                self._line("")
                self._line(f"› {(message or {}).get('content', '')}", "bold cyan")
                self._line("")
            case "cancel":
                self._line("  ■ cancel", "yellow")
            case "mode_change":
                self._line(f"  mode: {(message or {}).get('mode')}", "yellow")
            case "room_query_response" | "room_action_response":
                told = (message or {}).get("description") or (message or {}).get("message") or ""
                self._line(f"    room: {_short(str(told))}", "green")
            case "init":
                resumed = (message or {}).get("resume_session_id")
                self._line(f"  init{f', resumes {resumed}' if resumed else ''}", "dim")
            case "ping" | "shutdown":
                pass
            case _:
                self._line(f"› {abbreviate(line.rstrip())}", "cyan")

    def finish(self) -> None:
        """End the last line."""
        self._break()

    def _text(self, text: str) -> None:
        self._said += text
        self._write(text, "")
        self._column = not text.endswith("\n") if text else self._column

    def _complete(self, text: str) -> None:
        # Some backends complete a message that they never streamed.
        if not self._said and text:
            self._text(text)
        self._break()
        self._said = ""

    def _start(self, message: Mapping[str, Any]) -> None:
        name = str(message.get("tool"))
        self._tools[message.get("id")] = (name, self._clock())
        values = message.get("input")
        first = next(iter(values.values()), "") if isinstance(values, dict) else ""
        self._line(f"  ⚙ {name} {_short(str(first))}", "magenta")

    def _end(self, message: Mapping[str, Any]) -> None:
        now = self._clock()
        name, began = self._tools.pop(message.get("id"), ("a tool", now))
        took = f"{(now - began) * self._speed:.1f} s"
        if message.get("success"):
            self._line(f"  ✓ {name} in {took}", "green")
        else:
            output = _short(_plain(message.get("output")))
            self._line(f"  ✗ {name} after {took}: {output}", "red")

    def _happening(self, kind: str, message: Mapping[str, Any]) -> None:
        match kind:
            case "session_started":
                self._line(f"  session started, {message.get('model') or 'some model'}", "dim")
            case "session_ended":
                self._line(f"  session ended: {message.get('reason')}", "yellow")
            case "error":
                self._line(f"  ! {message.get('code')}: {message.get('message')}", "red")
            case "auth_status":
                good = message.get("authenticated")
                self._line("  authenticated" if good else f"  not authenticated: {message.get('error')}", "dim")
            case "subagent_spawn":
                self._line(f"  ⤷ subagent: {message.get('task')}", "blue")
            case "subagent_message":
                self._line(f"    {_short(str(message.get('content')))}", "blue")
            case "subagent_end":
                self._line(f"  ⤶ subagent {'done' if message.get('success') else 'failed'}", "blue")
            case "room_query":
                self._line(f"  ? room: {message.get('query')} {message.get('target') or ''}".rstrip(), "green")
            case "room_action" if isinstance(action := message.get("action"), dict):
                words = " ".join(str(value) for value in action.values())
                self._line(f"  ! room: {_short(words)}", "green")
            case _:
                self._line(f"  {kind}", "dim")

    def _line(self, text: str, style: str = "") -> None:
        self._break()
        self._write(f"{text}\n", style)

    def _break(self) -> None:
        if self._column:
            self._write("\n", "")
            self._column = 0


def _decoded(line: bytes) -> Mapping[str, Any] | None:
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None


def _plain(output: Any) -> str:
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)


def _short(text: str) -> str:
    """Return the beginning of *text* on one line."""
    return abbreviate(" ".join(text.split()).encode(errors="replace"))
