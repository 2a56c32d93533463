"""Files, for layers that know nothing of the operating system: recordings to read, and files to create."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from mockbackend.errors import UnusableFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CHUNK = 1 << 18
_GZIP = b"\x1f\x8b"


class FileSource:
    """The content of a file that can be read again from any place; gzip is unpacked on the way.

    Attributes:
        name: The file, as the user named it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Look at *path*.

        Raises:
            UnusableFileError: It is missing, no regular file, or may not be read.
        """
        self.name = os.fspath(path)
        try:
            status = os.stat(path)
            if stat.S_ISDIR(status.st_mode):
                raise UnusableFileError(self.name, "is a folder, expected a file")
            if not stat.S_ISREG(status.st_mode):
                raise UnusableFileError(self.name, "is no regular file: a replay has to be able to go back in it")
            with open(path, "rb", buffering=0) as file:
                self._packed = file.read(2) == _GZIP
        except OSError as problem:
            raise UnusableFileError(self.name, _why(path, problem)) from None
        self._size = status.st_size

    def size(self) -> int | None:
        """Return the size of the content in bytes; None when nobody knows before having unpacked it."""
        return None if self._packed else self._size

    def is_file(self, path: str) -> bool:
        """Say whether *path* leads to this very file."""
        return os.path.exists(path) and os.path.samefile(self.name, path)

    def chunks(self, offset: int = 0) -> Iterator[bytes]:
        """Yield the content from *offset* on; a packed file that was cut off ends where it was cut.

        Raises:
            UnusableFileError: It cannot be read or unpacked.
        """
        try:
            yield from self._unpacked(offset) if self._packed else self._plain(offset)
        except OSError as problem:
            raise UnusableFileError(self.name, f"cannot be read: {problem.strerror or problem}") from None

    def _plain(self, offset: int) -> Iterator[bytes]:
        with open(self.name, "rb", buffering=0) as file:
            file.seek(offset)
            while data := file.read(_CHUNK):
                yield data

    def _unpacked(self, offset: int) -> Iterator[bytes]:
        import gzip  # rarely needed
        import zlib

        with gzip.open(self.name, "rb") as file:
            try:
                file.seek(offset)
                # read1 gives what there is: before a cut, too.
                while data := file.read1(_CHUNK):
                    yield data
            except EOFError:
                return
            except zlib.error as problem:
                raise UnusableFileError(self.name, f"is damaged, it cannot be unpacked: {problem}") from None


class NewFile(NamedTuple):
    """A file that may be written; what was in it, if it *existed*, is still there."""

    file: BinaryIO
    path: str
    existed: bool

    def discard(self) -> None:
        """Give it up again, as if nothing had been."""
        self.file.close()
        if not self.existed:
            os.unlink(self.path)

    def begin(self) -> None:
        """Empty it, if there is anything in it to be emptied."""
        if stat.S_ISREG(os.fstat(self.file.fileno()).st_mode):
            self.file.truncate(0)


def create(path: str | os.PathLike[str], *, force: bool = False, append: bool = False) -> NewFile:
    """Open *path* for writing, unbuffered. It may exist with *force* or *append* only; nothing in it is changed yet.

    Raises:
        UnusableFileError: It exists and neither was said, or it cannot be written.
    """
    name = os.fspath(path)
    existed = os.path.exists(path)
    if existed and stat.S_ISFIFO(os.stat(path).st_mode):
        raise UnusableFileError(name, "is a pipe, expected a file")
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | (0 if force or append else os.O_EXCL)
    try:
        file = open(os.open(path, flags, 0o666), "r+b", buffering=0)  # noqa: SIM115  # it outlives us
    except FileExistsError:
        why = "exists already; --force overwrites it, --append adds to it"
        raise UnusableFileError(name, why) from None
    except OSError as problem:
        raise UnusableFileError(name, f"cannot be written: {problem.strerror}") from None
    if not _lock(file):
        file.close()
        raise UnusableFileError(name, "is being written by another process; give each its own file")
    return NewFile(file, name, existed)


def _lock(file: BinaryIO) -> bool:
    """Keep other recorders from writing this file as long as it is open; say whether none of them does."""
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True  # A file system without locks.
    return True


def replace(path: str, content: Iterable[bytes]) -> None:
    """Give *path* another content: all of it or, if that fails, none.

    Raises:
        UnusableFileError: It cannot be written.
    """
    beside = f"{path}.new"
    try:
        with open(beside, "wb") as file:
            file.writelines(content)
        os.chmod(beside, stat.S_IMODE(os.stat(path).st_mode))
        os.replace(beside, path)
    except OSError as problem:
        raise UnusableFileError(path, f"cannot be written: {problem.strerror}") from None


def _why(path: str | os.PathLike[str], problem: OSError) -> str:
    if not isinstance(problem, FileNotFoundError):
        return f"cannot be read: {problem.strerror}"
    from difflib import get_close_matches  # only after a slip

    folder, name = os.path.split(os.fspath(path))
    try:
        near = get_close_matches(name, os.listdir(folder or "."), 1)
    except OSError:
        return f"does not exist, and neither does the folder {folder}"
    hint = f"; did you mean {os.path.join(folder, near[0])}?" if near else ""
    return f"does not exist{hint}"
