"""What a scenario imports, and all that it needs of this project.

::

    from mockbackend.scenario import Script, Turn, scenario

    @scenario("fix-a-bug", summary="reads, edits and tests; leaves a note on the desk")
    def fix_a_bug(turn: Turn) -> Script:
        yield from turn.say("I'll look at the failing test first:")
        ...

The steps are for what the helpers of a `Turn` cannot say.
"""

from mockbackend.engine.replies import emit
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
    Script,
    Stderr,
    Stop,
    Wait,
)
from mockbackend.scenario.declare import scenario
from mockbackend.scenario.faults import Fault
from mockbackend.scenario.turn import Answer, Done, Subagent, Turn

__all__ = [
    "Answer",
    "Await",
    "Done",
    "Emit",
    "Exit",
    "Fault",
    "Fork",
    "Freeze",
    "Hold",
    "Join",
    "Note",
    "Queue",
    "Script",
    "Stderr",
    "Stop",
    "Subagent",
    "Turn",
    "Wait",
    "emit",
    "scenario",
]
