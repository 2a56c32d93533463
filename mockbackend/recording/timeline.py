"""Turn recorded events into steps: the part that every kind of replay shares.

Order is exactly the recorded order. Time is made of gaps: each event comes as long after the one before it as
it was recorded, whatever the pace then makes of that. What the frontend sent has no gap of its own, so that
what follows a recorded `cancel` comes at its recorded moment; only a room response is a *sync point*, from
which time counts on. Recorded pings and their pongs are left out: the session answers live pings itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockbackend.engine.pacing import SYNC
from mockbackend.engine.steps import Emit, Exit, Stderr, Wait
from mockbackend.recording.exchanges import Role, role
from mockbackend.recording.model import BACKEND, EXIT, FRONTEND, INPUT_CLOSED, STDERR, Event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mockbackend.engine.pacing import Pace, Timed
    from mockbackend.engine.steps import Script

    Gate = Callable[[Event], Script]
    Renew = Callable[[Event], Event]

SIGNALS = {
    "SIGHUP": 1,
    "SIGINT": 2,
    "SIGQUIT": 3,
    "SIGILL": 4,
    "SIGTRAP": 5,
    "SIGABRT": 6,
    "SIGBUS": 7,
    "SIGKILL": 9,
    "SIGSEGV": 11,
    "SIGPIPE": 13,
    "SIGALRM": 14,
    "SIGTERM": 15,
}
"""Numbers of the signals that end backends (POSIX); a recording may name one or give its number."""

LENIENT = frozenset({Role.RESPONSE})
EVERY_LINE = frozenset(Role) - {Role.PING, Role.BLANK}
NOTHING: frozenset[Role] = frozenset()

_NOTED = frozenset({"room_query", "room_action", "session_started", "pong"})

# A tuple's own constructor takes half the time, and nothing is made more often.
_new: Any = tuple.__new__


class Timeline:
    """Plays the events of one run.

    Attributes:
        exit: How the recorded process ended, as far as that has been reached.
        started: Whether a `session_started` has been said.
        unsaid: The last `session_started` that was passed over while none had been said.
    """

    def __init__(
        self,
        pace: Pace,
        holding: frozenset[Role],
        renew: Renew | None = None,
        judge: Callable[[Exit], Exit] | None = None,
    ) -> None:
        """Let *pace* decide about time, and stop for the frontend's lines of the roles *holding*.

        *renew* gives an event other ids, *judge* may end the process in another way than recorded.
        """
        self.exit = Exit(0)
        self.started = False
        self.unsaid: Event | None = None
        self._pace = pace
        self._holding = holding
        self._renew = renew
        self._judge = judge
        self._pings = 0  # Those that no pong has followed yet.
        self._asked: set[object] = set()  # Requests that the recorded frontend may still answer.
        self._leaving = False  # The recorded frontend took its leave: an exit is only the consequence.

    def forget(self) -> None:
        """Expect no more answers to what was asked so far: it was cancelled."""
        self._asked.clear()

    def pass_over(self, event: Event) -> None:
        """Take note of an event that is not played: a later one may depend on it."""
        if event.sender is None:
            self._is_silent(event)
        elif event.sender == FRONTEND:
            self._note(role(event))
        elif event.kind == "pong":
            self._pings -= self._pings > 0
        elif event.kind == "session_started" and not self.started:
            self.unsaid = event

    def restart(self) -> None:
        """Begin at the beginning again."""
        self.forget()
        self.started = False
        self.unsaid = None
        self._pings = 0
        self._leaving = False
        self.exit = Exit(0)

    def play(self, events: Iterable[Event], since: int | None, gate: Gate | None = None) -> Script:
        """Return the script that says *events*, the first as long after now as it was recorded after *since*.

        *gate* is the script that waits for a line of the frontend. It is not run before something is to be
        said that came after that line: nobody waits for an answer that changed nothing.
        """
        held: list[Event] = []
        renew = self._renew
        for gap, _, event in self._pace(self._timed(events, since)):
            sender = event.sender
            if sender == FRONTEND:
                held.append(event)
                continue
            if held and gate is not None:
                for line in held:
                    yield from gate(line)
                held.clear()
            if gap and gap > 0:  # A clock that was set back while recording must not play backwards.
                yield Wait(gap)
            if sender == BACKEND:
                said = event if renew is None else renew(event)
                yield _new(Emit, (said.data, said.message))
            elif sender == STDERR:
                yield Stderr(event.data)
            else:
                yield self.exit if self._judge is None else self._judge(self.exit)
        if gate is not None and self._holding is EVERY_LINE:
            for line in held:
                yield from gate(line)

    def _timed(self, events: Iterable[Event], since: int | None) -> Iterator[Timed]:
        """Yield what is to be played or waited for, with its gap; take note of the rest."""
        for event in events:
            at, sender, _, _, kind, _, _, _, _ = event
            if sender == BACKEND:
                if kind in _NOTED and self._leaves_out(event):
                    continue
            elif sender == FRONTEND:
                if self._holds(event):
                    since = at
                    yield 0, SYNC, event
                continue
            elif sender is None and self._is_silent(event):
                continue
            yield (None if at is None or since is None else at - since), kind or "raw", event
            since = at

    def _leaves_out(self, event: Event) -> bool:
        """Take note of what matters later; leave out a pong that answers a recorded ping."""
        if event.kind == "pong":
            answered = self._pings > 0
            self._pings -= answered
            return answered
        if event.kind == "session_started":
            self.started = True
        else:
            self._asked.add((event.message or {}).get("request_id"))
        return False

    def _holds(self, event: Event) -> bool:
        """Whether the replay stops for a line of the frontend."""
        what = role(event)
        self._note(what)
        if what is Role.RESPONSE and self._holding is LENIENT:
            request = (event.message or {}).get("request_id")
            known = request in self._asked
            self._asked.discard(request)
            return known
        return what in self._holding

    def _note(self, what: Role) -> None:
        if what is Role.PING:
            self._pings += 1
        if what is Role.SHUTDOWN:
            self._leaving = True

    def _is_silent(self, event: Event) -> bool:
        """Take note of what happened; only an exit that nobody asked for is played."""
        if event.name == INPUT_CLOSED:
            self._leaving = True
        if event.name != EXIT:
            return True
        self.exit = exit_of(event)
        return self._leaving


def exit_of(event: Event) -> Exit:
    """Return how a replay ends where the recording has this `exit`."""
    code, signal = event.fields.get("code"), event.fields.get("signal")
    if isinstance(signal, str):
        signal = SIGNALS.get(signal.upper() if signal.upper().startswith("SIG") else f"SIG{signal.upper()}")
    if isinstance(signal, int) and not isinstance(signal, bool) and signal > 0:
        # One that does not kill would leave us hanging; a shell would tell of it by this code.
        return Exit(128 + signal, signal if signal in SIGNALS.values() else None)
    return Exit(code & 0xFF if isinstance(code, int) and not isinstance(code, bool) else 0)
