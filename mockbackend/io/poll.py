"""The transport for POSIX: `poll` on both descriptors, no threads.

A descriptor that poll calls writable takes `PIPE_BUF` bytes without blocking, even though it is a blocking one;
so that is how much is written at a time. A pipe whose reader is gone shows as an error at any moment, also when
nothing is to be written: that is how a frontend's end is noticed in a long silence.
"""

from __future__ import annotations

import os
import select

from mockbackend.io.transport import Ready

_IN = select.POLLIN | select.POLLHUP | select.POLLERR | select.POLLNVAL
_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL
_CHUNK = 65_536

_FINE_US = 2_000
"""poll counts whole milliseconds: the last two of a wait are select's, which counts microseconds."""

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
        self._fine = max(stdin_fd, stdout_fd, self._bell) < _SELECTABLE

    def wait(self, timeout_us: int | None, *, writing: bool, reading: bool = True) -> Ready:
        """Wait; see `Transport`."""
        if self._broken:
            return Ready(broken=True)
        poll = (self._polls.get((reading, writing)) or self._prepare(reading, writing)).poll
        if timeout_us is None:
            return self._ready(poll(), reading=reading)
        if not self._fine:
            return self._ready(poll(-(-timeout_us // 1000)), reading=reading)
        whole_ms = max(0, timeout_us - _FINE_US) // 1000
        events = poll(whole_ms)
        if not events and timeout_us:
            # The milliseconds that poll has waited are exact enough: it never returns early.
            self._rest(timeout_us - whole_ms * 1000, writing=writing, reading=reading)
            events = poll(0)
        return self._ready(events, reading=reading)

    def read(self) -> bytes:
        """Read; see `Transport`. An input that is not there, or no longer, has ended."""
        while True:
            try:
                return os.read(self._in, _CHUNK)
            except BlockingIOError:
                continue  # Whoever spawned us made it non-blocking, and somebody else took what was there.
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

    def interrupt(self) -> None:
        """Interrupt; see `Transport`."""
        try:
            os.write(self._cord, b"!")
        except BlockingIOError:
            return  # It has been rung often enough.

    def close(self) -> None:
        """Close the bell."""
        os.close(self._bell)
        os.close(self._cord)

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

    def _rest(self, left_us: int, *, writing: bool, reading: bool) -> None:
        """Wait for the fine part of a time."""
        readers = [self._in, self._bell] if reading else [self._bell]
        try:
            select.select(readers, [self._out] if writing else [], [], left_us / 1e6)
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
