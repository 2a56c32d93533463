"""The writer in the background: nothing waits for it, and whatever happens to its file, lines are whole."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from mockbackend.io.background import Background
from mockbackend.io.files import create

if TYPE_CHECKING:
    from pathlib import Path

    from mockbackend.engine.steps import Note


def until(fact: object, patience_s: float = 5.0) -> None:
    give_up = time.monotonic() + patience_s
    while not fact():  # type: ignore[operator]
        assert time.monotonic() < give_up
        time.sleep(0.001)


def test_what_is_put_is_in_the_file_soon_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "x"
    file = Background(create(path).file, str(path), lambda note: None)
    began = time.monotonic()
    for number in range(100):
        file.put(str(number).encode)
    until(lambda: path.stat().st_size == 190)
    assert time.monotonic() - began < 0.050 * 5  # 50 ms is the promise; a busy machine may be slower
    assert file.keeps_up()
    file.close(5)
    assert path.read_bytes() == "".join(map(str, range(100))).encode()
    assert file.missing == 0


def test_the_header_is_kept_current(tmp_path: Path) -> None:
    path = tmp_path / "x"
    new = create(path)
    new.file.write(b"head 0\n")
    headers = iter([b"head 1\n", b"head 1\n", b"head 2\n", b"head 2\n"])
    file = Background(new.file, str(path), lambda note: None, header=lambda: next(headers))
    for line in (b"a\n", b"b\n", b"c\n"):
        file.put(bytes, line)
        until(lambda line=line: path.read_bytes().endswith(line))
    file.close(5)
    assert path.read_bytes() == b"head 2\na\nb\nc\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no file size limits on this system")
def test_a_full_disk_leaves_whole_lines_and_is_told_once(tmp_path: Path) -> None:
    import resource

    path = tmp_path / "x"
    told: list[Note] = []
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    file = Background(create(path).file, str(path), told.append)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        file.put(bytes, b"x" * 59 + b"\n")
        until(lambda: path.stat().st_size == 60)
        for _ in range(3):
            file.put(bytes, b"y" * 29 + b"\n" + b"z" * 29 + b"\n")
        until(lambda: bool(told))
        file.put(bytes, b"later\n")
        file.close(5)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"x" * 59 + b"\n" + b"y" * 29 + b"\n"
    assert [note.level for note in told] == ["warn"]
    assert "File too large; what follows is missing" in told[0].text
    assert file.missing == 4


def test_a_file_that_vanishes_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x"
    told: list[Note] = []
    file = Background(create(path).file, str(path), told.append)
    path.unlink()
    file._checked -= 10
    file.put(bytes, b"a\n")
    until(lambda: bool(told))
    assert "the file is gone" in told[0].text
    file.close(5)


def test_a_line_that_cannot_be_made_costs_itself_alone(tmp_path: Path) -> None:
    path = tmp_path / "x"
    told: list[Note] = []
    file = Background(create(path).file, str(path), told.append)
    file.put(bytes, b"a\n")
    file.put(lambda: bytes(1 // 0))
    file.put(bytes, b"b\n")
    file.close(5)
    assert path.read_bytes() == b"a\nb\n"
    assert file.missing == 1
    assert "ZeroDivisionError" in told[0].text


def test_who_puts_faster_than_it_is_made_waits(tmp_path: Path) -> None:
    path = tmp_path / "x"
    file = Background(create(path).file, str(path), lambda note: None)
    gate = threading.Event()
    file.put(lambda: b"a" if gate.wait(5) else b"")
    until(lambda: not file.keeps_up())
    waiter = threading.Thread(target=file.wait)
    waiter.start()
    assert waiter.is_alive()
    gate.set()
    waiter.join(5)
    assert not waiter.is_alive()
    file.close(5)


def test_what_would_fill_the_memory_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "x"
    told: list[Note] = []
    file = Background(create(path).file, str(path), told.append)
    gate = threading.Event()
    file.put(lambda: b"" if gate.wait(5) else b"", size=1)
    file.put(bytes, b"a\n", size=65 << 20)
    gate.set()
    file.close(5)
    assert "does not keep up" in told[0].text
    assert path.read_bytes() == b""
    assert file.missing == 2


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes that look like files on this system")
def test_a_disk_that_does_not_answer_holds_nobody_up_for_long() -> None:
    ours, theirs = os.pipe()  # A disk that takes 64 KiB and then nothing more.
    told: list[Note] = []
    file = Background(Stuck(theirs, "wb"), "x", told.append)
    file.put(bytes, b"x" * 200_000)
    until(lambda: file._writing_since is not None)
    began = time.monotonic()
    file.close(0.1)
    assert time.monotonic() - began < 1
    assert "does not answer" in told[0].text
    assert file.missing == 1
    os.set_blocking(ours, False)
    while file._thread.is_alive():
        with contextlib.suppress(BlockingIOError):
            os.read(ours, 65_536)
    os.close(ours)


class Stuck(io.FileIO):
    def seek(self, offset: int, whence: int = 0, /) -> int:
        return 0
