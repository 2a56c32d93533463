"""What can be measured of one proxy: each takes a peer, and returns a figure or a word for the table."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from peers_backends import AFTER, pieces
from peers_runs import Run, RunError

if TYPE_CHECKING:
    from collections.abc import Callable

    from peers_runs import Peer

INIT = b'{"type":"init","version":1,"working_dir":"/home/dev/demo"}\n'
ASK = b'{"type":"user_message","content":"go"}\n'
GAP_US = 3000
END_S = 3


def start_ms(peer: Peer) -> float:
    with Run(peer, "talk", 0, 0) as run:
        _start(run)
        return (time.monotonic() - run.born) * 1000


def latencies_us(peer: Peer, events: int) -> list[float]:
    """How long each event takes from the backend to us."""
    late = []
    with Run(peer, "talk", events, GAP_US) as run:
        _start(run)
        run.send(ASK)
        for _ in range(events):
            line = run.line_with(b'"sent"')
            late.append((time.monotonic_ns() - json.loads(line)["sent"]) / 1000)
    return late


def rate(peer: Peer, deltas: int) -> float:
    """Events per second, if all of them arrive."""
    with Run(peer, "talk", deltas, 0) as run:
        _start(run)
        began = time.monotonic()
        run.send(ASK)
        lines = run.lines_to(b'"assistant_message_complete"')
        seconds = time.monotonic() - began
    if lines != deltas + 1:
        raise RunError(f"{lines - 1:,} of {deltas:,} arrive")
    return deltas / seconds


def said(peer: Peer, case: str) -> str:
    """What becomes of odd bytes on their way from the backend; empty if nothing does."""
    sent = b"".join(pieces(case))
    with Run(peer, "say", case) as run:
        got = run.rest(len(sent), quiet_s=2 if len(sent) < 1000 else 15)
        run.end_input()
        got += run.rest()
    return _difference(sent, got)


def heard(peer: Peer, case: str) -> str:
    """What becomes of odd bytes on their way to the backend; empty if nothing does."""
    with Run(peer, "hear") as run:
        for piece in pieces(case):
            run.send(piece)
            time.sleep(0.05)
        run.end_input()
        run.rest()
        run.gone_after(END_S)
        file = run.folder / "heard"
        got = file.read_bytes() if file.exists() else b""
    return _difference(b"".join(pieces(case)), got)


def ends_like(how: int) -> Callable[[Peer], str]:
    """Return the measurement of how a proxy ends when its backend does; the frontend has not closed anything."""

    def measure(peer: Peer) -> str:
        with Run(peer, "leave", how) as run:
            run.send(ASK)
            if status := run.exit_status(END_S):
                return status
            run.end_input()
            status = run.exit_status(END_S)
            return f"{status}, once its input ends" if status else "hangs"

    return measure


def late_answer(peer: Peer) -> str:
    with Run(peer, "late") as run:
        run.line_with(b"ready")
        run.send(ASK)
        run.end_input()
        return "yes" if b"late" in run.rest() else "no"


def left_after(number: int, within_s: float) -> Callable[[Peer], str]:
    """Return the measurement of whether a process is left when a proxy got a signal; its backend ignores everything."""

    def measure(peer: Peer) -> str:
        with Run(peer, "stay") as run:
            run.line_with(b"ready")
            run.signal(number)
            seconds = run.gone_after(within_s)
            return "yes" if seconds is None else f"no ({seconds:.1f} s)"

    return measure


def _start(run: Run) -> None:
    run.send(INIT)
    run.line_with(b'"session_started"')


def _difference(sent: bytes, got: bytes) -> str:
    if got == sent:
        return ""
    whole = sent.endswith(AFTER)
    if whole and not got.endswith(AFTER):
        return "and all that follows"
    return "lost" if got == AFTER * whole else "changed"
