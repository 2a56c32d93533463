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
    from collections.abc import Callable, Mapping

    import click

    from mockbackend.driver import Source, Tap
    from mockbackend.io.transport import Transport

_NOT_REPEATED = frozenset({"seed", "record", "force", "append", "redact", "rule", "redact_paths", "log"})


def choose_seed(given: int | None) -> int:
    """Return the seed that was *given*, or one that is nobody's choice."""
    return int.from_bytes(os.urandom(4)) if given is None else given


def repeat_command(ctx: click.Context, seed: int) -> str:
    """Return the command line that repeats this run exactly; what it left behind in files is not part of it."""
    import shlex

    from click.core import ParameterSource

    by_default = {ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP, None}
    words = ["mockbackend", str(ctx.command.name)]
    command: list[str] = []
    for param in ctx.command.params:
        name = str(param.name)
        if name in _NOT_REPEATED or ctx.get_parameter_source(name) in by_default:
            continue
        value = ctx.params.get(name)
        if param.param_type_name == "argument":
            if isinstance(value, tuple):  # The command line of a backend.
                command += ["--", *value]
            else:
                words.append(str(value))
        elif value is True:
            words.append(param.opts[0])
        elif value is not False:
            for one in value if isinstance(value, tuple) and getattr(param, "multiple", False) else (value,):
                words += [param.opts[0], getattr(param.type, "spell", _spell)(one)]
    return shlex.join([*words, "--seed", str(seed), *command])


def _spell(value: object) -> str:
    return str(value).removesuffix(".0")


def serve(
    ctx: click.Context,
    session: Source,
    given: Mapping[str, Any],
    *,
    banner: str,
    remarks: Mapping[Any, object],
    then: Callable[[Driver, Talk], None] | None = None,
) -> NoReturn:
    """Run *session* until it ends; exit as it ended. *remarks* are said at the end, as far as there are any then.

    If something comes *then*, it may take over from there.
    """
    talk = Talk(ctx.obj.level)
    taps, closing = _taps(given, talk)
    talk(Note(banner))
    transport = open_transport(passing=then is not None)
    _end_on_signals(transport)
    driver = Driver(session, transport, microseconds, taps=taps, tell=talk)
    ending = driver.run()
    transport.close()
    for close in closing:
        close()
    for remark in remarks.values():
        talk(Note(str(remark), "warn"))
    talk(Note(f"ended: {ending.why}", "debug"))
    if then is not None:
        then(driver, talk)
    end_process(ending.code, ending.signal)


def microseconds() -> int:
    """Return the time of a clock that never goes back."""
    return time.monotonic_ns() // 1000


def _taps(given: Mapping[str, Any], talk: Talk) -> tuple[list[Tap], list[Callable[[], None]]]:
    """Return the taps that were asked for, and what to call at the end."""
    taps: list[Tap] = []
    closing: list[Callable[[], None]] = []
    if given["record"] or given["log"]:
        from mockbackend.cli.tapping import PATIENCE_S, log_tap, record_tap  # rarely wanted

        if given["record"]:
            recording, tape = record_tap(given["record"], given, talk)
            taps.append(recording)
            closing.append(lambda: tape.close(talk))
        if given["log"]:
            log, file = log_tap(given["log"], talk)
            taps.append(log)
            closing.append(lambda: file.close(PATIENCE_S))
    return taps, closing


def _end_on_signals(transport: Transport) -> None:
    """Let SIGINT, SIGTERM and SIGHUP end the session in an orderly way."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # A signal that our parent has chosen to ignore (nohup) stays ignored.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: transport.interrupt())
    transport.hear_signals()


def end_process(code: int, number: int | None) -> NoReturn:
    """End as another process ended: with its code, or by its signal *number*."""
    if number is not None and sys.platform != "win32":
        import resource  # rarely needed

        with contextlib.suppress(OSError, ValueError):  # Some signals take no handler, and need none to kill.
            signal.signal(number, signal.SIG_DFL)
        # It was not us who crashed: a core file of ours would tell nothing.
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        os.kill(os.getpid(), number)
        time.sleep(1)  # It arrives in this second, if it kills at all.
    sys.exit(code)
