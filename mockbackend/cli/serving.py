"""Be a backend: put a session between stdin and stdout, and end the process as the session ended."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Any, NoReturn

from mockbackend.driver import Driver
from mockbackend.engine.steps import Note
from mockbackend.io.stdio import open_transport
from mockbackend.io.talk import Talk

if TYPE_CHECKING:
    from collections.abc import Mapping

    import click

    from mockbackend.driver import Ending, Source, Tap
    from mockbackend.io.transport import Transport

_NOT_REPEATED = frozenset({"seed", "record", "force", "append", "log"})


def choose_seed(given: int | None) -> int:
    """Return the seed that was *given*, or one that is nobody's choice."""
    return int.from_bytes(os.urandom(4)) if given is None else given


def repeat_command(ctx: click.Context, seed: int) -> str:
    """Return the command line that repeats this run exactly; what it left behind in files is not part of it."""
    import shlex

    from click.core import ParameterSource

    by_default = {ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP, None}
    words = ["mockbackend", str(ctx.command.name)]
    for param in ctx.command.params:
        name = str(param.name)
        if name in _NOT_REPEATED or ctx.get_parameter_source(name) in by_default:
            continue
        value = ctx.params.get(name)
        if param.param_type_name == "argument":
            words.append(str(value))
        elif value is True:
            words.append(param.opts[0])
        elif value is not False:
            words += [param.opts[0], getattr(param.type, "spell", _spell)(value)]
    return shlex.join([*words, "--seed", str(seed)])


def _spell(value: object) -> str:
    return str(value).removesuffix(".0")


def serve(
    ctx: click.Context,
    session: Source,
    given: Mapping[str, Any],
    *,
    banner: str,
    remarks: Mapping[Any, str],
) -> NoReturn:
    """Run *session* until it ends; exit as it ended. *remarks* are said at the end, as far as there are any then."""
    talk = Talk(ctx.obj.level)
    taps = list(_taps(given, talk))
    talk(Note(banner))
    transport = open_transport()
    _end_on_signals(transport)
    ending = Driver(session, transport, _microseconds, taps=taps, tell=talk).run()
    transport.close()
    for remark in remarks.values():
        talk(Note(remark, "warn"))
    talk(Note(f"ended: {ending.why}", "debug"))
    _exit(ending)


def _microseconds() -> int:
    return time.monotonic_ns() // 1000


def _taps(given: Mapping[str, Any], talk: Talk) -> list[Tap]:
    taps: list[Tap] = []
    if given["record"] or given["log"]:
        from mockbackend.cli.tapping import log_tap, record_tap  # rarely wanted

        if given["record"]:
            taps.append(record_tap(given["record"], force=given["force"], append=given["append"], talk=talk))
        if given["log"]:
            taps.append(log_tap(given["log"], talk))
    return taps


def _end_on_signals(transport: Transport) -> None:
    """Let SIGINT, SIGTERM and SIGHUP end the session in an orderly way."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # A signal that our parent has chosen to ignore (nohup) stays ignored.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: transport.interrupt())


def _exit(ending: Ending) -> NoReturn:
    if ending.signal is not None and sys.platform != "win32":
        with contextlib.suppress(OSError, ValueError):  # Some signals take no handler, and need none to kill.
            signal.signal(ending.signal, signal.SIG_DFL)
        os.kill(os.getpid(), ending.signal)
        time.sleep(1)  # It arrives in this second, if it kills at all.
    sys.exit(ending.code)
