"""Events faster than anybody can draw them."""

from mockbackend.scenario import Script, Turn, Wait, emit, scenario


@scenario(
    "flood",
    summary="10,000 events a second, for a while",
    shows="whether the view keeps up, and a cancel gets through",
    sets={"rate": "events per second", "seconds": "how long"},
)
def flood(turn: Turn, *, rate: int = 10_000, seconds: float = 5.0) -> Script:
    count = int(rate * seconds)
    for index in range(count):
        yield Wait((index + 1) * 1_000_000 // rate - index * 1_000_000 // rate)
        yield emit({"type": "assistant_text_delta", "content": f"{index} "})
    yield from turn.complete("".join(f"{index} " for index in range(count)))
