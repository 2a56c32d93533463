"""Processes to measure, and recordings to give them."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
INIT = b'{"type":"init","version":1,"working_dir":"/home/dev/demo"}\n'
ASK = b'{"type":"user_message","content":"go"}\n'
PING = b'{"type":"ping"}\n'
SHUTDOWN = b'{"type":"shutdown"}\n'


def python_floor(deltas: int = 1) -> list[str]:
    return [sys.executable, "-I", str(HERE / "floor.py"), str(deltas)]


def node_floor(deltas: int = 1) -> list[str] | None:
    """The command of the Node floor, or None where there is no Node."""
    node = shutil.which("node")
    return [node, str(HERE / "floor.js"), str(deltas)] if node else None


class Backend:
    """A backend process, and what it has said that nobody has read yet."""

    def __init__(self, command: list[str]) -> None:
        self.command = shlex.join(command)
        self.born = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        self._rest = b""

    def send(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)

    def chunk(self) -> bytes:
        assert self.process.stdout
        data = os.read(self.process.stdout.fileno(), 1 << 20)
        if not data:
            raise SystemExit(f"{self.command}: ended early, exit code {self.process.wait()}")
        return data

    def line_with(self, word: bytes) -> bytes:
        """Read lines until one holds *word*."""
        while True:
            line, newline, rest = self._rest.partition(b"\n")
            if not newline:
                self._rest += self.chunk()
                continue
            self._rest = rest
            if word in line:
                return line

    def start(self) -> float:
        """Send init; return the seconds from birth to session_started."""
        self.send(INIT)
        self.line_with(b'"session_started"')
        return time.perf_counter() - self.born

    def answer(self, deltas: int) -> float:
        """Ask, and read the answer as fast as it comes; return the seconds it took."""
        began = time.perf_counter()
        self.send(ASK)
        count, tail = 0, b""
        while not (b'"assistant_message_complete"' in tail and tail.endswith(b"\n")):
            data = self.chunk()
            count += data.count(b"\n")
            tail = (tail + data)[-4096:]
        seconds = time.perf_counter() - began
        if count != deltas + 1:
            raise SystemExit(f"{self.command}: {count} lines, expected {deltas + 1}")
        return seconds

    def peak_mb(self) -> float | None:
        """The most memory it ever had, in MB; None where the system does not tell."""
        status = Path(f"/proc/{self.process.pid}/status")
        if not status.exists():
            return None
        return next(int(row.split()[1]) / 1024 for row in status.read_text().splitlines() if row.startswith("VmHWM"))

    def stop(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self.send(SHUTDOWN)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()


def recording(path: Path, deltas: int, gap_us: int) -> Path:
    """Write a recording of one answer of *deltas* lines, *gap_us* apart."""

    def event(at: int, sender: str, message: dict[str, object]) -> str:
        text = json.dumps(message, separators=(",", ":"))
        return f'{{"t":{at // 1_000_000}.{at % 1_000_000:06d},"from":"{sender}","msg":{text}}}\n'

    with path.open("w") as file:
        file.write('{"mockbackend":1,"protocol":1}\n')
        file.write(event(0, "frontend", json.loads(INIT)))
        file.write(event(0, "backend", {"type": "session_started", "session_id": "bench"}))
        file.write(event(0, "frontend", json.loads(ASK)))
        for number in range(deltas):
            content = f"Line number {number}, and some words that might be an answer. "
            file.write(event(number * gap_us, "backend", {"type": "assistant_text_delta", "content": content}))
        file.write(event(deltas * gap_us, "backend", {"type": "assistant_message_complete", "content": ""}))
    return path
