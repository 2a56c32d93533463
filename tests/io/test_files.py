"""Files: read from anywhere, packed or not; created only where nothing is."""

from __future__ import annotations

import gzip
import os
import sys
from typing import TYPE_CHECKING

import pytest

from mockbackend.errors import UnusableFileError
from mockbackend.io.files import FileSource, create

if TYPE_CHECKING:
    from pathlib import Path

CONTENT = bytes(range(256)) * 3000


@pytest.fixture(params=["plain", "packed", "packed in parts"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> FileSource:
    path = tmp_path / "x.jsonl"
    half = len(CONTENT) // 2
    path.write_bytes(
        {
            "plain": CONTENT,
            "packed": gzip.compress(CONTENT),
            "packed in parts": gzip.compress(CONTENT[:half]) + gzip.compress(CONTENT[half:]),
        }[request.param],
    )
    return FileSource(path)


@pytest.mark.parametrize("offset", [0, 1, 300_000, len(CONTENT) - 1, len(CONTENT), len(CONTENT) + 5])
def test_content_is_read_from_any_offset(source: FileSource, offset: int) -> None:
    assert b"".join(source.chunks(offset)) == CONTENT[offset:]


def test_the_size_is_known_of_plain_files(source: FileSource) -> None:
    assert source.size() in {len(CONTENT), None}


def test_a_packed_file_that_was_cut_ends_where_it_was_cut(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(os.urandom(500_000))[:-1000])
    assert 0 < len(b"".join(FileSource(path).chunks())) <= 500_000


def test_a_packed_file_that_is_damaged_is_unusable(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    packed = bytearray(gzip.compress(CONTENT))
    packed[40:60] = b"\xff" * 20
    path.write_bytes(packed)
    with pytest.raises(UnusableFileError, match="cannot be unpacked|cannot be read"):
        b"".join(FileSource(path).chunks())
    path.write_bytes(b"\x1f\x8b nonsense")
    with pytest.raises(UnusableFileError):
        b"".join(FileSource(path).chunks())


def test_what_cannot_be_opened_is_said_in_plain_words(tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").touch()
    for path, problem in (
        (tmp_path, "is a folder, expected a file"),
        (tmp_path / "sesion.jsonl", f"does not exist; did you mean {tmp_path}/session.jsonl?"),
        (tmp_path / "xyz", "does not exist"),
        (tmp_path / "no" / "x", f"does not exist, and neither does the folder {tmp_path}/no"),
        (os.devnull, "is no regular file"),
        (tmp_path / "session.jsonl" / "x", "cannot be read: Not a directory"),
    ):
        with pytest.raises(UnusableFileError, match=problem) as caught:
            FileSource(path)
        assert str(caught.value).startswith(f"{path}: ")


def test_a_file_that_goes_away_while_it_is_read_is_unusable(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"x")
    source = FileSource(path)
    path.unlink()
    with pytest.raises(UnusableFileError, match="cannot be read"):
        list(source.chunks())


def test_existing_files_are_not_touched_without_a_word(tmp_path: Path) -> None:
    path = tmp_path / "x"
    new = create(path)
    assert not new.existed
    new.file.write(b"first")
    new.file.close()
    with pytest.raises(UnusableFileError, match="exists already; --force overwrites it, --append adds to it"):
        create(path)
    create(path, append=True).discard()
    create(path, force=True).discard()
    assert path.read_bytes() == b"first"
    new = create(path, force=True)
    new.begin()
    new.file.close()
    assert path.read_bytes() == b""


def test_a_file_that_is_not_needed_after_all_leaves_no_trace(tmp_path: Path) -> None:
    create(tmp_path / "x").discard()
    assert not (tmp_path / "x").exists()


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnusableFileError, match="cannot be written: No such file"):
        create(tmp_path / "no" / "x")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "fifo")
        with pytest.raises(UnusableFileError, match="is a pipe"):
            create(tmp_path / "fifo", force=True)


@pytest.mark.skipif(sys.platform == "win32", reason="no locks there")
def test_two_do_not_write_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    first = create(path)
    with pytest.raises(UnusableFileError, match="is being written by another process"):
        create(path, append=True)
    first.file.close()
    create(path, append=True).discard()
