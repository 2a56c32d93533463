"""A message that comes while a tool runs is taken into the running turn: two questions, one answer."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "folded-message",
    summary="takes a message that comes during a tool into the running turn",
    shows="fewer answers than questions",
    tries=("Run the tests.", "//2 And look at the changelog, too.", "/wait 12"),
)
def folded_message(turn: Turn) -> Script:
    yield from turn.say(turn.prose.remark("test", turn.rng))
    turn.folds = True
    yield from turn.tool("Bash", {"command": "make test"}, seconds=8)
    more = turn.take_folded()
    turn.folds = False
    if more is None:
        yield from turn.finish()
    else:
        yield from turn.say(f"The tests pass. You also said: {more} I took that into account.")
