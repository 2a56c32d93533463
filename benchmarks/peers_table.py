"""Compare stdio recording proxies side by side, on one machine, in one run: a table in Markdown on stdout.

python benchmarks/peers_table.py [--mockbackend CMD] [--peers-venv DIR] [--peer NAME=TEMPLATE]… [--quick]

The others: `pip install mcp-rec glassport mcp-snoop`, into DIR or anywhere on the PATH; one that is not installed is left
out. A template is a command line in which {cmd} stands for the backend and {out} for what to record to, such as
--peer 'mcp-rec=mcp-rec record -o {out} -- {cmd}'. Linux only: it looks for processes in /proc.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import shutil
import signal
import sys
from collections import Counter
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from peers_backends import CASES
from peers_measures import ends_like, heard, late_answer, latencies_us, left_after, rate, said, start_ms
from peers_runs import Peer, RunError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PEERS = {
    "mcp-rec": "mcp-rec record -o {out} -- {cmd}",
    "glassport": "glassport wrap --log-dir {out} -- {cmd}",
    "mcp-snoop": "mcp-snoop --output {out} -- {cmd}",
}


class Sizes(NamedTuple):
    """How often, and how much."""

    starts: int = 7
    runs: int = 3
    events: int = 300
    deltas: int = 100_000
    tries: int = 3


QUICK = Sizes(starts=3, runs=1, events=100, deltas=20_000, tries=1)


def rows(peers: list[Peer], sizes: Sizes) -> Iterator[tuple[str, list[str]]]:
    """Measure one thing after the other; the first of *peers* is the backend without a proxy."""
    yield "start to first reply, ms", [figure(found) for found in in_turn(peers, sizes.starts, start_ms)]
    late = in_turn(peers, sizes.runs, lambda peer: latencies_us(peer, sizes.events))
    yield "added latency per event, p50, µs (direct: all of it)", [added(found, late[0], 0.5) for found in late]
    yield "added latency per event, p99, µs (direct: all of it)", [added(found, late[0], 0.99) for found in late]
    rates = in_turn(peers, sizes.runs, lambda peer: rate(peer, sizes.deltas))
    yield f"{sizes.deltas:,} deltas flat out, events/s", [figure(found) for found in rates]
    yield "bytes of stdout", odd_bytes(peers, sizes.tries, said)
    yield "bytes of stdin", odd_bytes(peers, sizes.tries, heard)
    yield "ends when the backend exits with 7", words(in_turn(peers, sizes.tries, ends_like(7)))
    yield "ends when SIGTERM ends the backend", words(in_turn(peers, sizes.tries, ends_like(-signal.SIGTERM)))
    yield "answer 300 ms after the end of input arrives", words(in_turn(peers, sizes.tries, late_answer))
    # From here on with a backend that ignores the end of input, and all signals that can be ignored.
    yield "a process is left 8 s after SIGTERM", words(in_turn(peers, 1, left_after(signal.SIGTERM, 8)))
    yield "a process is left 3 s after SIGKILL", words(in_turn(peers, 1, left_after(signal.SIGKILL, 3)))


def in_turn(peers: list[Peer], times: int, measure: Callable[[Peer], Any]) -> list[list[Any]]:
    """Measure each peer so many times, A B A B, so that a machine that drifts favours none; errors are results."""
    results: list[list[Any]] = [[] for _ in peers]
    for _ in range(times):
        for found, peer in zip(results, peers, strict=True):
            try:
                found.append(measure(peer))
            except RunError as error:
                found.append(error)
    return results


def figure(results: list[float | RunError], style: str = ",.0f") -> str:
    """The median, and what failed."""
    figures = [result for result in results if not isinstance(result, RunError)]
    failed = [result for result in results if isinstance(result, RunError)]
    return "; ".join([format(median(figures), style)] * bool(figures) + [words([failed])[0]] * bool(failed))


def added(results: list[Any], direct: list[Any], share: float) -> str:
    """What a proxy adds to the latency of the same round without one, at the median of the rounds."""
    differences: list[float | RunError] = []
    for late, floor in zip(results, direct, strict=True):
        failed = next((run for run in (late, floor) if isinstance(run, RunError)), None)
        less = 0 if results is direct or failed else quantile(floor, share)
        differences.append(failed or quantile(late, share) - less)
    return figure(differences, ",.0f" if results is direct else "+,.0f")


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def odd_bytes(peers: list[Peer], tries: int, measure: Callable[[Peer, str], str]) -> list[str]:
    """Whether all odd bytes pass, or what becomes of which."""
    differences: list[list[str]] = [[] for _ in peers]
    for case in CASES:
        results = in_turn(peers, tries, lambda peer, case=case: measure(peer, case))
        for found, cell in zip(differences, words(results), strict=True):
            found += [f"{case}: {cell}"] if cell else []
    return ["; ".join(found) or "identical" for found in differences]


def words(results: list[list[Any]]) -> list[str]:
    """For each peer the word that all tries gave, or how often they gave which."""
    cells = []
    for found in results:
        counts = Counter(map(str, found))
        several = [f"{word or 'fine'} ({count} of {len(found)})" for word, count in counts.items()]
        cells.append(next(iter(counts)) if len(counts) == 1 else ", ".join(several))
    return cells


def installed(templates: dict[str, str], venv: Path | None) -> Iterator[Peer]:
    """Yield the peers that are there, and tell about those that are not."""
    path = os.pathsep.join([str(venv / "bin")] * bool(venv) + [os.environ.get("PATH", os.defpath)])
    for name, template in templates.items():
        first, *others = shlex.split(template)
        if first == "{cmd}":
            yield Peer(name, [first, *others])
        elif program := shutil.which(first, path=path):
            yield Peer(name, [program, *others])
        else:
            print(f"{name} is left out: there is no {first} here", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare stdio recording proxies side by side.")
    parser.add_argument("--mockbackend", default="mockbackend", metavar="CMD", help="how to start ours")
    parser.add_argument("--peers-venv", type=Path, metavar="DIR", help="where the others are installed, too")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=TEMPLATE", help="one more, or another way")
    parser.add_argument("--quick", action="store_true", help="shorter runs, rougher figures")
    options = parser.parse_args()
    if not Path("/proc/self/environ").exists():
        parser.error("Linux only: it looks for processes in /proc")
    if odd := [peer for peer in options.peer if "=" not in peer or "{cmd}" not in shlex.split(peer)]:
        parser.error(f"--peer {odd[0]!r}: expected NAME=TEMPLATE, with {{cmd}} as a word of its own")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))  # As Ctrl-C does: what runs is cleaned up.
    ours = {"mockbackend": f"{options.mockbackend} record -o {{out}} -- {{cmd}}"}
    given = dict(peer.split("=", 1) for peer in options.peer)
    peers = list(installed({"direct": "{cmd}"} | ours | PEERS | given, options.peers_venv))
    print("| |", " | ".join(peer.name for peer in peers), "|")
    print("|---" * (len(peers) + 1) + "|")
    for name, cells in rows(peers, QUICK if options.quick else Sizes()):
        print("|", name, "|", " | ".join(cells), "|", flush=True)
    machine = f"{platform.system()} {platform.release()}, {os.cpu_count()} CPUs, Python {platform.python_version()}"
    print(f"\n{machine}. Medians, taken in turn.")


if __name__ == "__main__":
    main()
