"""The commands that people look at, called as click calls them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from mockbackend import __version__
from mockbackend.cli import mockbackend
from mockbackend.testing.sources import recording

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(mockbackend, arguments)


def test_the_version_is_told() -> None:
    assert run("--version").output == f"mockbackend {__version__}\n"


@pytest.mark.parametrize("command", ["demo", "list", "replay", "show", "validate"])
def test_every_command_helps(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert command in run("--help").output


def test_a_slip_is_met_with_the_nearest_command() -> None:
    assert "Did you mean 'replay'?" in run("replya").output
    assert run("qqq").exit_code == 2


def test_list_shows_each_recording_with_its_origin(here: Path) -> None:
    (here / "recordings").mkdir()
    (here / "recordings" / "mine.jsonl").write_bytes(
        recording((0, "frontend", {"type": "user_message", "content": ""}), (2.5, "exit", {}))
    )
    (here / "recordings" / "bad.jsonl").write_bytes(b"")
    (here / "recordings" / "bare.jsonl").write_bytes(b'{"type":"ping"}\n')
    lines = run("list").output.splitlines()
    assert re.match(r"name +turns +time +from +what it shows", lines[0])
    assert any(re.match(r"mine +1 +2\.5 s +\./recordings", line) for line in lines)
    assert any(re.match(r"hello +1 +7\.6 s +shipped +One question", line) for line in lines)
    assert any("cannot be used: is empty" in line for line in lines)
    rows = {row["name"]: row for row in map(json.loads, run("list", "--json").output.splitlines())}
    assert rows["crash-and-resume"]["runs"] == 2
    assert rows["bare"]["seconds"] is None


def test_show_tells_what_a_recording_holds() -> None:
    output = run("show", "room").output
    for text in ("holds     2 turns, 72 events, 5.9 s", "mcp__room__examine 1×", "ended     code 0", "← ", "→ "):
        assert text in output
    assert output.count("\n") < run("show", "room", "--full").output.count("\n")
    assert "2 runs" in run("show", "crash-and-resume").output
    assert "ended     code 137, then code 0" in run("show", "crash-and-resume").output
    assert "(5 failed)" in run("show", "tool-errors").output


def test_show_tells_of_markers_bare_files_and_cut_lines(here: Path) -> None:
    (here / "x.jsonl").write_bytes(recording((0, "marker", {"name": "here"})) + b'{"t":1')
    result = run("show", "x.jsonl")
    assert "markers   here" in result.output
    assert "the file was cut off here" in result.stderr
    (here / "y.jsonl").write_bytes(b'{"type":"ping"}\n')
    assert "bare messages, without times" in run("show", "y.jsonl").output


def test_validate_names_file_and_line_and_exits_3_on_errors(here: Path) -> None:
    (here / "x.jsonl").write_bytes(recording((0, "frontend", {"type": "cancel"})) + b"oops\n{}\n")
    result = run("validate", "x.jsonl", "hello", "nope")
    assert result.exit_code == 3
    assert result.stdout.splitlines()[0] == "x.jsonl:3: error: expected a JSON object, found none at column 1"
    assert "nope: error: there is no recording of this name" in result.stdout
    assert result.stderr == "3 files: 3 errors, 1 warning\n"
    assert run("-q", "validate", "hello").stderr == ""
    assert run("validate", "hello").stderr == "1 file: 0 errors, 0 warnings\n"
    assert run("validate", "hello").exit_code == 0


def test_validate_can_speak_json(here: Path) -> None:
    (here / "x.jsonl").write_bytes(recording())
    [line] = run("validate", "--format", "json", "x.jsonl").stdout.splitlines()
    assert json.loads(line) == {
        "file": "x.jsonl",
        "line": 0,
        "severity": "warning",
        "text": "holds no events: nothing will ever be said",
    }
