"""The main job: `mockbackend replay`, over real pipes."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from mockbackend.io.files import FileSource
from mockbackend.io.shipped import catalogue
from mockbackend.recording.reader import Reader
from mockbackend.testing.frontend import moves
from mockbackend.testing.process import Manners, Outcome, converse
from mockbackend.testing.sources import recording
from tests.e2e.conftest import ASK, COMMAND, INIT, PING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("elsewhere")

REAL_TIME = ("--max-gap", "none")
INSTANTLY = ("--timing", "instant")
SHIPPED = {entry.name: entry.path.resolve() for entry in catalogue("recordings")}


def run(*arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    import os

    return subprocess.run(
        [*COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, **(env or {})},
    )


def kinds(output: bytes) -> list[str]:
    return [json.loads(line)["type"] for line in output.splitlines()]


def against(path: Path, *options: str, manners: Manners | None = None) -> tuple[Outcome, list[bytes], list[bytes]]:
    """Replay *path* to the frontend that was recorded in it; return how it ended, what came, and what should."""
    came: list[bytes] = []
    reader = Reader(FileSource(path))
    outcome = converse(
        [*COMMAND, "-q", "replay", str(path), *options],
        moves(reader),
        heard=came.append,
        manners=manners or Manners(),
    )
    first_run: list[bytes] = []
    for event in reader.events():
        if event.name == "start" and first_run:
            break
        if event.sender == "backend" and event.kind != "pong":
            first_run.append(event.data)
    return outcome, [line for line in came if b'"pong"' not in line], first_run


@pytest.mark.parametrize("options", [INSTANTLY, (*INSTANTLY, "--strict")], ids=["lenient", "strict"])
@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_recording_replays_to_its_own_frontend(name: str, options: Sequence[str]) -> None:
    outcome, came, expected = against(SHIPPED[name], *options)
    assert came == expected
    assert outcome.code == (137 if "crash" in name else 0)


@pytest.mark.parametrize(
    "options",
    [INSTANTLY, REAL_TIME, (*INSTANTLY, "--strict"), (*REAL_TIME, "--strict")],
    ids=["instantly", "real time", "strictly, instantly", "strictly, real time"],
)
def test_every_real_trace_replays_byte_for_byte(shared_data: Path, options: Sequence[str]) -> None:
    """The frontend waits as the recorded one did, except instantly."""
    traces = sorted((shared_data / "data" / "traces").glob("*.jsonl"))
    manners = Manners(longest_gap_s=0 if options[:2] == INSTANTLY else 60)

    def check(trace: Path) -> str:
        outcome, came, expected = against(trace, *options, manners=manners)
        if came != expected:
            return f"{trace.name}: {len(came)} of {len(expected)} lines, or in another order"
        wanted = 137 if trace.stem == "crash_mid_tool" else 0
        return "" if outcome.code == wanted else f"{trace.name}: exit code {outcome.code}: {outcome.stderr!r}"

    with ThreadPoolExecutor(25) as pool:
        assert [problem for problem in pool.map(check, traces) if problem] == []


def test_a_pipe_of_two_lines_gets_the_whole_turn_and_ends() -> None:
    done = run("replay", "hello", "--timing", "instant", stdin=INIT + ASK)
    assert done.returncode == 0
    assert kinds(done.stdout)[0] == "auth_status"
    assert kinds(done.stdout)[-1] == "assistant_message_complete"


def test_the_one_line_on_stderr_repeats_the_run() -> None:
    given = ("--timing", "fast", "--speed", "50", "--max-gap", "2.5", "--fresh-ids", "--record", "x.jsonl", "--force")
    done = run("replay", "hello", *given, stdin=INIT + ASK)
    [line] = done.stderr.decode().splitlines()
    assert "replays " in line
    assert "timing fast, speed 50, seed " in line
    again = line.partition("; again: mockbackend ")[2].split()
    assert again[:-1] == ["replay", "hello", *given[:7], "--seed"]
    assert run(*again, stdin=INIT + ASK).stdout == done.stdout
    assert run("-q", *again, stdin=INIT + ASK).stderr == b""
    assert b"--max-gap none" in run("replay", "hello", "--max-gap", "none").stderr


def test_a_file_as_stdin_the_null_device_and_a_closed_stdin_are_fine(elsewhere: Path) -> None:
    (elsewhere / "in").write_bytes(INIT + ASK)
    for redirect, lines in (("< in", 3), ("< /dev/null", 0), ("<&-", 0)):
        command = f"{subprocess.list2cmdline(COMMAND)} -q replay hello --timing instant {redirect}"
        done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=30, check=False)
        assert done.returncode == 0
        assert done.stderr == b""
        assert len(done.stdout.splitlines()) >= lines
        assert bool(done.stdout) is bool(lines)


def test_who_stops_reading_ends_it_quietly(elsewhere: Path) -> None:
    (elsewhere / "in").write_bytes(INIT + ASK)
    for reader in ("head -1", "true"):
        command = f"{subprocess.list2cmdline(COMMAND)} -q replay hello < in | {reader}"
        done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=30, check=False)
        assert done.stderr == b""
        assert len(done.stdout.splitlines()) == (1 if reader == "head -1" else 0)


def test_a_closed_stdout_is_a_frontend_that_is_gone() -> None:
    command = f"{subprocess.list2cmdline(COMMAND)} -q replay hello >&-"
    done = subprocess.run(["sh", "-c", command], input=INIT + ASK, capture_output=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_stdout_can_be_a_file(elsewhere: Path) -> None:
    with (elsewhere / "out").open("wb") as out:
        subprocess.run(
            [*COMMAND, "replay", "hello", "--timing", "instant"], input=INIT + ASK, stdout=out, timeout=30, check=True
        )
    assert (elsewhere / "out").read_bytes() == run("replay", "hello", "--timing", "instant", stdin=INIT + ASK).stdout


def test_every_option_can_come_from_the_environment() -> None:
    plain = run("replay", "hello", "--timing", "instant", stdin=INIT + ASK).stdout
    for env, arguments in (
        ({"MOCKBACKEND_REPLAY_TIMING": "instant"}, ("replay", "hello")),
        ({"MOCKBACKEND_REPLAY_TIMING": "instant", "MOCKBACKEND_REPLAY_RECORDING": "hello"}, ("replay",)),
        ({"MOCKBACKEND_ARGS": "replay 'hello' --timing instant"}, ()),
        ({"MOCKBACKEND_REPLAY_SPEED": "1000000", "MOCKBACKEND_QUIET": "1"}, ("replay", "hello")),
    ):
        done = run(*arguments, stdin=INIT + ASK, env=env)
        assert done.stdout == plain
        assert (done.stderr == b"") is ("MOCKBACKEND_QUIET" in env)
    done = run(env={"MOCKBACKEND_ARGS": "replay 'hello"})
    assert (done.returncode, done.stderr) == (2, b"mockbackend: error: MOCKBACKEND_ARGS: No closing quotation\n")


def test_a_crash_by_a_signal_ends_by_that_signal(elsewhere: Path) -> None:
    events = [
        (0, "frontend", json.loads(INIT)),
        (0.1, "backend", {"type": "pong"}),
        (0.2, "exit", {"signal": "SIGKILL"}),
    ]
    (elsewhere / "x.jsonl").write_bytes(recording(*events))
    done = run("-q", "replay", "x.jsonl", stdin=INIT)
    assert (done.returncode, done.stdout) == (-9, b'{"type":"pong"}\n')
    (elsewhere / "x.jsonl").write_bytes(recording(*events[:2], (0.2, "exit", {"signal": "SIGTERM"})))
    assert run("-q", "replay", "x.jsonl", stdin=INIT).returncode == -15
    (elsewhere / "x.jsonl").write_bytes(recording(*events[:2], (0.2, "exit", {"code": 42})))
    assert run("-q", "replay", "x.jsonl", stdin=INIT).returncode == 42


def test_a_recording_is_not_recorded_over(elsewhere: Path) -> None:
    run("-q", "replay", "hello", "--timing", "instant", "--record", "r.jsonl", stdin=INIT)
    for option in (("--record", "r.jsonl", "--force"), ("--record", "./r.jsonl", "--append"), ("--log", "r.jsonl")):
        done = run("replay", "r.jsonl", *option, stdin=INIT)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"this is the recording that is replayed" in done.stderr


def test_strict_ends_with_4_and_says_why() -> None:
    done = run("-q", "replay", "hello", "--timing", "instant", "--strict", stdin=INIT + ASK)
    assert done.returncode == 4
    assert b"warning: strict: " in done.stderr
    assert b'user_message: content: expected "' in done.stderr
    assert b"the input ended before line" in done.stderr


def test_a_session_can_be_recorded_and_the_recording_is_the_session(elsewhere: Path) -> None:
    first = run("-q", "replay", "hello", "--timing", "instant", "--record", "r.jsonl", stdin=INIT + ASK + PING)
    assert run("-q", "replay", "r.jsonl", "--timing", "instant", stdin=INIT + ASK + PING).stdout == first.stdout
    assert run("validate", "r.jsonl").returncode == 0

    refused = run("replay", "hello", "--record", "r.jsonl", stdin=INIT)
    assert (refused.returncode, refused.stdout) == (3, b"")
    assert b"r.jsonl: exists already; --force overwrites it, --append adds to it" in refused.stderr

    run("-q", "replay", "room", "--timing", "instant", "--record", "r.jsonl", "--append", stdin=INIT)
    reader = Reader(FileSource(elsewhere / "r.jsonl"))
    events = list(reader.events())
    assert [event.name for event in events if event.sender is None] == ["start", "input_closed", "exit"] * 2
    times = [event.at or 0 for event in events]
    assert times == sorted(times)

    run("-q", "replay", "room", "--record", "r.jsonl", "--force", stdin=b"")
    assert len(list(Reader(FileSource(elsewhere / "r.jsonl")).events())) == 3


def test_a_log_tells_both_sides(elsewhere: Path) -> None:
    for _ in range(2):
        run("replay", "hello", "--timing", "instant", "--log", "x.log", stdin=INIT + ASK)
    log = (elsewhere / "x.log").read_text()
    assert log.count('< {"type":"init"') == 2
    assert '> {"type":"auth_status"' in log
    assert "> (exit: code 0)" in log
    assert run("replay", "hello", "--log", "no/such/x.log").returncode == 3


def test_a_packed_recording_and_a_bare_one_are_replayed(elsewhere: Path) -> None:
    import gzip

    (elsewhere / "packed.jsonl.gz").write_bytes(gzip.compress(SHIPPED["hello"].read_bytes()))
    plain = run("replay", "hello", "--timing", "instant", stdin=INIT + ASK).stdout
    assert run("replay", "packed.jsonl.gz", "--timing", "instant", stdin=INIT + ASK).stdout == plain
    (elsewhere / "bare.jsonl").write_bytes(plain)
    done = run("replay", "bare.jsonl", "--speed", "1000", stdin=INIT + ASK)
    assert done.stdout == plain
    assert b"no recorded times: made up" in done.stderr
