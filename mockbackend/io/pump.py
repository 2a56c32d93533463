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
from typing import TYPE_CHECKING

from mockbackend.io.descriptors import read_some, write_all

if TYPE_CHECKING:
    from collections.abc import Callable

_CAN_POLL = sys.platform != "win32"


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
        source_ended: Callable[[], None],
        sink_broken: Callable[[], None],
        untold: bytes = b"",
        before: bytes = b"",
    ) -> None:
        """Tell *note* what was read, and which side ended first; then both descriptors are left alone.

        First of all write *untold*, which nobody is told of, and *before*, as if it had just been read.
        """
        self.blocked = False
        self._source = source
        self._sink = sink
        self._note = note
        self._source_ended = source_ended
        self._sink_broken = sink_broken
        self._untold = untold
        self._before = before
        self._watch: select.poll | None = None
        if _CAN_POLL:
            self._watch = select.poll()
            self._watch.register(source, select.POLLIN)
            self._watch.register(sink, 0)  # Only that it is broken is asked, which is always told.

    def start(self) -> None:
        """Begin."""
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        if self._untold and not self._write(self._untold):
            return
        data = self._before
        while True:
            if data:
                self._note(data)
                if not self._write(data):
                    return
            if self._sink_is_broken():
                self._sink_broken()
                return
            data = read_some(self._source)
            if not data:
                self._source_ended()
                return

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

    def _sink_is_broken(self) -> bool:
        """Wait until there is something to read; say whether it is in vain."""
        if self._watch is None:
            return False
        ready = dict(self._watch.poll())
        if self._source in ready:
            return False
        return bool(ready.get(self._sink, 0) & (select.POLLERR | select.POLLHUP | select.POLLNVAL))
