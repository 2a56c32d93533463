"""A login that expires in the middle of the session."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "auth-expired",
    summary="the login expires at the second turn",
    shows="TOKEN_REFRESH_FAILED and AUTH_FAILED in a session that was fine",
    tries=("Hello!", "And now?", "And now?"),
)
def auth_expired(turn: Turn) -> Script:
    if turn.number == 1:
        yield from turn.say("All is well, so far.")
        return
    yield from turn.auth(False, error="The login has expired")
    if turn.number == 2:
        yield from turn.error("TOKEN_REFRESH_FAILED", "The OAuth token could not be refreshed.")
    else:
        yield from turn.error("AUTH_FAILED", "Invalid bearer token")
