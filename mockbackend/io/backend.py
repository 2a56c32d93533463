"""A real backend as a child process: three pipes, signals, and how it ended.

On POSIX a keeper starts it (see `io.keeper`), so that nothing is left behind however we end. On Windows it is
started directly, without a window; there its own children are ended with it, but not if we are killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

from mockbackend.engine.relay import Ended
from mockbackend.errors import BackendError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_GONE_S = 1.0
"""How much longer than the time of grace to wait for the keeper's last word."""


class Stdio(NamedTuple):
    """Our ends of the pipes to and from a backend, as descriptors."""

    stdin: int
    stdout: int
    stderr: int


if sys.platform != "win32":
    from mockbackend.io.keeper import Keeper, open_descriptors

    class Backend:
        """A backend that runs.

        Attributes:
            pid: Its process id, and its process group.
            stdio: Our ends of its pipes.
        """

        def __init__(self, command: Sequence[str], grace_s: float) -> None:
            """Start *command*; if we should be killed, it has *grace_s* seconds to end. Call this before any thread.

            Raises:
                BackendError: It cannot be started.
            """
            (stdin, ours_in), (ours_out, stdout), (ours_err, stderr) = os.pipe(), os.pipe(), os.pipe()
            (orders, self._orders), (self._reports, reports) = os.pipe(), os.pipe()
            inherited = [fd for fd in open_descriptors() if fd > 2 and _is_inheritable(fd)]  # noqa: PLR2004
            keeper = os.fork()
            if keeper == 0:
                _keep(command, (stdin, stdout, stderr), Keeper(orders, reports, grace_s, inherited))
            for fd in (stdin, stdout, stderr, orders, reports, *inherited):
                os.close(fd)
            self._keeper = keeper
            self._rest = b""
            self.stdio = Stdio(ours_in, ours_out, ours_err)
            verb, _, what = self._report().partition(" ")
            if verb != "started":
                raise BackendError(f"{command[0]}: cannot be started: {what or 'its keeper died'}")
            self.pid = int(what)

        def wait(self, ended: Callable[[Ended], None]) -> None:
            """Wait until the backend has ended, and say how; for a thread of its own."""
            verb, _, number = self._report().partition(" ")
            match verb:
                case "exited":
                    ended(Ended(int(number)))
                case "killed":
                    ended(Ended(128 + int(number), int(number)))
                case _:  # The keeper was killed, and the backend with it.
                    self._order_all(signal.SIGKILL)
                    ended(Ended(128 + signal.SIGKILL, signal.SIGKILL))

        def signal(self, number: int, *, to_all: bool) -> None:
            """Send a signal to the backend; *to_all*: to its process group."""
            self._order(f"signal-all {number}" if to_all else f"signal {number}")

        def kill_all(self) -> None:
            """Kill all of its processes."""
            self._order("kill")

        def finish(self) -> None:
            """End whatever it has left behind, once it has ended itself and `wait` has said so."""
            self._order("finish")
            self._report()
            os.waitpid(self._keeper, 0)

        def _order(self, text: str) -> None:
            try:
                os.write(self._orders, f"{text}\n".encode())
            except OSError:
                self._order_all(signal.SIGKILL)

        def _order_all(self, number: int) -> None:
            """Do without a keeper."""
            try:
                os.killpg(self.pid, number)
            except OSError:
                return

        def _report(self) -> str:
            while b"\n" not in self._rest:
                data = os.read(self._reports, 4096)
                if not data:
                    return ""
                self._rest += data
            line, _, self._rest = self._rest.partition(b"\n")
            return line.decode()

    def _is_inheritable(fd: int) -> bool:
        try:
            return os.get_inheritable(fd)
        except OSError:
            return False  # It was the folder of descriptors itself.

    def _keep(command: Sequence[str], stdio: tuple[int, int, int], keeper: Keeper) -> None:
        """Be the keeper, and nothing else any more."""
        try:
            keeper.detach(stdio)
            keeper.run(command, stdio)
        finally:
            os._exit(0)

else:

    class Backend:
        """A backend that runs; see above for what holds on Windows."""

        def __init__(self, command: Sequence[str], grace_s: float) -> None:
            """Start *command*.

            Raises:
                BackendError: It cannot be started.
            """
            flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
            pipe = subprocess.PIPE
            try:
                self._process = subprocess.Popen(
                    command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, creationflags=flags
                )
            except OSError as problem:
                raise BackendError(f"{command[0]}: cannot be started: {problem.strerror}") from None
            self.pid = self._process.pid
            stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
            assert stdin is not None
            assert stdout is not None
            assert stderr is not None
            self.stdio = Stdio(os.dup(stdin.fileno()), os.dup(stdout.fileno()), os.dup(stderr.fileno()))
            for pipe_end in (stdin, stdout, stderr):
                pipe_end.close()

        def wait(self, ended: Callable[[Ended], None]) -> None:
            """Wait until the backend has ended, and say how; for a thread of its own."""
            ended(Ended(self._process.wait() & 0xFFFFFFFF))

        def signal(self, number: int, *, to_all: bool) -> None:
            """Interrupt the backend: Windows has no other signals."""
            self._process.send_signal(signal.CTRL_BREAK_EVENT)

        def kill_all(self) -> None:
            """Kill all of its processes."""
            # The system's own program, wherever Windows is.
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(self.pid)], capture_output=True, check=False)  # noqa: S607

        def finish(self) -> None:
            """Do nothing: Windows does not tell what a process has left behind."""
