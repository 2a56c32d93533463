"""A room that does not answer in time."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "room-silent",
    summary="asks the room and does not wait for long; a late or a second answer changes nothing",
    shows="what a frontend does when it is too late with an answer",
    sets={"patience": "seconds until it gives up"},
)
def room_silent(turn: Turn, *, patience: float = 2.0) -> Script:
    seen = yield from turn.room_query("describe", timeout=patience)
    yield from turn.say("I see." if seen.answered else f"No answer in {patience:g} seconds; I go on without it.")
    done = yield from turn.room_action({"type": "clear_room"}, timeout=patience)
    yield from turn.finish("Thank you." if done.answered else "I cannot tell whether the room is clear.")
