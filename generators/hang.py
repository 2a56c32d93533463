"""A backend that hangs: it answers no ping, hears no cancel and no shutdown."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "hang",
    summary="stops answering in the middle of a word, pings too",
    shows="the frontend's watchdog",
    sets={"seconds": "how long; 0: until it is killed"},
)
def hang(turn: Turn, *, seconds: float = 0.0) -> Script:
    yield from turn.stream("I was just about to")
    yield from turn.hang(seconds or None)
    yield from turn.stream(" say that I am back.")
    yield from turn.complete("I was just about to say that I am back.")
