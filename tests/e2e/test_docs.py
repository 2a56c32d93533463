"""What the docs say can be done, done."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from mockbackend.cli import mockbackend
from mockbackend.io.files import FileSource
from mockbackend.recording.check import check
from mockbackend.recording.reader import Reader
from tests.e2e.conftest import COMMAND

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("recordings/*.md"), *ROOT.glob("benchmarks/*.md")]
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_the_whole_example_of_the_format_is_a_recording(tmp_path: Path) -> None:
    text = (ROOT / "recordings" / "README.md").read_text(encoding="utf-8")
    [example] = [block for block in re.findall(r"```\n(.*?)```", text, re.DOTALL) if block.startswith('{"mockbackend"')]
    (tmp_path / "x.jsonl").write_text(example, encoding="utf-8")
    assert list(check(FileSource(tmp_path / "x.jsonl"))) == []
    assert len(list(Reader(FileSource(tmp_path / "x.jsonl")).events())) == 10


def test_every_shipped_recording_is_in_the_table() -> None:
    text = (ROOT / "recordings" / "README.md").read_text(encoding="utf-8")
    for path in (ROOT / "recordings").glob("*.jsonl"):
        assert f"| `{path.stem}` |" in text


def test_the_pipe_of_the_readme_gets_an_answer(elsewhere: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [command] = [line for line in readme.splitlines() if line.startswith("printf ")]
    command = command.replace("| mockbackend", f"| {subprocess.list2cmdline(COMMAND)} -q") + " --timing instant"
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=30, check=False)
    assert b"assistant_message_complete" in done.stdout.splitlines()[-1]
    assert done.stderr == b""


def test_every_option_that_the_readme_names_is_there() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    helped = "".join(
        CliRunner().invoke(mockbackend, [name, "--help"]).output for name in ("replay", "record", "redact", "generate")
    )
    for option in set(re.findall(r"--[a-z][a-z-]*", readme)) - {"--port"}:  # The backend's own.
        assert option in helped, option
