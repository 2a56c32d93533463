"""`mockbackend redact`: take secrets out of a recording that is there already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mockbackend.cli.options import redaction_options
from mockbackend.errors import UsageError

if TYPE_CHECKING:
    from mockbackend.io.files import FileSource
    from mockbackend.redaction.redactor import Redactor

_ROOM = 256
"""Bytes of a header for what the second walk finds and the first one did not."""

_SHOWN = 4
"""Characters of a secret that tell which one it is, and not what it is."""


@click.command("redact", short_help="Take secrets out of a recording.")
@click.argument("file", type=click.Path())
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Where to write the recording without them.")
@click.option("--dry-run", is_flag=True, help="Write nothing; list what would be taken out.")
@click.option("--force", is_flag=True, help="Overwrite the output if it exists.")
@redaction_options()
def command(**given: Any) -> None:
    """Take out of FILE, a recording made earlier or elsewhere, what `record` keeps out of new ones.

    Everything else stays as it is, byte by byte. The rules find known shapes of keys and tokens, what an init
    brings as its api_key, passwords, and the values of secret-looking variables of this environment; they are no
    proof that nothing secret is left. Read what you publish.
    """
    if given["dry_run"] == bool(given["output"]):
        raise UsageError("redact: expected either -o FILE, to write, or --dry-run, to see")
    from mockbackend.io.files import FileSource

    source = FileSource(given["file"])
    first = _redactor(given, None)
    if given["dry_run"]:
        _list(source, given, _learned(source, first))
    else:
        _write(source, given, _learned(source, first))


def _redactor(given: dict[str, Any], learned: Redactor | None, **more: Any) -> Redactor:
    from mockbackend.cli.tapping import redactor_for

    return redactor_for({**given, "redact": True}, learned=learned, **more)  # type: ignore[return-value]


def _learned(source: FileSource, redactor: Redactor) -> Redactor:
    """Walk through the whole once: what an init tells is looked for in the lines before it, too."""
    from mockbackend.recording.scrub import lines, scrubbed

    for line in lines(source):
        scrubbed(line, redactor)
    return redactor


def _list(source: FileSource, given: dict[str, Any], learned: Redactor) -> None:
    from mockbackend.recording.scrub import lines, scrubbed

    found: list[tuple[str, str]] = []
    redactor = _redactor(given, learned, found=lambda kind, text: found.append((kind, text)))
    for line in lines(source):
        scrubbed(line, redactor)
        for kind, text in found:
            shown = text[:_SHOWN] if len(text) > 2 * _SHOWN else ""
            click.echo(f"{source.name}:{line.number}: {line.what}: {kind}, {len(text)} characters ({shown}…)")
        found.clear()
    click.echo(_summary(redactor))


def _write(source: FileSource, given: dict[str, Any], learned: Redactor) -> None:
    from mockbackend.cli.tapping import redacted_sorts
    from mockbackend.io.files import create
    from mockbackend.recording.scrub import header, lines, scrubbed

    if source.is_file(given["output"]):
        raise UsageError(f"-o {given['output']}: this is the recording itself; give another file, and move it then")
    new = create(given["output"], force=given["force"])
    new.begin()
    redactor = _redactor(given, learned)
    sorts = redacted_sorts({**given, "redact": True})
    with new.file as file:
        first = header(source, learned.counts, sorts)
        size = len(first) + _ROOM if first else 0
        file.write(b" " * size)
        for line in lines(source):
            _write_all(file, scrubbed(line, redactor))
        if first:  # What was counted stands first in the file, and is known last.
            file.seek(0)
            file.write(header(source, redactor.counts, sorts).removesuffix(b"\n").ljust(size - 1) + b"\n")
    click.echo(f"{given['output']}: {_summary(redactor)}", err=True)


def _write_all(file: Any, data: bytes) -> None:
    while data:
        data = data[file.write(data) :]


def _summary(redactor: Redactor) -> str:
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(redactor.counts.items()))
    return f"redacted {counts}" if counts else "nothing to redact was found"
