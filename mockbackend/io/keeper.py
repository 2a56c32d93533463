"""Keep a backend: a process of its own that starts it, and sees to it that nothing of it is left behind.

A process that stands between two others can be killed at any moment, and then nobody would end what it has
started. So it does not start the backend itself::

    frontend ── mockbackend record ═══ keeper ── backend ── its children
                       └────────── bytes ──────────┘

The keeper is forked from us and does nothing but wait, out of the way of every byte. It holds one end of a
pipe of ours: when that closes, for whatever reason, we are gone, and it ends the backend. On Linux it adopts
the orphans among its descendants, so it finds them even in process groups of their own; and the backend gets
SIGKILL if the keeper itself is killed. Elsewhere it ends the backend's process group.

Its orders and reports are single lines of text, "signal 15" or "exited 0"; see `Keeper` and `io.backend`.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

assert sys.platform != "win32"  # Process groups are another thing there.

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP)
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_POLITE_S = 0.25
"""How long what the backend has left behind may take to end after SIGTERM."""

_TICK_S = 0.01


class Keeper:
    """The keeper's side of it; `run` is its whole life."""

    def __init__(self, orders: int, reports: int, grace_s: float, inherited: Sequence[int]) -> None:
        """Read orders from one descriptor, write reports to the other, and pass the *inherited* ones on."""
        self._orders = orders
        self._reports = reports
        self._grace_s = grace_s
        self._inherited = inherited
        self._ignored: list[int] = []
        self._child: subprocess.Popen[bytes] | None = None
        self._ended = False

    def detach(self, keep: Sequence[int]) -> None:
        """Hold nothing of the frontend's, and hear none of its signals; *keep* the descriptors that are needed.

        What the keeper held open would look open to the frontend after we are gone; and a signal for our group (a
        terminal's, or a frontend's SIGKILL) is not for the keeper.
        """
        os.setpgid(0, 0)
        self._ignored = [number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_IGN]
        for number in (*_SIGNALS, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        needed = {0, 1, 2, self._orders, self._reports, *keep, *self._inherited}
        for fd in open_descriptors():
            if fd not in needed:
                with contextlib.suppress(OSError):
                    os.close(fd)

    def _before_exec(self) -> None:
        """Prepare the backend: it hears signals as it would without us, and does not outlive the keeper (Linux)."""
        for number in _SIGNALS:
            if number not in self._ignored:
                signal.signal(number, signal.SIG_DFL)
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def run(self, command: Sequence[str], stdio: tuple[int, int, int]) -> None:
        """Start *command* on the descriptors *stdio* and keep it until it is ordered to finish, or we are gone."""
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)
        ring, bell = os.pipe()
        os.set_blocking(bell, False)
        os.set_blocking(ring, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(bell, warn_on_full_buffer=False)
        try:
            self._child = subprocess.Popen(
                command,
                stdin=stdio[0],
                stdout=stdio[1],
                stderr=stdio[2],
                pass_fds=self._inherited,
                process_group=0,
                preexec_fn=self._before_exec,  # noqa: PLW1509  # safe: there is one thread
            )
        except (OSError, ValueError) as problem:
            self._report(f"failed {getattr(problem, 'strerror', None) or problem}")
            return
        self._report(f"started {self._child.pid}")
        for fd in (*stdio, *self._inherited):
            os.close(fd)
        self._keep(ring)

    def _keep(self, ring: int) -> None:
        poll = select.poll()
        poll.register(self._orders, select.POLLIN)
        poll.register(ring, select.POLLIN)
        while True:
            ready = [fd for fd, _ in poll.poll()]
            if ring in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(ring, 4096)
                self._reap()
            if self._orders in ready:
                orders = os.read(self._orders, 4096)
                if not orders:
                    self._end_all(self._grace_s)
                    return
                for order in orders.decode().splitlines():
                    if order == "finish":
                        self._end_all(_POLITE_S)
                        self._report("gone")
                        return
                    self._obey(order)

    def _obey(self, order: str) -> None:
        verb, _, number = order.partition(" ")
        match verb:
            case "signal" if self._child is not None and not self._ended:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._child.pid, int(number))
            case "signal-all":
                self._signal_group(int(number))
            case _:
                self._kill_all()

    def _reap(self) -> None:
        """Take note of what has ended: the backend, or an orphan of it."""
        assert self._child is not None
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self._child.pid:
                self._ended = True
                killed_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
                self._report(f"exited {os.WEXITSTATUS(status)}" if killed_by is None else f"killed {killed_by}")

    def _end_all(self, patience_s: float) -> None:
        """Ask what is left to end, and kill what has not after *patience_s*."""
        self._reap()
        if self._left():
            self._signal_group(signal.SIGTERM)
            until = time.monotonic() + patience_s
            while self._left() and time.monotonic() < until:
                time.sleep(_TICK_S)
                self._reap()
            self._kill_all()

    def _kill_all(self) -> None:
        """Kill the group and each descendant, until there is none: while we look, they may start others."""
        until = time.monotonic() + _POLITE_S
        while self._left() and time.monotonic() < until:
            self._signal_group(signal.SIGKILL)
            for pid in _descendants():
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(_TICK_S)
            self._reap()

    def _left(self) -> bool:
        """Whether a process of the backend's group, or a descendant of ours, lives."""
        assert self._child is not None
        if _descendants():
            return True
        try:
            os.killpg(self._child.pid, 0)
        except OSError:
            return False
        return True

    def _signal_group(self, number: int) -> None:
        assert self._child is not None
        with contextlib.suppress(OSError):
            os.killpg(self._child.pid, number)

    def _report(self, text: str) -> None:
        with contextlib.suppress(OSError):
            os.write(self._reports, f"{text}\n".encode())


def open_descriptors() -> list[int]:
    """Return the descriptors that this process has open."""
    return sorted(int(name) for name in os.listdir("/dev/fd"))


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _descendants() -> list[int]:
    """Return the descendants of this process that live (Linux; elsewhere nobody tells)."""
    if sys.platform != "linux":
        return []
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                # pid (name) state parent …; the name may hold anything, so count from its last bracket.
                state, parent = file.read().rpartition(b")")[2].split()[:2]
                if state not in {b"Z", b"X"}:
                    parents[int(name)] = int(parent)
    found = {os.getpid()}
    grown = 0
    while grown != len(found):
        grown = len(found)
        found |= {pid for pid, parent in parents.items() if parent in found}
    return sorted(found - {os.getpid()})
