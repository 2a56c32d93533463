"""A backend that takes its time to start."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "slow-start",
    summary="says nothing for a long time after init",
    shows="what a frontend shows while it waits for session_started",
    sets={"seconds": "until the session has started"},
)
class SlowStart:
    def __init__(self, *, seconds: float = 12.0) -> None:
        self.seconds = seconds

    def opening(self, start: Turn) -> Script:
        yield from start.wait(self.seconds)
        yield from start.auth()
        yield from start.started()

    def turn(self, turn: Turn) -> Script:
        yield from turn.say(f"I am here at last, after {self.seconds:g} seconds.")
