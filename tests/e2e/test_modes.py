"""`mockbackend replay --mode`: record or replay, in one command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mockbackend.testing.sources import recording
from tests.e2e.conftest import COMMAND, INIT, PING

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("elsewhere")

AGENT = """
import json, sys
print("ready", file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    match message["type"]:
        case "init":
            said = [{"type": "session_started", "session_id": NAME}]
        case "user_message":
            said = [{"type": "assistant_message_complete", "content": f"{NAME}: {message['content']}"}]
        case "shutdown":
            sys.exit(0)
        case _:
            said = [{"type": "pong"}]
    for one in said:
        print(json.dumps(one), flush=True)
"""


def agent(name: str) -> list[str]:
    return [sys.executable, "-c", f"NAME = {name!r}\n{AGENT}"]


def ask(*texts: str) -> bytes:
    return INIT + b"".join(json.dumps({"type": "user_message", "content": text}).encode() + b"\n" for text in texts)


def replay(*arguments: str, sends: bytes = b"", **more: str) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, **more}
    env.pop("CI", None)
    return subprocess.run(
        [*COMMAND, "replay", *arguments], check=False, input=sends, capture_output=True, env={**env, **more}, timeout=30
    )


def answers(done: subprocess.CompletedProcess[bytes]) -> list[str]:
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [line.get("content") or line.get("session_id") or line["type"] for line in lines]


def test_once_records_what_does_not_exist_and_replays_it_then(elsewhere: Path) -> None:
    first = replay("r.jsonl", "--mode", "once", "--", *agent("a"), sends=ask("x"))
    assert answers(first) == ["a", "a: x"]
    assert b"ready\n" in first.stderr
    assert answers(replay("r.jsonl", "--mode", "once", "--", "./never-started", sends=ask("x"))) == ["a", "a: x"]


def test_new_episodes_are_answered_by_the_real_backend_and_added(elsewhere: Path) -> None:
    answers(replay("r.jsonl", "--mode", "new-episodes", "--", *agent("a"), sends=ask("x")))
    second = replay("r.jsonl", "--mode", "new-episodes", "--", *agent("b"), sends=ask("x", "y", "z") + PING)
    assert sorted(answers(second)) == ["a", "a: x", "b", "b: y", "b: z", "pong"]
    assert answers(second)[-3:] == ["b", "b: y", "b: z"]
    assert b"r.jsonl has no answer; the real backend goes on" in second.stderr
    third = replay("r.jsonl", sends=ask("x", "y", "z"))
    assert answers(third) == ["a", "a: x", "b", "b: y", "b: z"]
    names = [json.loads(line).get("event") for line in (elsewhere / "r.jsonl").read_text().splitlines()]
    assert [name for name in names if name] == ["start", "input_closed", "exit"]


def test_what_comes_in_the_middle_of_a_line_is_passed_on_whole(elsewhere: Path) -> None:
    answers(replay("r.jsonl", "--mode", "once", "--", *agent("a"), sends=ask("x")))
    process = subprocess.Popen(
        [*COMMAND, "replay", "r.jsonl", "--mode", "new-episodes", "--", *agent("b")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={key: value for key, value in os.environ.items() if key != "CI"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(ask("x", "y") + b'{"type":"user_mess')
    process.stdin.flush()
    while b"b: y" not in process.stdout.readline():
        pass
    process.stdin.write(b'age","content":"z"}\n')
    process.stdin.close()
    assert b"b: z" in process.stdout.read()
    process.stdout.close()
    assert process.wait(10) == 0


def test_all_records_anew(elsewhere: Path) -> None:
    (elsewhere / "r.jsonl").write_bytes(b"old")
    assert answers(replay("r.jsonl", "--mode", "all", "--", *agent("a"), sends=ask("x"))) == ["a", "a: x"]
    assert b"old" not in (elsewhere / "r.jsonl").read_bytes()
    failed = replay("r.jsonl", "--mode", "all", "--", "./no-such-backend", sends=ask("x"))
    assert failed.returncode == 5
    assert answers(replay("r.jsonl", sends=ask("x"))) == ["a", "a: x"]


def test_none_never_starts_the_backend(elsewhere: Path) -> None:
    (elsewhere / "r.jsonl").write_bytes(recording((0, "frontend", json.loads(INIT))))
    done = replay("r.jsonl", "--", sys.executable, "-c", "open('started', 'w')", sends=ask("x"))
    assert "the recording has no further user_message" in done.stdout.decode()
    assert not (elsewhere / "started").exists()
    assert replay("no.jsonl", "--", "true").returncode == 3


def test_in_ci_the_environment_starts_nothing(elsewhere: Path) -> None:
    done = replay("r.jsonl", "--", *agent("a"), CI="true", MOCKBACKEND_REPLAY_MODE="once")
    assert done.returncode == 2
    assert (
        b"in CI, where CI is set, a real backend is only started if --mode once stands on the command line"
        in done.stderr
    )
    assert not (elsewhere / "r.jsonl").exists()
    assert answers(replay("r.jsonl", "--mode", "once", "--", *agent("a"), sends=ask("x"), CI="true"))
    assert answers(replay("s.jsonl", "--", *agent("a"), sends=ask("x"), MOCKBACKEND_REPLAY_MODE="once")) == [
        "a",
        "a: x",
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["r.jsonl", "--mode", "once"], 2, "--mode once needs a real backend"),
        (["r.jsonl", "true"], 2, "the backend's command comes behind --"),
        (["r.jsonl", "--mode", "all", "--strict", "--", "true"], 2, "--strict has no place beside --mode all"),
        (["r.jsonl", "--mode", "once", "--log", "x", "--", "true"], 2, "--log has no place beside --mode once"),
        (["bare.jsonl", "--mode", "new-episodes", "--", "true"], 3, "bare.jsonl: has no header"),
        (["no/r.jsonl", "--mode", "once", "--", "true"], 3, "no/r.jsonl: cannot be written"),
    ],
)
def test_what_cannot_be_is_told(elsewhere: Path, arguments: list[str], code: int, text: str) -> None:
    (elsewhere / "bare.jsonl").write_bytes(INIT)
    done = replay(*arguments)
    assert done.returncode == code
    assert text in done.stderr.decode()


def test_only_the_last_run_can_go_on(elsewhere: Path) -> None:
    run = recording((0, "frontend", json.loads(INIT)), (0, "backend", {"type": "session_started", "session_id": "s"}))
    (elsewhere / "r.jsonl").write_bytes(run + b'{"t":9,"event":"start","pid":2}\n' + run.partition(b"\n")[2])
    done = replay("r.jsonl", "--mode", "new-episodes", "--", "./never-started", sends=ask("x"))
    assert b"the recording goes on with another run; only the last one can be added to" in done.stdout
