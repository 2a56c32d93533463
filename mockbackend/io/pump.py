"""Pass bytes on from one descriptor to another, as they come.

A thread for each direction, which does nothing but read, note and write, with bare system calls: that is as
little as can stand between two processes, and a side that does not read holds up its own direction alone.

What has been read is noted *before* it is written: the other side's reaction, which comes in through another
thread, cannot be noted first. Noting is an entry in a queue; nobody looks at the bytes here.
"""

from __future__ import annotations

import select
import sys
import threading
import time
from typing import TYPE_CHECKING

from mockbackend.io.descriptors import read_some, write_all

_AT_ONCE = getattr(select, "PIPE_BUF", 512)
"""Bytes that a pipe takes at once, or not at all."""

_LINGER_NS = 50_000
"""How long to stay awake after a write. Who goes to sleep at once holds up the reader that it has just woken: a line
was seen to arrive 100 µs after it was said without this, 64 µs with it, and no sooner with more."""

if TYPE_CHECKING:
    from collections.abc import Callable


class Pump:
    """Passes on what comes from *source* to *sink*, in a thread of its own.

    Attributes:
        blocked: It waits for somebody who does not read.
    """

    def __init__(
        self,
        source: int,
        sink: int,
        *,
        note: Callable[[bytes], None],
        noted: Callable[[int], None],
        source_ended: Callable[[], None],
        sink_broken: Callable[[], None],
        untold: bytes = b"",
        before: bytes = b"",
    ) -> None:
        """Tell *note* what was read, just before it is passed on, and which side ended first.

        *noted* is called with the size of what was noted, when there is time to do something about it.
        First of all write *untold*, which nobody is told of, and *before*, as if it had just been read.
        """
        self.blocked = False
        self._source = source
        self._sink = sink
        self._note = note
        self._noted = noted
        self._source_ended = source_ended
        self._sink_broken = sink_broken
        self._ahead: select.poll | None = None
        if sys.platform != "win32":
            self._ahead = select.poll()
            self._ahead.register(source, select.POLLIN)
        self._untold = untold
        self._before = before

    def start(self) -> None:
        """Begin."""
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            self._pass_on()
        except BaseException:
            self._sink_broken()  # A defect of ours: it must not look like a backend that thinks.
            raise

    def _pass_on(self) -> None:
        if self._untold and not self._write(self._untold):
            return
        data = self._before or read_some(self._source)
        while data:
            self._note(data)
            # Of a large write the reader may see the beginning long before we are done with it.
            large = len(data) > _AT_ONCE
            if large:
                self._noted(len(data))
            if not self._write(data):
                return
            if not large:
                self._noted(len(data))
            self._linger()
            data = read_some(self._source)
        self._source_ended()

    def _linger(self) -> None:
        """Stay awake for a moment, unless there is more to read."""
        if self._ahead is not None:
            until = time.monotonic_ns() + _LINGER_NS
            while not self._ahead.poll(0) and time.monotonic_ns() < until:
                pass

    def _write(self, data: bytes) -> bool:
        """Write *data*; say whether anybody was there to read it."""
        self.blocked = True
        try:
            write_all(self._sink, data)
        except OSError:
            self._sink_broken()
            return False
        self.blocked = False
        return True
