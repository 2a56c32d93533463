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

from typing import TYPE_CHECKING

from mockbackend.engine.auth import Auth
from mockbackend.engine.author import LINE, Claim
from mockbackend.engine.events import WOKEN, Closed, Received
from mockbackend.engine.exchanges import Exchanges
from mockbackend.engine.incoming import Incoming, classify, prompted, read
from mockbackend.engine.replies import (
    PONG,
    error,
    refused_key,
    refused_message,
    refused_version,
)
from mockbackend.engine.steps import Exit, Note, Stderr
from mockbackend.errors import MockBackendError, ScriptError
from mockbackend.protocol.rules import LIFE_CYCLE, Input, Reaction, State

if TYPE_CHECKING:
    from mockbackend.engine.author import Author
    from mockbackend.engine.events import Event
    from mockbackend.engine.steps import Action, Script
    from mockbackend.protocol.lines import TooLong


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
        self._exchanges = Exchanges(end_each_turn=end_each_turn)
        self._standing = State.FRESH  # The state, as if nothing were running.
        self._unheard: list[Received] = []  # What came while a script hung.
        self._input_ended = False
        self._unread = True
        if (prologue := author.prologue()) is not None:
            self._exchanges.start(prologue, 0)

    @property
    def state(self) -> State:
        """Where the session is in its life cycle."""
        if self.finished:
            return State.OVER
        return State.BUSY if self._exchanges.busy and self._standing is State.IDLE else self._standing

    @property
    def waiting(self) -> list[bytes]:
        """The openings whose turn has not come, as they were sent."""
        return [item.line for item in self._exchanges.queue if isinstance(item, Incoming)]

    @property
    def deadline(self) -> int | None:
        """When to call `handle` with `WOKEN`, in microseconds; None: only when something happens."""
        if self.finished:
            return None
        frozen_until = self._exchanges.frozen_until
        if frozen_until is not None:
            return None if frozen_until == float("inf") else int(frozen_until)
        return self._exchanges.deadline

    def handle(self, event: Event, now: int) -> list[Action]:
        """Apply *event*, which happened at *now*, and return what to do about it, in order."""
        out: list[Action] = []
        if self.finished or self._hangs(event, now, out):
            return out
        try:
            match event:
                case Received(line):
                    self._hear(line, now, out)
                case Closed():
                    self._input_ended = True
                case _:
                    pass
            if not self.finished:
                self._play(now, out)
        except ScriptError as problem:
            self._fail(problem, now, out)
        except MockBackendError as problem:
            told = error("SDK_ERROR", str(problem), recoverable=False)
            out += [Note(str(problem), "error"), told, Exit(problem.exit_code)]
            self._end()
        return out

    def release(self, name: str, now: int) -> list[Action]:
        """Let what holds under *name* go on; return what to do about it."""
        self._exchanges.release(name, now)
        return self.handle(WOKEN, now)

    def leave(self) -> list[Action]:
        """End the session of a frontend that is gone without a word; return the last actions."""
        out: list[Action] = []
        if not self.finished:
            self._say_farewell(out, gone=True)
        return out

    # Playing

    def _play(self, now: int, out: list[Action]) -> None:
        exchanges = self._exchanges
        self._advance(now, out)
        while not self.finished and exchanges.settle(out) and exchanges.queue and exchanges.frozen_until is None:
            self._open(exchanges.queue.popleft(), now)
            self._advance(now, out)
        # What needs no further input has been played: nobody can hear the rest.
        if self._input_ended and not self.finished and exchanges.deadline is None:
            self._say_farewell(out)

    def _advance(self, now: int, out: list[Action]) -> None:
        self._exchanges.advance(now, out)
        if self._exchanges.exit:
            self._end()

    def _open(self, opening: Incoming | Script, now: int) -> None:
        exchanges = self._exchanges
        if not isinstance(opening, Incoming):
            exchanges.start(opening, now, in_turn=True)
            return
        if opening.kind == "init":
            exchanges.begin_anew()
        in_turn = opening.kind == "user_message" and self._standing is State.IDLE
        exchanges.start(self._author.opening(opening), now, in_turn=in_turn)
        prompt = opening.message.get("initial_prompt")
        if prompt and self._standing is State.IDLE and not self._author.includes_prompt():
            exchanges.queue.appendleft(prompted(prompt))

    def _fail(self, problem: ScriptError, now: int, out: list[Action]) -> None:
        """End an exchange whose script is broken; the session lives on."""
        self._exchanges.close(out)
        out += [Note(str(problem), "error"), *([Stderr(problem.trace)] if problem.trace else [])]
        out.append(error("SDK_ERROR", str(problem), recoverable=True))
        try:
            self._play(now, out)
        except ScriptError as next_problem:
            self._fail(next_problem, now, out)

    def _hangs(self, event: Event, now: int, out: list[Action]) -> bool:
        """Whether a script hangs, so that *event* has no effect; hear what has waited when it no longer does."""
        frozen_until = self._exchanges.frozen_until
        if frozen_until is None:
            return False
        if isinstance(event, Closed):
            self._input_ended = True
            if frozen_until == float("inf"):  # A process that hangs for good is killed; no orphan, ever.
                self._say_farewell(out, gone=True)
            return True
        if now < frozen_until:
            if isinstance(event, Received) and frozen_until != float("inf"):
                self._unheard.append(event)
            return True
        self._exchanges.frozen_until = None
        unheard, self._unheard = self._unheard, []
        for late in unheard:
            out += self.handle(late, now)
        return self.finished

    # Listening

    def _hear(self, line: bytes | TooLong, now: int, out: list[Action]) -> None:
        incoming = read(line, first=self._unread)
        self._unread = False
        if incoming is not None:
            self._receive(incoming, now, out)

    def _receive(self, incoming: Incoming, now: int, out: list[Action]) -> None:
        classified = classify(incoming, self._auth)
        claim = self._author.claims(incoming) if self._is_open_to_claims(classified) else Claim.NONE
        match claim:
            case Claim.NONE:
                after, reaction = LIFE_CYCLE[self.state][classified]
                self._standing = State.IDLE if after is State.BUSY else after
                self._react(reaction, incoming, now, out)
            case Claim.OPENS:
                self._exchanges.queue.append(incoming)
                if classified is Input.INIT:  # It may have to wait; a message behind it has its session, though.
                    self._standing = State.IDLE
            case Claim.AWAITED:
                self._exchanges.deliver(LINE, incoming, now)
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
                self._exchanges.queue.append(incoming)
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
        if self._exchanges.answers(str(incoming.kind), request_id):
            self._exchanges.deliver(("answer", request_id), incoming.message, now)

    def _stop(self, now: int, out: list[Action]) -> None:
        if self._exchanges.running and (wrongly := self._author.cancelling()) is not None:
            self._exchanges.start_aside(wrongly, now)
            return
        self._exchanges.cancel(out)
        if (rest := self._author.cancelled()) is not None:
            self._exchanges.start(rest, now)

    def _abandon(self) -> None:
        """Drop what runs and what is queued: an `init` starts the session anew, or ends it."""
        self._exchanges.halt()
        self._exchanges.queue.clear()

    def _say_farewell(self, out: list[Action], *, gone: bool = False) -> None:
        out.extend(self._author.farewell(gone=gone))
        self._end()

    def _end(self) -> None:
        self.finished = True
        self._exchanges.halt()
