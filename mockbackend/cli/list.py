"""`mockbackend list`: what can be replayed by name."""

from __future__ import annotations

import json
from typing import Any

import click

from mockbackend.errors import UnusableFileError
from mockbackend.io.files import FileSource
from mockbackend.io.shipped import Entry, catalogue
from mockbackend.recording.reader import Reader
from mockbackend.report.survey import survey


@click.command("list", short_help="List the recordings that have a name.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(*, as_json: bool) -> None:
    """List the recordings that can be replayed by name: those here, yours, and the shipped ones."""
    rows = [_row(entry) for entry in catalogue("recordings")]
    if as_json:
        for row in rows:
            click.echo(json.dumps(row, ensure_ascii=False))
        return
    from mockbackend.report.table import show_table

    show_table(
        ("name", "turns", "time", "from", "what it shows"),
        [
            (
                row["name"],
                "" if row["turns"] is None else str(row["turns"]),
                "" if row["seconds"] is None else f"{row['seconds']:.1f} s",
                row["origin"],
                row["summary"],
            )
            for row in rows
        ],
    )
    click.echo("\nWatch one: mockbackend demo NAME. Be the backend: mockbackend replay NAME.")


def _row(entry: Entry) -> dict[str, Any]:
    row: dict[str, Any] = {"name": entry.name, "origin": entry.origin, "path": str(entry.path)}
    try:
        reader = Reader(FileSource(entry.path), skip_bad_lines=True)
        found = survey(reader)
    except UnusableFileError as problem:
        return {**row, "turns": None, "seconds": None, "runs": None, "summary": f"cannot be used: {problem.why}"}
    seconds = None if reader.header.bare else round(found.duration_us / 1e6, 6)
    return {**row, "turns": found.turns, "seconds": seconds, "runs": len(found.runs), "summary": reader.header.summary}
