"""A message that was never streamed."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "complete-without-deltas",
    summary="completes messages that it never streamed",
    shows="whether a frontend that renders deltas shows anything at all",
)
def complete_without_deltas(turn: Turn) -> Script:
    yield from turn.complete(turn.prose.text(turn.rng))
