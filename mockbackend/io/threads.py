"""The transport with threads: for Windows, and for descriptors that poll does not take.

A daemon thread with a bare `os.read` works on whatever stdin is; one with a bare `os.write` lets a blocked
stdout block nothing else. Both hand over through one condition. That the frontend is gone shows only when
something is written: no call of this kind tells earlier.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque

from mockbackend.io.transport import Ready

_CHUNK = 65_536
_UNREAD = 1 << 20
"""Bytes that the reader takes ahead of the driver."""

_LONGEST_S = 0.25 if sys.platform == "win32" else 86_400.0
"""A wait may end early with nothing. On Windows it has to, because no Ctrl-C ends a wait for a lock there."""


class ThreadTransport:
    """Reads one descriptor and writes another, each in a thread of its own."""

    def __init__(self, stdin_fd: int, stdout_fd: int) -> None:
        self._in = stdin_fd
        self._out = stdout_fd
        self._change = threading.Condition(threading.Lock())
        self._inbox: deque[bytes] = deque()
        self._unread = 0
        self._outgoing = b""
        self._broken = False
        self._interrupted = threading.Event()
        for loop in (self._read_loop, self._write_loop):
            threading.Thread(target=loop, name=loop.__name__, daemon=True).start()

    def wait(self, timeout_us: int | None, *, writing: bool, reading: bool = True) -> Ready:
        """Wait; see `Transport`."""
        timeout_s = _LONGEST_S if timeout_us is None else min(timeout_us / 1e6, _LONGEST_S)
        with self._change:
            self._change.wait_for(lambda: any(self._state(writing=writing, reading=reading)), timeout_s)
            ready = self._state(writing=writing, reading=reading)
        if ready.interrupted:
            self._interrupted.clear()
        return ready

    def read(self) -> bytes:
        """Read; see `Transport`."""
        with self._change:
            data = self._inbox.popleft()
            self._unread -= len(data)
            self._change.notify_all()
        return data

    def write(self, data: memoryview) -> int:
        """Hand over to the writing thread; see `Transport`."""
        with self._change:
            if self._broken:
                return len(data)
            if self._outgoing:
                return 0
            self._outgoing = bytes(data[:_CHUNK])
            self._change.notify_all()
            return len(self._outgoing)

    def interrupt(self) -> None:
        """Interrupt; see `Transport`. The lock may be held by the very code that the signal interrupted."""
        self._interrupted.set()
        threading.Thread(target=self._ring, daemon=True).start()

    def close(self) -> None:
        """Give what was handed over the time to be written; the threads are daemons."""
        with self._change:
            self._change.wait_for(lambda: not self._outgoing or self._broken, 1.0)

    def _ring(self) -> None:
        with self._change:
            self._change.notify_all()

    def _state(self, *, writing: bool, reading: bool) -> Ready:
        return Ready(
            reading and bool(self._inbox),
            writing and not self._outgoing and not self._broken,
            self._broken,
            self._interrupted.is_set(),
        )

    def _read_loop(self) -> None:
        data = b"?"
        while data:
            try:
                data = os.read(self._in, _CHUNK)
            except OSError:
                data = b""
            with self._change:
                self._inbox.append(data)
                self._unread += len(data)
                self._change.notify_all()
                self._change.wait_for(lambda: self._unread < _UNREAD)

    def _write_loop(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: bool(self._outgoing))
                data = self._outgoing
            try:
                while data:
                    data = data[os.write(self._out, data) :]
            except OSError:
                broken = True
            else:
                broken = False
            with self._change:
                self._outgoing = b""
                self._broken = broken
                self._change.notify_all()
            if broken:
                return
