"""Several tools at once, which end in another order than they began."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "parallel-tools",
    summary="runs several tools at once; they end in another order than they began",
    shows="tool_end that belongs to an earlier tool_start, text while nothing runs",
    sets={"count": "how many tools run at once"},
)
def parallel_tools(turn: Turn, *, count: int = 4) -> Script:
    files = sorted(turn.project.files)
    yield from turn.say(turn.prose.remark("agents", turn.rng))
    with turn.parallel() as together:
        for index in range(count):
            file = files[index % len(files)]
            seconds = (count - index) * 0.8 + turn.rng.uniform(0, 0.5)
            together.add(turn.tool("Read", {"file_path": turn.path(file)}, seconds=seconds))
    yield from turn.finish()
