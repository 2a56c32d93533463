"""The demo, as somebody watches it, and the commands that print."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from mockbackend.testing.sources import recording
from tests.e2e.conftest import COMMAND

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("elsewhere")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, timeout=60, check=False, encoding="utf-8"
    )


def test_the_demo_shows_a_conversation_and_what_to_do_next() -> None:
    done = run("demo", "--timing", "instant")
    assert (done.returncode, done.stderr) == (0, "")
    for text in ("› Have a look at my room", "? room: describe", "✓ mcp__room__clear_room", "mockbackend replay room"):
        assert text in done.stdout


def test_the_demo_of_a_crash_tells_of_it() -> None:
    done = run("demo", "crash-and-resume", "--timing", "instant")
    assert done.returncode == 0
    assert "The backend has crashed, as recorded: exit code 137." in done.stdout


def test_the_demo_of_what_is_not_there_is_an_error() -> None:
    assert run("demo", "helo").returncode == 3


def test_output_that_nobody_reads_is_no_failure() -> None:
    command = f"{subprocess.list2cmdline(COMMAND)} show languages --full | head -2"
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=30, check=False)
    assert done.stderr == b""
    assert done.stdout.count(b"\n") == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_MOCKBACKEND_COMPLETE", f"{shell}_source")
    done = run()
    assert "mockbackend" in done.stdout


def test_the_demo_of_a_crash_with_a_word_on_stderr_is_no_failure_of_ours(elsewhere: Path) -> None:
    init = {"type": "init", "version": 1, "working_dir": "/"}
    events = ((0, "frontend", init), (0.1, "stderr", "adapter ready"), (0.2, "exit", {"code": 137}))
    (elsewhere / "x.jsonl").write_bytes(recording(*events))
    done = run("demo", "x.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    assert "exit code 137" in done.stdout
