"""`mockbackend record`: stand between the frontend and a real backend."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from mockbackend.cli.options import Number, recording_options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mockbackend.cli.tapping import Tape
    from mockbackend.io.talk import Talk
    from mockbackend.proxy import Proxy

GRACE_S = 5.0

# Name, whether terminals send it, and whether who gets it is meant to end.
_SIGNALS = (
    ("SIGINT", True, True),
    ("SIGHUP", True, True),
    ("SIGQUIT", True, True),
    ("SIGTERM", False, True),
    ("SIGUSR1", False, False),
    ("SIGUSR2", False, False),
    ("SIGWINCH", True, False),
)

_SWITCH_S = 0.0005
"""How long the thread that writes the file may keep the interpreter from those that pass bytes on."""


@click.command(
    "record",
    short_help="Stand between the frontend and a real backend.",
    context_settings={"allow_interspersed_args": False},
)
@click.option("-o", "--output", type=click.Path(), required=True, metavar="FILE", help="The recording to write.")
@recording_options()
@click.option(
    "--grace",
    type=Number(0, 3600),
    default=GRACE_S,
    show_default=True,
    metavar="SECONDS",
    help="How long the backend may take to end when it was asked to, or its frontend is gone.",
)
@click.option("--backend-name", metavar="TEXT", help="What to call the backend in the recording.")
@click.option("--backend-version", metavar="TEXT", help="Its version; else what session_started says.")
@click.option("--marker-on-signal", is_flag=True, help="Write a marker on SIGUSR1, instead of passing it on.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD...")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Start CMD, the real backend, pass on every byte both ways, and write down what passes.

    Put it in the place of CMD in the frontend's configuration: to both sides, nothing changes. It ends as
    CMD ends, with its exit code or signal. Signals are passed on; if CMD has not ended in the time of grace
    after SIGINT, SIGTERM, SIGHUP or SIGQUIT, all of its processes are killed.

    Secrets are kept out of the file, never off the wire: keys and tokens of well-known shapes, what an init
    brings as its api_key, passwords, and the values of secret-looking variables of the environment.
    """
    from mockbackend.cli.tapping import begin, reserve
    from mockbackend.io.talk import Talk

    talk = Talk(ctx.obj.level)
    backend = {"command": [*given["command"]]}
    for key in ("name", "version"):
        if given[f"backend_{key}"]:
            backend[key] = given[f"backend_{key}"]
    new = reserve(given, given["output"])
    stand_between(
        given["command"],
        lambda pid: begin(new, given, backend, talk, pid),
        talk,
        grace_s=given["grace"],
        mark=given["marker_on_signal"],
        not_started=new.discard,
    )


def stand_between(
    words: Sequence[str],
    tape_for: Callable[[int], Tape],
    talk: Talk,
    *,
    grace_s: float = GRACE_S,
    mark: bool = False,
    not_started: Callable[[], None] = lambda: None,
    untold: bytes = b"",
    before: bytes = b"",
) -> NoReturn:
    """Start the backend *words*, and record it on the tape for its process id; end as it ends.

    For *untold* and *before*, see `Proxy`.

    Raises:
        BackendError: It cannot be started; *not_started* was called.
    """
    from mockbackend.cli.serving import end_process, microseconds
    from mockbackend.errors import BackendError
    from mockbackend.io.backend import Backend

    try:
        backend = Backend(words, grace_s)
    except BackendError:
        not_started()
        raise
    # Slow to import, and soon enough now: the backend starts meanwhile.
    from mockbackend.io.taps import RelayTap
    from mockbackend.proxy import Proxy
    from mockbackend.recording.wiretap import Wiretap

    sys.setswitchinterval(_SWITCH_S)
    tape = tape_for(backend.pid)
    began = microseconds()
    proxy = Proxy(
        backend,
        RelayTap(Wiretap(tape.recorder), tape.recorder, tape.file, began, "marker"),
        lambda: microseconds() - began,
        grace_us=round(grace_s * 1e6),
        untold=untold,
        before=before,
    )
    _pass_signals_on(proxy, mark=mark)
    ended = proxy.run()
    tape.close(talk)
    end_process(ended.code, ended.signal)


def _pass_signals_on(proxy: Proxy, *, mark: bool) -> None:
    """Let the backend have the signals that are meant for it.

    What is sent to us alone is for it alone; what a terminal sends, it would send to all of its processes.
    """
    at_terminal = any(os.isatty(fd) for fd in (0, 1, 2))
    for name, of_terminals, ends in _SIGNALS:
        number = getattr(signal, name, None)
        # A signal that our parent has chosen to ignore (nohup) stays ignored.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _passer(proxy, to_all=at_terminal and of_terminals, ends=ends))
    if mark and hasattr(signal, "SIGUSR1"):
        signal.signal(signal.SIGUSR1, lambda *_: proxy.mark())


def _passer(proxy: Proxy, *, to_all: bool, ends: bool) -> Callable[[int, object], None]:
    return lambda number, _: proxy.signalled(number, to_all=to_all, ends=ends)
