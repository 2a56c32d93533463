"""Two subagents at once, one inside another, and one in the background that reports after the turn."""

from mockbackend.scenario import Script, Subagent, Turn, scenario


def reader(agent: Subagent) -> Script:
    turn = agent.turn
    yield from agent.tool("Read", {"file_path": turn.path(min(turn.project.files))})
    yield from agent.say(turn.prose.remark("report", turn.rng))


def leader(agent: Subagent) -> Script:
    yield from agent.say("I'll have this looked at by somebody else.")
    yield from agent.turn.subagent("read the first file", script=reader)
    yield from agent.say("That settles it.")


def watcher(agent: Subagent) -> Script:
    for _ in range(3):
        yield agent.turn.pause(2)
        yield from agent.say("Still watching the build.")


def watch(turn: Turn) -> Script:
    yield from turn.subagent("watch the build", script=watcher)
    yield from turn.later(turn.say("The build in the background is green."))


@scenario(
    "subagents",
    summary="two subagents at once, one inside another, one in the background that reports after the turn",
    shows="nested and interleaved subagents; messages when nobody asked",
    tries=("Check everything, please.", "/wait 20"),
)
def subagents(turn: Turn) -> Script:
    yield from turn.background(watch(turn))
    yield from turn.say(turn.prose.remark("agents", turn.rng))
    with turn.parallel() as both:
        both.add(turn.subagent("find every caller", script=reader))
        both.add(turn.subagent("check the changelog", script=leader))
    yield from turn.subagent("look for a licence", success=False)
    yield from turn.finish()
