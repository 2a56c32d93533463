"""What frontends, files and users do to it, and how it takes that."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mockbackend.testing.sources import recording
from tests.e2e.conftest import ASK, COMMAND, INIT, PING

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("elsewhere")

EVENTS = (
    (0.0, "frontend", json.loads(INIT)),
    (0.0, "backend", {"type": "session_started", "session_id": "s"}),
    (1.0, "frontend", json.loads(ASK)),
    (1.0, "backend", {"type": "assistant_text_delta", "content": "x"}),
    (3600.0, "backend", {"type": "assistant_message_complete", "content": "x"}),
)
NASTY = [
    b"{",
    b'{"type":"ping"',
    b'"ping"',
    b"[]",
    b"null",
    b"nonsense",
    b'{"type":"wave"}',
    b'{"type":"user_message"}',
    b'{"type":"user_message","content":7}',
    b'{"type":"ping","x":NaN}',
    b'{"type":"ping","x":1e999}',
    b'{"type":"ping","x":' + b"9" * 10_000 + b"}",
    b'{"type":"ping","type":"ping"}',
    b'{"type":"ping","x":"\\ud800"}',
    b'{"type":"ping","x":"\xff"}',
    b'{"type":"ping"}\0',
    b'\xef\xbb\xbf{"type":"ping"}',
    b"[" * 1_000_000,
    b'{"a":' * 200_000,
    b'{"type":"ping","x":' + b"[" * 200 + b"]" * 200 + b"}",
    b'{"type":"user_message","content":"' + b"x" * 20_000_000 + b'"}',
    b"x" * 17_000_000,
    b"{" * 17_000_000,
]


@pytest.fixture
def long_wait(elsewhere: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A replay in the middle of a silence of an hour."""
    (elsewhere / "long.jsonl").write_bytes(recording(*EVENTS))
    command = [*COMMAND, "-q", "replay", "long.jsonl", "--max-gap", "none"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(INIT + ASK)
        assert b"session_started" in process.stdout.readline()
        assert b"text_delta" in process.stdout.readline()
        yield process
        process.kill()


def quietly_ended(process: subprocess.Popen[bytes]) -> bool:
    assert process.stderr
    code = process.wait(10)
    return (code, process.stderr.read()) == (0, b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_end_it_cleanly(long_wait: subprocess.Popen[bytes], number: signal.Signals) -> None:
    long_wait.send_signal(number)
    assert quietly_ended(long_wait)


def test_a_frontend_that_is_gone_is_noticed_in_a_long_silence(long_wait: subprocess.Popen[bytes]) -> None:
    assert long_wait.stdout
    long_wait.stdout.close()
    assert quietly_ended(long_wait)


def test_a_cancel_and_a_ping_are_heard_in_a_long_silence(long_wait: subprocess.Popen[bytes]) -> None:
    assert long_wait.stdin
    assert long_wait.stdout
    long_wait.stdin.write(PING)
    assert long_wait.stdout.readline() == b'{"type":"pong"}\n'
    long_wait.stdin.write(b'{"type":"cancel"}\n')
    assert long_wait.stdout.readline() == b'{"type":"session_ended","reason":"cancelled"}\n'
    long_wait.stdin.write(b'{"type":"shutdown"}\n')
    assert quietly_ended(long_wait)


def test_each_nasty_line_gets_one_parse_error_and_memory_stays_bounded() -> None:
    command = [*COMMAND, "-q", "replay", "hello", "--timing", "instant"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(INIT)
        process.stdout.readline()
        for line in NASTY:
            process.stdin.write(line + b"\n" + PING)
            answer = json.loads(process.stdout.readline())
            assert (answer["type"], answer["code"], answer["recoverable"]) == ("error", "PARSE_ERROR", True)
            assert process.stdout.readline() == b'{"type":"pong"}\n'
        process.stdin.write(ASK)
        assert b"session_started" in process.stdout.readline()
        status = Path(f"/proc/{process.pid}/status")
        if status.exists():
            peak = next(int(row.split()[1]) for row in status.read_text().splitlines() if row.startswith("VmHWM"))
            assert peak < 120_000  # Kilobytes: a line of the longest that is read, twice, and ourselves.
        process.stdin.write(b'{"type":"shutdown"}\n')
        assert process.wait(10) == 0


def test_a_frontend_that_never_reads_stderr_loses_nothing(elsewhere: Path) -> None:
    noise = [(1.0, "stderr", "x" * 1000) for _ in range(500)]
    (elsewhere / "x.jsonl").write_bytes(recording(*EVENTS[:3], *noise, EVENTS[3]))
    with subprocess.Popen(
        [*COMMAND, "replay", "x.jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(INIT + ASK)
        process.stdin.close()
        assert process.stdout.read().count(b"\n") == 2
        assert process.wait(10) == 0
        assert process.stderr
        process.stderr.close()


def test_a_frontend_that_stops_reading_can_still_cancel_and_shut_down(elsewhere: Path) -> None:
    deltas = [(1.0, "backend", {"type": "assistant_text_delta", "content": "x" * 900}) for _ in range(3000)]
    (elsewhere / "x.jsonl").write_bytes(recording(*EVENTS[:3], *deltas))
    with subprocess.Popen(
        [*COMMAND, "-q", "replay", "x.jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(INIT + ASK)
        process.stdout.readline()
        process.stdin.write(b'{"type":"cancel"}\n' + PING)
        time.sleep(0.2)  # Long enough for the pipe to be full and the cancel to be heard.
        lines = []
        while (line := process.stdout.readline()) != b'{"type":"pong"}\n':
            lines.append(line)
        assert lines[-1] == b'{"type":"session_ended","reason":"cancelled"}\n'
        assert len(lines) < 400
        process.stdin.write(ASK)
        process.stdin.write(b'{"type":"shutdown"}\n')
        assert process.wait(10) == 0


def test_no_thread_and_no_process_is_left_when_the_frontend_is_killed(elsewhere: Path) -> None:
    (elsewhere / "long.jsonl").write_bytes(recording(*EVENTS))
    script = f"{subprocess.list2cmdline(COMMAND)} -q replay long.jsonl --max-gap none & echo $!; wait"
    read, write = os.pipe()
    shell = subprocess.Popen(["sh", "-c", f"({script})"], stdin=subprocess.PIPE, stdout=write, bufsize=0)
    os.close(write)
    pid = int(os.read(read, 100).split()[0])
    shell.kill()
    shell.wait()
    if shell.stdin:
        shell.stdin.close()
    os.close(read)
    deadline = time.monotonic() + 10
    while _lives(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _lives(pid)


def _lives(pid: int) -> bool:
    """Whether a process runs; one that only waits for somebody to ask how it ended does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


HEADER = b'{"mockbackend":1,"protocol":1}\n'


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "x.jsonl: does not exist"),
        (b"", "x.jsonl: is empty; expected a recording, which begins with"),
        (b"\x7fELF\0\0", "x.jsonl: is binary; expected JSON lines"),
        (b'{"version":2,"width":80}\n', "x.jsonl:1: is not a recording of mockbackend but of some other program"),
        (
            b'{"mockbackend":9}\n',
            "x.jsonl:1: needs a newer mockbackend, one that reads format 9; this one reads format 1",
        ),
        (
            HEADER + b'{"t":0,"ev\n{"t":1,"event":"start"}\n',
            "x.jsonl:2: expected a JSON object, found a line that ends or breaks at column",
        ),
    ],
    ids=["missing", "empty", "binary", "another tool", "newer", "broken in the middle"],
)
def test_a_recording_that_cannot_be_used_is_exit_3_before_a_word_is_said(
    elsewhere: Path, content: bytes | None, problem: str
) -> None:
    if content is not None:
        (elsewhere / "x.jsonl").write_bytes(content)
    done = subprocess.run([*COMMAND, "replay", "x.jsonl"], input=INIT, capture_output=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.decode().startswith(f"mockbackend: error: {problem}")
    assert "Traceback" not in done.stderr.decode()


def test_bad_lines_can_be_skipped(elsewhere: Path) -> None:
    (elsewhere / "x.jsonl").write_bytes(recording(*EVENTS[:2]) + b"oops\n" + recording(*EVENTS[2:4]).split(b"\n", 1)[1])
    done = subprocess.run(
        [*COMMAND, "replay", "x.jsonl"], input=INIT + ASK, capture_output=True, timeout=30, check=False
    )
    assert done.returncode == 3
    assert b"--skip-bad-lines" in done.stderr
    done = subprocess.run(
        [*COMMAND, "-q", "replay", "x.jsonl", "--skip-bad-lines"],
        input=INIT + ASK,
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.count(b"\n") == 2
    assert b"warning: x.jsonl:4: skipped (expected a JSON object" in done.stderr


def test_a_large_recording_that_breaks_later_ends_with_3_and_tells_the_frontend(elsewhere: Path) -> None:
    filler = [
        (1.0, "backend", {"type": "tool_end", "id": "a", "output": "x" * 50_000, "success": True}) for _ in range(60)
    ]
    (elsewhere / "x.jsonl").write_bytes(recording(*EVENTS[:3], *filler) + b"oops\n{}\n")
    done = subprocess.run(
        [*COMMAND, "-q", "replay", "x.jsonl"], input=INIT + ASK, capture_output=True, timeout=30, check=False
    )
    assert done.returncode == 3
    last = json.loads(done.stdout.splitlines()[-1])
    assert (last["code"], last["recoverable"]) == ("SDK_ERROR", False)
    assert b"x.jsonl:65: expected a JSON object" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["replay"], "Missing argument 'RECORDING'"),
        (["reply", "x"], "No such command 'reply'"),
        (["replay", "hello", "--timing", "never"], "'never' is not one of"),
        (["replay", "hello", "--speed", "0"], "0"),
        (["replay", "hello", "--max-gap", "-1"], "expected a number of seconds or 'none', found '-1'"),
        (["replay", "hello", "--max-gap", "nan"], "found 'nan'"),
        (["replay", "hello", "--jitter", "2"], "2"),
        (["replay", "hello", "--start-at", "9"], "has 1 user message(s)"),
        (["replay", "hello", "--strict", "--autoplay"], "--autoplay has no place beside it"),
        (["replay", "hello", "--strict", "--match", "exact"], "--match exact has no place beside it"),
        (["replay", "hello", "--autoplay", "--auth", "required"], "--auth required has no place beside it"),
        (["replay", "hello", "--strict", "--at-end", "loop"], "--at-end loop has no place beside it"),
        (["replay", "hello", "--speed", "nan"], "expected a number, found 'nan'"),
        (["replay", "hello", "--jitter", "nan"], "expected a number, found 'nan'"),
        (["demo", "--speed", "nan"], "expected a number, found 'nan'"),
        (["replay", "hello", "--record", "x", "--force", "--append"], "only one of them can be meant"),
        (["replay", "hello", "--force"], "--force and --append go with --record"),
    ],
)
def test_wrong_usage_is_exit_2_and_nothing_is_said(arguments: list[str], problem: str) -> None:
    done = subprocess.run([*COMMAND, *arguments], input=b"", capture_output=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert problem in done.stderr.decode()


def test_an_unknown_name_is_met_with_the_nearest() -> None:
    done = subprocess.run([*COMMAND, "replay", "helo"], input=b"", capture_output=True, timeout=30, check=False)
    assert done.returncode == 3
    assert b"did you mean hello" in done.stderr
