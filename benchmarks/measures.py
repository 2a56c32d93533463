"""What is measured, each beside its floors, and the bar for it (the sizes of a quick run are in parentheses)."""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from peers import PING, Backend, node_floor, python_floor, recording

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Result(NamedTuple):
    """One figure: *ours* and the *floor*'s, and the *bar* for their ratio, or for ours where there is no floor."""

    name: str
    unit: str
    ours: float
    floor: float | None
    floor_name: str
    bar: float
    more_is_better: bool = False

    @property
    def ratio(self) -> float | None:
        return None if not self.floor else self.ours / self.floor

    @property
    def fine(self) -> bool:
        measured = self.ours if self.ratio is None else self.ratio
        return measured >= self.bar if self.more_is_better else measured <= self.bar


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def start(mock: list[str], folder: Path, *, quick: bool) -> Iterator[Result]:
    """From spawning to session_started, in ms: 25 (7) times."""
    command = [*mock, "replay", str(recording(folder / "start.jsonl", 1, 0)), "--timing", "instant"]
    commands = [command, node_floor(), python_floor()]
    times: list[list[float]] = [[], [], []]
    for _ in range(7 if quick else 25):
        for taken, what in zip(times, commands, strict=True):
            if what:
                backend = Backend(what)
                taken.append(backend.start() * 1000)
                backend.stop()
    ours, node, python = times
    if node:
        yield Result("start", "ms", median(ours), median(node), "Node", 1.0)
    yield Result("start", "ms", median(ours), median(python), "Python", 6.0)


def rtt(mock: list[str], folder: Path, *, quick: bool) -> Iterator[Result]:
    """From ping to pong, in µs: idle, and while 1,000 events a second stream; 2,000 (400) pings each."""
    count = 400 if quick else 2000
    ours = Backend([*mock, "replay", str(recording(folder / "rtt.jsonl", 60_000, 1000))])
    floor = Backend(python_floor())
    ours.start()
    floor.start()
    a: list[float] = []
    b: list[float] = []
    for _ in range(10):
        a += _pings(ours, count // 10, 0)
        b += _pings(floor, count // 10, 0)
    yield Result("ping to pong, idle, p50", "µs", quantile(a, 0.5), quantile(b, 0.5), "Python", 3.0)
    yield Result("ping to pong, idle, p99", "µs", quantile(a, 0.99), None, "", 1000)
    ours.send(b'{"type":"user_message","content":"go"}\n')
    busy = _pings(ours, count // 4, 0.005)
    yield Result("ping to pong, streaming, p99", "µs", quantile(busy, 0.99), None, "", 1000)
    ours.stop()
    floor.stop()


def _pings(backend: Backend, count: int, pause_s: float) -> list[float]:
    times = []
    for _ in range(count):
        sent = time.perf_counter()
        backend.send(PING)
        backend.line_with(b'"pong"')
        times.append((time.perf_counter() - sent) * 1e6)
        time.sleep(pause_s)
    return times


def rate(mock: list[str], folder: Path, *, quick: bool) -> Iterator[Result]:
    """Events per second of an instant replay of 200,000 (50,000) events; five (three) times."""
    deltas = 50_000 if quick else 200_000
    command = [*mock, "replay", str(recording(folder / "rate.jsonl", deltas, 1000)), "--timing", "instant"]
    rates: list[list[float]] = [[], []]
    for _ in range(3 if quick else 5):
        for taken, what in zip(rates, (command, node_floor(deltas)), strict=True):
            if what:
                backend = Backend(what)
                backend.start()
                taken.append(deltas / backend.answer(deltas))
                backend.stop()
    ours, node = rates
    yield Result("instant replay", "events/s", median(ours), None, "", 200_000, more_is_better=True)
    if node:
        yield Result("instant replay", "events/s", median(ours), median(node), "Node", 0.5, more_is_better=True)


def lateness(mock: list[str], folder: Path, *, quick: bool) -> Iterator[Result]:
    """How late the events of a minute (five seconds) come at 1,000 a second, in ms, and whether that grows."""
    seconds = 5 if quick else 60
    backend = Backend([*mock, "replay", str(recording(folder / "late.jsonl", seconds * 1000, 1000))])
    backend.start()
    backend.send(b'{"type":"user_message","content":"go"}\n')
    late = []
    for number in range(seconds * 1000):
        backend.line_with(b"Line number")
        late.append(time.perf_counter() * 1000 - number)
    backend.stop()
    # The least late event sets the origin: the clocks of two processes have no other in common.
    late = [value - min(late) for value in late]
    tenth = len(late) // 10
    yield Result("lateness at 1,000 events/s, p99", "ms", quantile(late, 0.99), None, "", 2.0)
    yield Result(f"drift in {seconds} s", "ms", abs(median(late[-tenth:]) - median(late[:tenth])), None, "", 1.0)


def memory(mock: list[str], folder: Path, *, quick: bool) -> Iterator[Result]:
    """The most memory, in MB, for 10,000 and for 2,000,000 (200,000) events."""
    peaks = []
    for deltas in (10_000, 200_000 if quick else 2_000_000):
        backend = Backend(
            [*mock, "replay", str(recording(folder / "memory.jsonl", deltas, 1000)), "--timing", "instant"]
        )
        backend.start()
        backend.answer(deltas)
        peak = backend.peak_mb()
        backend.stop()
        if peak is None:
            return
        peaks.append(peak)
    yield Result("peak memory", "MB", peaks[1], None, "", 45)
    yield Result("growth with the recording", "MB", peaks[1] - peaks[0], None, "", 4)


MEASURES = {"start": start, "rtt": rtt, "rate": rate, "lateness": lateness, "memory": memory}
