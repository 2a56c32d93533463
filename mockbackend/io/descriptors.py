"""Read and write descriptors that somebody else may have made non-blocking."""

from __future__ import annotations

import os
import select

CHUNK = 65_536
"""What a pipe usually holds."""


def read_some(fd: int) -> bytes:
    """Return what there is to read, waiting for it; an input that is not there, or no longer, has ended."""
    try:
        while True:
            try:
                return os.read(fd, CHUNK)
            except BlockingIOError:  # Whoever spawned us made it non-blocking.
                select.select([fd], [], [])
    except OSError:
        return b""


def write_all(fd: int, data: bytes) -> None:
    """Write all of *data*, however long that takes.

    Raises:
        OSError: Nobody reads it any more.
    """
    while data:
        try:
            data = data[os.write(fd, data) :]
        except BlockingIOError:  # As above.
            select.select([], [fd], [])
