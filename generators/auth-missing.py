"""Nobody is let in without a key."""

from mockbackend.scenario import Script, Turn, scenario


@scenario("auth-missing", summary="wants an api_key, and refuses to work without one", shows="the prompt for a key")
class AuthMissing:
    def opening(self, start: Turn) -> Script:
        if start.init.get("api_key"):
            yield from start.auth()
            yield from start.started()
        else:
            yield from start.auth(False, error="No API key provided")

    def turn(self, turn: Turn) -> Script:
        if turn.init.get("api_key"):
            yield from turn.say("Thank you for the key.")
        else:
            yield from turn.error("NOT_AUTHENTICATED", "No API key provided")
