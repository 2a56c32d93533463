"""A cancel after which nothing is closed: tools and subagents never hear their end."""

from mockbackend.scenario import Script, Stop, Turn, scenario


@scenario(
    "cancel-abrupt",
    summary="obeys a cancel at once, and closes nothing that is open",
    shows="spinners without an end",
    tries=("Take your time.", "/cancel 3"),
    sets={"finish_first": "let the running tool end well first, as in a race"},
)
def cancel_abrupt(turn: Turn, *, finish_first: bool = False) -> Script:
    tool_id = turn.new_id()

    def abrupt() -> Script:
        if finish_first:
            yield from turn.send({"type": "tool_end", "id": tool_id, "output": "done", "success": True})
        yield Stop(closing=False)

    turn.on_cancel = abrupt
    yield from turn.tool("Bash", {"command": "make all"}, id=tool_id, seconds=8)
    yield from turn.finish()
