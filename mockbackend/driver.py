"""Connect a session to its frontend. The only module that waits or reads a clock.

One thread, one loop: say what is due → write what fits → wait for input, room or the next deadline → hear what
came. Three rules make it behave:

- *Timers have logical time.* A deadline that has passed is handled as if at that very moment, however late the
  loop is, and before any input that came after it. So a replay says the same whatever the machine does.
- *Nothing is dropped, nothing piles up.* While the frontend does not read, what is due waits in the session;
  only one batch is in our hands. Input is still heard, so that a cancel can overtake what is still to be said.
- *Whoever leaves is noticed.* A broken stdout ends the process at once and quietly, also in a long silence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from mockbackend.engine.events import CLOSED, WOKEN, Received
from mockbackend.engine.steps import Emit, Exit, Note, Stderr
from mockbackend.protocol.lines import LineBuffer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mockbackend.engine.events import Event
    from mockbackend.engine.steps import Action
    from mockbackend.io.transport import Transport

HIGH_WATER = 65_536
"""Bytes in hand from which on nothing more is taken from the session (the usual capacity of a pipe)."""

_FLOOD = 4 << 20
"""Bytes in hand from which on input is not heard either: somebody pings, and never reads the pongs."""

_GRACE_US = 1_000_000
"""How long a session that has ended waits for a frontend that does not read its last words."""


class Source(Protocol):
    """Decides what to say and when: a `Session`."""

    @property
    def deadline(self) -> int | None:
        """When to deliver the next `Woken`, in microseconds since the start."""

    @property
    def finished(self) -> bool:
        """Whether an `Exit` has been said."""
        ...

    def handle(self, event: Event, now: int) -> Sequence[Action]:
        """Apply *event* and return what to do."""
        ...

    def leave(self) -> Sequence[Action]:
        """End, because the frontend is gone without a word; return what is left to do."""
        ...


class Tap(Protocol):
    """Observes all that is heard and said: a recorder, a log."""

    def heard(self, event: Event, now: int) -> None:
        """Take note of an event, before it is handled."""

    def said(self, actions: Sequence[Action], now: int) -> None:
        """Take note of what is done about it."""


class Ending(NamedTuple):
    """How a session ended: the code or signal to exit with, and why."""

    code: int = 0
    signal: int | None = None
    why: str = "exit"


class Driver:
    """Runs one session over one transport.

    Attributes:
        unheard: What came, and was read, when the session had ended already.
    """

    def __init__(
        self,
        source: Source,
        transport: Transport,
        clock: Callable[[], int],
        *,
        taps: Iterable[Tap] = (),
        tell: Callable[[Note | Stderr], None],
    ) -> None:
        """Read the time in microseconds from *clock*; *tell* people what is not for the frontend."""
        self._source = source
        self._transport = transport
        self._clock = clock
        self._start = clock()
        self._taps = tuple(taps)
        self._tell = tell
        self.unheard = bytearray()
        self._lines = LineBuffer()
        self._pending = bytearray()
        self._now = 0
        self._listening = True
        self._exit: Exit | None = None
        self._last_words_by = 0  # When to stop waiting for a frontend that does not read, after the exit.

    def run(self) -> Ending:
        """Run until the session exits, the frontend is gone, or somebody interrupts; return how it ended."""
        self._handle(WOKEN, 0)
        while (ending := self._turn()) is None:
            pass
        rest = self._lines.finish()
        if isinstance(rest, bytes):
            self.unheard += rest
        return ending

    def _turn(self) -> Ending | None:
        """Say what is due, wait, and hear what came; return how it ended once it has."""
        timeout = self._say_what_is_due()
        pending = len(self._pending)
        if self._exit is not None:
            timeout = self._last_words_by - self._elapsed()
            if not pending or timeout <= 0:
                why = "exit, with a frontend that does not read" if pending else "exit"
                return Ending(self._exit.code, self._exit.signal, why)
        reading = self._listening and self._exit is None and pending < _FLOOD
        ready = self._transport.wait(timeout, writing=pending > 0, reading=reading)
        if ready.broken or ready.interrupted:
            return self._leave("the frontend closed our stdout" if ready.broken else "interrupted")
        if ready.readable:
            self._read()
        return None

    def _leave(self, why: str) -> Ending:
        """End without a word: there is nobody to hear it."""
        if self._exit is None:
            self._perform(self._source.leave(), max(self._now, self._elapsed()))
        leaving = self._exit or Exit(0)
        return Ending(leaving.code, leaving.signal, why)

    def _elapsed(self) -> int:
        return self._clock() - self._start

    def _say_what_is_due(self) -> int | None:
        """Let the session speak as long as there is room; return how long it may be waited for (None: for good)."""
        source = self._source
        while True:
            self._write()
            if len(self._pending) >= HIGH_WATER or (due := source.deadline) is None:
                return None
            left = due - self._elapsed()
            if left > 0:
                return left
            self._handle(WOKEN, max(due, self._now))

    def _write(self) -> None:
        """Write what fits."""
        pending = self._pending
        while pending:
            with memoryview(pending) as view:
                sent = self._transport.write(view)
            if not sent:
                return
            del pending[:sent]
            if self._exit is not None:
                self._last_words_by = self._elapsed() + _GRACE_US

    def _read(self) -> None:
        data = self._transport.read()
        # What was due before this input came is said before it is heard.
        now = self._elapsed()
        if data:
            for line in self._lines.feed(data):
                self._hear(Received(line), now)
            return
        self._listening = False
        if (rest := self._lines.finish()) is not None:
            self._hear(Received(rest, b""), now)
        self._hear(CLOSED, now)

    def _hear(self, event: Event, now: int) -> None:
        source = self._source
        while len(self._pending) < HIGH_WATER and (due := source.deadline) is not None and due <= now:
            self._handle(WOKEN, max(due, self._now))
        if self._exit is None:
            self._handle(event, max(now, self._now))
        elif isinstance(event, Received) and isinstance(event.line, bytes):
            self.unheard += event.line + event.end

    def _handle(self, event: Event, now: int) -> None:
        self._now = now
        for tap in self._taps:
            tap.heard(event, now)
        self._perform(self._source.handle(event, now), now)

    def _perform(self, actions: Sequence[Action], now: int) -> None:
        for tap in self._taps:
            tap.said(actions, now)
        for action in actions:
            if isinstance(action, Emit):
                self._pending += action.data
            elif isinstance(action, Exit):
                self._exit = action
                self._last_words_by = self._elapsed() + _GRACE_US
            else:
                self._tell(action)
