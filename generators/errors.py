"""Each error code of the catalogue, one after another."""

from mockbackend.scenario import Script, Turn, scenario

CODES = {
    "SDK_ERROR": "API Error: 529 overloaded_error",
    "PARSE_ERROR": "not JSON: Expecting value at column 1",
    "AUTH_FAILED": "Invalid API key",
    "NOT_AUTHENTICATED": "No API key provided",
    "TOKEN_REFRESH_FAILED": "The OAuth token could not be refreshed.",
    "PERMISSION_DENIED": "The user denied permission to use Bash.",
    "SDK_NOT_FOUND": "Claude Code CLI not found on PATH",
    "PROTOCOL_MISMATCH": "version 1 is not spoken here",
}


@scenario("errors", summary="says every error of the catalogue", shows="the frontend's answer to each code")
def errors(turn: Turn) -> Script:
    for code, text in CODES.items():
        yield from turn.say(f"Next comes `{code}`:")
        yield from turn.error(code, text)
    yield from turn.end_session("error_during_execution")
