"""Measure mockbackend beside two floors: see README.md.

python benchmarks/run.py [--mockbackend CMD] [start|rtt|rate|lateness|memory|all] [--quick]
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
from pathlib import Path

from measures import MEASURES, Result
from peers import node_floor


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure mockbackend beside two floors.")
    parser.add_argument("what", nargs="?", default="all", choices=[*MEASURES, "all"])
    parser.add_argument("--mockbackend", default="mockbackend", metavar="CMD", help="how to start it")
    parser.add_argument("--quick", action="store_true", help="shorter runs, rougher figures")
    options = parser.parse_args()
    wanted = MEASURES if options.what == "all" else {options.what: MEASURES[options.what]}
    if not node_floor():
        print("no node here: its rows are left out", file=sys.stderr)
    fine = True
    with tempfile.TemporaryDirectory() as folder:
        for measure in wanted.values():
            for result in measure(shlex.split(options.mockbackend), Path(folder), quick=options.quick):
                fine &= result.fine
                tell(result)
    return 0 if fine else 1


def tell(result: Result) -> None:
    """One JSON object on stdout; a row of the table on stderr, where people are."""
    more = {"ratio": result.ratio, "fine": result.fine}
    print(json.dumps(result._asdict() | more), flush=True)
    figure = f"{result.ours:,.1f} {result.unit}"
    floor = f"{result.ratio:.2f} × {result.floor_name} ({result.floor:,.1f})" if result.floor and result.ratio else ""
    sign = "≥" if result.more_is_better else "≤"
    print(
        f"{'  ' if result.fine else '! '}{result.name:<34}{figure:>22}   {floor:<28} bar {sign} {result.bar:,g}",
        file=sys.stderr,
    )


if __name__ == "__main__":
    sys.exit(main())
