"""`mockbackend generate`: be the backend, from a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mockbackend.cli.options import Setting, pacing_options, session_options
from mockbackend.engine.session import Session
from mockbackend.engine.timing import Timing
from mockbackend.errors import UsageError
from mockbackend.io.loader import Shelf
from mockbackend.scenario.author import ScenarioAuthor

if TYPE_CHECKING:
    from mockbackend.scenario.memory import World


@click.command("generate", short_help="Be the backend, from a scenario.")
@click.argument("scenario", default="assistant", envvar="MOCKBACKEND_GENERATE_SCENARIO")
@click.option(
    "--set",
    "settings",
    type=Setting(),
    multiple=True,
    metavar="KEY=VALUE",
    help="Set a parameter of the scenario (see `mockbackend show SCENARIO`). May be repeated.",
)
@click.option("--locale", metavar="LOCALE", help="Speak another language, as Faker knows it: ja_JP, de_DE, ar_EG...")
@pacing_options(Timing.REALISTIC)
@session_options()
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Be the backend, from SCENARIO: a name (see `mockbackend list`), a file, or FILE:NAME. Default: assistant.

    Speaks the protocol on stdin and stdout until the frontend leaves. The same seed and the same input give the
    same session, byte by byte. --max-gap shortens what chance made long; what a scenario asks for is kept. A
    scenario is Python code, and is run; a file that is changed is used from the next turn on. Exit codes: 0 fine,
    2 usage, 3 a file that cannot be used; a scripted crash ends with its own.
    """
    from mockbackend.cli.serving import choose_seed, repeat_command, serve  # with its file

    if given["timing"] is Timing.RECORDED:
        raise UsageError("--timing recorded: a scenario has no recorded times; choose another one, such as realistic")
    if (given["force"] or given["append"]) and not given["record"]:
        raise UsageError("--force and --append go with --record")
    if given["force"] and given["append"]:
        raise UsageError("--force overwrites and --append adds: only one of them can be meant")
    shelf = Shelf(given["scenario"], dict(given["settings"]))
    seed = choose_seed(given["seed"])
    author = ScenarioAuthor(shelf, _world(seed, given["locale"]), _pacer(given, seed))
    session = Session(author, auth=given["auth"], end_each_turn=given["end_each_turn"])
    picked = f"timing {given['timing'].value}, speed {given['speed']:g}, seed {seed}"
    serve(
        ctx,
        session,
        given,
        banner=f"generates {shelf.declaration.name}, {picked}; again: {repeat_command(ctx, seed)}",
        remarks={},
    )


def _world(seed: int, locale: str | None) -> World:
    from mockbackend.io.world import world

    return world(seed, locale)


def _pacer(given: dict[str, Any], seed: int) -> Any:
    from mockbackend.engine.timing import agent_pacer
    from mockbackend.io.world import seeds

    return agent_pacer(
        given["timing"],
        lambda: seeds(seed)("time"),
        factor=given["speed"],
        max_gap_us=given["max_gap"],
        jitter_share=given["jitter"],
    )
