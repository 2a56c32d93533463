"""Output near the protocol's limit: a tool that says a megabyte, and an input of ten kilobytes."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "big-output",
    summary="a tool with a very large output, and one with a very large input",
    shows="that a card of a megabyte neither freezes nor breaks the view",
    sets={"kilobytes": "how much the tool says; the protocol allows 1024"},
)
def big_output(turn: Turn, *, kilobytes: int = 1000) -> Script:
    line = "2025-03-01T09:00:00Z INFO request served in 12 ms path=/api/items status=200 bytes=1832\n"
    output = line * (kilobytes * 1024 // len(line))
    yield from turn.say("I'll look at the whole log:")
    yield from turn.tool("Bash", {"command": "cat server.log"}, output=output)
    yield from turn.tool("Write", {"file_path": turn.path("long.txt"), "content": line * 100})
    yield from turn.finish(f"The log has {output.count(chr(10))} lines; none of them is an error.")
