"""Steps: what a script can ask of the player. A script is a generator of them.

::

    def greeting(ask: bytes) -> Script:
        yield Wait(250_000)
        yield Emit(encode(question), question)
        answer = yield Await(("answer", "r1"), timeout_us=10_000_000)   # None: nobody answered
        ...

All times are integer microseconds. `Emit`, `Stderr`, `Note` and `Exit` are at the same time the *actions*
that a session hands to its driver: what a script says is passed on untouched. `Queue`, `Stop` and `Freeze` are
*commands* to the session itself, which obeys them in their place among the actions.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Mapping
from typing import Any, NamedTuple, TypeAlias

Message: TypeAlias = Mapping[str, Any]
Topic: TypeAlias = Hashable


class Emit(NamedTuple):
    """Send *data*, a whole line with its newline, to the frontend.

    *message* is the decoded line, or None when the line is not a JSON object.
    """

    data: bytes
    message: Message | None = None


class Stderr(NamedTuple):
    """Write *data* to standard error: the recorded or scripted backend talks there."""

    data: bytes


class Note(NamedTuple):
    """Tell the user of mockbackend (not the frontend) something; *level* is "warn", "info" or "debug"."""

    text: str
    level: str = "info"


class Exit(NamedTuple):
    """End the process with *code*, or by *signal* (its number) when there is one."""

    code: int = 0
    signal: int | None = None


class Wait(NamedTuple):
    """Let *us* microseconds pass."""

    us: int


class Await(NamedTuple):
    """Wait until something is delivered under *topic*; evaluates to it, or to None after *timeout_us*."""

    topic: Topic
    timeout_us: int | None = None


class Hold(NamedTuple):
    """Wait until somebody releases *name* (see `Session.release`): so a test can look at a spinner for long."""

    name: str


class Fork(NamedTuple):
    """Start *script* on a track of its own, at this instant; evaluates to the track's number."""

    script: Script


class Join(NamedTuple):
    """Wait until the track with this *number* has ended."""

    number: int


class Queue(NamedTuple):
    """Let *script* run as an exchange of its own when its turn comes: nobody asked for it, it just happens."""

    script: Script


class Stop(NamedTuple):
    """End the exchange as a cancel does, and all that runs beside it; unless *closing*, leave open what is open."""

    closing: bool = True


class Freeze(NamedTuple):
    """Hang: say nothing and hear nothing for *us* microseconds; None: until the input ends."""

    us: int | None = None


Step: TypeAlias = Emit | Stderr | Note | Exit | Wait | Await | Hold | Fork | Join | Queue | Stop | Freeze
Action: TypeAlias = Emit | Stderr | Note | Exit
Command: TypeAlias = Queue | Stop | Freeze
Script: TypeAlias = Generator[Step, Any, None]
