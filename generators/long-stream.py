"""One message of many deltas."""

from mockbackend.scenario import Script, Turn, Wait, emit, scenario


@scenario(
    "long-stream",
    summary="one message of 20,000 deltas",
    shows="that a long message costs no more per delta at its end than at its beginning",
    sets={"deltas": "how many"},
)
def long_stream(turn: Turn, *, deltas: int = 20_000) -> Script:
    words = turn.prose.text(turn.rng, paragraphs=8).split(" ")
    steps = [emit({"type": "assistant_text_delta", "content": f"{word} "}) for word in words]
    said = [f"{word} " for word in words]
    for index in range(deltas):
        if index % 1000 == 0:
            yield Wait(1000)  # This loop ends; one without a wait would be taken for endless.
        yield steps[index % len(steps)]
    rounds, rest = divmod(deltas, len(said))
    yield from turn.complete("".join(said) * rounds + "".join(said[:rest]))
