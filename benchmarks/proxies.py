"""Compare recording proxies, ours and others, in front of the same backends: a table in Markdown on stdout.

python benchmarks/proxies.py [--mockbackend CMD] [--venv FOLDER] [--quick]

FOLDER is a virtual environment with the others: `pip install mcp-rec glassport mcp-snoop`. One that is not installed is
left out. All of them pass lines through; they differ in what that costs, in what becomes of the bytes, and in how
it ends.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from peers import Backend, python_floor

if TYPE_CHECKING:
    from collections.abc import Callable

TEMPLATES = {
    "direct": "{cmd}",
    "mockbackend record": "{ours} record -o {out} -- {cmd}",
    "mcp-rec": "{venv}mcp-rec record -o {out} -- {cmd}",
    "glassport": "{venv}glassport wrap --log-dir {out} -- {cmd}",
    "mcp-snoop": "{venv}mcp-snoop --output {out} -- {cmd}",
}
PACED = """
import sys, time
sys.stdin.readline()
for _ in range(300):
    time.sleep(0.003)
    print('{"type":"assistant_text_delta","content":"%d"}' % time.monotonic_ns(), flush=True)
sys.stdin.read()
"""
ODD = {
    "CRLF": b'{"a":1}\r\n',
    "blank line": b"\n",
    "no JSON": b"npm WARN x\n",
    "no UTF-8": b'{"a":"\xff"}\n',
    "split code point": b'{"a":"\xf0\x9f\x98\x80"}\n',
    "5 MB line": b'{"a":"' + b"x" * 5_000_000 + b'"}\n',
    "half a last line": b'{"a":',
}
SAY = """
import os, sys, time
data = bytes.fromhex(sys.stdin.buffer.readline().decode())
while data:
    data = data[os.write(1, data[:65537]):]
time.sleep(0.3)
"""
HEAR = """
import os, sys
heard = b""
while data := os.read(0, 65536):
    heard += data
open(sys.argv[1], "wb").write(heard)
"""
STUBBORN = """
import signal, time
signal.signal(15, signal.SIG_IGN)
print("{}", flush=True)
time.sleep(60)
"""
LATE = """
import sys, time
sys.stdin.read()
time.sleep(0.3)
print('{"late":1}', flush=True)
"""
LAST = """
import os
data = (b"x" * 99 + b"\\n") * 6000 + b"half"
while data:
    data = data[os.write(1, data):]
os._exit(0)
"""
PATIENCE_S = 20
LUCK = 5
"""How many times as often latency is measured: which processes share a core is luck, and makes half of it."""


class Proxy:
    """One of those that are compared."""

    def __init__(self, name: str, template: str, folder: Path, words: dict[str, str]) -> None:
        self.name = name
        self._template = template
        self._folder = folder
        self._words = words
        self._count = 0

    def command(self, *backend: str) -> list[str]:
        """The command line that stands in front of *backend*, with a file of its own to write."""
        self._count += 1
        out = self._folder / f"{self.name.replace(' ', '-')}-{self._count}"
        return shlex.split(self._template.format(out=shlex.quote(str(out)), cmd=shlex.join(backend), **self._words))

    def installed(self) -> bool:
        return shutil.which(self.command("true")[0]) is not None


def python(code: str, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", "-c", code, *arguments)


def start_ms(proxy: Proxy, _: int = 1) -> float:
    backend = Backend(proxy.command(*python_floor()))
    seconds = backend.start()
    end(backend.process)
    return seconds * 1000


def latency_us(proxy: Proxy, _: int = 1) -> float:
    """How long a line takes from the backend to us, at the median."""
    backend = Backend(proxy.command(*python(PACED)))
    backend.send(b"{}\n")
    late = []
    for _ in range(300):
        line = backend.line_with(b"delta")
        late.append((time.monotonic_ns() - int(json.loads(line)["content"])) / 1000)
    end(backend.process)
    return statistics.median(late)


def rate(proxy: Proxy, deltas: int) -> float:
    backend = Backend(proxy.command(*python_floor(deltas)))
    backend.start()
    seconds = backend.answer(deltas)
    end(backend.process)
    return deltas / seconds


def fidelity(proxy: Proxy) -> str:
    """What of the odd lines does not arrive as it was sent, in either direction."""
    lost = []
    for name, line in ODD.items():
        said = run(proxy.command(*python(SAY)), line.hex().encode() + b"\n")[1]
        with tempfile.NamedTemporaryFile() as file:
            run(proxy.command(*python(HEAR, file.name)), line)
            heard = Path(file.name).read_bytes()
        lost += [f"{name} {which}" for got, which in ((said, "out"), (heard, "in")) if got != line]
    return "identical" if not lost else "lost: " + ", ".join(lost)


def end_code(proxy: Proxy) -> str:
    code = run(proxy.command(*python("import os; os._exit(7)")), b"")[0]
    killed = run(proxy.command(*python("import os; os.kill(os.getpid(), 15)")), b"")[0]
    return f"{told(code)}, {told(killed)}"


def late_answer(proxy: Proxy) -> str:
    return "arrives" if b"late" in run(proxy.command(*python(LATE)), b"{}\n")[1] else "lost"


def last_words(proxy: Proxy) -> str:
    """How often 600 kB and half a line arrive from a backend that ends as soon as it has said them."""
    said = b"x" * 99 + b"\n"
    arrived = sum(run(proxy.command(*python(LAST)), b"")[1] == said * 6000 + b"half" for _ in range(10))
    return f"{arrived} of 10"


def left_after(number: int) -> Callable[[Proxy], str]:
    """Return the measurement of what is left of a stubborn backend once its proxy got a signal."""

    def measure(proxy: Proxy) -> str:
        backend = Backend(proxy.command(*python(STUBBORN)))
        backend.line_with(b"{}")
        children = descendants(backend.process.pid)
        backend.process.send_signal(number)
        until = time.monotonic() + 8
        while (left := [pid for pid in children if lives(pid)]) and time.monotonic() < until:
            time.sleep(0.05)
        seconds = 8 - (until - time.monotonic())
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        end(backend.process)
        return "a process is left" if left else f"nobody, after {seconds:.1f} s"

    return measure


def run(command: list[str], data: bytes) -> tuple[int | None, bytes]:
    """Give *data* to a command; return how it ended (None: it hung) and what it said."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        said = process.communicate(data, PATIENCE_S)[0]
    except subprocess.TimeoutExpired:
        end(process)
        return None, b""
    return process.returncode, said


def told(code: int | None) -> str:
    if code is None:
        return "hangs"
    return f"signal {-code}" if code < 0 else f"code {code}"


def end(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()
    try:
        process.wait(3)
    except subprocess.TimeoutExpired:
        for pid in (*descendants(process.pid), process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()


def descendants(root: int) -> list[int]:
    """All processes below *root* (Linux)."""
    found, todo = [], [root]
    while todo:
        pid = todo.pop()
        with contextlib.suppress(OSError):
            children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
            found += children
            todo += children
    return found


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def compared(proxies: list[Proxy], *, quick: bool) -> dict[str, list[str]]:
    """Measure everything, in turn; return the rows of the table."""
    rounds, deltas = (2, 20_000) if quick else (5, 100_000)
    figures: dict[str, dict[str, list[float]]] = {name: {proxy.name: [] for proxy in proxies} for name in FIGURES}
    for number in range(LUCK * rounds):
        for proxy in proxies:
            for name, measure in FIGURES.items():
                if number >= rounds and measure is not latency_us:
                    continue
                with contextlib.suppress(SystemExit):  # It ended early.
                    figures[name][proxy.name].append(measure(proxy, deltas))
    rows = {
        name: [f"{statistics.median(found):,.0f}" if found else "dies" for found in by_proxy.values()]
        for name, by_proxy in figures.items()
    }
    return rows | {name: [measure(proxy) for proxy in proxies] for name, measure in WORDS.items()}


FIGURES: dict[str, Callable[[Proxy, int], float]] = {
    "start to first reply, ms": start_ms,
    "a line arrives after, µs (p50)": latency_us,
    "lines flat out, events/s": rate,
}
WORDS: dict[str, Callable[[Proxy], str]] = {
    "odd bytes, out and in": fidelity,
    "600 kB and half a line, and the backend ends": last_words,
    "backend ends with code 7, by SIGTERM": end_code,
    "answer after the end of input": late_answer,
    "SIGTERM, and a backend that ignores it": left_after(signal.SIGTERM),
    "SIGKILL, and a backend that ignores SIGTERM": left_after(signal.SIGKILL),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare recording proxies.")
    parser.add_argument("--mockbackend", default="mockbackend", metavar="CMD", help="how to start it")
    parser.add_argument("--venv", metavar="FOLDER", help="where the others are installed")
    parser.add_argument("--quick", action="store_true", help="shorter runs, rougher figures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        words = {"ours": options.mockbackend, "venv": f"{options.venv}/bin/" if options.venv else ""}
        every = [Proxy(name, template, Path(folder), words) for name, template in TEMPLATES.items()]
        proxies = [proxy for proxy in every if proxy.installed()]
        for proxy in every:
            if proxy not in proxies:
                print(f"{proxy.name} is not installed, and left out", file=sys.stderr)
        print("| |", " | ".join(proxy.name for proxy in proxies), "|")
        print("|---" * (len(proxies) + 1) + "|")
        for name, cells in compared(proxies, quick=options.quick).items():
            print("|", name, "|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
