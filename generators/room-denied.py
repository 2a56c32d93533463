"""Actions that a room has to refuse, because nothing of the kind is there."""

from mockbackend.scenario import Script, Turn, scenario

IMPOSSIBLE = (
    {"type": "remove_note", "title": "no such note", "surface": "desk"},
    {"type": "move_note", "title": "no such note", "from_surface": "desk", "to_surface": "wall"},
    {"type": "create_note", "title": "lost", "content": "where?", "surface": "ceiling"},
)


@scenario("room-denied", summary="asks the room for what it has to refuse", shows="answers with success false")
def room_denied(turn: Turn) -> Script:
    for action in IMPOSSIBLE:
        done = yield from turn.room_action(action)
        if done.success:
            yield from turn.say("The room let me do that? Then I remember it so.")
        else:
            yield from turn.say(turn.prose.remark("room_no", turn.rng, reply=done.message))
    yield from turn.finish("So the room keeps its order.")
