"""`mockbackend show`: what a recording holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mockbackend.io.files import FileSource
from mockbackend.io.shipped import find
from mockbackend.recording.bare import with_openings
from mockbackend.recording.reader import Reader
from mockbackend.report.survey import survey
from mockbackend.report.timeline import timeline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockbackend.report.survey import Survey


@click.command("show", short_help="Show what a recording holds.")
@click.argument("recording")
@click.option("--full", is_flag=True, help="Show every event in a line of its own, pings and deltas too.")
def command(recording: str, *, full: bool) -> None:
    """Show what RECORDING holds, a file or a name: its header, its figures, and its timeline.

    → came from the frontend, ← from the backend, ! is its stderr, ● happened.
    """
    reader = Reader(with_openings(FileSource(find(recording, "recordings"))), skip_bad_lines=True)
    found = survey(reader)
    from mockbackend.report.table import console, show_table

    screen = console()
    screen.print(reader.name, style="bold")
    for label, text in _facts(reader, found):
        screen.print(f"  {label:<9} {text}")
    screen.print()
    rows = timeline(reader.events(), full=full)
    show_table(
        ("seconds", "", "what", ""),
        [("" if at is None else f"{at / 1e6:.3f}".rjust(8), mark, what, digest) for at, mark, what, digest in rows],
    )
    for remark in reader.skipped.values():
        click.echo(f"mockbackend: warning: {remark}", err=True)


def _facts(reader: Reader, found: Survey) -> Iterator[tuple[str, str]]:
    header = reader.header
    if header.summary:
        yield "shows", header.summary
    if header.bare:
        yield "format", "bare messages, without times"
    if header.backend:
        yield "backend", header.backend
    if recorded_at := header.fields.get("recorded_at"):
        yield "recorded", str(recorded_at)
    turns = f"{found.turns} turn{'' if found.turns == 1 else 's'}"
    runs = f", {len(found.runs)} runs" if len(found.runs) > 1 else ""
    yield "holds", f"{turns}, {found.events} events, {found.duration_us / 1e6:.1f} s{runs}"
    if found.tools:
        failed = f" ({found.failed_tools} failed)" if found.failed_tools else ""
        yield "tools", ", ".join(f"{name} {count}×" for name, count in found.tools.most_common()) + failed
    if found.markers:
        yield "markers", ", ".join(found.markers)
    if found.ends:
        yield "ended", ", then ".join(found.ends)
