"""A cancel that takes effect much later: the turn goes on as if nothing had been said."""

from mockbackend.scenario import Script, Stop, Turn, scenario


@scenario(
    "cancel-late",
    summary="obeys a cancel some seconds after it came",
    shows="events after the user pressed cancel",
    tries=("Take your time.", "/cancel 4"),
    sets={"seconds": "until the cancel takes effect"},
)
def cancel_late(turn: Turn, *, seconds: float = 3.0) -> Script:
    def late() -> Script:
        yield from turn.wait(seconds)
        yield Stop()

    turn.on_cancel = late
    yield from turn.tool("Bash", {"command": "make all"}, seconds=2)
    yield from turn.text(paragraphs=6)
