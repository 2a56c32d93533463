"""Wait for whatever comes first: what other threads and signal handlers put, or a reader that is gone.

Whoever waits must be the one who closes descriptors: a poll holds on to what it waits for, so that a descriptor
that another thread closed meanwhile would stay open for the other side.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")

_CAN_POLL = sys.platform != "win32"


class Mailbox(Generic[T]):
    """Things that happened, in the order in which they came. One thread takes them out."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[T] = SimpleQueue()
        self._watched: dict[int, T] = {}
        if _CAN_POLL:
            self._bell, self._cord = os.pipe()
            os.set_blocking(self._bell, False)
            os.set_blocking(self._cord, False)
            self._poll = select.poll()
            self._poll.register(self._bell, select.POLLIN)

    def put(self, what: T) -> None:
        """Put something in; may be called from a signal handler."""
        self._queue.put(what)
        if _CAN_POLL:
            with contextlib.suppress(BlockingIOError):  # It rings already.
                os.write(self._cord, b"!")

    def hear_signals(self) -> None:
        """Let a signal end a wait whichever thread it arrives in: only then its handler is run. For the main thread."""
        if _CAN_POLL:
            signal.set_wakeup_fd(self._cord, warn_on_full_buffer=False)

    def watch(self, fd: int, broken: T) -> None:
        """Let *broken* come as soon as nobody reads *fd* any more (POSIX only; elsewhere the next write tells)."""
        if _CAN_POLL:
            self._watched[fd] = broken
            self._poll.register(fd, 0)  # That it is broken is told unasked.

    def forget(self, fd: int) -> None:
        """Do not watch *fd* any longer: it is about to be closed."""
        if self._watched.pop(fd, None) is not None:
            self._poll.unregister(fd)

    def take(self, timeout_us: int | None) -> T | None:
        """Return what came first, waiting at most *timeout_us* for it (None: as long as it takes).

        It returns None when time is up, and may do so early.
        """
        if not _CAN_POLL:
            with contextlib.suppress(Empty):
                return self._queue.get(timeout=None if timeout_us is None else max(0, timeout_us) / 1e6)
            return None
        with contextlib.suppress(Empty):
            return self._queue.get_nowait()
        ready = self._poll.poll(None if timeout_us is None else max(0, -(-timeout_us // 1000)))
        for fd, _ in ready:
            if fd == self._bell:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._bell, 4096)
            elif (broken := self._watched.get(fd)) is not None:
                self.forget(fd)
                self._queue.put(broken)
        with contextlib.suppress(Empty):
            return self._queue.get_nowait()
        return None
