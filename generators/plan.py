"""An agent that keeps to the mode: in plan mode it proposes, in auto mode it does."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "plan",
    summary="proposes in plan mode, and does it in auto mode",
    shows="that a mode_change has an effect",
    tries=("/plan", "Fix it, please.", "/auto", "Do it."),
)
def plan(turn: Turn) -> Script:
    if turn.mode == "plan":
        change = turn.project.next_change(turn.rng)
        yield from turn.tool("Read", {"file_path": turn.path(change.file)})
        steps = "\n".join(f"{n}. {turn.prose.remark('points', turn.rng, change)}" for n in (1, 2, 3))
        yield from turn.finish(f"## {change.title}\n\n{turn.prose.remark('plan', turn.rng, change)}\n\n{steps}")
        return
    yield from turn.play("coding")
