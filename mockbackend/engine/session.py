"""A session: the stand-in for one frontend connection.

It knows the protocol's life cycle and nothing about where its lines come from: its author writes them, its
player plays them. It is pure. `handle` is told an event and the time, and returns what to do; `deadline`
says when to call it with `WOKEN`. A deadline that is not later than the last *now* means "there is more at
this very instant, as soon as you have room for it".

Each line of the frontend takes one way: read → shown to the author, whose claim wins → looked up in
`LIFE_CYCLE` → the reaction that the table names. Exchanges run one after another: an opening that comes
while another one runs is queued.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from mockbackend.engine.auth import Auth
from mockbackend.engine.author import LINE, Claim
from mockbackend.engine.events import Closed, Received
from mockbackend.engine.incoming import classify, prompted, read
from mockbackend.engine.ledger import TRACKED, Ledger
from mockbackend.engine.player import Player
from mockbackend.engine.replies import (
    PONG,
    emit,
    ended,
    error,
    refused_key,
    refused_message,
    refused_version,
)
from mockbackend.engine.steps import Emit, Exit, Note
from mockbackend.errors import MockBackendError
from mockbackend.protocol.rules import LIFE_CYCLE, Input, Reaction, State

if TYPE_CHECKING:
    from mockbackend.engine.author import Author
    from mockbackend.engine.events import Event
    from mockbackend.engine.incoming import Incoming
    from mockbackend.engine.steps import Action

_BUDGET = 32_768
"""Bytes to say per call, about (see `Player.advance`), so that little is still to be written after a cancel."""


class Session:
    """Run one connection.

    Attributes:
        finished: Whether the session has said `Exit`.
        mode: "auto" or "plan", as the frontend last said.
    """

    def __init__(self, author: Author, *, auth: Auth = Auth.OK, end_each_turn: bool = False) -> None:
        self.finished = False
        self.mode = "auto"
        self._author = author
        self._auth = auth
        self._end_each_turn = end_each_turn
        self._player = Player()
        self._ledger = Ledger()
        self._standing = State.FRESH  # The state, as if nothing were running.
        self._queue: deque[Incoming] = deque()
        self._track: int | None = None  # The exchange that runs.
        self._in_turn = False
        self._last_kind: object = None
        self._input_ended = False
        self._unread = True
        if (prologue := author.prologue()) is not None:
            self._track = self._player.start(prologue, 0)

    @property
    def state(self) -> State:
        """Where the session is in its life cycle."""
        if self.finished:
            return State.OVER
        busy = self._track is not None or self._queue
        return State.BUSY if busy and self._standing is State.IDLE else self._standing

    @property
    def waiting(self) -> list[bytes]:
        """The openings whose turn has not come, as they were sent."""
        return [incoming.line for incoming in self._queue]

    @property
    def deadline(self) -> int | None:
        """When to call `handle` with `WOKEN`, in microseconds; None: only when something happens."""
        return None if self.finished else self._player.deadline

    def handle(self, event: Event, now: int) -> list[Action]:
        """Apply *event*, which happened at *now*, and return what to do about it, in order."""
        out: list[Action] = []
        if self.finished:
            return out
        try:
            match event:
                case Received(line):
                    incoming = read(line, first=self._unread)
                    self._unread = False
                    if incoming is not None:
                        self._receive(incoming, now, out)
                case Closed():
                    self._input_ended = True
                case _:
                    pass
            if not self.finished:
                self._play(now, out)
        except MockBackendError as problem:
            told = error("SDK_ERROR", str(problem), recoverable=False)
            out += [Note(str(problem), "error"), told, Exit(problem.exit_code)]
            self._end()
        return out

    def leave(self) -> list[Action]:
        """End the session of a frontend that is gone without a word; return the last actions."""
        out: list[Action] = []
        if not self.finished:
            self._say_farewell(out, gone=True)
        return out

    # Playing

    def _play(self, now: int, out: list[Action]) -> None:
        self._advance(now, out)
        while not self.finished and self._exchange_is_over(out) and self._queue:
            self._open(self._queue.popleft(), now)
            self._advance(now, out)
        # What needs no further input has been played: nobody can hear the rest.
        if self._input_ended and not self.finished and self._player.deadline is None:
            self._say_farewell(out)

    def _advance(self, now: int, out: list[Action]) -> None:
        """Let the player speak; keep the ledger, and swallow what a cancel has closed."""
        first = len(out)
        self._player.advance(now, out, _BUDGET)
        swallowed = []
        for index in range(first, len(out)):
            step = out[index]
            if step.__class__ is Emit:  # By the class: a match is slower.
                message = step.message
                if message is not None:
                    self._last_kind = kind = message.get("type")
                    if kind in TRACKED and not self._ledger.note(message):
                        swallowed.append(index)
            elif step.__class__ is Exit:
                self._end()
        for index in reversed(swallowed):
            del out[index]

    def _exchange_is_over(self, out: list[Action]) -> bool:
        """Notice the end of the exchange; return whether none runs."""
        if self._track in self._player.ended:
            self._track = None
            if self._in_turn and self._end_each_turn and self._turn_is_over():
                out.append(ended("success"))
            self._in_turn = False
        self._player.ended.clear()
        return self._track is None

    def _turn_is_over(self) -> bool:
        """Whether the turn ended with its exchange: it did not if a message was recorded in the middle of it."""
        return self._last_kind not in {"assistant_text_delta", "session_ended"} and not self._ledger.tools_run()

    def _open(self, incoming: Incoming, now: int) -> None:
        if incoming.kind == "init":
            self._ledger.reset()
        self._in_turn = incoming.kind == "user_message" and self._standing is State.IDLE
        self._track = self._player.start(self._author.opening(incoming), now)
        prompt = incoming.message.get("initial_prompt")
        if prompt and self._standing is State.IDLE and not self._author.includes_prompt():
            self._queue.appendleft(prompted(prompt))

    # Listening

    def _receive(self, incoming: Incoming, now: int, out: list[Action]) -> None:
        classified = classify(incoming, self._auth)
        claim = self._author.claims(incoming) if self._is_open_to_claims(classified) else Claim.NONE
        match claim:
            case Claim.NONE:
                after, reaction = LIFE_CYCLE[self.state][classified]
                self._standing = State.IDLE if after is State.BUSY else after
                self._react(reaction, incoming, now, out)
            case Claim.OPENS:
                self._queue.append(incoming)
                if classified is Input.INIT:  # It may have to wait; a message behind it has its session, though.
                    self._standing = State.IDLE
            case Claim.AWAITED:
                self._player.deliver(LINE, incoming, now, keep=True)
            case _:
                pass  # ANSWERED: its answer is on the way.

    def _is_open_to_claims(self, classified: Input) -> bool:
        """Whether the author may have a say: not in pings, and not in what the user's `--auth` decides."""
        if classified is Input.USER_MESSAGE:
            return self._standing is not State.LOCKED
        return classified is not Input.PING and classified is not Input.INIT_UNAUTHENTICATED

    def _react(self, reaction: Reaction, incoming: Incoming, now: int, out: list[Action]) -> None:
        match reaction:
            case Reaction.PONG:
                out.append(PONG)
            case Reaction.OPEN | Reaction.QUEUE:
                self._queue.append(incoming)
            case Reaction.DELIVER:
                self._deliver(incoming, now)
            case Reaction.BEGIN:
                self._abandon()
                self._open(incoming, now)
            case Reaction.STOP:
                self._stop(now, out)
            case Reaction.NOTE_MODE:
                self.mode = incoming.message["mode"]
            case Reaction.EXIT:
                self._say_farewell(out)
            case Reaction.REFUSE_VERSION:
                self._abandon()
                out.append(refused_version(incoming.message))
            case Reaction.REFUSE_KEY:
                self._abandon()
                out.extend(refused_key(self._auth, incoming.message))
            case Reaction.REFUSE_MESSAGE:
                out.append(refused_message(self.state))
            case _:
                out.append(error("PARSE_ERROR", incoming.reason))

    def _deliver(self, incoming: Incoming, now: int) -> None:
        request_id = incoming.message["request_id"]
        if self._ledger.answers(str(incoming.kind), request_id):
            self._player.deliver(("answer", request_id), incoming.message, now, keep=True)

    def _stop(self, now: int, out: list[Action]) -> None:
        self._halt()
        out.extend(emit(message) for message in self._ledger.close())
        out.append(ended("cancelled"))
        if (rest := self._author.cancelled()) is not None:
            self._track = self._player.start(rest, now)

    def _abandon(self) -> None:
        """Drop what runs and what is queued: an `init` starts the session anew, or ends it."""
        self._halt()
        self._queue.clear()

    def _halt(self) -> None:
        self._player.stop()
        self._track = None
        self._in_turn = False

    def _say_farewell(self, out: list[Action], *, gone: bool = False) -> None:
        out.extend(self._author.farewell(gone=gone))
        self._end()

    def _end(self) -> None:
        self.finished = True
        self._player.stop()
