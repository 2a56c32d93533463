"""Every exception that mockbackend raises on purpose.

::

    MockBackendError                 the CLI prints its text without a traceback
    ├── MalformedLineError           a line that is no message of the protocol        (answered, never fatal)
    ├── UnusableFileError            a file that cannot be used                       (exit code 3)
    │   └── BrokenLineError          one line of it that cannot be read, with its number
    ├── UsageError                   options that contradict each other               (exit code 2)
    ├── BackendError                 a real backend that cannot be started            (exit code 5)
    └── ScriptError                  a script that is broken: its exchange ends       (answered, never fatal)

Built-in exceptions are left for our own mistakes.
"""

from __future__ import annotations


class MockBackendError(Exception):
    """Base of them all; `exit_code` is what the process ends with when nobody handles it."""

    exit_code = 1


class MalformedLineError(MockBackendError):
    """A line that is no message of the protocol.

    Attributes:
        reason: What was expected and what came, without the line itself.
        kind: The line's `type` when it is a JSON object with a string there, else None.
    """

    def __init__(self, reason: str, kind: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = kind


class UnusableFileError(MockBackendError):
    """A file that cannot be used at all: *file* as the user named it, and why."""

    exit_code = 3

    def __init__(self, file: str, why: str) -> None:
        super().__init__(f"{file}: {why}")
        self.file = file
        self.why = why


class BrokenLineError(UnusableFileError):
    """Line number *line* (from 1) of *file* cannot be read."""

    def __init__(self, file: str, line: int, why: str) -> None:
        super().__init__(f"{file}:{line}", why)
        self.line = line


class UsageError(MockBackendError):
    """Options that contradict each other."""

    exit_code = 2


class BackendError(MockBackendError):
    """A real backend that cannot be started."""

    exit_code = 5


class ScriptError(MockBackendError):
    """A script raised an exception, yielded what is no step, or never let time pass.

    Attributes:
        trace: The traceback, for stderr; empty when there is none.
    """

    def __init__(self, text: str, trace: bytes = b"") -> None:
        super().__init__(text)
        self.trace = trace
