"""`mockbackend demo`: watch a recorded session in this terminal, no frontend needed."""

from __future__ import annotations

import signal
import sys
import time
from typing import TYPE_CHECKING

import click

from mockbackend.cli.options import Member, Number
from mockbackend.engine.timing import Timing
from mockbackend.errors import MockBackendError
from mockbackend.io.files import FileSource
from mockbackend.io.shipped import find
from mockbackend.recording.model import START
from mockbackend.recording.reader import Reader
from mockbackend.report.stage import Stage
from mockbackend.report.table import console
from mockbackend.testing.frontend import moves
from mockbackend.testing.process import Manners, converse

if TYPE_CHECKING:
    from collections.abc import Callable

_BREATH_S = 1.2
"""The longest pause before the frontend speaks: enough to read on, and no more."""


_OUR_FAILURES = frozenset({1, 2, 3})
"""Exit codes of a replay that could not play; any other is the recorded one."""


@click.command("demo", short_help="Watch a recorded session in this terminal.")
@click.argument("recording", default="room", envvar="MOCKBACKEND_DEMO_RECORDING")
@click.option(
    "--speed",
    type=Number(min=0, min_open=True, max=1e6),
    default=1.0,
    show_default=True,
    metavar="X",
    help="Play X times as fast.",
)
@click.option(
    "--timing",
    type=Member(Timing),
    default=Timing.RECORDED.value,
    show_default=True,
    help="Where the pauses come from.",
)
def command(recording: str, speed: float, timing: Timing) -> None:
    """Watch RECORDING in this terminal: a real `mockbackend replay`, and a small frontend that answers for you."""
    reader = Reader(FileSource(find(recording, "recordings")))
    replay = ["replay", reader.name, "--timing", timing.value, "--speed", f"{speed:g}"]
    stage = Stage(_writer(), time.monotonic, speed)
    pause = 0.0 if timing is Timing.INSTANT else _BREATH_S / speed
    click.echo(f"mockbackend replay {recording}: {reader.header.summary or 'no summary'}")
    outcome = converse(
        [sys.executable, "-m", "mockbackend", "-q", *replay],
        moves(reader),
        heard=stage.heard,
        said=stage.said,
        manners=Manners(longest_gap_s=pause),
    )
    stage.finish()
    if outcome.given_up or outcome.code in _OUR_FAILURES:
        raise MockBackendError(
            f"the replay failed, exit code {outcome.code}: {outcome.stderr.decode(errors='replace')}"
        )
    if outcome.code:
        click.echo(f"The backend has crashed, as recorded: {_told(outcome.code)}.")
        if sum(1 for event in reader.events() if event.name == START) > 1:
            click.echo("The recording goes on with another process; the demo shows the first one.")
    click.echo()
    click.echo(f"To use it in place of your backend, let your frontend run:  mockbackend replay {recording}")
    click.echo("Other recordings: mockbackend list")


def _told(code: int) -> str:
    """Return how a process ended, in words; subprocess tells of a signal by a negative code."""
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name


def _writer() -> Callable[[str, str], None]:
    screen = console()

    def write(text: str, style: str) -> None:
        screen.print(text, style=style or None, end="", soft_wrap=True)
        screen.file.flush()

    return write
