"""`mockbackend replay`: be the backend, from a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mockbackend.cli.options import CommandBehind, Member, Mode, Place, pacing_options, session_options
from mockbackend.engine.session import Session
from mockbackend.engine.timing import Timing, pace_for
from mockbackend.errors import UsageError
from mockbackend.io.files import FileSource
from mockbackend.io.shipped import find
from mockbackend.recording.bare import with_openings
from mockbackend.recording.finder import Match
from mockbackend.recording.reader import Reader
from mockbackend.recording.replay import AtEnd, Options, Replay

if TYPE_CHECKING:
    from mockbackend.engine.author import Author
    from mockbackend.engine.pacing import Pace, Random
    from mockbackend.recording.ids import FreshIds

CHECKED_BYTES = 2 << 20
"""A recording up to this size is read as a whole before the first word (some 40 ms at most)."""


@click.command("replay", short_help="Be the backend, from a recording.", cls=CommandBehind)
@click.argument("recording", envvar="MOCKBACKEND_REPLAY_RECORDING")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- CMD...]")
@pacing_options(Timing.RECORDED)
@click.option(
    "--match",
    type=Member(Match),
    default=Match.POSITION.value,
    show_default=True,
    help="Which exchange a user_message opens: the next, the one most like it, or only one just like it.",
)
@click.option(
    "--at-end",
    type=Member(AtEnd),
    default=AtEnd.ERROR.value,
    show_default=True,
    help="What to do after the last exchange.",
)
@click.option(
    "--start-at",
    type=Place(),
    metavar="TURN|MARKER",
    help="Answer the first user_message with this turn.",
)
@click.option("--fresh-ids", is_flag=True, help="Give sessions, tools and requests new ids.")
@click.option("--autoplay", is_flag=True, help="Play everything without waiting for the frontend.")
@click.option("--strict", is_flag=True, help="Expect the recorded frontend line by line; exit 4 if it differs.")
@click.option("--skip-bad-lines", is_flag=True, help="Pass over lines of the recording that cannot be read.")
@click.option(
    "--mode",
    type=Member(Mode),
    default=Mode.NONE.value,
    show_default=True,
    help="When to start CMD, the real backend: never, if there is no recording yet, for what was not recorded, always.",
)
@session_options()
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Be the backend, from RECORDING: a file, or the name of a recording (see `mockbackend list`).

    Speaks the protocol on stdin and stdout until the frontend leaves. Every option can be set in the
    environment, too: MOCKBACKEND_REPLAY_SPEED=2. Exit codes: 0 fine, 2 usage, 3 a file that cannot be used,
    4 --strict found the frontend at fault; a recorded crash ends with its own code or signal.

    With CMD, a real backend, it can record what it has not: --mode once records RECORDING if it does not exist,
    new-episodes adds what is said beyond its end, all records it anew. In CI (CI is set) these must stand on the
    command line, not in the environment.
    """
    from mockbackend.cli.serving import choose_seed, repeat_command, serve  # with its file

    _refuse_contradictions(given)
    then = None
    if given["mode"] is not Mode.NONE:
        from mockbackend.cli import episodes

        then = episodes.prepare(ctx, given)
    source = FileSource(find(given["recording"], "recordings"))
    reader = Reader(with_openings(source), skip_bad_lines=given["skip_bad_lines"])
    _refuse_own_file(source, given)
    size = source.size()
    if size is not None and size <= CHECKED_BYTES:
        for _ in reader.events():
            pass
    seed = choose_seed(given["seed"])
    author = _author(reader, given, seed)
    session = Session(author, auth=given["auth"], end_each_turn=given["end_each_turn"])
    made_up = " (no recorded times: made up)" if reader.header.bare else ""
    picked = f"timing {given['timing'].value}{made_up}, speed {given['speed']:g}, seed {seed}"
    serve(
        ctx,
        session,
        given,
        banner=f"replays {reader.name}, {picked}; again: {repeat_command(ctx, seed)}",
        remarks=reader.skipped,
        then=None if then is None else lambda driver, talk: then(author, session, driver, talk),
    )


def _refuse_contradictions(given: dict[str, Any]) -> None:
    """Refuse options that would be without effect beside another one."""
    pairs = (
        ("strict", ("autoplay", "start_at", "end_each_turn")),
        ("autoplay", ("start_at", "end_each_turn")),
    )
    for mode, others in pairs:
        for other in others:
            if given[mode] and given[other]:
                raise UsageError(
                    f"--{mode} plays the recording as it is: --{other.replace('_', '-')} has no place beside it"
                )
    for mode in ("strict", "autoplay"):
        if given[mode] and given["match"] is not Match.POSITION:
            raise UsageError(f"--{mode} goes by position: --match {given['match'].value} has no place beside it")
        if given[mode] and given["auth"].value != "ok":
            raise UsageError(
                f"--{mode} plays the recorded answers: --auth {given['auth'].value} has no place beside it"
            )
    if given["strict"] and given["at_end"] is not AtEnd.ERROR:
        raise UsageError(f"--strict ends with the recording: --at-end {given['at_end'].value} has no place beside it")
    if (given["force"] or given["append"]) and not given["record"]:
        raise UsageError("--force and --append go with --record")
    if given["force"] and given["append"]:
        raise UsageError("--force overwrites and --append adds: only one of them can be meant")


def _refuse_own_file(source: FileSource, given: dict[str, Any]) -> None:
    """Refuse to write the file that is read."""
    for option in ("record", "log"):
        if given[option] and source.is_file(given[option]):
            raise UsageError(f"--{option} {given[option]}: this is the recording that is replayed")


def _author(reader: Reader, given: dict[str, Any], seed: int) -> Author:
    ids = _fresh_ids(seed) if given["fresh_ids"] else None
    pace = _pace(reader, given, seed)
    if given["strict"]:
        from mockbackend.recording.strict import StrictReplay

        return StrictReplay(reader, pace, ids)
    if given["autoplay"]:
        from mockbackend.recording.autoplay import Autoplay

        return Autoplay(reader, pace, loop=given["at_end"] is AtEnd.LOOP, ids=ids)
    return Replay(
        reader,
        pace,
        Options(given["match"], given["at_end"], given["start_at"], given["mode"] is Mode.NEW_EPISODES),
        ids,
    )


def _pace(reader: Reader, given: dict[str, Any], seed: int) -> Pace:
    def rng() -> Random:
        import random  # only when something is left to chance

        return random.Random(seed)

    return pace_for(
        given["timing"],
        rng,
        factor=given["speed"],
        max_gap_us=given["max_gap"],
        jitter_share=given["jitter"],
        timed=not reader.header.bare,
    )


def _fresh_ids(seed: int) -> FreshIds:
    from mockbackend.recording.ids import FreshIds

    return FreshIds(seed)
