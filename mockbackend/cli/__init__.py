"""The command line: one module per command, imported when it is called, and no logic in them."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

import click

from mockbackend import __version__

_COMMANDS = ("demo", "generate", "list", "record", "redact", "replay", "show", "validate")


class Speech(NamedTuple):
    """How much to say on stderr: the level of `io.talk.Talk`."""

    level: str = "info"


class _Commands(click.Group):
    """Commands by name, each in the module of that name: what is not called is not imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*_COMMANDS]  # `list` is the module of that command, once it has been imported.

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"mockbackend.cli.{name}").command
        return command

    def resolve_command(
        self,
        ctx: click.Context,
        args: list[str],
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as problem:
            from difflib import get_close_matches  # only after a slip

            near = get_close_matches(args[0], _COMMANDS, 1)
            if not near or "mean" in problem.message:
                raise
            raise click.UsageError(f"{problem.message} Did you mean {near[0]!r}?", ctx) from None


@click.command(
    cls=_Commands,
    context_settings={
        "auto_envvar_prefix": "MOCKBACKEND",
        "help_option_names": ["-h", "--help"],
        "max_content_width": 110,
    },
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.option("-v", "--verbose", is_flag=True, help="Say more on stderr.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but warnings and errors.")
@click.pass_context
def mockbackend(ctx: click.Context, *, verbose: bool, quiet: bool) -> None:
    """A stand-in backend: it speaks JSON lines with your frontend over stdin and stdout."""
    ctx.obj = Speech("warn" if quiet else "debug" if verbose else "info")
