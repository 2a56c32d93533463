"""A frontend in virtual time: the transport of a driver that never really waits.

Its clock jumps to whatever happens next. When nothing can ever happen any more, that is a deadlock, and an
exception instead of a test that hangs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockbackend.io.transport import Ready

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class DeadlockError(AssertionError):
    """Everybody waits for somebody else, and no timer is set."""


class VirtualFrontend:
    """Sends chunks at their times, and takes what it is sent.

    Attributes:
        now: The time in microseconds.
        received: What it was sent, as (time, bytes) per write.
    """

    def __init__(
        self,
        inputs: Iterable[tuple[int, bytes]],
        *,
        closes_at: int | None = None,
        gone_at: int | None = None,
        interrupted_at: int | None = None,
        stalls: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Send *inputs*, (time, bytes), in their order; then close, be gone or interrupt at the given times.

        During *stalls*, pairs of times, the frontend does not read.
        """
        self.now = 0
        self.received: list[tuple[int, bytes]] = []
        self._inputs = list(inputs)
        if closes_at is not None:
            self._inputs.append((closes_at, b""))
        self._gone_at = gone_at
        self._interrupted_at = interrupted_at
        self._stalls = stalls

    @property
    def output(self) -> bytes:
        """All that it was sent."""
        return b"".join(data for _, data in self.received)

    def clock(self) -> int:
        """Return the time."""
        return self.now

    def wait(self, timeout_us: int | None, *, writing: bool, reading: bool = True) -> Ready:
        """Jump to what happens next; see `Transport`."""
        limit = None if timeout_us is None else self.now + timeout_us
        while True:
            ready = Ready(
                reading and bool(self._inputs) and self._inputs[0][0] <= self.now,
                writing and not self._stalled(),
                self._gone_at is not None and self._gone_at <= self.now,
                self._interrupted_at is not None and self._interrupted_at <= self.now,
            )
            if any(ready) or self.now == limit:
                return ready
            self.now = self._next(limit)

    def read(self) -> bytes:
        """Read the next chunk; see `Transport`."""
        return self._inputs.pop(0)[1]

    def write(self, data: memoryview) -> int:
        """Take all of it, unless it stalls; see `Transport`."""
        if self._stalled():
            return 0
        self.received.append((self.now, bytes(data)))
        return len(data)

    def hear_signals(self) -> None:
        """Hear none: there are none in virtual time."""

    def interrupt(self) -> None:
        """Interrupt; see `Transport`."""
        self._interrupted_at = self.now

    def close(self) -> None:
        """Do nothing; see `Transport`."""

    def _stalled(self) -> bool:
        return any(begin <= self.now < end for begin, end in self._stalls)

    def _next(self, limit: int | None) -> int:
        times = [limit, self._gone_at, self._interrupted_at, *(end for _, end in self._stalls)]
        if self._inputs:
            times.append(self._inputs[0][0])
        ahead = [time for time in times if time is not None and time > self.now]
        if not ahead:
            raise DeadlockError("nothing will ever happen: no input, no timer, no end")
        return min(ahead)
