"""A real agent, recorded: what is replayed is what it said, byte for byte.

`MOCKBACKEND_REAL_BACKEND` is the command of an agent that knows the scenarios of `real_conversations`. Without it,
the adapter of the shared data is used, with the Python that `REAL_BACKEND_PYTHON` names.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mockbackend.io.files import FileSource
from mockbackend.recording.reader import Reader
from tests.e2e.conftest import COMMAND
from tests.e2e.frontend import Frontend, Outcome
from tests.e2e.real_conversations import CONVERSATIONS, CRASH, RESUME, Kill, Quiet, answer
from tests.e2e.test_replay import against

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.e2e.real_conversations import Message, Move

pytestmark = [pytest.mark.real_backend, pytest.mark.usefixtures("elsewhere")]

PATIENCE_S = 60.0


@pytest.fixture(scope="session")
def agent() -> list[str]:
    if command := os.environ.get("MOCKBACKEND_REAL_BACKEND"):
        return shlex.split(command)
    root = Path(__file__).parents[2]
    adapter = Path(os.environ.get("MOCKBACKEND_SHARED", root.parent / "shared")) / "real_backend" / "run_offline.sh"
    python = os.environ.get("REAL_BACKEND_PYTHON", "python3")
    if not adapter.exists():
        pytest.skip(f"no real backend: MOCKBACKEND_REAL_BACKEND is not set, and there is no {adapter}")
    if subprocess.run([python, "-c", "import claude_agent_sdk"], capture_output=True, check=False).returncode:
        pytest.skip(f"no real backend: {python} has no claude_agent_sdk; REAL_BACKEND_PYTHON names another Python")
    return [str(adapter)]


@pytest.fixture(autouse=True)
def everybody_goes_home() -> Iterator[None]:
    yield
    Frontend.all_finish()


class Conversation:
    """A frontend that talks with what it has spawned as a conversation says."""

    def __init__(self, command: list[str], folder: Path, home: Path) -> None:
        self.frontend = Frontend(command, folder, REAL_BACKEND_HOME=str(home))
        self.sent = b""
        self._taken = 0  # Bytes that have been read.
        self._lines: list[Message] = []
        self._waited_for = 0  # Messages that have been waited for.

    def hold(self, moves: Iterable[Move], init: Message) -> Outcome:
        self._send(init)
        for move in moves:
            match move:
                case str():
                    self._wait_for(move)
                case Quiet(seconds):
                    self._be_quiet(seconds)
                case Kill():
                    self._kill()
                case _:
                    self._send(move)
        self.frontend.close()
        return self.frontend.finish()

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
            self._lines.append(message)
            if (reply := answer(message)) is not None:
                self._send(reply)
        time.sleep(0.005)

    def _wait_for(self, kind: str) -> None:
        give_up = time.monotonic() + PATIENCE_S
        while True:
            for index in range(self._waited_for, len(self._lines)):
                if self._lines[index].get("type") == kind:
                    self._waited_for = index + 1
                    return
            assert time.monotonic() < give_up, f"no {kind}; {[line.get('type') for line in self._lines[-8:]]}"
            assert self.frontend.process.poll() is None, bytes(self.frontend.stderr)
            self._hear()

    def _be_quiet(self, seconds: float) -> None:
        count, since = len(self._lines), time.monotonic()
        while time.monotonic() - since < seconds:
            self._hear()
            if len(self._lines) != count:
                count, since = len(self._lines), time.monotonic()
        self._waited_for = len(self._lines)

    def _kill(self) -> None:
        starts = [
            event for event in Reader(FileSource(self.frontend.folder / "r.jsonl")).events() if event.name == "start"
        ]
        os.kill(int(starts[-1].fields["pid"]), signal.SIGKILL)


def project(folder: Path) -> dict[str, object]:
    """Make a small project, and the `init` of somebody who works on it."""
    place = folder / "project"
    (place / "tests").mkdir(parents=True, exist_ok=True)
    (place / "README.md").write_text("# A cart\n")
    (place / "tests" / "test_cart.py").write_text("def test_cart(): pass\n")
    return {"type": "init", "version": 1, "working_dir": str(place)}


def talk(agent: list[str], folder: Path, moves: Iterable[Move], *options: str, **more: object) -> Conversation:
    """Record a conversation and compare the recording with what was seen."""
    (folder / "home").mkdir(exist_ok=True)
    before = Reader(FileSource(folder / "r.jsonl")).events() if (folder / "r.jsonl").exists() else ()
    known = sum(1 for _ in before)
    command = [*COMMAND, "record", "-o", "r.jsonl", "--no-redact", *options, "--", *agent]
    conversation = Conversation(command, folder, folder / "home")
    outcome = conversation.hold(moves, {**project(folder), **more})
    events = list(Reader(FileSource(folder / "r.jsonl")).events())[known:]
    assert b"".join(event.data for event in events if event.sender == "backend") == outcome.stdout
    assert b"".join(event.data for event in events if event.sender == "frontend") == conversation.sent
    assert events[-1].name == "exit"
    assert not conversation.frontend.left()
    return conversation


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_what_a_real_agent_said_is_replayed_byte_for_byte(agent: list[str], elsewhere: Path, name: str) -> None:
    conversation = talk(agent, elsewhere, CONVERSATIONS[name])
    assert conversation.frontend.process.returncode == 0
    assert subprocess.run([*COMMAND, "validate", "r.jsonl"], check=False).returncode == 0
    for options in (("--timing", "instant"), ("--timing", "instant", "--strict")):
        outcome, came, expected = against(elsewhere / "r.jsonl", *options)
        assert outcome.code == 0, outcome.stderr
        assert came == expected


def test_a_crash_and_the_resume_after_it_are_two_runs_of_one_recording(agent: list[str], elsewhere: Path) -> None:
    crashed = talk(agent, elsewhere, CRASH)
    assert crashed.frontend.process.returncode == -signal.SIGKILL
    started = [json.loads(line) for line in crashed.frontend.stdout.splitlines() if b"session_started" in line]
    resumed = talk(agent, elsewhere, RESUME, "--append", resume_session_id=started[0]["session_id"])
    assert resumed.frontend.process.returncode == 0
    outcome, came, expected = against(elsewhere / "r.jsonl", "--timing", "instant")
    assert came == expected
    assert outcome.code == -signal.SIGKILL
