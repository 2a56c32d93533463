"""Run a scenario's script for the player: give it time, keep it honest, and say where it broke.

A scenario yields steps and knows no profile of time: a `Wait` is what its author wants, and what has no wait
before it takes as long as the pace says. The pace sees a stream of timed items, as in a replay; a step that
evaluates to something is a `SYNC`, over which no pace moves anything, so that its answer reaches the script at
the right place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mockbackend.engine.pacing import SYNC
from mockbackend.engine.steps import (
    Await,
    Emit,
    Exit,
    Fork,
    Freeze,
    Hold,
    Join,
    Note,
    Queue,
    Stderr,
    Stop,
    Wait,
)
from mockbackend.errors import ScriptError
from mockbackend.scenario.faults import Fault, damaged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mockbackend.engine.pacing import Pace, Timed
    from mockbackend.engine.steps import Script

    Pacer = Callable[[bool], Pace]
    """Returns a pace for a new track; the flag says whether the model was just asked something."""

MANY_STEPS = 100_000
"""Steps at one instant after which a script is taken for an endless loop."""

_STEPS = frozenset({Await, Emit, Exit, Fork, Freeze, Hold, Join, Note, Queue, Stderr, Stop, Wait, Fault})
_END: Any = object()
_ANSWERED = frozenset({Await, Fork, Hold, Join})


class Conditions(NamedTuple):
    """How the scripts of an exchange run.

    Attributes:
        pacer: Whose pace they have.
        name: The name of the scenario.
        complain: Who is told of a script that breaks while it is closed.
        pending: Scripts that have to run before the next step of the one that left them here.
    """

    pacer: Pacer
    name: str
    complain: Callable[[str], None]
    pending: list[Script]


class Meter:
    """Counts steps since time last passed, over all tracks of an exchange."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = 0


def paced(script: Script, conditions: Conditions, meter: Meter | None = None, *, asked: bool = True) -> Script:
    """Return *script* with its time; raises `ScriptError` where it breaks, naming the scenario, file and line."""
    meter = meter or Meter()
    run = _Run(script, conditions, meter)
    try:
        for gap, _, step in conditions.pacer(asked)(run.timed()):
            if gap:
                meter.steps = 0
                yield Wait(gap)
            if step is not None:
                run.reply = yield step
    finally:
        run.close()


class _Run:
    """One script that runs."""

    def __init__(self, script: Script, conditions: Conditions, meter: Meter) -> None:
        self.reply: Any = None
        self._script = script
        self._conditions = conditions
        self._meter = meter
        self._fault: Fault | None = None
        self._pending = conditions.pending
        self._inserted: Script | None = None  # What runs first,
        self._held: Any = None  # before this step of the script.

    def timed(self) -> Iterator[Timed]:
        """Yield the script's steps with the waits before them as their gaps; None: the pace decides."""
        meter = self._meter
        gap: int | None = None
        while (step := self._next()) is not _END:
            meter.steps += 1
            kind = step.__class__
            if kind is Emit and self._fault is None:
                message = step.message
                yield gap, "raw" if message is None else str(message.get("type")), step
                gap = None
            elif kind is Wait:
                meter.steps = 0
                gap = (gap or 0) + step.us
            elif kind not in _STEPS:
                raise self._refused(f"a script may yield steps only, not {step!r:.80}")
            else:
                yield from self._rarer(gap, step)
                gap = None
            if meter.steps > MANY_STEPS:
                raise self._refused(f"an endless loop without a wait: {MANY_STEPS} steps at one instant")
        if gap:
            yield gap, SYNC, None

    def _next(self) -> Any:
        """Return the script's next step, or `_END`."""
        reply, self.reply = self.reply, None
        while True:
            script = self._script if self._inserted is None else self._inserted
            try:
                step = script.send(reply)
            except StopIteration:
                step = _END
            except ScriptError:
                raise
            except Exception as problem:
                raise self._broken(problem) from problem
            reply = None
            if self._inserted is None and self._pending:
                self._inserted, self._held = _one_after_another([*self._pending]), step
                self._pending.clear()
            elif self._inserted is not None and step is _END:
                self._inserted = None
                return self._held
            else:
                return step

    def close(self) -> None:
        """End the script, wherever it is."""
        try:
            self._script.close()
        except Exception as problem:  # noqa: BLE001  # whatever its `finally` does
            self._conditions.complain(f"{self._broken(problem)}, while it was stopped")

    def _rarer(self, gap: int | None, step: Any) -> Iterator[Timed]:
        match step:
            case Fault():
                self._fault = step
                if gap:
                    yield gap, SYNC, None
            case Emit():
                fault, self._fault = self._fault, None
                for part in damaged(step, fault):
                    yield gap, str((step.message or {}).get("type", "raw")), part
                    gap = 0
            case Fork(script):
                yield gap or 0, SYNC, Fork(paced(script, self._conditions, self._meter, asked=False))
            case Queue(script):
                yield gap or 0, SYNC, Queue(paced(script, self._conditions))
            case _:
                yield gap or 0, SYNC if step.__class__ in _ANSWERED else "aside", step

    def _refused(self, text: str) -> ScriptError:
        return ScriptError(f"scenario {self._conditions.name}, {_place(self._script)}: {text}")

    def _broken(self, problem: Exception) -> ScriptError:
        from traceback import format_exception  # only after a slip

        frames = []
        trace = problem.__traceback__
        while trace is not None:
            frames.append(f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}")
            trace = trace.tb_next
        place = next((frame for frame in reversed(frames) if "/mockbackend/scenario/" not in frame), frames[-1])
        told = f"{type(problem).__name__}: {problem}" if str(problem) else type(problem).__name__
        text = f"scenario {self._conditions.name}, {place}: {told}"
        return ScriptError(text, "".join(format_exception(problem)).encode(errors="replace"))


def _one_after_another(scripts: Iterable[Script]) -> Script:
    for script in scripts:
        yield from script


def _place(script: Any) -> str:
    """Return file and line of the innermost generator that *script* is in, as far as it is known."""
    place = "somewhere"
    while script is not None:
        frame = getattr(script, "gi_frame", None)
        if frame is None:
            break
        if "/mockbackend/scenario/" not in frame.f_code.co_filename:
            place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        script = script.gi_yieldfrom
    return place
