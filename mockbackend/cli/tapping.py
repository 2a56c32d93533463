"""Open the files of taps."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mockbackend import __version__
from mockbackend.errors import UnusableFileError
from mockbackend.io.files import FileSource, create
from mockbackend.io.taps import LogTap, RecordTap
from mockbackend.recording.reader import Reader
from mockbackend.recording.recorder import Recorder, header

if TYPE_CHECKING:
    from mockbackend.io.talk import Talk


def record_tap(path: str, *, force: bool, append: bool, talk: Talk) -> RecordTap:
    """Open the recording *path* and write its beginning.

    Raises:
        UnusableFileError: It exists and may not be touched, or cannot be written.
    """
    offset, more = (_end_of(path), True) if append and os.path.exists(path) else (0, False)
    file = create(path, force=force, append=append)
    recorder = Recorder(offset)
    tap = RecordTap(recorder, file, path, talk)
    if not more:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        command = ["mockbackend", *sys.argv[1:]]
        tap.write(header(now, {"command": command, "name": "mockbackend", "version": __version__}))
    tap.write(recorder.started(os.getpid()))
    tap.flush()
    return tap


def _end_of(path: str) -> int:
    """Return the time of the last event of a recording, in microseconds."""
    last = 0
    for event in Reader(FileSource(path), skip_bad_lines=True).events():
        last = max(last, event.at or 0)
    return last


def log_tap(path: str, talk: Talk) -> LogTap:
    """Open the log *path* for appending.

    Raises:
        UnusableFileError: It cannot be written.
    """
    try:
        file = open(path, "ab", buffering=0)  # noqa: SIM115  # lives as long as the session
    except OSError as problem:
        raise UnusableFileError(path, f"cannot be written: {problem.strerror}") from None
    return LogTap(file, path, talk)
