"""Standard input and output as a transport, whatever they are."""

from __future__ import annotations

import os
import select
import sys
from typing import TYPE_CHECKING

from mockbackend.errors import UsageError

if TYPE_CHECKING:
    from mockbackend.io.transport import Transport


def open_transport(stdin_fd: int = 0, stdout_fd: int = 1, *, passing: bool = False) -> Transport:
    """Return the transport for these descriptors: with poll where that works, else with threads.

    A write to a terminal can block for good in spite of poll, when whoever shows it has stopped reading. One that
    is only *passing*, because somebody else will read the same stdin, must have no thread that holds on to it.

    Raises:
        UsageError: There is no such transport for these descriptors.
    """
    if sys.platform == "win32":
        import msvcrt

        # Text mode would turn each newline into two bytes.
        for fd in (stdin_fd, stdout_fd):
            msvcrt.setmode(fd, os.O_BINARY)
    elif hasattr(select, "poll") and (passing or not os.isatty(stdout_fd)):
        from mockbackend.io.poll import PollTransport, can_poll

        if can_poll(stdin_fd, stdout_fd):
            return PollTransport(stdin_fd, stdout_fd)
    if passing:
        raise UsageError("--mode new-episodes: not on this system, or not with this kind of stdin and stdout")
    from mockbackend.io.threads import ThreadTransport

    return ThreadTransport(stdin_fd, stdout_fd)
