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
    from mockbackend.io.transport import Ready, Transport

HIGH_WATER = 65_536
"""Bytes in hand from which on nothing more is taken from the session (the usual capacity of a pipe)."""

_FLOOD = 4 << 20
"""Bytes in hand from which on input is not heard either: somebody pings, and never reads the pongs."""


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


class Tap(Protocol):
    """Observes all that is heard and said: a recorder, a log."""

    def heard(self, event: Event, now: int) -> None:
        """Take note of an event, before it is handled."""

    def said(self, actions: Sequence[Action], now: int) -> None:
        """Take note of what is done about it."""

    def flush(self) -> None:
        """Bring what was noted to safety; called whenever the driver is about to wait."""


class Ending(NamedTuple):
    """How a session ended: the code or signal to exit with, and why."""

    code: int = 0
    signal: int | None = None
    why: str = "exit"


class Driver:
    """Runs one session over one transport."""

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
        self._lines = LineBuffer()
        self._pending = bytearray()
        self._now = 0
        self._listening = True
        self._exit: Exit | None = None

    def run(self) -> Ending:
        """Run until the session exits, the frontend is gone, or somebody interrupts; return how it ended."""
        self._handle(WOKEN, 0)
        while True:
            self._wake()
            if self._exit is not None and not self._pending:
                self._flush()
                return Ending(self._exit.code, self._exit.signal)
            ready = self._wait()
            if ready.broken:
                self._flush()
                return Ending(why="the frontend closed our stdout")
            if ready.interrupted:
                self._flush()
                return Ending(why="interrupted")
            if ready.writable:
                self._write()
            if ready.readable:
                self._read()

    def _elapsed(self) -> int:
        return self._clock() - self._start

    def _wake(self) -> None:
        """Let the session say what is due, as long as there is room for it."""
        source = self._source
        while len(self._pending) < HIGH_WATER and not source.finished:
            due = source.deadline
            if due is None or due > self._elapsed():
                return
            self._handle(WOKEN, max(due, self._now))

    def _wait(self) -> Ready:
        deadline = self._source.deadline
        timeout = None
        if deadline is not None and len(self._pending) < HIGH_WATER:
            timeout = max(0, deadline - self._elapsed())
        if timeout != 0:
            self._flush()
        reading = self._listening and self._exit is None and len(self._pending) < _FLOOD
        return self._transport.wait(timeout, writing=bool(self._pending), reading=reading)

    def _write(self) -> None:
        with memoryview(self._pending) as view:
            sent = self._transport.write(view)
        del self._pending[:sent]

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
        if not source.finished:
            self._handle(event, max(now, self._now))

    def _handle(self, event: Event, now: int) -> None:
        self._now = now
        for tap in self._taps:
            tap.heard(event, now)
        actions = self._source.handle(event, now)
        for tap in self._taps:
            tap.said(actions, now)
        for action in actions:
            if action.__class__ is Emit:
                self._pending += action.data  # type: ignore[union-attr]
            elif action.__class__ is Exit:
                self._exit = action  # type: ignore[assignment]
            else:
                self._tell(action)  # type: ignore[arg-type]

    def _flush(self) -> None:
        for tap in self._taps:
            tap.flush()
