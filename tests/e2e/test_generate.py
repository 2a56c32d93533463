"""`mockbackend generate`, as a frontend spawns it."""

from __future__ import annotations

import json
import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.e2e.conftest import ASK, COMMAND, INIT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("elsewhere")

INSTANT = ("--timing", "instant")


def generate(*options: str, said: bytes = INIT + ASK) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, "generate", *options], input=said, capture_output=True, timeout=60, check=False)


def test_the_default_answers_whatever_is_typed_and_says_as_what() -> None:
    run = generate(*INSTANT)
    assert run.returncode == 0
    assert json.loads(run.stdout.splitlines()[-1])["type"] == "assistant_message_complete"
    assert b"answers as 'hello' would" in run.stderr


def test_the_printed_command_repeats_the_run() -> None:
    first = generate("coding", *INSTANT)
    words = shlex.split(first.stderr.decode().splitlines()[0].partition("again: ")[2])
    assert generate(*words[2:]).stdout == first.stdout
    assert generate("coding", *INSTANT, "--seed", "1").stdout != generate("coding", *INSTANT, "--seed", "2").stdout


def test_the_repeated_command_has_every_setting() -> None:
    run = generate("flood", *INSTANT, "--set", "rate=10", "--set", "seconds=1")
    assert run.stdout.count(b"assistant_text_delta") == 10
    assert b"--set rate=10 --set seconds=1" in run.stderr


def test_a_million_deltas_take_little_room_and_time() -> None:
    run = generate("long-stream", *INSTANT, "--set", "deltas=1000000", "--seed", "0")
    assert run.stdout.count(b"\n") == 1_000_003


def test_a_scenario_that_is_not_there_is_refused() -> None:
    run = generate("codin")
    assert (run.returncode, run.stdout) == (3, b"")
    assert b"did you mean coding" in run.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--set", "x=1"), b"nothing to set"),
        (("--set", "x"), b"expected KEY=VALUE"),
        (("--timing", "recorded"), b"no recorded times"),
        (("--locale", "xx_YY"), b"Faker does not know it"),
        (("--force",), b"go with --record"),
        (("--record", "r.jsonl", "--force", "--append"), b"only one of them"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(options: tuple[str, ...], told: bytes) -> None:
    run = generate("hello", *options)
    assert run.returncode == 2
    assert told in run.stderr


def test_what_was_generated_and_recorded_is_a_valid_recording(elsewhere: Path) -> None:
    run = generate("room-silent", *INSTANT, "--record", "made.jsonl", "--set", "patience=0.1")
    assert run.returncode == 0
    checked = subprocess.run([*COMMAND, "validate", "made.jsonl"], capture_output=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_another_locale_is_spoken_around_the_same_names() -> None:
    run = generate("coding", *INSTANT, "--seed", "1", "--locale", "ja_JP")
    said = "".join(json.loads(line).get("content", "") for line in run.stdout.decode().split("\n") if line)
    assert any("\u3040" <= letter <= "\u30ff" for letter in said)


def test_a_scripted_crash_ends_with_its_own_code() -> None:
    assert generate("crash-mid-tool", *INSTANT, "--set", "code=7").returncode == 7
