"""Hold a conversation with a source in logical time: no loop, no process, no waiting.

::

    assert play(Session(author), [(0, line(init)), (5 * S, line(cancel))]) == [(0, Emit(…)), …]
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mockbackend.engine.events import CLOSED, WOKEN, Event, Received

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mockbackend.driver import Source
    from mockbackend.engine.steps import Action

SECOND = 1_000_000
"""Microseconds."""

_MANY = 1_000_000


def line(message: dict[str, Any]) -> Received:
    """Return the event of the frontend sending *message*."""
    return Received(json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode())


def play(
    source: Source,
    inputs: Iterable[tuple[int, Event]] = (),
    *,
    close: bool = True,
    until: int | None = None,
) -> list[tuple[int, Action]]:
    """Drive *source* to its end and return its actions with their times (microseconds).

    *inputs* come at their times, the input is closed at the end if *close* says so, and time stops at
    *until*. What is due at the time of an input is done before it.
    """
    done: list[tuple[int, Action]] = []
    now = 0

    def handle(event: Event, at: int) -> None:
        nonlocal now
        now = max(now, at)
        done.extend((now, action) for action in source.handle(event, now))
        if len(done) > _MANY:
            raise AssertionError(f"more than {_MANY} actions: does the source ever end?")

    def wake(limit: int | None) -> None:
        while not source.finished and (due := source.deadline) is not None:
            if limit is not None and due > limit:
                return
            handle(WOKEN, due)

    handle(WOKEN, 0)
    for at, event in inputs:
        wake(at)
        if not source.finished:
            handle(event, at)
    if close and not source.finished:
        handle(CLOSED, now)
    wake(until)
    return done
