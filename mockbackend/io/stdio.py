"""Standard input and output as a transport, whatever they are."""

from __future__ import annotations

import select
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockbackend.io.transport import Transport


def open_transport(stdin_fd: int = 0, stdout_fd: int = 1) -> Transport:
    """Return the transport for these descriptors: with poll where that works, else with threads."""
    if sys.platform == "win32":
        import msvcrt
        import os

        # Text mode would turn each newline into two bytes.
        for fd in (stdin_fd, stdout_fd):
            msvcrt.setmode(fd, os.O_BINARY)
    elif _can_poll(stdin_fd, stdout_fd):
        from mockbackend.io.poll import PollTransport

        return PollTransport(stdin_fd, stdout_fd)
    from mockbackend.io.threads import ThreadTransport

    return ThreadTransport(stdin_fd, stdout_fd)


def _can_poll(*fds: int) -> bool:
    """Whether poll knows both: on macOS it does not know devices such as /dev/null."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    for fd in fds:
        poll.register(fd, 0)
    bad = [fd for fd, event in poll.poll(0) if event & select.POLLNVAL]
    # A descriptor that is closed is bad everywhere, and poll is right to say so.
    return not any(_is_open(fd) for fd in bad)


def _is_open(fd: int) -> bool:
    import os

    try:
        os.fstat(fd)
    except OSError:
        return False
    return True
