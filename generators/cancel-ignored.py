"""A cancel that is never obeyed."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "cancel-ignored",
    summary="does not care for a cancel, and works to the end",
    shows="what becomes of the cancel button when nothing answers it",
    tries=("Take your time.", "/cancel 3"),
)
def cancel_ignored(turn: Turn) -> Script:
    def ignored() -> Script:
        yield from ()

    turn.on_cancel = ignored
    yield from turn.tool("Bash", {"command": "make all"}, seconds=6)
    yield from turn.finish("Finished. Did you say something?")
