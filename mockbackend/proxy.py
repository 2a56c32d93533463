"""Stand between a frontend and a real backend, and let nobody notice. Beside the driver, what waits.

Three pumps pass on what is said; each has a thread to itself, so no byte waits for anything but its reader. What
ends, and what signals come, goes through one queue to the main thread, where a pure `Relay` decides what to do
about it. A recorder is told everything, and never waited for::

    frontend ── pump ── backend        what passed ── recorder (a thread) ── file
             ── pump ──                what ended ── queue ── Relay ── close, signal, kill, finish
      stderr ── pump ──
"""

from __future__ import annotations

import contextlib
import os
import threading
from typing import TYPE_CHECKING, NamedTuple, Protocol

from mockbackend.engine.relay import (
    Close,
    End,
    Ended,
    Finish,
    KillAll,
    Passed,
    Relay,
    Signal,
    Signalled,
    Woken,
)
from mockbackend.io.mailbox import Mailbox
from mockbackend.io.pump import Pump
from mockbackend.recording.model import BACKEND, FRONTEND, STDERR

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockbackend.engine.relay import Action, Event
    from mockbackend.io.backend import Backend


class Listener(Protocol):
    """Is told what passes, by several threads; the order in which it is told is the order of things."""

    def noter(self, sender: str) -> Callable[[bytes], None]:
        """Return what to call with everything that *sender* says, just before it is passed on."""
        ...

    def noted(self, size: int) -> None:
        """Take the time to do something about the *size* bytes that were noted."""

    def ended(self, sender: str, now: int) -> None:
        """Take note of the end of a stream."""

    def exited(self, code: int, signal: int | None, now: int) -> None:
        """Take note of how the backend ended."""

    def marked(self, now: int) -> None:
        """Take note of a wish to find this moment again."""


class Marked(NamedTuple):
    """Somebody wants to find this moment again."""


class Proxy:
    """Connects one frontend with one backend."""

    def __init__(
        self,
        backend: Backend,
        listener: Listener,
        clock: Callable[[], int],
        *,
        grace_us: int,
        stdio: tuple[int, int, int] = (0, 1, 2),
        untold: bytes = b"",
        before: bytes = b"",
    ) -> None:
        """Pass on what comes on *stdio*; *clock* gives microseconds since the recording began.

        *before* that, the frontend has said something that was read already. The backend is told *untold* first,
        and nobody else.
        """
        self._backend = backend
        self._listener = listener
        self._clock = clock
        self._relay = Relay(grace_us)
        self._stdio = stdio
        self._happened: Mailbox[Event | Marked] = Mailbox()
        ours = backend.stdio
        self._input = self._pump(FRONTEND, stdio[0], ours.stdin, End.INPUT, End.BACKEND_INPUT, untold, before)
        self._output = self._pump(BACKEND, ours.stdout, stdio[1], End.BACKEND_OUTPUT, End.OUTPUT)
        self._errors = self._pump(STDERR, ours.stderr, stdio[2], End.BACKEND_STDERR, End.STDERR)
        self._refused = False  # The backend has closed its input, and so we have closed ours.
        self._ending = False  # The backend has ended: each word of what it left behind counts.

    def signalled(self, number: int, *, to_all: bool, ends: bool) -> None:
        """Pass a signal on; see `Signalled`. May be called from a signal handler."""
        self._happened.put(Signalled(number, to_all, ends))

    def mark(self) -> None:
        """Mark this moment; may be called from a signal handler."""
        self._happened.put(Marked())

    def run(self) -> Ended:
        """Stand between them until the backend has ended; return how it did. In the main thread: there signals come."""
        self._happened.hear_signals()
        for pump in (self._input, self._output, self._errors):
            pump.start()
        self._happened.watch(self._stdio[1], End.OUTPUT)
        self._happened.watch(self._backend.stdio.stdin, End.BACKEND_INPUT)
        ended_at = 0
        threading.Thread(target=self._backend.wait, args=(self._happened.put,), daemon=True).start()
        while True:
            event = self._next()
            now = self._clock()
            if isinstance(event, Marked):
                self._listener.marked(now)
                continue
            if isinstance(event, Ended):
                self._ending = True
                ended_at = now
            for action in self._relay.handle(event, now):
                if isinstance(action, Finish):
                    self._listener.exited(action.code, action.signal, ended_at)
                    self._backend.finish()
                    return Ended(action.code, action.signal)
                self._perform(action)

    def _next(self) -> Event | Marked:
        """Return what happens next: something, or nothing until the deadline."""
        while True:
            deadline = self._relay.deadline
            left = None if deadline is None else deadline - self._clock()
            event = self._happened.take(left)
            if event is not None:
                return event
            if left is not None and deadline is not None and self._clock() >= deadline:
                return Woken(self._output.blocked)

    def _perform(self, action: Action) -> None:
        match action:
            case Close(end):
                self._close(end)
            case Signal(number, to_all):
                self._backend.signal(number, to_all=to_all)
            case KillAll():
                self._backend.kill_all()
            case Finish():
                pass

    def _close(self, end: End) -> None:
        ours = self._backend.stdio
        match end:
            case End.BACKEND_INPUT:
                self._happened.forget(ours.stdin)
                os.close(ours.stdin)
            case End.BACKEND_OUTPUT:
                os.close(ours.stdout)
            case End.INPUT:
                self._refused = True
                _let_go(self._stdio[0])
            case End.OUTPUT:
                self._happened.forget(self._stdio[1])
                _let_go(self._stdio[1])
            case _:
                os.close(ours.stderr)

    def _pump(
        self,
        sender: str,
        source: int,
        sink: int,
        source_end: End,
        sink_end: End,
        untold: bytes = b"",
        before: bytes = b"",
    ) -> Pump:
        listener, clock = self._listener, self._clock

        def noted(size: int) -> None:
            listener.noted(size)
            if self._ending:
                self._happened.put(Passed())

        def ended() -> None:
            if sender != FRONTEND or not self._refused:  # Else it is us who closed it.
                listener.ended(sender, clock())
            self._happened.put(source_end)

        return Pump(
            source,
            sink,
            note=listener.noter(sender),
            noted=noted,
            source_ended=ended,
            sink_broken=self._tell(sink_end),
            untold=untold,
            before=before,
        )

    def _tell(self, end: End) -> Callable[[], None]:
        return lambda: self._happened.put(end)


def _let_go(fd: int) -> None:
    """Close a standard descriptor for whoever is at its other end, without leaving its number to another file."""
    null = os.open(os.devnull, os.O_RDWR)
    with contextlib.suppress(OSError):
        os.dup2(null, fd)
    os.close(null)
