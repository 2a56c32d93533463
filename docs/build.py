"""Write the parts of the docs that are made from the program, or check that they are current.

python docs/build.py            write docs/cli.md and docs/life-cycle.md
python docs/build.py --check    exit 1 when they are not what would be written
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import click

from mockbackend.cli import mockbackend
from mockbackend.protocol.catalogue import ERROR_CODES, SIZES
from mockbackend.protocol.rules import LIFE_CYCLE, MAY_COME, PAIRS, Input, Reaction, State

HERE = Path(__file__).parent
MADE = "<!-- Made by docs/build.py from {source}. `make docs` writes it anew. -->\n"

EXIT_CODES = """
## Exit codes

| code | meaning |
|---|---|
| 0 | fine: the frontend left, or the show is over |
| 1 | a failure of our own |
| 2 | usage: options that do not exist, or that contradict each other |
| 3 | a file that cannot be used; the message names file and line, what was expected and what was found |
| 4 | `--strict` found the frontend at fault |
| 5 | the real backend could not be started |
| other, or a signal | a recorded crash ends as the recorded backend did; `record` ends as its backend ends |

SIGINT, SIGTERM and SIGHUP end a session cleanly, with code 0; so does a frontend that closes our stdout. `record`
passes them on.

## Environment

Every option has a variable: `MOCKBACKEND_`, the command, the option, as in `MOCKBACKEND_REPLAY_SPEED=2` or
`MOCKBACKEND_REPLAY_RECORDING=hello`; a flag takes `1`. The options before the command have no command in their
name: `MOCKBACKEND_QUIET=1`. An app that can spawn nothing but a bare `mockbackend` sets a whole command line:
`MOCKBACKEND_ARGS="replay hello --speed 2"`.

## Completion

The shell completes commands, options and their values after one line in its start-up file:

```
eval "$(_MOCKBACKEND_COMPLETE=bash_source mockbackend)"      # ~/.bashrc
eval "$(_MOCKBACKEND_COMPLETE=zsh_source mockbackend)"       # ~/.zshrc
_MOCKBACKEND_COMPLETE=fish_source mockbackend | source       # ~/.config/fish/config.fish
```
"""


def cli_page() -> str:
    """Return the reference of the command line, from what `--help` says."""
    parts = [MADE.format(source="what `--help` says"), "# The command line\n"]
    root = click.Context(
        mockbackend,
        info_name="mockbackend",
        max_content_width=100,
        terminal_width=100,
        help_option_names=["-h", "--help"],
    )
    parts.append(_help("mockbackend", mockbackend, root))
    for name in mockbackend.list_commands(root):
        command = import_module(f"mockbackend.cli.{name}").command
        context = click.Context(command, info_name=name, parent=root, max_content_width=100, terminal_width=100)
        parts.append(_help(f"mockbackend {name}", command, context))
    return "\n".join(parts) + EXIT_CODES


def _help(title: str, command: click.Command, context: click.Context) -> str:
    return f"## {title}\n\n```\n{command.get_help(context)}\n```\n"


def life_cycle_page() -> str:
    """Return the page about the life cycle, from the tables of `protocol.rules` and `protocol.catalogue`."""
    return "\n".join(
        [
            MADE.format(source="`mockbackend/protocol/rules.py` and `catalogue.py`"),
            "# The life of a session\n",
            "What a session does about what the frontend sends depends on its state alone. The engine runs the very",
            "table that this page is made from. An arrow says: input / reaction. Left out are inputs that all states",
            "answer alike and that change nothing; they stand below.\n",
            _diagram(),
            "## In every state\n",
            *_common(),
            "\n## What the backend may say, and when\n",
            *_may_come(),
            "\n## What must follow what\n",
            *_pairs(),
            "\n## Error codes\n",
            *_errors(),
            "\n## Sizes\n",
            *_sizes(),
            "",
        ],
    )


def _diagram() -> str:
    """Draw what changes the state; what leads to the same place from everywhere is drawn once."""
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {State.FRESH.name}", "    ANY : (any of these)"]
    lines += [f"    {state.name} : {state.value}" for state in State if state is not State.OVER]
    arrows: dict[tuple[str, str], list[str]] = {}
    for what in Input:
        rows = {state: rows[what] for state, rows in LIFE_CYCLE.items() if rows}
        if len(set(rows.values())) == 1:
            rows = {None: next(iter(rows.values()))}  # type: ignore[dict-item]  # from anywhere
        for state, (after, reaction) in rows.items():
            if after is not state or what is Input.USER_MESSAGE:
                begin = "ANY" if state is None else state.name
                end = "[*]" if after is State.OVER else after.name
                arrows.setdefault((begin, end), []).append(f"{what.value} / {reaction.value}")
    lines += [f"    {begin} --> {end} : {'<br>'.join(labels)}" for (begin, end), labels in arrows.items()]
    return "\n".join([*lines, "```\n"])


def _common() -> list[str]:
    rows = ["| input | reaction |", "|---|---|"]
    for what in Input:
        found = {LIFE_CYCLE[state][what][1] for state in LIFE_CYCLE if LIFE_CYCLE[state]}
        if len(found) == 1 and what is not Input.EXCHANGE_OVER:
            [reaction] = found
            rows.append(f"| {what.value} | {_told(reaction)} |")
    return rows


def _told(reaction: Reaction) -> str:
    texts = {
        Reaction.BEGIN: "the session starts, anew if it had started; what ran or was queued is dropped",
        Reaction.STOP: "what is open is closed as failed, then `session_ended` with `cancelled`; queued messages run",
        Reaction.PONG: "`pong`, at once",
        Reaction.NOTE_MODE: "no answer",
        Reaction.DELIVER: "handed to whoever asked; without effect when nobody did",
        Reaction.EXIT: "the process exits at once, without a message",
        Reaction.REFUSE_LINE: "`error` with `PARSE_ERROR`, recoverable",
        Reaction.REFUSE_VERSION: "`error` with `PROTOCOL_MISMATCH`, not recoverable",
        Reaction.REFUSE_KEY: "`auth_status` with `authenticated: false`, and the error that fits",
    }
    return texts[reaction]


def _may_come() -> list[str]:
    rows = ["| message | " + " | ".join(state.value for state in State) + " |", "|---" * (len(State) + 1) + "|"]
    for message, states in MAY_COME.items():
        rows.append(f"| `{message}` | " + " | ".join("✓" if state in states else "" for state in State) + " |")
    return rows


def _pairs() -> list[str]:
    rows = ["| after | comes | with the same | owed by the |", "|---|---|---|---|"]
    for first, last, key, owed_by in PAIRS:
        rows.append(f"| `{first}` | `{last}` | {f'`{key}`' if key else ''} | {owed_by} |")
    return rows


def _errors() -> list[str]:
    rows = ["| code | meaning | recoverable | what the frontend does |", "|---|---|---|---|"]
    for code, (meaning, recoverable, action) in ERROR_CODES.items():
        rows.append(f"| `{code}` | {meaning} | {'yes' if recoverable else 'no'} | {action} |")
    return rows


def _sizes() -> list[str]:
    rows = ["| message | typical bytes | most bytes |", "|---|---|---|"]
    return rows + [f"| `{message}` | {size.typical:,} | {size.maximum:,} |" for message, size in SIZES.items()]


def main() -> int:
    """Write the pages, or compare them with what is there."""
    stale = []
    for name, content in (("cli.md", cli_page()), ("life-cycle.md", life_cycle_page())):
        path = HERE / name
        if path.exists() and path.read_text(encoding="utf-8") == content:
            continue
        stale.append(name)
        if "--check" not in sys.argv:
            path.write_text(content, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"not current: {', '.join(stale)}; run `make docs`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
