"""The transport for POSIX: `poll` on both descriptors, no threads.

A pipe, socket or file that poll calls writable takes `PIPE_BUF` bytes without blocking, even though it is a
blocking one; so that is how much is written at a time. (A terminal promises nothing of the kind.) A pipe whose
reader is gone shows as an error at any moment, also when nothing is to be written: that is how a frontend's end
is noticed in a long silence.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time

from mockbackend.io.transport import Ready

assert sys.platform != "win32"  # It has no poll.

_IN = select.POLLIN | select.POLLHUP | select.POLLERR | select.POLLNVAL
_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL
_CHUNK = 65_536

_FINE_US = 2_000
"""poll counts whole milliseconds: the last two of a wait are select's, which counts microseconds."""

_LONGEST_US = 86_400_000_000
"""A wait may end early with nothing; poll refuses to count more than 24 days."""

_SELECTABLE = 1024
"""Descriptors from here on are too high for select."""


class PollTransport:
    """Reads one descriptor and writes another, or the same socket."""

    def __init__(self, stdin_fd: int, stdout_fd: int) -> None:
        self._in = stdin_fd
        self._out = stdout_fd
        self._broken = False
        self._bell, self._cord = os.pipe()  # Ours, and only ours: these may be non-blocking.
        os.set_blocking(self._bell, False)
        os.set_blocking(self._cord, False)
        self._polls: dict[tuple[bool, bool], select.poll] = {}  # One for each pair of interests, made once.
        self._room = select.poll()
        self._room.register(stdout_fd, select.POLLOUT)
        self._hears_signals = False
        self._fine = max(stdin_fd, stdout_fd, self._bell) < _SELECTABLE

    def wait(self, timeout_us: int | None, *, writing: bool, reading: bool = True) -> Ready:
        """Wait; see `Transport`."""
        if self._broken:
            return Ready(broken=True)
        poll = (self._polls.get((reading, writing)) or self._prepare(reading, writing)).poll
        if timeout_us is None:
            return self._ready(poll(), reading=reading)
        timeout_us = min(timeout_us, _LONGEST_US)
        if not self._fine:
            return self._ready(poll(-(-timeout_us // 1000)), reading=reading)
        until_ns = time.monotonic_ns() + timeout_us * 1000
        events = poll(max(0, timeout_us - _FINE_US) // 1000)
        # The longer poll waits, the later it is: the rest counts from the clock.
        if not events and timeout_us and (left_ns := until_ns - time.monotonic_ns()) > 0:
            self._rest(left_ns / 1e9, writing=writing, reading=reading)
            events = poll(0)
        return self._ready(events, reading=reading)

    def read(self) -> bytes:
        """Read; see `Transport`. An input that is not there, or no longer, has ended."""
        while True:
            try:
                return os.read(self._in, _CHUNK)
            except BlockingIOError:
                # Whoever spawned us made it non-blocking, and somebody else took what was there.
                select.select([self._in], [], [])
            except OSError:
                return b""

    def write(self, data: memoryview) -> int:
        """Write; see `Transport`."""
        if not self._room.poll(0):
            return 0
        try:
            return os.write(self._out, data[: select.PIPE_BUF])
        except BlockingIOError:
            return 0  # As above.
        except OSError:
            self._broken = True
            return len(data)

    def hear_signals(self) -> None:
        """Hear signals; see `Transport`."""
        self._hears_signals = True
        signal.set_wakeup_fd(self._cord, warn_on_full_buffer=False)

    def interrupt(self) -> None:
        """Interrupt; see `Transport`."""
        try:
            os.write(self._cord, b"!")
        except OSError:
            return  # It has been rung often enough, or it is closed.

    def close(self) -> None:
        """Close the bell."""
        if self._hears_signals:
            signal.set_wakeup_fd(-1)
        cord, self._cord = self._cord, -1  # A signal that comes late must not write to what gets this number next.
        os.close(self._bell)
        os.close(cord)

    def _prepare(self, reading: bool, writing: bool) -> select.poll:  # noqa: FBT001  # a key of the table
        """Make the poll for these interests. Errors of the output are always of interest."""
        poll = select.poll()
        wanted = {self._bell: select.POLLIN, self._out: select.POLLOUT if writing else 0}
        if reading:  # Otherwise not even its errors matter: an input that has ended is always ready.
            wanted[self._in] = wanted.get(self._in, 0) | select.POLLIN
        for fd, events in wanted.items():
            poll.register(fd, events)
        self._polls[reading, writing] = poll
        return poll

    def _rest(self, left_s: float, *, writing: bool, reading: bool) -> None:
        """Wait for the fine part of a time."""
        readers = [self._in, self._bell] if reading else [self._bell]
        try:
            select.select(readers, [self._out] if writing else [], [], left_s)
        except OSError:
            return  # A descriptor is gone; poll will say which.

    def _ready(self, events: list[tuple[int, int]], *, reading: bool) -> Ready:
        readable = writable = broken = interrupted = False
        for fd, event in events:
            if fd == self._in and reading and event & _IN:
                readable = True
            if fd == self._out:
                writable = bool(event & select.POLLOUT)
                # A socket that was half closed, or a terminal that hung up, has ended as an input, and can be
                # heard as such; only what is no input as well is gone.
                broken = bool(event & (select.POLLERR | select.POLLNVAL)) or (
                    bool(event & _GONE) and not (readable and self._in == self._out)
                )
            if fd == self._bell:
                os.read(self._bell, _CHUNK)
                interrupted = True
        return Ready(readable, writable and not broken, broken, interrupted)


def can_poll(*fds: int) -> bool:
    """Whether poll knows all of these: on macOS it does not know devices such as /dev/null."""
    poll = select.poll()
    for fd in fds:
        poll.register(fd, 0)
    bad = [fd for fd, event in poll.poll(0) if event & select.POLLNVAL]
    # A descriptor that is closed is bad everywhere, and poll is right to say so.
    return not any(_is_open(fd) for fd in bad)


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True
