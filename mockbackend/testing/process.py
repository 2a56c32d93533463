"""Hold a recorded frontend's end of a conversation with a backend process.

It is the frontend of the demo and of the end-to-end tests: it sends what `testing.frontend.moves` says, when
the backend has said enough, pings now and then, and leaves no process behind.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import threading
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mockbackend.testing.frontend import Move

_GRACE_S = 5.0


class Manners(NamedTuple):
    """How a frontend behaves.

    Attributes:
        longest_gap_s: It waits no longer than this before a line, however long the recorded one did.
        ping_every_s: It pings so often; None: never.
        patience_s: It gives a backend up that says nothing for so long.
    """

    longest_gap_s: float = 0.0
    ping_every_s: float | None = 5.0
    patience_s: float = 60.0


class Outcome(NamedTuple):
    """How it ended: the process's exit code, what it said on stderr, and whether it was given up."""

    code: int
    stderr: bytes
    given_up: bool


def converse(
    command: Sequence[str],
    moves: Iterable[Move],
    *,
    heard: Callable[[bytes], None],
    said: Callable[[bytes], None] = lambda _: None,
    manners: Manners | None = None,
    env: Mapping[str, str] | None = None,
) -> Outcome:
    """Start *command*, make *moves*, and call *heard* with each line it says (pongs too) and *said* with each sent.

    After the last move the input is closed. Whatever happens, the process is gone when this returns.
    """
    process = subprocess.Popen(  # noqa: S603  # the caller's own command
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env=None if env is None else {**os.environ, **env},
    )
    frontend = _Frontend(process, heard, said, manners or Manners())
    try:
        given_up = not frontend.make(moves)
    finally:
        frontend.leave()
    return Outcome(process.returncode, bytes(frontend.stderr), given_up)


class _Frontend:
    """One conversation."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        heard: Callable[[bytes], None],
        said: Callable[[bytes], None],
        manners: Manners,
    ) -> None:
        self.stderr = bytearray()
        self._process = process
        self._heard = heard
        self._said = said
        self._manners = manners
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._received = 0
        self._open = True
        self._next_ping = time.monotonic() + (manners.ping_every_s or 0)
        self._readers = [threading.Thread(target=loop, daemon=True) for loop in (self._read_stdout, self._read_stderr)]
        for reader in self._readers:
            reader.start()

    def make(self, moves: Iterable[Move]) -> bool:
        """Make the moves and hear the backend out; return whether it got that far."""
        for move in moves:
            if not self._listen(lambda after=move.after: self._received >= after):  # type: ignore[misc]
                return not self._open
            due = time.monotonic() + min(move.gap_us / 1e6, self._manners.longest_gap_s)
            self._listen(lambda due=due: time.monotonic() >= due, until=due)  # type: ignore[misc]
            if not self._send(move.event.data):
                break
        self._close_input()
        return self._listen(lambda: False) or not self._open

    def leave(self) -> None:
        """Close the input, wait a little, and end the process if it has not ended."""
        self._close_input()
        try:
            self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for reader in self._readers:
            reader.join(_GRACE_S)
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _listen(self, enough: Callable[[], bool], until: float | None = None) -> bool:
        """Hear the backend until *enough*, the time *until*, or its end; return whether it was enough."""
        quiet_since = time.monotonic()
        while not enough():
            now = time.monotonic()
            if not self._open or now - quiet_since > self._manners.patience_s:
                return False
            wakes = [quiet_since + self._manners.patience_s + 0.01]
            if until is not None:
                wakes.append(until)
            if self._manners.ping_every_s is not None:
                if now >= self._next_ping:
                    self._next_ping = now + self._manners.ping_every_s
                    self._send(b'{"type":"ping"}\n', silently=True)
                wakes.append(self._next_ping)
            try:
                line = self._lines.get(timeout=max(0.0, min(wakes) - now))
            except queue.Empty:
                continue
            quiet_since = time.monotonic()
            if not line:
                self._open = False
                continue
            if line.rstrip() != b'{"type":"pong"}':
                self._received += 1
            self._heard(line)
        return True

    def _send(self, data: bytes, *, silently: bool = False) -> bool:
        """Send *data*; return False when nobody reads it any more."""
        stdin = self._process.stdin
        if stdin is None or stdin.closed:
            return False
        try:
            stdin.write(data)
        except OSError:
            return False
        if not silently:
            self._said(data)
        return True

    def _close_input(self) -> None:
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def _read_stdout(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101  # asked for as a pipe
        rest = b""
        while data := os.read(stdout.fileno(), 65_536):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._lines.put(line + b"\n")
        if rest:
            self._lines.put(rest)
        self._lines.put(b"")

    def _read_stderr(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None  # noqa: S101  # asked for as a pipe
        while data := os.read(stderr.fileno(), 65_536):
            self.stderr += data
