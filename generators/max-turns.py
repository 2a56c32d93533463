"""The agent has used up its turns."""

from mockbackend.scenario import Script, Turn, scenario


@scenario("max-turns", summary="works until it may not go on", shows="session_ended with error_max_turns")
def max_turns(turn: Turn) -> Script:
    for file in sorted(turn.project.files)[:3]:
        yield from turn.tool("Read", {"file_path": turn.path(file)})
    yield from turn.end_session("error_max_turns")
