"""A frontend for tests of processes: it spawns a command, makes moves, and tells all that came of it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

BACKEND = Path(__file__).with_name("backend.py")
PATIENCE_S = 20.0

Step = list[Any]


def backend(folder: Path, *script: Step) -> list[str]:
    """The command of a backend that does as it is told."""
    return [sys.executable, "-I", "-S", str(BACKEND), json.dumps(script), str(folder / "heard")]


def say(data: bytes) -> Step:
    return ["say", data.hex()]


class Outcome(NamedTuple):
    stdout: bytes
    stderr: bytes
    code: int
    heard: bytes


class Frontend:
    """One process that was spawned, and everything it spawned in turn."""

    spawned: ClassVar[list[Frontend]] = []

    def __init__(self, command: list[str], folder: Path, **more: str) -> None:
        self.spawned.append(self)
        self.token = uuid.uuid4().hex
        self.folder = folder
        (folder / "heard").write_bytes(b"")
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=folder,
            env={**os.environ, "TOKEN_OF_A_TEST": self.token, **more},
        )
        self.stdout, self.stderr = bytearray(), bytearray()
        self.seen: list[tuple[float, bytes]] = []
        self._readers = [
            threading.Thread(target=self._read, args=args, daemon=True)
            for args in ((self.process.stdout, self.stdout), (self.process.stderr, self.stderr))
        ]
        for reader in self._readers:
            reader.start()

    def _read(self, pipe: Any, into: bytearray) -> None:
        with contextlib.suppress(OSError, ValueError):
            while True:
                # Who is in the middle of a read keeps a pipe open that has been closed.
                while not select.select([pipe], [], [], 0.02)[0]:
                    pass
                if not (data := os.read(pipe.fileno(), 1 << 20)):
                    return
                into += data
                if into is self.stdout:
                    self.seen.append((time.monotonic(), data))

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(data)

    def close(self) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def wait_for(self, word: bytes) -> None:
        until(lambda: word in self.stdout or self.process.poll() is not None)
        assert word in self.stdout, (bytes(self.stdout[-300:]), bytes(self.stderr[-2000:]))

    def leave(self) -> None:
        """Close every pipe at once, as the kernel does for a process that was killed."""
        null = os.open(os.devnull, os.O_RDWR)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            os.dup2(null, pipe.fileno())
        os.close(null)

    @classmethod
    def all_finish(cls) -> None:
        """End whatever a test that failed has left running."""
        for frontend in cls.spawned:
            frontend.process.kill()
            frontend.finish()
        cls.spawned.clear()

    def finish(self) -> Outcome:
        code = self.process.wait(PATIENCE_S)
        for reader in self._readers:
            reader.join(PATIENCE_S)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        return Outcome(bytes(self.stdout), bytes(self.stderr), code, (self.folder / "heard").read_bytes())

    def left(self) -> list[int]:
        """The processes that it has spawned, directly or not, and that live (Linux)."""
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if self._is_ours(pid)]

    def _is_ours(self, pid: int) -> bool:
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
            state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
        except OSError:
            return False
        return f"TOKEN_OF_A_TEST={self.token}".encode() in environment and state != b"Z"

    def nobody_is_left(self, within_s: float = 3.0) -> None:
        until(lambda: not self.left(), within_s, f"left: {self.left()}")


def until(fact: Any, patience_s: float = PATIENCE_S, why: str = "it never came") -> None:
    give_up = time.monotonic() + patience_s
    while not fact():
        assert time.monotonic() < give_up, why
        time.sleep(0.002)
