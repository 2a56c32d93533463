"""`mockbackend record`, with real processes: nobody notices it, nothing is lost, and nobody is left behind."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mockbackend.io.files import FileSource
from mockbackend.recording.reader import Reader
from tests.e2e.conftest import COMMAND
from tests.e2e.frontend import Frontend, Outcome, Step, backend, say, until
from tests.redaction.keys import KEYS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mockbackend.recording.model import Event

pytestmark = pytest.mark.usefixtures("elsewhere")
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process's descendants")


@pytest.fixture(autouse=True)
def everybody_goes_home() -> Iterator[None]:
    yield
    Frontend.all_finish()


DELTA = b'{"type":"assistant_text_delta","content":"x"}\n'
PIECES = {
    "lines": [b'{"a":1}\n', b"{}\n\n\n"],
    "carriage returns": [b'{"a":1}\r\n', b"\r\n"],
    "text": [b"npm WARN x\n", b"\x00\x01\n"],
    "bytes that are no UTF-8": [b"\xff\xfe\n", b'{"a":"\xc3"}\n'],
    "a code point in two writes": [b'{"a":"\xf0\x9f', b'\x98\x80"}\n'],
    "half a line at the end": [b'{"a":1}\n', b'{"half'],
    "nothing": [],
}


def record(file: str, command: list[str], *options: str) -> list[str]:
    return [*COMMAND, "record", "-o", file, *options, "--", *command]


def run(command: list[str], folder: Path, sends: list[bytes] = [], wait_for: bytes = b"") -> Outcome:  # noqa: B006
    frontend = Frontend(command, folder)
    if wait_for:
        frontend.wait_for(wait_for)
    for data in sends:
        frontend.send(data)
    frontend.close()
    return frontend.finish()


def events(path: Path) -> list[Event]:
    return list(Reader(FileSource(path)).events())


def recorded(path: Path, sender: str) -> bytes:
    return b"".join(event.data for event in events(path) if event.sender == sender)


def same(folder: Path, sends: list[bytes], *script: Step) -> Outcome:
    """Compare a conversation with and without a recorder in between; return the latter."""
    direct = run(backend(folder, *script), folder, sends)
    through = run(record("r.jsonl", backend(folder, *script), "--force", "--no-redact"), folder, sends)
    assert through == direct
    path = folder / "r.jsonl"
    assert recorded(path, "backend") == through.stdout
    assert recorded(path, "stderr").rstrip(b"\n") == through.stderr.rstrip(b"\n")
    assert through.heard == b"".join(sends)[: len(through.heard)]
    assert recorded(path, "frontend")[: len(through.heard)] == through.heard
    return through


@pytest.mark.parametrize("pieces", PIECES.values(), ids=PIECES)
def test_bytes_pass_unchanged_both_ways(elsewhere: Path, pieces: list[bytes]) -> None:
    script = [step for piece in pieces for step in (say(piece), ["pause", 0.01])]
    outcome = same(elsewhere, pieces, *script, ["warn", b"ready\n".hex()], ["hear_all"], ["exit", 7])
    assert outcome == (b"".join(pieces), b"ready\n", 7, b"".join(pieces))


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    said=st.lists(st.binary(max_size=40) | st.sampled_from([b"\n", b'{"a":1}\n', b"\xc3", b"\xa9\r\n"]), max_size=8),
    sent=st.lists(st.binary(max_size=40) | st.sampled_from([b"\n", b'{"type":"ping"}\n']), max_size=8),
    warned=st.binary(max_size=20),
    end=st.sampled_from([["exit", 0], ["exit", 3], ["exit", 255]]),
)
def test_any_bytes_pass_unchanged(
    elsewhere: Path, said: list[bytes], sent: list[bytes], warned: bytes, end: Step
) -> None:
    same(elsewhere, sent, *(say(piece) for piece in said), ["warn", warned.hex()], ["hear_all"], end)


def test_a_line_of_a_hundred_megabytes_passes_and_is_recorded(elsewhere: Path) -> None:
    size = 100_000_000
    outcome = run(record("r.jsonl", backend(elsewhere, ["lump", size], ["hear_all"])), elsewhere, wait_for=b"true}\n")
    assert len(outcome.stdout) == size
    assert outcome.code == 0
    last = [event for event in events(elsewhere / "r.jsonl") if event.sender == "backend"][-1]
    assert last.data == outcome.stdout
    assert last.kind == "tool_end"


def test_answers_in_flight_arrive_after_the_end_of_input(elsewhere: Path) -> None:
    outcome = same(elsewhere, [b"{}\n"], ["hear_all"], ["pause", 0.3], say(DELTA), ["exit", 0])
    assert outcome.stdout == DELTA
    names = [event.name or event.sender for event in events(elsewhere / "r.jsonl")]
    assert names == ["start", "frontend", "input_closed", "backend", "exit"]


def test_a_backend_that_closes_its_output_is_seen_to_do_so(elsewhere: Path) -> None:
    frontend = Frontend(record("r.jsonl", backend(elsewhere, say(DELTA), ["close", 1], ["hear_all"])), elsewhere)
    frontend._readers[0].join(5)
    assert not frontend._readers[0].is_alive()
    assert frontend.process.poll() is None
    frontend.close()
    assert frontend.finish() == (DELTA, b"", 0, b"")


def test_a_backend_that_closes_its_input_is_seen_to_do_so(elsewhere: Path) -> None:
    frontend = Frontend(record("r.jsonl", backend(elsewhere, ["close", 0], say(DELTA), ["pause", 60])), elsewhere)
    frontend.wait_for(DELTA)
    stdin = frontend.process.stdin
    assert stdin is not None

    def broken() -> bool:
        try:
            stdin.write(b"{}\n")
        except BrokenPipeError:
            return True
        return False

    until(broken)
    frontend.process.terminate()
    assert frontend.finish().code == -signal.SIGTERM


def test_a_frontend_that_does_not_read_holds_the_backend_up_and_nothing_is_lost(elsewhere: Path) -> None:
    count = 20_000
    process = subprocess.Popen(
        record("r.jsonl", backend(elsewhere, ["repeat", count, 0])), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdin is not None
    time.sleep(1.0)
    assert process.poll() is None
    assert process.stdout.read().count(b"\n") == count
    process.stdin.close()
    process.stdout.close()
    assert process.wait(10) == 0
    assert recorded(elsewhere / "r.jsonl", "backend").count(b"\n") == count


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGINT])
def test_a_killed_backend_ends_us_by_the_same_signal(elsewhere: Path, number: int) -> None:
    outcome = same(elsewhere, [], say(DELTA), ["die", number])
    assert outcome.code == -number
    assert events(elsewhere / "r.jsonl")[-1].fields == {"signal": number}
    assert not list(elsewhere.glob("core*"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_for_the_backend(elsewhere: Path, number: int) -> None:
    frontend = Frontend(record("r.jsonl", backend(elsewhere, say(DELTA), ["pause", 60])), elsewhere)
    frontend.wait_for(DELTA)
    began = time.monotonic()
    frontend.process.send_signal(number)
    assert frontend.finish().code == -number
    assert time.monotonic() - began < 2
    assert not frontend.left()


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="no SIGUSR1 on this system")
def test_a_signal_that_does_not_end_it_is_for_the_backend_too(elsewhere: Path) -> None:
    script = f"trap 'echo heard; exit 7' USR1; echo '{DELTA.decode().strip()}'; while :; do sleep 0.02; done"
    frontend = Frontend(record("r.jsonl", ["sh", "-c", script]), elsewhere)
    frontend.wait_for(DELTA)
    frontend.process.send_signal(signal.SIGUSR1)
    assert frontend.finish()[::2] == (DELTA + b"heard\n", 7)


@linux
def test_a_crash_is_dated_when_it_happened(elsewhere: Path) -> None:
    run(record("r.jsonl", backend(elsewhere, ["spawn", "holding"], say(DELTA), ["die", 9])), elsewhere)
    said, ended = (event.at or 0 for event in events(elsewhere / "r.jsonl")[-2:])
    assert ended - said < 200_000


@linux
@pytest.mark.parametrize("how", ["holding", "away"])
def test_who_ignores_a_signal_is_killed_after_the_grace_with_all_it_started(elsewhere: Path, how: str) -> None:
    script: list[Step] = [["ignore", 15], ["ignore", 1], ["spawn", how], say(DELTA), ["pause", 60]]
    frontend = Frontend(record("r.jsonl", backend(elsewhere, *script), "--grace", "0.5"), elsewhere)
    frontend.wait_for(DELTA)
    began = time.monotonic()
    frontend.process.terminate()
    assert frontend.finish().code == -signal.SIGKILL
    assert 0.4 < time.monotonic() - began < 3
    assert not frontend.left()


@linux
@pytest.mark.parametrize("how", ["holding", "away"])
def test_what_a_backend_leaves_behind_goes_with_it(elsewhere: Path, how: str) -> None:
    frontend = Frontend(record("r.jsonl", backend(elsewhere, ["spawn", how], say(DELTA), ["exit", 3])), elsewhere)
    assert frontend.finish()[::2] == (DELTA, 3)
    assert not frontend.left()


@linux
def test_a_frontend_that_is_gone_takes_everything_with_it(elsewhere: Path) -> None:
    script: list[Step] = [["ignore", 15], ["ignore", 13], ["spawn", "away"], say(DELTA), ["pause", 60]]
    frontend = Frontend(record("r.jsonl", backend(elsewhere, *script), "--grace", "0.5"), elsewhere)
    frontend.wait_for(DELTA)
    frontend.leave()
    frontend.nobody_is_left()
    assert events(elsewhere / "r.jsonl")[-1].name == "exit"


def test_the_other_side_may_be_a_file_or_nothing(elsewhere: Path) -> None:
    command = record("r.jsonl", backend(elsewhere, ["hear_all"], say(DELTA)), "--force")
    assert subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout == DELTA
    (elsewhere / "in").write_bytes(b"{}\n")
    with open(elsewhere / "in", "rb") as into, open(elsewhere / "out", "wb") as out:
        subprocess.run(command, stdin=into, stdout=out, check=True)
    assert (elsewhere / "out").read_bytes() == DELTA
    assert (elsewhere / "heard").read_bytes() == b"{}\n"


def test_environment_and_folder_are_the_backends_own(elsewhere: Path) -> None:
    code = "import os; print(os.getcwd(), os.environ['X'], os.getpgid(0) == os.getpid(), os.get_inheritable(0))"
    outcome = Frontend(record("r.jsonl", [sys.executable, "-c", code]), elsewhere, X="7").finish()
    assert outcome.stdout.decode().split() == [os.path.realpath(elsewhere), "7", "True", "True"]


def test_a_backend_that_cannot_be_started_is_told_and_leaves_no_file(elsewhere: Path) -> None:
    outcome = run(record("r.jsonl", ["./no-such-backend"]), elsewhere)
    assert outcome.code == 5
    assert outcome.stderr == b"mockbackend: error: ./no-such-backend: cannot be started: No such file or directory\n"
    assert not (elsewhere / "r.jsonl").exists()
    (elsewhere / "r.jsonl").write_bytes(b"precious")
    assert run(record("r.jsonl", ["./no-such-backend"], "--force"), elsewhere).code == 5
    assert (elsewhere / "r.jsonl").read_bytes() == b"precious"


def test_an_existing_file_is_refused_before_the_backend_is_started(elsewhere: Path) -> None:
    (elsewhere / "r.jsonl").write_bytes(b"precious")
    outcome = run(record("r.jsonl", backend(elsewhere, say(DELTA))), elsewhere)
    assert (outcome.stdout, outcome.code) == (b"", 3)
    assert b"r.jsonl: exists already; --force overwrites it, --append adds to it" in outcome.stderr
    assert (elsewhere / "r.jsonl").read_bytes() == b"precious"
    assert run(record("no/r.jsonl", backend(elsewhere, say(DELTA))), elsewhere).code == 3
    assert run(record("r.jsonl", backend(elsewhere, say(DELTA)), "--append"), elsewhere).code == 3
    assert (elsewhere / "r.jsonl").read_bytes() == b"precious"


def test_a_second_run_is_added_to_the_file(elsewhere: Path) -> None:
    path = elsewhere / "r.jsonl"
    for number in (1, 2):
        command = backend(elsewhere, say(b'{"type":"pong","n":%d}\n' % number), ["exit", number])
        assert run(record("r.jsonl", command, "--append"), elsewhere).code == number
        path.write_bytes(path.read_bytes() + b'{"t":1.0,"fro')  # As if it had been cut off.
    outcome = run(record("r.jsonl", backend(elsewhere, ["exit", 3]), "--append"), elsewhere)
    assert b"the file was cut off here" in outcome.stderr
    runs = "".join(event.name or event.kind or "" for event in events(path)).split("start")
    assert [run.replace("input_closed", "") for run in runs] == ["", "pongexit", "pongexit", "exit"]
    times = [event.at for event in events(path)]
    assert times == sorted(times, key=lambda at: at or 0)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_full_disk_disturbs_nobody(elsewhere: Path) -> None:
    os.symlink("/dev/full", elsewhere / "full.jsonl")
    outcome = run(
        record("full.jsonl", backend(elsewhere, ["repeat", 50, 0.01]), "--force"), elsewhere, wait_for=b'"49"'
    )
    assert outcome.code == 0
    assert outcome.stdout.count(b"\n") == 50
    lines = outcome.stderr.decode().splitlines()
    assert len(lines) == 2
    assert "full.jsonl: No space left on device; what follows is missing from this file" in lines[0]
    assert "event(s) are missing from this file" in lines[1]


def test_a_folder_that_vanishes_disturbs_nobody(elsewhere: Path) -> None:
    (elsewhere / "sub").mkdir()
    frontend = Frontend(record("sub/r.jsonl", backend(elsewhere, ["repeat", 30, 0.05])), elsewhere)
    frontend.wait_for(b'"3"')
    (elsewhere / "sub" / "r.jsonl").unlink()
    (elsewhere / "sub").rmdir()
    outcome = frontend.finish()
    assert outcome.code == 0
    assert outcome.stdout.count(b"\n") == 30
    assert b"sub/r.jsonl: the file is gone" in outcome.stderr


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="no SIGUSR1 on this system")
def test_a_marker_is_set_by_a_signal(elsewhere: Path) -> None:
    options = ("--marker-on-signal", "--backend-name", "agent", "--backend-version", "9")
    frontend = Frontend(record("r.jsonl", backend(elsewhere, say(DELTA), ["hear_all"]), *options), elsewhere)
    frontend.wait_for(DELTA)
    frontend.process.send_signal(signal.SIGUSR1)
    until(lambda: b'"marker-1"' in (elsewhere / "r.jsonl").read_bytes())
    frontend.close()
    assert frontend.finish().code == 0
    assert Reader(FileSource(elsewhere / "r.jsonl")).header.backend == "agent 9"


def planted() -> tuple[list[Step], list[bytes]]:
    """A session with keys of many kinds in every place where one can be."""
    init = {"type": "init", "version": 1, "working_dir": "/x", "api_key": KEYS["anthropic_key"]}
    keys = [key for kind, key in KEYS.items() if kind != "anthropic_key"]
    said: list[dict[str, Any]] = [
        {"type": "tool_end", "id": "1", "success": True, "output": f"a\n{key}\nb"} for key in keys
    ]
    said += [
        {"type": "tool_start", "id": "2", "tool": "Write", "input": json.dumps({"x": json.dumps([key])})}
        for key in keys
    ]
    for key in keys:
        half = len(key) // 2
        said += [{"type": "assistant_text_delta", "content": part} for part in ("a ", key[:half], key[half:], " b")]
        said.append({"type": "assistant_message_complete", "content": f"a {key} b"})
    script: list[Step] = [say(json.dumps(message).encode() + b"\n") for message in said]
    script += [["warn", f"using {key}\n".encode().hex()] for key in keys]
    script += [["warn", b"of the environment: not-so-well-known\n".hex()], ["hear_all"]]
    return script, [json.dumps(init).encode() + b"\n"]


def test_planted_keys_are_not_in_the_file(elsewhere: Path) -> None:
    script, sends = planted()
    command = record("r.jsonl", [*backend(elsewhere, *script), "--token", KEYS["npm_token"]])
    frontend = Frontend(command, elsewhere, SOME_SECRET="not-so-well-known")
    for data in sends:
        frontend.send(data)
    frontend.close()
    outcome = frontend.finish()
    content = (elsewhere / "r.jsonl").read_text()
    text = "".join(
        (event.message or {}).get("content", "")
        for event in events(elsewhere / "r.jsonl")
        if event.kind == "assistant_text_delta"
    )
    for kind, key in KEYS.items():
        assert key.encode() in outcome.heard + outcome.stdout + outcome.stderr, f"{kind} has to pass"
        assert json.dumps(key)[1:-1] not in content, kind
        assert key not in text, kind
    assert "not-so-well-known" not in content
    assert b"r.jsonl: redacted " in outcome.stderr
    header = Reader(FileSource(elsewhere / "r.jsonl")).header.fields
    assert header["redacted"] == ["secrets"]
    assert set(header["redactions"]) == {*KEYS, "some_secret"} - {"anthropic_key"}  # It is the api_key here.
    shape = [event.kind for event in events(elsewhere / "r.jsonl") if event.sender == "backend"]
    assert shape.count("assistant_message_complete") == len(KEYS) - 1


@linux
@pytest.mark.parametrize("victim", ["recorder", "backend", "frontend"])
def test_whoever_is_killed_at_any_moment_the_file_loads_and_nobody_is_left(elsewhere: Path, victim: str) -> None:
    rng = random.Random(victim)
    for attempt in range(17):
        folder = elsewhere / f"{victim}{attempt}"
        folder.mkdir()
        script: list[Step] = [["spawn", "away"], ["repeat", 5000, 0.001], ["hear_all"]]
        frontend = Frontend(record("r.jsonl", backend(folder, *script), "--grace", "0.3"), folder)
        frontend.wait_for(b'"0"')
        time.sleep(rng.random() * 0.25)
        killed_at = time.monotonic()
        if victim == "frontend":
            frontend.leave()
        elif victim == "backend":
            os.kill(json.loads((folder / "r.jsonl").read_text().splitlines()[1])["pid"], signal.SIGKILL)
            assert frontend.finish().code == -signal.SIGKILL
        else:
            frontend.process.kill()
            frontend.finish()
        frontend.nobody_is_left()
        seen_before = killed_at - (0.050 if victim == "recorder" else 0)
        seen = b"".join(data for at, data in frontend.seen if at <= seen_before)
        got = recorded(folder / "r.jsonl", "backend")
        assert got.startswith(seen.rpartition(b"\n")[0]), f"{len(seen)} bytes were seen, {len(got)} are in the file"
