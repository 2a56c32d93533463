"""The session starts with the first message, as with real backends: init alone is answered by nothing."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "lazy-start",
    summary="says session_started only after the first user_message",
    shows="a deadlock, in a frontend that waits for session_started before it lets the user type",
)
class LazyStart:
    def opening(self, start: Turn) -> Script:
        yield from start.auth()

    def turn(self, turn: Turn) -> Script:
        if turn.number == 1:
            yield from turn.started()
        yield from turn.finish()
