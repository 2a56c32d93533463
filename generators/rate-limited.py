"""Retries, then success."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "rate-limited",
    summary="is refused a few times, then succeeds",
    shows="errors that end nothing",
    sets={"retries": "how often it is refused"},
)
def rate_limited(turn: Turn, *, retries: int = 3) -> Script:
    for attempt in range(1, retries + 1):
        text = f"API Error: 429 rate_limit_error (attempt {attempt} of {retries + 1}, retrying)"
        yield from turn.error("SDK_ERROR", text, recoverable=True)
        yield from turn.wait(0.5 * 2**attempt)
    yield from turn.finish()
