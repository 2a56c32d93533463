"""The transport with threads: for Windows, for terminals, and for descriptors that poll does not take.

A daemon thread with a bare `os.read` works on whatever stdin is; one with a bare `os.write` lets a blocked
stdout block nothing else. Both hand over through queues, and ring a bell that the driver waits for. That the
frontend is gone shows only when something is written: no call of this kind tells earlier.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from queue import Empty, SimpleQueue

from mockbackend.io.descriptors import CHUNK, read_some, write_all
from mockbackend.io.transport import Ready

_AHEAD = 16
"""Chunks that the reader takes ahead of the driver: 1 MiB at most."""

_LONGEST_S = 0.25 if sys.platform == "win32" else 86_400.0
"""A wait may end early with nothing. On Windows it has to, because no Ctrl-C ends a wait for a lock there."""

_GRACE_S = 1.0
"""How long `close` waits for a frontend that does not read its last words."""


class ThreadTransport:
    """Reads one descriptor and writes another, each in a thread of its own."""

    def __init__(self, stdin_fd: int, stdout_fd: int) -> None:
        self._in = stdin_fd
        self._out = stdout_fd
        self._input: SimpleQueue[bytes] = SimpleQueue()
        self._output: SimpleQueue[bytes] = SimpleQueue()
        self._ahead = threading.Semaphore(_AHEAD)
        # Whoever changes one of these rings the bell afterwards. A signal handler may do both at any moment:
        # it takes no lock, and a SimpleQueue can be put to in the middle of itself.
        self._writing = False
        self._broken = False
        self._interrupted = False
        self._bell: SimpleQueue[None] = SimpleQueue()
        self._writer = threading.Thread(target=self._write_loop, daemon=True)
        self._writer.start()
        threading.Thread(target=self._read_loop, daemon=True).start()

    def wait(self, timeout_us: int | None, *, writing: bool, reading: bool = True) -> Ready:
        """Wait; see `Transport`."""
        while not self._bell.empty():
            self._bell.get()  # What it rang for is seen next.
        ready = self._state(writing=writing, reading=reading)
        if not any(ready) and timeout_us != 0:
            with suppress(Empty):
                self._bell.get(timeout=_LONGEST_S if timeout_us is None else min(timeout_us / 1e6, _LONGEST_S))
            ready = self._state(writing=writing, reading=reading)
        if ready.interrupted:
            self._interrupted = False
        return ready

    def read(self) -> bytes:
        """Read; see `Transport`."""
        data = self._input.get()
        self._ahead.release()
        return data

    def write(self, data: memoryview) -> int:
        """Hand over to the writing thread; see `Transport`."""
        if self._broken:
            return len(data)
        if self._writing:
            return 0
        chunk = bytes(data[:CHUNK])
        self._writing = True
        self._output.put(chunk)
        return len(chunk)

    def hear_signals(self) -> None:
        """Hear signals; see `Transport`. On Windows no wait is long."""
        if sys.platform != "win32":
            ring, cord = os.pipe()
            os.set_blocking(cord, False)
            signal.set_wakeup_fd(cord, warn_on_full_buffer=False)
            threading.Thread(target=self._ring_on, args=(ring,), daemon=True).start()

    def interrupt(self) -> None:
        """Interrupt; see `Transport`."""
        self._interrupted = True
        self._bell.put(None)

    def close(self) -> None:
        """Give what was handed over the time to be written; the threads are daemons."""
        self._output.put(b"")
        self._writer.join(_GRACE_S)

    def _state(self, *, writing: bool, reading: bool) -> Ready:
        return Ready(
            reading and not self._input.empty(),
            writing and not self._writing and not self._broken,
            self._broken,
            self._interrupted,
        )

    def _ring_on(self, ring: int) -> None:
        while os.read(ring, 1):
            self._bell.put(None)

    def _read_loop(self) -> None:
        data = b"?"
        while data:
            self._ahead.acquire()
            data = read_some(self._in)
            self._input.put(data)
            self._bell.put(None)

    def _write_loop(self) -> None:
        while data := self._output.get():
            try:
                write_all(self._out, data)
            except OSError:
                self._broken = True
            self._writing = False
            self._bell.put(None)
