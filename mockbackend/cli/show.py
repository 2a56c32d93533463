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
    source = FileSource(find(recording, "recordings"))
    whole = with_openings(source)
    reader = Reader(whole, skip_bad_lines=True)
    found = survey(reader)
    from mockbackend.report.table import console, show_table

    screen = console()
    screen.print(reader.name, style="bold")
    for label, text in _facts(reader, found, completed=whole is not source):
        screen.print(f"  {label:<9} {text}")
    screen.print()
    rows = timeline(reader.events(), full=full)
    show_table(
        ("seconds", "", "what", ""),
        [("" if at is None else f"{at / 1e6:.3f}".rjust(8), mark, what, digest) for at, mark, what, digest in rows],
    )
    for remark in reader.skipped.values():
        click.echo(f"mockbackend: warning: {remark}", err=True)


def _facts(reader: Reader, found: Survey, *, completed: bool) -> Iterator[tuple[str, str]]:
    header = reader.header
    if header.summary:
        yield "shows", header.summary
    if header.bare:
        yield "format", "bare messages, without times" + (", of the backend alone: openings are put in" if completed else "")
    if header.backend:
        yield "backend", header.backend
    if recorded_at := header.fields.get("recorded_at"):
        yield "recorded", str(recorded_at)
    held = [_counted(found.turns, "turn"), _counted(found.events, "event")]
    if not header.bare:
        held.append(f"{found.duration_us / 1e6:.1f} s")
    if len(found.runs) > 1:
        held.append(_counted(len(found.runs), "run"))
    yield "holds", ", ".join(held)
    if found.tools:
        failed = f" ({found.failed_tools} failed)" if found.failed_tools else ""
        yield "tools", ", ".join(f"{name} {count}×" for name, count in found.tools.most_common()) + failed
    if found.markers:
        yield "markers", ", ".join(found.markers)
    if found.ends:
        yield "ended", ", then ".join(found.ends)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
