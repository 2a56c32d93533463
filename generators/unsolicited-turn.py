"""A turn that nobody asked for: something in the background is done, and the agent says so."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "unsolicited-turn",
    summary="speaks again some seconds after its turn, unasked",
    shows="messages with no user_message outstanding",
    tries=("Start the build.", "/wait 12"),
    sets={"seconds": "until it speaks"},
)
def unsolicited_turn(turn: Turn, *, seconds: float = 5.0) -> Script:
    def later() -> Script:
        yield from turn.wait(seconds)
        yield from turn.later(turn.say("The build that you asked for has finished. It is green."))

    yield from turn.background(later())
    yield from turn.finish("I started the build in the background.")
