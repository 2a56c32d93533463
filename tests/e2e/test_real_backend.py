"""A real agent, recorded: what is replayed is what it said, byte for byte.

`MOCKBACKEND_REAL_BACKEND` is the command of an agent that knows the scenarios of `real_conversations`. Without it,
the adapter of the shared data is used, with the Python that `REAL_BACKEND_PYTHON` names.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from mockbackend.io.files import FileSource
from mockbackend.recording.exchanges import walk
from mockbackend.recording.reader import Reader
from mockbackend.testing.frontend import moves as recorded_moves
from mockbackend.testing.process import Manners, converse
from tests.e2e.conftest import COMMAND
from tests.e2e.frontend import Frontend, Outcome
from tests.e2e.real_conversations import CONVERSATIONS, CRASH, PROJECT, RESUME, Ended, Heard, Kill, Quiet, answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mockbackend.recording.model import Event
    from tests.e2e.real_conversations import Message, Move

pytestmark = [
    pytest.mark.real_backend,
    pytest.mark.usefixtures("elsewhere"),
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="only Linux tells who is left behind"),
]

PATIENCE_S = 60.0
PONG = b'{"type":"pong"}\n'


@pytest.fixture(scope="session")
def agent() -> list[str]:
    if command := os.environ.get("MOCKBACKEND_REAL_BACKEND"):
        program, *arguments = shlex.split(command)
        return [os.path.abspath(shutil.which(program) or program), *arguments]
    root = Path(__file__).parents[2]
    shared = Path(os.environ.get("MOCKBACKEND_SHARED", root.parent / "shared")).absolute()
    adapter = shared / "real_backend" / "run_offline.sh"
    python = os.environ.get("REAL_BACKEND_PYTHON", "python3")
    if not adapter.exists():
        pytest.skip(f"no real backend: MOCKBACKEND_REAL_BACKEND is not set, and there is no {adapter}")
    check = [python, "-c", "import claude_agent_sdk"]
    if not shutil.which(python) or subprocess.run(check, capture_output=True, check=False).returncode:
        pytest.skip(f"no real backend: {python} has no claude_agent_sdk; REAL_BACKEND_PYTHON names another Python")
    return [str(adapter)]


@pytest.fixture(autouse=True)
def everybody_goes_home() -> Iterator[None]:
    yield
    Frontend.all_finish()


class Run(NamedTuple):
    """What a frontend saw of one run of the agent."""

    sent: bytes
    outcome: Outcome
    alive: dict[int, str]  # Who was seen to work for it: process ids, names and states.


class Conversation:
    """A frontend that talks with what it has spawned as a conversation says."""

    def __init__(self, command: list[str], folder: Path) -> None:
        home = {"REAL_BACKEND_HOME": str(folder / "home"), "TMPDIR": str(folder)}
        self.frontend = Frontend(command, folder, **home)
        self.sent = b""
        self._taken = 0  # Bytes that have been read.
        self._lines: list[tuple[str, str]] = []  # Each with its type.
        self._waited_for = 0  # Lines that have been waited for.

    def hold(self, moves: Iterable[Move], init: Message) -> Run:
        alive: dict[int, str] = {}
        self._send(init)
        for move in moves:
            alive |= processes(self.frontend.folder)
            match move:
                case Heard(kind, words):
                    self._wait_for(kind, words)
                case Quiet(seconds):
                    self._be_quiet(seconds)
                case Kill():
                    os.killpg(pid_of(self.frontend.folder / "r.jsonl"), signal.SIGKILL)
                case Ended():
                    self.frontend.process.wait(PATIENCE_S)
                case _:
                    self._send(move)
        alive |= processes(self.frontend.folder)
        self.frontend.close()
        return Run(self.sent, self.frontend.finish(), alive)

    def _send(self, message: Message) -> None:
        line = json.dumps(message).encode() + b"\n"
        self.sent += line
        self.frontend.send(line)

    def _hear(self) -> None:
        """Read what has come, and answer what is asked."""
        *lines, _ = bytes(self.frontend.stdout[self._taken :]).split(b"\n")
        self._taken += sum(len(line) + 1 for line in lines)
        for line in lines:
            message = json.loads(line) if line.startswith(b"{") else {}
            self._lines.append((message.get("type", ""), line.decode()))
            if (reply := answer(message)) is not None:
                self._send(reply)
        time.sleep(0.005)

    def _wait_for(self, kind: str, words: str) -> None:
        give_up = time.monotonic() + PATIENCE_S
        while True:
            for index, (found, line) in enumerate(self._lines[self._waited_for :], self._waited_for + 1):
                if found == kind and words in line:
                    self._waited_for = index
                    return
            if time.monotonic() > give_up:
                recorded = (self.frontend.folder / "r.jsonl").read_bytes()[-300:]
                alive = processes(self.frontend.folder)
                pytest.fail(f"no {kind} with {words!r}; {self._lines[-8:]}; recorded: {recorded!r}; alive: {alive}")
            assert self.frontend.process.poll() is None, bytes(self.frontend.stderr)
            self._hear()

    def _be_quiet(self, seconds: float) -> None:
        count, since = len(self._lines), time.monotonic()
        while time.monotonic() - since < seconds:
            self._hear()
            if len(self._lines) != count:
                count, since = len(self._lines), time.monotonic()


def processes(folder: Path) -> dict[int, str]:
    """Who has *folder* in the environment: the agent works with a clean one, but its home lies there (Linux)."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
            name, _, state = Path(f"/proc/{pid}/stat").read_text().partition("(")[2].rpartition(") ")
        except OSError:
            continue
        if f"{folder}/".encode() in environment and state[0] not in "ZX" and int(pid) != os.getpid():
            found[int(pid)] = f"{name} ({state[0]})"
    return found


def events(path: Path, run: int = -1) -> list[Event]:
    """The events of one run; default: the last."""
    runs: dict[object, list[Event]] = {}
    for begin, event in walk(Reader(FileSource(path))):
        runs.setdefault(begin, []).append(event)
    return list(runs.values())[run]


def pid_of(path: Path) -> int:
    [start] = [event for event in events(path) if event.name == "start"]
    return int(start.fields["pid"])


def project(folder: Path) -> Message:
    """Make a small project, and the `init` of somebody who works on it."""
    for name, text in PROJECT.items():
        file = folder / "project" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return {"type": "init", "version": 1, "working_dir": str(folder / "project")}


def record(agent: list[str], folder: Path, moves: Iterable[Move], *options: str, **more: object) -> Run:
    """Record a conversation and compare the recording with what was seen."""
    path = folder / "r.jsonl"
    command = [*COMMAND, "-q", "record", "-o", str(path), "--no-redact", *options, "--", *agent]
    run = Conversation(command, folder).hold(moves, {**project(folder), **more})
    data = dict.fromkeys((None, "frontend", "backend", "stderr"), b"")
    for event in events(path):
        data[event.sender] += event.data
    assert data["backend"] == run.outcome.stdout
    assert data["frontend"] == run.sent
    assert data["stderr"].rstrip(b"\n") == run.outcome.stderr.rstrip(b"\n")
    assert events(path)[-1].name == "exit"
    assert subprocess.run([*COMMAND, "validate", str(path)], check=False).returncode == 0
    assert pid_of(path) in run.alive
    assert not processes(folder), run.alive
    return run


def replays_as(path: Path, number: int, run: Run) -> None:
    """Say again what the frontend said, where it did, and hear again what it heard."""
    reader = Reader(FileSource(path))
    begin = list(dict.fromkeys(begin for begin, _ in walk(reader)))[number]
    for options in ((), ("--strict",)):
        came: list[bytes] = []
        said: list[bytes] = []
        outcome = converse(
            [*COMMAND, "-q", "replay", str(path), "--timing", "instant", *options],
            recorded_moves(reader, begin, pings=True),
            heard=came.append,
            said=said.append,
            manners=Manners(ping_every_s=None),
        )
        expected = run.outcome.stdout.splitlines(keepends=True)
        assert b"".join(said) == run.sent
        assert [line for line in came if line != PONG] == [line for line in expected if line != PONG]
        assert came.count(PONG) == expected.count(PONG)
        assert outcome.code == run.outcome.code, outcome.stderr


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_what_a_real_agent_said_is_replayed_byte_for_byte(agent: list[str], elsewhere: Path, name: str) -> None:
    run = record(agent, elsewhere, CONVERSATIONS[name])
    assert run.outcome.code == 0
    replays_as(elsewhere / "r.jsonl", 0, run)


def test_a_crash_and_the_resume_after_it_are_two_runs_of_one_recording(agent: list[str], elsewhere: Path) -> None:
    crashed = record(agent, elsewhere, CRASH)
    assert crashed.outcome.code == -signal.SIGKILL
    [started] = [json.loads(line) for line in crashed.outcome.stdout.split(b"\n") if b'"session_started"' in line]
    resumed = record(agent, elsewhere, RESUME, "--append", resume_session_id=started["session_id"])
    assert resumed.outcome.code == 0
    for number, run in enumerate((crashed, resumed)):
        replays_as(elsewhere / "r.jsonl", number, run)
