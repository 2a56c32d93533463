"""The default: reads the user's words, says which scenario they call for, and lets it answer."""

from mockbackend.scenario import Script, Turn, scenario

WORDS = {
    "room": ("room", "note", "desk", "wall", "shelf", "surface"),
    "subagents": ("subagent", "agent", "delegate", "everything"),
    "parallel-tools": ("parallel", "at once", "together"),
    "tool-errors": ("fail", "denied", "broken"),
    "tools": ("tool", "tools"),
    "errors": ("error", "errors"),
    "rate-limited": ("limit", "retry", "slow down"),
    "markdown": ("markdown", "table", "list", "report", "explain"),
    "unicode": ("unicode", "emoji", "japanese", "arabic"),
    "big-output": ("big", "large", "log"),
    "thinking": ("think", "ponder"),
    "compaction": ("compact", "context", "/compact"),
    "plan": ("plan", "propose"),
    "hello": ("hello", "hi", "hey", "thanks", "thank"),
    "coding": ("bug", "fix", "test", "code", "change", "implement", "refactor", "add", "write"),
}


def choose(turn: Turn) -> str:
    words = turn.message.lower()
    known = {word.strip(".,:;!?\"'()") for word in words.split()}
    for name, calls in WORDS.items():
        if any(call in known or (" " in call and call in words) for call in calls):
            return name
    return turn.rng.choice(["coding", "coding", "markdown", "room", "parallel-tools"])


@scenario(
    "assistant",
    summary="answers whatever is typed: picks another scenario by the words, and says which",
    shows="a lively agent",
    tries=("Hello!", "There is a bug, can you fix it?", "Leave a note in the room.", "Explain it in a table."),
)
def assistant(turn: Turn) -> Script:
    name = choose(turn)
    yield from turn.remark(f"answers as {name!r} would")
    yield from turn.play(name)
