"""Run a proxy in front of a backend, with a limit to everything, and leave no process and no file behind.

All processes of a run hold its folder in their environment or their command line, so they are found in /proc (Linux)
wherever they went: into another session, or to another parent.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple, Self

BACKENDS = Path(__file__).with_name("peers_backends.py")
PATIENCE_S = 60
KILLING_S = 5


class RunError(Exception):
    """A run did not get to where it could be measured; the text is what the table says about it."""


class Peer(NamedTuple):
    """A proxy to compare: the words of its command line, with {out} and {cmd} among them."""

    name: str
    words: list[str]

    def command(self, out: Path, backend: list[str]) -> list[str]:
        """The command line that puts it in front of *backend*, to record to *out*."""
        command = []
        for word in self.words:
            command += backend if word == "{cmd}" else [word.replace("{out}", str(out))]
        return command


class Run:
    """A proxy that runs in front of a backend of peers_backends.py. Whatever takes longer than PATIENCE_S "hangs"."""

    def __init__(self, peer: Peer, backend: str, *arguments: object) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="peers-"))
        command = [sys.executable, "-I", "-S", str(BACKENDS), backend, str(self.folder), *map(str, arguments)]
        self._got = bytearray()
        self._unsent = memoryview(b"")
        self._ended = False
        self.born = time.monotonic()
        self._deadline = self.born + PATIENCE_S
        try:
            self._process = subprocess.Popen(
                peer.command(self.folder / "out", command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ | {"PEERS_RUN": str(self.folder)},
                start_new_session=True,  # What a terminal sends is for this script alone: it cleans up.
                bufsize=0,
            )
        except OSError as error:
            shutil.rmtree(self.folder)
            raise RunError("does not start") from error
        assert self._process.stdin
        assert self._process.stdout
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        os.set_blocking(self._stdin.fileno(), False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        until = time.monotonic() + KILLING_S
        self._process.kill()
        while (left := self.left()) and time.monotonic() < until:
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)
        self._process.wait(KILLING_S)
        self._stdin.close()
        self._stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def send(self, data: bytes) -> None:
        """Write all of *data*, and read meanwhile what comes."""
        self._unsent = memoryview(data)
        while self._unsent:
            if not self._wait(self._deadline):
                raise RunError("hangs")

    def end_input(self) -> None:
        self._stdin.close()

    def line_with(self, word: bytes) -> bytes:
        """Read lines until one holds *word*."""
        while True:
            while (end := self._got.find(b"\n")) < 0:
                self._read_more()
            line = bytes(self._got[:end])
            del self._got[: end + 1]
            if word in line:
                return line

    def lines_to(self, word: bytes) -> int:
        """Read to the end of the line that holds *word*, after which nothing comes; return how many lines there were."""
        count, tail = 0, b""
        while not (word in tail and tail.endswith(b"\n")):
            if not self._got:
                self._read_more()
            count += self._got.count(b"\n")
            tail = (tail + self._got)[-256:]
            self._got.clear()
        return count

    def rest(self, enough: float = float("inf"), quiet_s: float = PATIENCE_S) -> bytes:
        """Read to the end, or until it is *enough* or nothing has come for *quiet_s*."""
        while not self._ended and len(self._got) < enough:
            if not self._wait(time.monotonic() + quiet_s):
                if time.monotonic() >= self._deadline:
                    raise RunError("hangs")
                break
        rest = bytes(self._got)
        self._got.clear()
        return rest

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def exit_status(self, within_s: float) -> str:
        """How the proxy ended: its exit code, the name of a signal, or empty if it has not."""
        try:
            code = self._process.wait(within_s)
        except subprocess.TimeoutExpired:
            return ""
        return str(code) if code >= 0 else signal.Signals(-code).name

    def gone_after(self, within_s: float) -> float | None:
        """Wait until no process of this run is left; return the seconds it took, or None if one stays."""
        began = time.monotonic()
        while self.left():
            if time.monotonic() - began > within_s:
                return None
            time.sleep(0.02)
        return time.monotonic() - began

    def left(self) -> list[int]:
        """The processes of this run that live. Those that have ended and wait for their parent hold nothing any more."""
        self._process.poll()
        mark = os.fsencode(self.folder)
        found = []
        for process in Path("/proc").iterdir():
            if process.name.isdecimal():
                with contextlib.suppress(OSError):
                    if mark in (process / "environ").read_bytes() or mark in (process / "cmdline").read_bytes():
                        found.append(int(process.name))
        return found

    def _read_more(self) -> None:
        if self._ended:
            raise RunError("dies")
        if not self._wait(self._deadline):
            raise RunError("hangs")

    def _wait(self, until: float) -> bool:
        """Wait for bytes to come or go, and let them; return False if nothing has happened by then."""
        readers = [] if self._ended else [self._stdout]
        writers = [self._stdin] if self._unsent else []
        left_s = max(0.0, min(until, self._deadline) - time.monotonic())
        to_read, to_write, _ = select.select(readers, writers, [], left_s)
        if to_read:
            data = os.read(self._stdout.fileno(), 1 << 20)
            self._got += data
            self._ended = not data
        if to_write:
            try:
                self._unsent = self._unsent[os.write(self._stdin.fileno(), self._unsent) :]
            except BrokenPipeError as error:
                raise RunError("dies") from error
        return bool(to_read or to_write)
