"""The connection is cut while text streams; the retry streams it again from the beginning."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "retry-duplicates",
    summary="streams the same text twice, because the connection was cut",
    shows="deltas that do not add up to the complete message",
)
def retry_duplicates(turn: Turn) -> Script:
    text = turn.prose.text(turn.rng)
    yield from turn.stream(text[: len(text) // 2])
    yield from turn.error("SDK_ERROR", "Connection error, retrying (attempt 1 of 10)", recoverable=True)
    yield from turn.stream(text)
    yield from turn.complete(text)
