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

    def __init__(self, write: Write, clock: Callable[[], float]) -> None:
        self._write = write
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
                self._line(f"    room: {abbreviate(str(told).encode())}", "green")
            case "init" | "ping" | "shutdown":
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
        self._line(f"  ⚙ {name} {abbreviate(str(first).encode(errors='replace'))}", "magenta")

    def _end(self, message: Mapping[str, Any]) -> None:
        now = self._clock()
        name, began = self._tools.pop(message.get("id"), ("a tool", now))
        took = f"{now - began:.1f} s"
        if message.get("success"):
            self._line(f"  ✓ {name} in {took}", "green")
        else:
            output = abbreviate(_plain(message.get("output")).encode(errors="replace"))
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
                self._line(f"    {abbreviate(str(message.get('content')).encode(errors='replace'))}", "blue")
            case "subagent_end":
                self._line(f"  ⤶ subagent {'done' if message.get('success') else 'failed'}", "blue")
            case "room_query":
                self._line(f"  ? room: {message.get('query')} {message.get('target') or ''}".rstrip(), "green")
            case "room_action" if isinstance(action := message.get("action"), dict):
                words = " ".join(str(value) for value in action.values())
                self._line(f"  ! room: {abbreviate(words.encode(errors='replace'))}", "green")
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
