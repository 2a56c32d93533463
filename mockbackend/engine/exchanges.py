"""Exchanges, one after another: what plays, what it leaves open, and what waits behind it.

An exchange is a script on the player's tracks. It is over when its main track has ended; what it forked may go
on behind it, as a subagent in the background does. An exchange that waits is the opening that the frontend
sent, or a script that another exchange queued.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, TypeAlias

from mockbackend.engine.ledger import TRACKED, Ledger
from mockbackend.engine.player import HOLD, Player
from mockbackend.engine.replies import emit, ended
from mockbackend.engine.steps import Emit, Exit, Freeze, Queue, Stop

if TYPE_CHECKING:
    from mockbackend.engine.incoming import Incoming
    from mockbackend.engine.steps import Action, Command, Script

    Waiting: TypeAlias = Incoming | Script

_BUDGET = 32_768
"""Bytes to say per call, about (see `Player.advance`), so that little is still to be written after a cancel."""


class Exchanges:
    """Plays one exchange at a time.

    Attributes:
        queue: The exchanges whose turn has not come.
        exit: Whether an `Exit` has been said.
        frozen_until: When a script wants to be heard again that hangs (microseconds); None: none does.
    """

    def __init__(self, *, end_each_turn: bool = False) -> None:
        self.queue: deque[Waiting] = deque()
        self.exit = False
        self.frozen_until: float | None = None
        self._end_each_turn = end_each_turn
        self._player = Player()
        self._ledger = Ledger()
        self._track: int | None = None  # The exchange that runs.
        self._aside: int | None = None  # What it does about a cancel that goes wrong.
        self._in_turn = False
        self._last_kind: object = None

    @property
    def running(self) -> bool:
        """Whether an exchange runs."""
        return self._track is not None or self._aside is not None

    @property
    def busy(self) -> bool:
        """Whether an exchange runs, or waits."""
        return self.running or bool(self.queue)

    @property
    def deadline(self) -> int | None:
        """When to call `advance` next; None: only when something happens."""
        return self._player.deadline

    def start(self, script: Script, now: int, *, in_turn: bool = False) -> None:
        """Let *script* be the exchange that runs, from *now* on; a user's message opened it if it is *in_turn*."""
        self._in_turn = in_turn
        self._track = self._player.start(script, now)

    def start_aside(self, script: Script, now: int) -> None:
        """Let *script* run beside the exchange; it is not over before that, either."""
        self._aside = self._player.start(script, now)

    def deliver(self, topic: object, value: object, now: int) -> None:
        """Hand *value* to whoever awaits *topic*, now or later."""
        self._player.deliver(topic, value, now, keep=True)

    def release(self, name: str, now: int) -> bool:
        """Let what holds under *name* go on; return whether anything did."""
        return self._player.deliver((HOLD, name), None, now)

    def answers(self, kind: str, request_id: str) -> bool:
        """Take note of a room response; return whether its request was open."""
        return self._ledger.answers(kind, request_id)

    def advance(self, now: int, out: list[Action]) -> None:
        """Let the player speak; keep the ledger, swallow what a cancel has closed, and obey the commands."""
        said: list[Any] = []
        try:
            self._player.advance(now, said, _BUDGET)
        finally:  # What was said before a script broke has been said.
            out += self._heeded(said, now)

    def _heeded(self, said: list[Any], now: int) -> list[Action]:
        odd = [index for index, step in enumerate(said) if not self._passes(step)]
        for index in reversed(odd):
            said[index : index + 1] = self._obey(said[index], now)
        return said

    def settle(self, out: list[Action]) -> bool:
        """Notice the end of the exchange; return whether none runs."""
        over = self._player.ended
        if self._aside in over:
            self._aside = None
        if self._track in over:
            self._track = None
            if self._in_turn and self._end_each_turn and self._turn_is_over():
                out.append(ended("success"))
            self._in_turn = False
        over.clear()
        return not self.running

    def cancel(self, out: list[Action]) -> None:
        """Stop everything, and say so (Protocol: `cancel`; the decision on reading the protocol)."""
        self.close(out)
        out.append(ended("cancelled"))

    def close(self, out: list[Action]) -> None:
        """Stop everything, and say the end of what is open."""
        self.halt()
        out.extend(emit(message) for message in self._ledger.close())

    def halt(self) -> None:
        """Stop everything without a word; what waits goes on waiting."""
        self._player.stop()
        self._track = self._aside = None
        self._in_turn = False

    def begin_anew(self) -> None:
        """Forget what was open: a new session starts."""
        self._ledger.reset()

    def _turn_is_over(self) -> bool:
        """Whether the turn ended with its exchange: it did not if a message was recorded in the middle of it."""
        return self._last_kind not in {"assistant_text_delta", "session_ended"} and not self._ledger.tools_run()

    def _passes(self, step: Action | Command) -> bool:
        """Take note of *step*; return whether it is to be said as it is."""
        if step.__class__ is Emit:  # By the class: a match is slower.
            message = step.message
            if message is None:
                return True
            self._last_kind = kind = message.get("type")
            return kind not in TRACKED or self._ledger.note(message)
        self.exit = self.exit or step.__class__ is Exit
        return step.__class__ not in _COMMANDS

    def _obey(self, command: Action | Command, now: int) -> list[Action]:
        """Do what a script commands; return what is said about it. Anything else was swallowed."""
        said: list[Action] = []
        match command:
            case Queue(script):
                self.queue.append(script)
            case Freeze(us):
                self.frozen_until = float("inf") if us is None else now + us
            case Stop(closing):
                if not closing:
                    self._ledger.abandon()
                self.cancel(said)
            case _:
                pass
        return said


_COMMANDS = frozenset({Queue, Stop, Freeze})
