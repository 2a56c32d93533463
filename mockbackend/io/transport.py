"""The seam between a driver and the two descriptors of its frontend.

The driver owns the loop and the only thread that decides anything::

    sent = transport.write(pending)                        # what fits; never blocks
    ready = transport.wait(timeout_us, writing=bool(pending))
    if ready.readable: data = transport.read()             # b"" is the end of input

Neither descriptor is ever made non-blocking: the file description behind it is shared with the frontend.
`tests/io/test_transports.py` holds every implementation to the same behaviour.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Ready(NamedTuple):
    """What a `wait` found: input, room for output, a frontend that is gone, a wish to end; or none: time is up."""

    readable: bool = False
    writable: bool = False
    broken: bool = False
    interrupted: bool = False


class Transport(Protocol):
    """Bytes from and to the frontend."""

    def wait(self, timeout_us: int | None, *, writing: bool, reading: bool = True) -> Ready:
        """Wait for something to happen, at most *timeout_us* microseconds (None: as long as it takes).

        It may return early with nothing.

        Room for output counts only with *writing*, input only with *reading*; a broken output always does.
        """
        ...

    def read(self) -> bytes:
        """Return what input there is, some 64 KiB at most; only after `Ready.readable`. b"" is the end."""
        ...

    def write(self, data: memoryview) -> int:
        """Send what fits of the beginning of *data* and return its length; 0 when there is no room. Never blocks.

        When the frontend is gone, all of *data* counts as sent, and the next `wait` says `broken`.
        """
        ...

    def hear_signals(self) -> None:
        """Let a signal end a `wait` whichever thread it arrives in: then its handler is run. For the main thread."""

    def interrupt(self) -> None:
        """Make `wait` return with `interrupted`, now or the next time. For signal handlers and other threads."""

    def close(self) -> None:
        """Give up what is ours; the two descriptors stay open."""
