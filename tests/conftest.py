"""What all tests share: where the optional data lies, and how long hypothesis looks for trouble."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Few examples while somebody waits; many, and always the same, where nobody does.
settings.register_profile("default", deadline=None, max_examples=25)
settings.register_profile("ci", deadline=None, max_examples=200, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of data that is not part of the project: real traces and logs."""
    root = Path(__file__).parent.parent
    folder = Path(os.environ.get("MOCKBACKEND_SHARED", root.parent / "shared"))
    if not (folder / "data" / "traces").is_dir():
        pytest.skip(f"no shared data at {folder}; MOCKBACKEND_SHARED names another place")
    return folder


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files of scenarios anew")
