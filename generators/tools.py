"""Each standard tool once, with the input and output that real ones have."""

from typing import Any

from mockbackend.scenario import Script, Turn, scenario


@scenario("tools", summary="uses each standard tool once", shows="the card of every tool, one after another")
def tools(turn: Turn) -> Script:
    change = turn.project.next_change(turn.rng)
    file = turn.path(change.file)
    calls: dict[str, dict[str, Any]] = {
        "TodoWrite": {"todos": [{"content": change.title, "status": "in_progress", "activeForm": "Fixing it"}]},
        "LS": {"path": turn.cwd},
        "Glob": {"pattern": "**/*"},
        "Grep": {"pattern": change.symbol, "output_mode": "content", "-n": True},
        "Read": {"file_path": file},
        "Edit": {"file_path": file, "old_string": change.old, "new_string": change.new},
        "MultiEdit": {"file_path": file, "edits": [{"old_string": change.new, "new_string": change.old}]},
        "Write": {"file_path": turn.path("NOTES.md"), "content": f"# Notes\n\n- {change.title}\n"},
        "Bash": {"command": change.test, "description": "Run the test"},
        "NotebookEdit": {"notebook_path": turn.path("look.ipynb"), "cell_id": "c1", "new_source": "print(1)"},
        "WebSearch": {"query": f"{turn.project.language} {change.title}"},
        "WebFetch": {"url": "https://example.com/changelog", "prompt": "What changed in the last release?"},
        "Task": {"description": f"check {change.symbol}", "prompt": f"Who else calls {change.symbol}?"},
        "ExitPlanMode": {"plan": turn.prose.remark("plan", turn.rng, change)},
    }
    for name, given in calls.items():
        yield from turn.tool(name, given)
    yield from turn.finish("Every tool has run once.")
