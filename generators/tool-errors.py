"""The ways in which a tool can fail, in the words of real ones."""

from mockbackend.scenario import Script, Turn, scenario

BASH = {"command": "npm run deploy"}
FAILURES: tuple[tuple[str, dict[str, str], str], ...] = (
    ("Bash", BASH, "Exit code 127\n/bin/sh: 1: npm: not found"),
    ("Bash", {"command": "sleep 600"}, "Command timed out after 2m 0.0s"),
    ("Bash", BASH, "The user doesn't want to proceed with this tool use. The tool use was rejected."),
    ("NoSuchTool", {}, "<tool_use_error>Error: No such tool available: NoSuchTool</tool_use_error>"),
    ("Write", {"file_path": "/etc/hosts", "content": ""}, "Error: EACCES: permission denied, open '/etc/hosts'"),
)


@scenario("tool-errors", summary="fails with each kind of tool error", shows="tool_end with success false")
def tool_errors(turn: Turn) -> Script:
    change = turn.project.next_change(turn.rng)
    yield from turn.tool("Read", {"file_path": turn.path("no/such/file")})
    wrong = {"file_path": turn.path(change.file), "old_string": "not in there", "new_string": ""}
    yield from turn.tool("Edit", wrong)
    for name, given, output in FAILURES:
        yield from turn.tool(name, given, output=output, success=False)
    yield from turn.error("PERMISSION_DENIED", "Claude requested permissions to use Bash, but you haven't granted it.")
    yield from turn.finish("Everything that could fail has failed.")
