"""The shortest conversation there is."""

from mockbackend.scenario import Script, Turn, scenario


@scenario("hello", summary="greets, and says nothing else", shows="text deltas, and the message they add up to")
def hello(turn: Turn) -> Script:
    yield from turn.say(turn.prose.remark("greet", turn.rng))
