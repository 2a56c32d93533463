"""Names: where recordings are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from mockbackend.errors import UnusableFileError
from mockbackend.io.shipped import catalogue, find


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_a_path_is_taken_as_it_is(here: Path) -> None:
    put(here / "mine.jsonl")
    put(here / "odd name")
    assert find("mine.jsonl", "recordings") == Path("mine.jsonl")
    assert find("odd name", "recordings") == Path("odd name")
    assert find("no/such/file", "recordings") == Path("no/such/file")
    assert find("missing.jsonl", "recordings") == Path("missing.jsonl")
    assert find("./hello", "recordings") == Path("hello")


def test_the_first_place_that_has_the_name_wins(here: Path) -> None:
    assert find("hello", "recordings").name == "hello.jsonl"
    data = put(here / "data" / "mockbackend" / "recordings" / "hello.jsonl.gz")
    assert find("hello", "recordings") == data
    put(here / "recordings" / "hello.jsonl")
    assert find("hello", "recordings") == Path("recordings/hello.jsonl")
    put(here / "hello")
    assert find("hello", "recordings") == Path("hello")


def test_a_folder_of_that_name_is_no_recording_but_may_be_named(here: Path) -> None:
    (here / "hello").mkdir()
    assert find("hello", "recordings").suffix == ".jsonl"
    (here / "things").mkdir()
    assert find("things", "recordings") == Path("things")


def test_an_unknown_name_is_met_with_the_nearest_and_the_places(here: Path) -> None:
    with pytest.raises(UnusableFileError, match="there is no recording of this name; did you mean hello") as caught:
        find("helo", "recordings")
    assert "Looked for a file, and in recordings, " in str(caught.value)
    with pytest.raises(UnusableFileError, match="there are: .*room"):
        find("qqqqqqq", "recordings")


def test_the_catalogue_names_each_once_with_its_origin(here: Path) -> None:
    put(here / "recordings" / "hello.jsonl")
    put(here / "recordings" / "README.md")
    put(here / "recordings" / "_draft.jsonl")
    entries = {entry.name: entry for entry in catalogue("recordings")}
    assert entries["hello"].origin == "./recordings"
    assert entries["room"].origin == "shipped"
    assert "README" not in entries
    assert "_draft" not in entries


def test_a_name_with_a_suffix_too_many_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        UnusableFileError, match=r"hello.jsonl: there is no such file; the recording of this name is hello"
    ):
        find("hello.jsonl", "recordings")
