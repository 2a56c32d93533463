"""`mockbackend validate`: check recordings."""

from __future__ import annotations

import json
import sys

import click

from mockbackend.errors import UnusableFileError
from mockbackend.io.files import FileSource
from mockbackend.io.shipped import find
from mockbackend.recording.check import ERROR, WARNING, Problem, check


@click.command("validate", short_help="Check recordings, line by line.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Lines for people, or one JSON object a line.",
)
@click.pass_context
def command(ctx: click.Context, files: tuple[str, ...], form: str) -> None:
    """Check each FILE, a recording or the name of one: every problem with its line, what it is, and why.

    Exit codes: 0 no errors (there may be warnings), 3 at least one error.
    """
    counts = {ERROR: 0, WARNING: 0}
    for file in files:
        for problem in _problems(file):
            counts[problem.severity] += 1
            click.echo(_line(file, problem, form))
    if ctx.obj.level != "warn":
        told = ", ".join(f"{number} {what}{'' if number == 1 else 's'}" for what, number in counts.items())
        click.echo(f"{len(files)} file{'' if len(files) == 1 else 's'}: {told}", err=True)
    sys.exit(UnusableFileError.exit_code if counts[ERROR] else 0)


def _problems(file: str) -> list[Problem]:
    try:
        return list(check(FileSource(find(file, "recordings"))))
    except UnusableFileError as problem:
        return [Problem(0, ERROR, problem.why)]


def _line(file: str, problem: Problem, form: str) -> str:
    if form == "json":
        return json.dumps({"file": file, **problem._asdict()}, ensure_ascii=False)
    place = f"{file}:{problem.line}" if problem.line else file
    return f"{place}: {problem.severity}: {problem.text}"
