"""Open the files of taps: recordings and logs.

What is slow to import, the writer of files and the redactor, comes in where it is used: a backend is started
before that, and starts meanwhile.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from mockbackend import __version__
from mockbackend.engine.steps import Note
from mockbackend.errors import UnusableFileError, UsageError
from mockbackend.io.files import FileSource, create
from mockbackend.recording.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mockbackend.io.background import Background
    from mockbackend.io.files import NewFile
    from mockbackend.io.talk import Talk
    from mockbackend.io.taps import LogTap, RecordTap
    from mockbackend.recording.recorder import Recorder
    from mockbackend.redaction.redactor import Redactor

PATIENCE_S = 5.0
"""How long a session that has ended waits for the disk."""


class Tape(NamedTuple):
    """A recording that is being made."""

    recorder: Recorder
    redactor: Redactor | None
    file: Background
    path: str

    def close(self, talk: Talk) -> None:
        """Write what is left, and tell what was taken out and what is missing."""
        self.file.close(PATIENCE_S)
        counts = self.redactor.counts if self.redactor is not None else {}
        if counts:
            taken = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
            talk(Note(f"{self.path}: redacted {taken}"))
        if self.file.missing:
            talk(Note(f"{self.path}: {self.file.missing} event(s) are missing from this file", "warn"))


def redactor_for(given: Mapping[str, Any], *, learned: Redactor | None = None, **more: Any) -> Redactor | None:
    """Return what takes secrets out as the options say; None for --no-redact.

    It knows what another one has *learned*; for *more*, see `Redactor`.

    Raises:
        UsageError: The options contradict each other.
    """
    if not given["redact"]:
        if given["rule"] or given["redact_paths"]:
            raise UsageError("--no-redact keeps everything: --rule and --redact-paths have no place beside it")
        return None
    from mockbackend.redaction.redactor import Redactor
    from mockbackend.redaction.rules import RULES, custom, path_rules, secret_variables

    rules = [*RULES, *(custom(*rule) for rule in given["rule"])]
    if given["redact_paths"]:
        home = os.path.expanduser("~")
        places = [("home", home), ("home", os.path.realpath(home))]
        places += [("project", os.getcwd()), ("project", os.path.realpath(os.getcwd()))]
        rules += path_rules(places)
    literals = secret_variables(os.environ)
    if learned is not None:
        rules += learned.learned
        literals = {**learned.literals}
    return Redactor(rules, literals, paths=given["redact_paths"], **more)


def redacted_sorts(given: Mapping[str, Any]) -> list[str]:
    """Return what the options take out, as the header says it."""
    return ["secrets"] * bool(given["redact"]) + ["paths"] * bool(given["redact_paths"])


def reserve(given: Mapping[str, Any], path: str) -> NewFile:
    """Open the file *path* for a recording, without changing anything yet.

    Raises:
        UnusableFileError: It exists and may not be touched, cannot be written, or is no recording to append to.
    """
    if given["append"] and os.path.exists(path) and os.path.getsize(path) and Reader(FileSource(path)).header.bare:
        raise UnusableFileError(path, "has no header: what has times cannot be added to a file without times")
    return create(path, force=given["force"], append=given["append"])


def begin(new: NewFile, given: Mapping[str, Any], backend: Mapping[str, Any], talk: Talk, pid: int | None) -> Tape:
    """Write the beginning of a recording of *backend* into a file that was reserved; no *pid*: the run goes on."""
    from mockbackend.io.background import Background
    from mockbackend.recording.recorder import Recorder, header_fields

    redactor = redactor_for(given)
    offset, line = 0, b""
    if given["append"] and new.existed and os.path.getsize(new.path):
        offset, line, fields = _resume(new, talk)
    else:
        new.begin()
        if redactor is not None and "command" in backend:
            backend = {**backend, "command": _redacted_words(redactor, backend["command"])}
        fields = header_fields(datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), backend)
        if sorts := redacted_sorts(given):
            fields["redacted"] = sorts
    recorder = Recorder(fields, offset=offset, redactor=redactor, line=line)
    file = Background(new.file, new.path, talk, header=recorder.header)
    if not line:
        file.put(recorder.header)
    if pid is not None:
        file.put(recorder.started, pid)
    return Tape(recorder, redactor, file, new.path)


def record_tap(path: str, given: Mapping[str, Any], talk: Talk) -> tuple[RecordTap, Tape]:
    """Open the recording *path* of what mockbackend itself says.

    Raises:
        UnusableFileError: It exists and may not be touched, or cannot be written.
    """
    from mockbackend.io.taps import RecordTap

    backend = {"command": ["mockbackend", *sys.argv[1:]], "name": "mockbackend", "version": __version__}
    tape = begin(reserve(given, path), given, backend, talk, os.getpid())
    return RecordTap(tape.recorder, tape.file), tape


def log_tap(path: str, talk: Talk) -> tuple[LogTap, Background]:
    """Open the log *path* for appending.

    Raises:
        UnusableFileError: It cannot be written, or is a recording.
    """
    from mockbackend.io.background import Background
    from mockbackend.io.taps import LogTap

    new = create(path, append=True)
    new.file.seek(0)
    if new.file.read(14).startswith(b'{"mockbackend"'):
        raise UnusableFileError(path, "is a recording; a log is text for people and would spoil it")
    file = Background(new.file, path, talk)
    return LogTap(file), file


def _resume(new: NewFile, talk: Talk) -> tuple[int, bytes, dict[str, Any]]:
    """Prepare a recording for one more run; return where its time ends, its first line, and what that says."""
    reader = Reader(FileSource(new.path), skip_bad_lines=True)
    last = max((event.at or 0 for event in reader.events()), default=0)
    size = os.fstat(new.file.fileno()).st_size
    new.file.seek(size - 1)
    if new.file.read(1) != b"\n":
        cut_off = [why for position, why in reader.skipped.items() if position[0] == size]
        if cut_off:
            talk(Note(f"{cut_off[0]}; it is taken away", "warn"))
            new.file.truncate(_last_newline(new.file, size) + 1)
        else:  # It is whole but for its newline.
            new.file.write(b"\n")
    new.file.seek(0)
    return last, new.file.read(reader.start[0]), dict(reader.header.fields)


def _last_newline(file: BinaryIO, size: int) -> int:
    """Return the offset of the last newline."""
    while size:
        begin = max(0, size - 65_536)
        file.seek(begin)
        if (place := file.read(size - begin).rfind(b"\n")) >= 0:
            return begin + place
        size = begin
    return -1


def _redacted_words(redactor: Redactor, words: Sequence[str]) -> list[str]:
    """Return a command line without its secrets: also those that an option names."""
    names = ["", *(word.lstrip("-") if word.startswith("-") else "" for word in words)]
    return [redactor.member(name, word) for name, word in zip(names, words, strict=False)]
