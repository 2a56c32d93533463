"""A tool that ends before the message that called it is complete."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "tool-end-first",
    summary="a tool starts and ends while its message is still streaming",
    shows="that tools and text are not strictly nested",
)
def tool_end_first(turn: Turn) -> Script:
    text = turn.prose.remark("read", turn.rng)
    yield from turn.stream(text)
    yield from turn.tool("Read", {"file_path": turn.path(min(turn.project.files))})
    yield from turn.complete(text)
    yield from turn.finish()
