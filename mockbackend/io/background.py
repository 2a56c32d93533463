"""Write a file behind the back of a session: whoever says or passes on lines never waits for a disk.

What is to be written is put into a queue as a function and its arguments; a thread makes the bytes (splitting,
redacting and formatting cost more than passing on) and writes them in batches, through aiofiles. A batch is
taken a few milliseconds after its first item came, so that a burst costs one wake-up and one write.

Nothing here may disturb the session. A file that cannot be written any more is told once, is left holding
whole lines, and `missing` counts what it lacks. Only when the *making* falls behind, and not the disk, does
`keeps_up` ask to go slower, so that what somebody saw 50 ms ago is in the file whatever happens to us.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, TypeAlias

from aiofiles.threadpool import wrap

from mockbackend.engine.steps import Note

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

_GATHERED_S = 0.008
"""How long a batch is gathered."""

_BEHIND_NS = 24_000_000
"""An item that waits longer than this is late: 50 ms less what gathering, making and writing may take."""

_STUCK_S = 0.5
"""A write that takes longer than this is the disk's fault; going slower would not help."""

_MOST_BYTES = 64 << 20
"""What may wait while the disk is stuck."""

_PAUSE_S = 0.001

_POLL_S = 0.05

_CHECK_S = 1.0
"""How often to look whether the file is still where it was created."""


Item: TypeAlias = "tuple[int, Callable[..., bytes], tuple[object, ...]]"
"""When something was noted (nanoseconds of the monotonic clock), what makes its bytes, and from what."""


class Background:
    """Writes one file from a thread.

    Attributes:
        missing: How many items are not in the file, because it could not be written.
        note: The first half of `put`, in less than a microsecond: takes an `Item`, of which nothing is written
            before `noted` is called.
    """

    def __init__(
        self,
        file: BinaryIO,
        name: str,
        warn: Callable[[Note], None],
        *,
        header: Callable[[], bytes] | None = None,
    ) -> None:
        """Append to *file*, which people know as *name*; keep its beginning as *header* says it (of fixed size)."""
        self.missing = 0
        self._file = file
        self._name = name
        self._warn = warn
        self._header = header
        self._written_header = b""
        self._items: deque[Item] = deque()
        self._size = 0  # Bytes that were noted, and (in the next line) those that are done with.
        self._done = 0
        self.note = self._items.append
        self._more = threading.Event()
        self._closing = False
        self._broken = False
        self._writing_since: float | None = None
        self._good = file.seek(0, os.SEEK_END)
        self._checked = time.monotonic()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def put(self, make: Callable[..., bytes], *arguments: object, size: int = 0) -> None:
        """Write what *make* returns for *arguments*, soon and in this order; *size* is about how many bytes it is."""
        self.note((time.monotonic_ns(), make, arguments))
        self.noted(size)

    def noted(self, size: int) -> None:
        """Let what was noted be written: about *size* bytes."""
        self._size += size
        if self._size - self._done > _MOST_BYTES:
            self._give_up("the disk does not keep up")
        if not self._more.is_set():
            self._more.set()

    def keeps_up(self) -> bool:
        """Say whether what was put is written in time; if not, whoever puts more should wait a little."""
        if not self._items:
            return True
        try:
            oldest = self._items[0]
        except IndexError:
            return True  # It has just been written.
        if time.monotonic_ns() - oldest[0] < _BEHIND_NS:
            return True
        since = self._writing_since
        return since is not None and time.monotonic() - since > _STUCK_S

    def wait(self) -> None:
        """Wait until what was put is written in time, if it is written at all."""
        while not self.keeps_up() and not self._broken and self._thread.is_alive():
            time.sleep(_PAUSE_S)

    def close(self, patience_s: float) -> None:
        """Write what is left; give up on a disk that does not answer for *patience_s*."""
        self._closing = True
        self._more.set()
        while self._thread.is_alive():
            self._thread.join(_POLL_S)
            since = self._writing_since
            if since is not None and time.monotonic() - since > patience_s:
                self._give_up("the disk does not answer")
                break
        self.missing += len(self._items)

    def _run(self) -> None:
        with asyncio.Runner() as runner, self._file:
            while not self._closing or self._items:
                self._more.wait()
                if not self._closing:
                    time.sleep(_GATHERED_S)
                self._more.clear()
                while self._items:
                    size = self._size
                    self._save_batch(runner, len(self._items))
                    self._done = size

    def _save_batch(self, runner: asyncio.Runner, count: int) -> None:
        """Make and write the oldest *count* items; they stay in the queue until they are safe."""
        items = [self._items[index] for index in range(count)]
        if not self._broken:
            data = b"".join([self._made(item) for item in items])
            self._writing_since = time.monotonic()
            try:
                runner.run(self._save(data))
            except Exception as problem:  # noqa: BLE001  # whatever it is, the session goes on
                self._leave_whole_lines()
                self._give_up(getattr(problem, "strerror", None) or str(problem) or repr(problem))
            self._writing_since = None
        if self._broken:
            self.missing += count
        for _ in items:
            self._items.popleft()

    def _made(self, item: Item) -> bytes:
        try:
            _, make, arguments = item
            return make(*arguments)
        except Exception as problem:  # noqa: BLE001  # a defect of ours must not end a session that works
            self.missing += 1
            self._warn(Note(f"{self._name}: one line could not be recorded: {problem!r}", "warn"))
            return b""

    async def _save(self, data: bytes) -> None:
        file = wrap(self._file)
        begin, done = self._good, 0
        while done < len(data):
            done += await file.write(memoryview(data)[done:])
            self._good = begin + data.rfind(b"\n", 0, done) + 1
        if self._header is not None and (header := self._header()) != self._written_header:
            await file.seek(0)
            await file.write(header)
            await file.seek(0, os.SEEK_END)
            self._written_header = header
        if time.monotonic() - self._checked > _CHECK_S:
            self._checked = time.monotonic()
            if not self._is_there():
                raise OSError("the file is gone: it was removed or replaced")

    def _is_there(self) -> bool:
        try:
            return os.path.samestat(os.stat(self._name), os.fstat(self._file.fileno()))
        except OSError:
            return False

    def _leave_whole_lines(self) -> None:
        try:
            self._file.truncate(self._good)
        except OSError:
            return  # The last line is cut off, which a reader forgives.

    def _give_up(self, why: str) -> None:
        if not self._broken:
            self._broken = True
            self._warn(Note(f"{self._name}: {why}; what follows is missing from this file", "warn"))
