"""One message in several blocks, each of them completed."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "one-complete-per-block",
    summary="several assistant_message_complete for one answer; only session_ended ends it",
    shows="that a complete message does not end the turn",
)
def one_complete_per_block(turn: Turn) -> Script:
    for occasion in ("look", "read", "found"):
        yield from turn.say(turn.prose.remark(occasion, turn.rng))
    yield from turn.tool("LS", {"path": turn.cwd})
    yield from turn.finish()
    yield from turn.end_session("success")
