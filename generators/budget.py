"""The agent has used up its money."""

from mockbackend.scenario import Script, Turn, scenario


@scenario("budget", summary="stops in the middle, for want of money", shows="session_ended with error_max_budget_usd")
def budget(turn: Turn) -> Script:
    yield from turn.say(turn.prose.remark("look", turn.rng))
    yield from turn.stream(turn.prose.text(turn.rng)[:120])
    yield from turn.end_session("error_max_budget_usd")
