"""The process dies while a tool runs; a frontend that resumes the session hears how the tool ended."""

from mockbackend.scenario import Script, Turn, scenario


def tool_of(session_id: str) -> str:
    """The tool's id, which the next process has to know, too."""
    return f"toolu_{session_id.replace('-', '')[:24]}"


@scenario(
    "crash-mid-tool",
    summary="dies while a tool runs, and goes on when the session is resumed",
    shows="recovery from a crash (Protocol: Crash Recovery Flow)",
    tries=("Run the tests.", "/resume", "Are you back?"),
    sets={"code": "the exit code of the crash"},
)
class CrashMidTool:
    def __init__(self, *, code: int = 139) -> None:
        self.code = code

    def opening(self, start: Turn) -> Script:
        yield from start.auth()
        yield from start.started()
        if start.resumed:
            end = {"type": "tool_end", "id": tool_of(start.session.session_id)}
            yield from start.send({**end, "output": "Exit code 137\nthe run was cut off", "success": False})

    def turn(self, turn: Turn) -> Script:
        if turn.resumed:
            yield from turn.say("I am back. The test run was cut off by the crash.")
            return
        yield from turn.say("I'll run the tests:")
        tool = {"id": tool_of(turn.session.session_id), "tool": "Bash", "input": {"command": "make test"}}
        yield from turn.send({"type": "tool_start", **tool})
        yield from turn.wait(2)
        yield from turn.crash(self.code)
