"""Whatever a frontend does to whatever was recorded: no exception, no hang, one answer each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from mockbackend.engine.events import Received
from mockbackend.engine.pacing import at_most, chain, instant, recorded
from mockbackend.engine.session import Session
from mockbackend.engine.steps import Emit, Exit
from mockbackend.recording.autoplay import Autoplay
from mockbackend.recording.finder import Match
from mockbackend.recording.ids import FreshIds
from mockbackend.recording.reader import Reader
from mockbackend.recording.replay import AtEnd, Options, Replay
from mockbackend.recording.strict import StrictReplay
from mockbackend.testing.conversation import SECOND, play
from mockbackend.testing.sources import MemorySource, recording

if TYPE_CHECKING:
    from mockbackend.engine.author import Author

INIT = {"type": "init", "version": 1, "working_dir": "/"}
FRONTEND: list[Any] = [
    INIT,
    {**INIT, "version": 2},
    {**INIT, "resume": "s1"},
    {**INIT, "initial_prompt": "go"},
    {"type": "user_message", "content": "a"},
    {"type": "user_message", "content": "b"},
    {"type": "cancel"},
    {"type": "ping"},
    {"type": "mode_change", "mode": "plan"},
    {"type": "room_query_response", "request_id": "r1", "description": ""},
    {"type": "room_action_response", "request_id": "r2", "success": True, "message": ""},
    {"type": "wave"},
    "{broken",
    "",
]
BACKEND: list[Any] = [
    {"type": "auth_status", "authenticated": True},
    {"type": "session_started", "session_id": "s1"},
    {"type": "assistant_text_delta", "content": "x"},
    {"type": "assistant_message_complete", "content": "x"},
    {"type": "tool_start", "id": "t1", "tool": "Bash", "input": {}},
    {"type": "tool_end", "id": "t1", "output": "", "success": True},
    {"type": "subagent_spawn", "id": "t1", "task": ""},
    {"type": "room_query", "request_id": "r1", "query": "describe"},
    {"type": "room_action", "request_id": "r2", "action": {"type": "clear_room"}},
    {"type": "session_ended", "reason": "cancelled"},
    {"type": "pong"},
    {"type": 7},
    "npm WARN",
]
HAPPENINGS = [("start", {}), ("exit", {"code": 3}), ("marker", {"name": "m"}), ("input_closed", {}), ("stderr", "x")]
EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("frontend"), st.sampled_from([*FRONTEND, {"type": "shutdown"}])),
        st.tuples(st.just("backend"), st.sampled_from(BACKEND)),
        st.tuples(st.just("backend"), st.sampled_from(BACKEND)),
        st.sampled_from(HAPPENINGS),
    ),
    max_size=25,
)
INPUTS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(FRONTEND)), max_size=15)


def line(what: Any) -> bytes:
    return what.encode() if isinstance(what, str) else json.dumps(what).encode()


@st.composite
def authors(draw: st.DrawFn, content: bytes) -> Author:
    reader = Reader(MemorySource(content))
    pace = draw(st.sampled_from([instant, recorded, chain(recorded, at_most(SECOND // 2))]))
    ids = draw(st.sampled_from([None, FreshIds(1)]))
    match draw(st.integers(0, 3)):
        case 0:
            return StrictReplay(reader, pace, ids)
        case 1:
            return Autoplay(reader, pace, ids=ids)
        case _:
            options = Options(draw(st.sampled_from(Match)), draw(st.sampled_from(AtEnd)))
            return Replay(reader, pace, options, ids)


@given(EVENTS, INPUTS, st.data())
def test_every_session_ends_and_answers_each_ping_and_each_malformed_line_at_most_once(
    events: list[tuple[str, Any]], inputs: list[tuple[int, Any]], data: st.DataObject
) -> None:
    content = recording(*((at, who, what) for at, (who, what) in enumerate(events)))
    at, heard = 0, []
    for gap, what in inputs:
        at += gap
        heard.append((at * SECOND, Received(line(what))))
    done = play(Session(data.draw(authors(content))), heard)

    exits = [action for _, action in done if isinstance(action, Exit)]
    assert len(exits) == 1
    assert done[-1][1] is exits[0]
    said = [action.message or {} for _, action in done if isinstance(action, Emit)]
    pings = sum(what == {"type": "ping"} for _, what in inputs)
    recorded_pongs = sum(what == {"type": "pong"} for _, what in events)
    pongs = sum(message.get("type") == "pong" for message in said)
    assert pongs <= pings + (len(inputs) + 1) * recorded_pongs
    malformed = sum(what in ({"type": "wave"}, "{broken") for _, what in inputs)
    assert sum(message.get("code") == "PARSE_ERROR" for message in said) <= malformed
    times = [at for at, _ in done]
    assert times == sorted(times)
