"""Record or replay, in one command: what `replay --mode` does beside replaying."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NoReturn

from click.core import ParameterSource

from mockbackend.cli.options import Mode
from mockbackend.engine.steps import Note
from mockbackend.errors import UsageError
from mockbackend.recording.replay import Replay

if TYPE_CHECKING:
    from collections.abc import Callable

    import click

    from mockbackend.cli.tapping import Tape
    from mockbackend.driver import Driver
    from mockbackend.engine.author import Author
    from mockbackend.engine.session import Session
    from mockbackend.io.talk import Talk


def prepare(ctx: click.Context, given: dict[str, Any]) -> Callable[[Author, Session, Driver, Talk], None] | None:
    """Record right away if the mode says so, and never return; else return what comes after the replay, if anything.

    Raises:
        UsageError: The mode does not fit the other options, or comes from the environment in CI.
    """
    _refuse(ctx, given)
    mode, path = given["mode"], given["recording"]
    if mode is Mode.ALL or not os.path.exists(path):
        _record_anew(ctx, given)
    if mode is Mode.ONCE:
        return None
    from mockbackend.cli.tapping import reserve

    reserve({"append": True, "force": False}, path).file.close()  # If it cannot be added to, better now.
    return lambda author, session, driver, talk: _go_on(given, author, session, driver, talk)


def _refuse(ctx: click.Context, given: dict[str, Any]) -> None:
    mode = given["mode"].value
    if os.environ.get("CI") and ctx.get_parameter_source("mode") is ParameterSource.ENVIRONMENT:
        raise UsageError(
            f"MOCKBACKEND_REPLAY_MODE={mode}: in CI, where CI is set, a real backend is only started if --mode {mode} "
            "stands on the command line"
        )
    if not given["command"]:
        raise UsageError(f"--mode {mode} needs a real backend: mockbackend replay RECORDING --mode {mode} -- CMD...")
    for option in ("record", "log", "strict", "autoplay", "fresh_ids", "force", "append"):
        if given[option]:
            raise UsageError(f"--{option.replace('_', '-')} has no place beside --mode {mode}")


def _record_anew(ctx: click.Context, given: dict[str, Any]) -> NoReturn:
    from mockbackend.cli.record import stand_between
    from mockbackend.cli.tapping import begin, reserve
    from mockbackend.io.talk import Talk

    talk = Talk(ctx.obj.level)
    given = {**given, "force": given["mode"] is Mode.ALL}
    new = reserve(given, given["recording"])
    talk(Note(f"records {given['recording']}, as --mode {given['mode'].value} says"))
    backend = {"command": [*given["command"]]}
    stand_between(given["command"], lambda pid: begin(new, given, backend, talk, pid), talk, not_started=new.discard)


def _go_on(given: dict[str, Any], author: Author, session: Session, driver: Driver, talk: Talk) -> None:
    """Let the real backend answer what was not recorded, and add that to the recording."""
    if not isinstance(author, Replay) or author.passed_on is None:
        return
    from mockbackend.cli.record import stand_between
    from mockbackend.cli.tapping import begin, reserve
    from mockbackend.io.files import FileSource, replace
    from mockbackend.recording.episodes import unended

    path = given["recording"]
    given = {**given, "append": True}
    talk(Note(f"{path} has no answer; the real backend goes on, without a memory of what was replayed"))

    def tape_for(_pid: int) -> Tape:
        replace(path, unended(FileSource(path)))
        return begin(reserve(given, path), given, {}, talk, None)

    init, opening = author.passed_on
    said = b"".join(line + b"\n" for line in (opening, *session.waiting) if line) + bytes(driver.unheard)
    stand_between(given["command"], tape_for, talk, untold=init + b"\n", before=said)
