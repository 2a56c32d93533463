"""Rehearse a scenario: a user who types what it suggests, and a room that answers, in logical time.

It is how a scenario is shown (`mockbackend show`), how its golden file is made, and how the gallery's coverage is
counted. Nothing waits: the session's clock is told to jump.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mockbackend.engine.events import CLOSED, WOKEN, Received
from mockbackend.engine.session import Session
from mockbackend.engine.steps import Emit, Exit
from mockbackend.scenario.room import Room

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mockbackend.engine.author import Author
    from mockbackend.engine.events import Event
    from mockbackend.engine.steps import Action

WORKING_DIR = "/home/dev/demo"

_US = 1_000_000
_ANSWER_US = 20_000
"""How long the rehearsed frontend takes to answer for its room."""


class Rehearsal:
    """One conversation.

    Attributes:
        said: What was done, with its time in microseconds.
        heard: What the frontend sent, with its time.
    """

    def __init__(self, author: Callable[[], Author], *, room: Room | None = None) -> None:
        """Ask *author* for an author for each process; there is more than one after a crash."""
        self.said: list[tuple[int, Action]] = []
        self.heard: list[tuple[int, dict[str, Any]]] = []
        self._author = author
        self._session = Session(author())
        self._room = room or Room()
        self._answers: list[tuple[int, dict[str, Any]]] = []
        self._now = 0
        self._session_id = ""
        self._handle(WOKEN)

    def run(self, tries: Iterable[str]) -> None:
        """Start the session, do each of *tries* (see `Declaration`), and end it."""
        self.send(self._init())
        self.pass_time(None)
        for line in tries:
            self._try(line)
        self.pass_time(None)
        if not self._session.finished:
            self._handle(CLOSED)

    def send(self, message: dict[str, Any]) -> None:
        """Send *message* now."""
        if not self._session.finished:
            self.heard.append((self._now, message))
            self._handle(Received(json.dumps(message, ensure_ascii=False).encode()))

    def pass_time(self, until: int | None) -> None:
        """Let time pass until then, or until nothing is left to happen."""
        while not self._session.finished:
            due = self._session.deadline
            answer = self._answers[0][0] if self._answers else None
            moments = [moment for moment in (due, answer) if moment is not None]
            if not moments or (until is not None and min(moments) > until):
                break
            self._now = max(self._now, min(moments))
            if answer is not None and (due is None or answer < due):
                self.send(self._answers.pop(0)[1])
            else:
                self._handle(WOKEN)
        if until is not None:
            self._now = max(self._now, until)

    def _try(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        match word:
            case "/cancel":
                self.pass_time(self._now + round(float(rest or 0) * _US))
                self.send({"type": "cancel"})
            case "/wait":
                self.pass_time(self._now + round(float(rest) * _US))
            case "/plan" | "/auto":
                self.pass_time(None)
                self.send({"type": "mode_change", "mode": word[1:]})
            case "/resume":
                self.pass_time(None)
                self._session = Session(self._author())
                self._handle(WOKEN)
                self.send({**self._init(), "resume_session_id": self._session_id})
            case _ if line.startswith("//") and word[2:].isdecimal():
                self.pass_time(self._now + int(word[2:]) * _US)
                self.send({"type": "user_message", "content": rest})
            case _:
                said = line[1:] if line.startswith("//") else line
                self.send({"type": "user_message", "content": said})

    def _init(self) -> dict[str, Any]:
        return {"type": "init", "version": 1, "working_dir": WORKING_DIR}

    def _handle(self, event: Event) -> None:
        for action in self._session.handle(event, self._now):
            self.said.append((self._now, action))
            if isinstance(action, Emit) and action.message is not None:
                self._see(dict(action.message))
            elif isinstance(action, Exit):
                self._answers.clear()

    def _see(self, message: dict[str, Any]) -> None:
        """Remember the session's id; let the room answer."""
        match message.get("type"):
            case "session_started":
                self._session_id = message["session_id"]
            case "room_query" | "room_action":
                self._answers.append((self._now + _ANSWER_US, answer(self._room, message)))
            case _:
                pass


def answer(room: Room, request: dict[str, Any]) -> dict[str, Any]:
    """Return what a frontend with *room* answers to a request of the backend."""
    about = {"request_id": request.get("request_id", "")}
    if request["type"] == "room_action":
        verdict = room.perform(request["action"])
        return {"type": "room_action_response", **about, "success": verdict.success, "message": verdict.message}
    target = request.get("target")
    told = room.examine(str(target)) if request["query"] == "examine" else room.describe(target)
    return {"type": "room_query_response", **about, "description": told}
