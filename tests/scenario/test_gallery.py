"""The gallery: every scenario is valid, says the same every time, and together they say everything."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mockbackend.engine.steps import Emit, Exit, Note, Stderr
from mockbackend.io.loader import declarations_in
from mockbackend.io.shipped import shipped
from mockbackend.protocol import catalogue
from mockbackend.protocol.messages import parse_backend
from tests.scenario.stage import messages, rehearse

if TYPE_CHECKING:
    from mockbackend.engine.steps import Action

NAMES = sorted(path.stem for path in shipped("generators").glob("*.py"))
GOLDEN = Path(__file__).parent / "golden"

PROMISED = (
    "assistant hello coding tools parallel-tools tool-errors big-output subagents room room-denied room-silent plan "
    "markdown unicode long-stream flood slow-start thinking auth-missing auth-expired errors rate-limited max-turns "
    "budget compaction crash-mid-tool hang cancel-late cancel-ignored cancel-abrupt lazy-start repeated-start "
    "folded-message retry-duplicates complete-without-deltas tool-end-first unsolicited-turn one-complete-per-block"
)


def test_the_gallery_has_what_was_promised() -> None:
    assert sorted(PROMISED.split()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_file_holds_the_scenario_of_its_name_and_tells_what_it_is(name: str) -> None:
    (declaration,) = declarations_in(shipped("generators") / f"{name}.py")
    assert declaration.name == name
    assert declaration.summary
    assert declaration.shows
    assert all(parameter.help for parameter in declaration.parameters.values())


@pytest.mark.parametrize("name", NAMES)
def test_every_scenario_says_valid_messages_and_matches_its_golden_file(
    name: str, request: pytest.FixtureRequest
) -> None:
    said = rehearse(name).said
    for message in messages(said):
        parse_backend(message)
    assert not [action for _, action in said if isinstance(action, (Note, Stderr))] or name == "assistant"
    file = GOLDEN / f"{name}.txt"
    told = _golden(said)
    if request.config.getoption("--update-golden"):
        file.write_text(told, encoding="utf-8")
    assert told == file.read_text(encoding="utf-8"), "say --update-golden if this is as it should be"


def test_no_golden_file_is_of_a_scenario_that_is_gone() -> None:
    assert sorted(path.stem for path in GOLDEN.glob("*.txt")) == NAMES


def test_together_they_say_everything_that_a_backend_can_say() -> None:
    seen: dict[str, set[Any]] = {}
    fields: set[str] = set()
    for name in NAMES:
        for message in messages(rehearse(name).said):
            _collect(message, seen, fields)
    # A pong is the session's, not a scenario's; "cancelled" comes from a cancel, which the tries have.
    assert seen["type"] | {"pong"} == set(catalogue.BACKEND_TYPES)
    assert seen["code"] == set(catalogue.ERROR_CODES)
    assert seen["action"] == set(catalogue.ROOM_ACTIONS)
    assert seen["color"] == set(catalogue.NOTE_COLORS)
    assert seen["query"] == set(catalogue.QUERIES)
    assert seen["trigger"] == set(catalogue.COMPACTION_TRIGGERS)
    assert seen["reason"] == set(catalogue.END_REASONS)
    for flag in ("success", "recoverable", "authenticated"):
        assert seen[flag] == {True, False}, flag
    assert {"room_query.target", "auth_status.error", "session_started.model", "session_started.tools"} <= fields


def test_the_same_seed_says_the_same_under_another_hash_seed() -> None:
    script = (
        "import hashlib\n"
        "from tests.scenario.stage import rehearse\n"
        "said = [str(rehearse(name, seed=7).said) for name in ('coding', 'room', 'subagents', 'markdown')]\n"
        "print(hashlib.sha256(''.join(said).encode()).hexdigest())\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]


def test_no_golden_file_depends_on_faker() -> None:
    script = (
        "import sys\n"
        "sys.modules['faker'] = None\n"
        "from tests.scenario.stage import rehearse\n"
        f"for name in {NAMES!r}: rehearse(name)\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parents[2], check=True)


def _collect(message: dict[str, Any], seen: dict[str, set[Any]], fields: set[str]) -> None:
    kind = message["type"]
    seen.setdefault("type", set()).add(kind)
    fields.update(f"{kind}.{key}" for key in message)
    for key in ("code", "query", "trigger", "reason", "success", "recoverable", "authenticated"):
        if key in message:
            seen.setdefault(key, set()).add(message[key])
    if kind == "room_action":
        seen.setdefault("action", set()).add(message["action"]["type"])
        if "color" in message["action"]:
            seen.setdefault("color", set()).add(message["action"]["color"])


def _golden(said: list[tuple[int, Action]]) -> str:
    """Return a transcript: what is no delta with its time, and the sum of every byte and every time."""
    lines = []
    total = hashlib.sha256()
    deltas = 0
    for at, action in said:
        total.update(f"{at} {action!r}".encode())
        if isinstance(action, Emit) and b'"assistant_text_delta"' in action.data:
            deltas += 1
            continue
        if deltas:
            lines.append(f"{'':12}  ({deltas} deltas)")
            deltas = 0
        lines.append(f"{at / 1e6:12.6f}  {_told(action)}")
    return "\n".join([*lines, f"sha256 {total.hexdigest()}", ""])


def _told(action: Action) -> str:
    if isinstance(action, Emit):
        text = action.data.decode().rstrip("\n")
        return text if len(text) <= 300 else f"{text[:300]}… ({len(action.data)} bytes)"
    if isinstance(action, Exit):
        return f"exit {action.code}"
    return json.dumps([type(action).__name__, *map(str, action)])
