"""The conversation is compacted: by itself, or because the user asked for it with /compact."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "compaction",
    summary="compacts the conversation: by itself, or at /compact",
    shows="a session id that changes under way, and one that stays",
    tries=("Go on.", "//compact", "Go on."),
)
def compaction(turn: Turn) -> Script:
    if turn.message.startswith("/compact"):
        yield from turn.compaction("manual", new_id=False)
        return
    yield from turn.compaction("auto")
    yield from turn.text(paragraphs=1)
