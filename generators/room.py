"""Everything that can be done in the room, with what is really there."""

from mockbackend.scenario import Script, Turn, scenario


def note(turn: Turn, title: str, color: str) -> dict[str, str]:
    about = turn.prose.remark("points", turn.rng)
    return {"type": "create_note", "title": title, "content": about, "surface": "desk", "color": color}


@scenario(
    "room",
    summary="creates, moves and removes notes, looks around, and believes what it is told",
    shows="every room_action and room_query, and what the agent makes of the answers",
    tries=("Put your findings into the room.", "And again."),
)
def room(turn: Turn) -> Script:
    seen = yield from turn.room_query("describe")
    if not seen.answered:
        yield from turn.finish("Nobody told me what the room looks like.")
        return
    yield from turn.say(turn.prose.remark("room", turn.rng))
    for color in ("yellow", "pink", "blue", "green"):
        title = f"{turn.project.changes[0].title[:24]} ({color} {turn.number})"
        done = yield from turn.room_action(note(turn, title, color))
        if not done.success:
            yield from turn.say(turn.prose.remark("room_no", turn.rng, reply=done.message))
    lying = [(surface, old.title) for surface, old in turn.room.notes()]
    if len(lying) > 1:
        (first, title), (second, other) = lying[0], lying[1]
        yield from turn.room_query("examine", title)
        away = {"from_surface": first, "to_surface": "wall" if first != "wall" else "shelf"}
        yield from turn.room_action({"type": "move_note", "title": title, **away})
        yield from turn.room_action({"type": "remove_note", "title": other, "surface": second})
    seen = yield from turn.room_query("describe", "desk")
    if len(lying) > 6:
        yield from turn.room_action({"type": "clear_room"})
    yield from turn.finish(f"This is how it looks now: {seen.description}")
