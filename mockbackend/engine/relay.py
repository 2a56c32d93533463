"""Decide what a relay does when one end of it closes: the pure part of standing between two processes.

Bytes are not its business; they are passed on elsewhere, at once. It is told what ended, and when, and says what
to close, whom to signal, and when to wake it. Its rule is that each side sees what it would see without us:

- an end that one side closes is closed on the other side, and no more: answers in flight still arrive;
- a signal for us is meant for the backend. What a terminal sends goes to all of its processes, as a terminal would
  do it;
- we end as the backend ended, once it has been heard out;
- nobody is left behind. A backend that was asked to end, or whose frontend is gone (input ended *and* output
  broken), has a time of grace; then all of its processes are killed.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_QUIET_US = 250_000
"""Once the backend has ended, its children may still hold its output; so long nobody has to say anything more."""


class End(Enum):
    """One end of one stream that was closed, or is broken."""

    INPUT = "the frontend closed our stdin"
    OUTPUT = "the frontend closed our stdout"
    STDERR = "the frontend closed our stderr"
    BACKEND_INPUT = "the backend closed its stdin"
    BACKEND_OUTPUT = "the backend closed its stdout"
    BACKEND_STDERR = "the backend closed its stderr"


class Ended(NamedTuple):
    """The backend ended: with a code, or by a signal."""

    code: int
    signal: int | None = None


class Signalled(NamedTuple):
    """Somebody sent us a signal; *to_all*: a terminal, to all processes; *ends*: who gets it is meant to end."""

    number: int
    to_all: bool
    ends: bool = True


class Passed(NamedTuple):
    """The backend said something."""


class Woken(NamedTuple):
    """The deadline has come. *blocked*: what the backend said waits for a frontend that does not read."""

    blocked: bool = False


Event = End | Ended | Signalled | Passed | Woken


class Close(NamedTuple):
    """Close this end, so that the other side sees it, too."""

    end: End


class Signal(NamedTuple):
    """Send the backend a signal; *to_all*: and each process that it started."""

    number: int
    to_all: bool


class KillAll(NamedTuple):
    """End all that is left of the backend, whether it wants or not."""


class Finish(NamedTuple):
    """End as the backend ended."""

    code: int
    signal: int | None


Action = Close | Signal | KillAll | Finish

_OTHER_SIDE = {
    End.INPUT: End.BACKEND_INPUT,
    End.OUTPUT: End.BACKEND_OUTPUT,
    End.STDERR: End.BACKEND_STDERR,
    End.BACKEND_INPUT: End.INPUT,
    End.BACKEND_OUTPUT: End.OUTPUT,
    # Not the other way round for stderr: we have things to say there ourselves.
}


class Relay:
    """Watches over one backend."""

    def __init__(self, grace_us: int) -> None:
        """Give a backend *grace_us* microseconds to end by itself."""
        self._grace = grace_us
        self._over: set[End] = set()
        self._ended: Ended | None = None
        self._kill_at: int | None = None
        self._quiet_at: int | None = None  # When the backend, having ended, will have been heard out.
        self._finished = False

    @property
    def deadline(self) -> int | None:
        """When to deliver the next `Woken`, in microseconds; None: never."""
        return min((at for at in (self._kill_at, self._quiet_at) if at is not None), default=None)

    def handle(self, event: Event, now: int) -> list[Action]:
        """Apply *event*, which happened at *now*, and return what to do."""
        return [] if self._finished else list(self._handle(event, now))

    def _handle(self, event: Event, now: int) -> Iterator[Action]:
        match event:
            case End():
                yield from self._end(event, now)
            case Signalled(number, to_all, ends):
                if self._ended is None:
                    yield Signal(number, to_all)
                    if ends:
                        self._give_grace(now)
                elif ends:  # It has been waited for a frontend that does not read.
                    yield from self._finish(self._ended)
                    return
            case Ended():
                self._ended = event
                self._kill_at = now + self._grace
                self._quiet_at = now + _QUIET_US
            case Passed():
                self._quiet_at = None if self._ended is None else now + _QUIET_US
            case _:
                yield from self._wake(now, blocked=event.blocked)
        if self._ended is not None and self._heard_out() and not self._finished:
            yield from self._finish(self._ended)

    def _end(self, end: End, now: int) -> Iterator[Action]:
        if end in self._over:
            return
        self._over.add(end)
        other = _OTHER_SIDE.get(end)
        if other is not None and other not in self._over:
            yield Close(other)
        if {End.INPUT, End.OUTPUT} <= self._over and self._ended is None:
            self._give_grace(now)

    def _give_grace(self, now: int) -> None:
        if self._kill_at is None:
            self._kill_at = now + self._grace

    def _wake(self, now: int, *, blocked: bool) -> Iterator[Action]:
        if self._kill_at is not None and now >= self._kill_at:
            self._kill_at = None
            yield KillAll()
        if self._ended is not None and self._quiet_at is not None and now >= self._quiet_at:
            if blocked:
                self._quiet_at = now + _QUIET_US
            else:
                yield from self._finish(self._ended)

    def _heard_out(self) -> bool:
        """Whether nobody can say anything more in its name, or nobody listens."""
        return bool({End.BACKEND_OUTPUT, End.OUTPUT} & self._over and {End.BACKEND_STDERR, End.STDERR} & self._over)

    def _finish(self, ended: Ended) -> Iterator[Action]:
        self._finished = True
        yield Finish(ended.code, ended.signal)
