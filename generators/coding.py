"""A change from report to passing test, as a coding agent makes it; in plan mode it only says what it would do."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "coding",
    summary="finds, reproduces, fixes and tests something in an invented project",
    shows="remarks between tools, a failing and a passing test, an Edit that fits the Read before it",
    tries=("There is a bug, please fix it.",),
)
def coding(turn: Turn) -> Script:
    project, rng = turn.project, turn.rng
    change = project.next_change(rng)

    def remark(occasion: str) -> str:
        return turn.prose.remark(occasion, rng, change)

    yield from turn.say(remark("look"))
    yield from turn.tool("Grep", {"pattern": change.symbol, "output_mode": "content"})
    yield from turn.say(remark("read"))
    yield from turn.tool("Read", {"file_path": turn.path(change.file)})
    if turn.mode == "plan":
        yield from turn.say(remark("found"))
        yield from turn.finish(remark("plan"))
        return
    yield from turn.say(remark("reproduce"))
    yield from turn.tool("Bash", {"command": change.test, "description": "Run the failing test"})
    yield from turn.say(f"{remark('found')} {remark('edit')}")
    edit = {"file_path": turn.path(change.file), "old_string": change.old, "new_string": change.new}
    yield from turn.tool("Edit", edit)
    yield from turn.say(remark("test"))
    yield from turn.tool("Bash", {"command": change.test, "description": "Run the test again"})
    yield from turn.finish(remark("done"))
