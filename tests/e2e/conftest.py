"""Real processes: the command under test, and where it runs."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

COMMAND = shlex.split(os.environ.get("MOCKBACKEND_COMMAND", "")) or [sys.executable, "-m", "mockbackend"]
"""The wheel's own command when the wheel is tested, else the checkout."""

INIT = b'{"type":"init","version":1,"working_dir":"/home/dev/demo"}\n'
ASK = b'{"type":"user_message","content":"hi"}\n'
PING = b'{"type":"ping"}\n'


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("e2e")


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with nothing in it, so that names mean what is shipped; and a clean environment."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith("MOCKBACKEND_") and name not in {"MOCKBACKEND_COMMAND", "MOCKBACKEND_SHARED"}:
            monkeypatch.delenv(name)
    if "MOCKBACKEND_COMMAND" not in os.environ:
        monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    return tmp_path
