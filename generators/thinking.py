"""A long silence, then everything at once."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "thinking",
    summary="a long silence, then a burst",
    shows="whether the user can tell a model that thinks from one that hangs",
    sets={"seconds": "of silence"},
)
def thinking(turn: Turn, *, seconds: float = 25.0) -> Script:
    yield from turn.wait(seconds)
    text = turn.prose.remark("thoughts", turn.rng)
    for part in text.split(" "):
        yield from turn.burst(f"{part} ")
    yield from turn.complete(f"{text} ")
