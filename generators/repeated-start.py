"""The session starts again with every turn, under the same id."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "repeated-start",
    summary="says session_started with every turn",
    shows="that a repeated session_started does not begin a new conversation",
    tries=("One.", "Two."),
)
def repeated_start(turn: Turn) -> Script:
    yield from turn.started()
    yield from turn.finish()
