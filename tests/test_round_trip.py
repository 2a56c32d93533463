"""record(replay(R)) = R: a recorded replay equals its source, for any recording and for the real ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockbackend.driver import Driver
from mockbackend.engine.pacing import recorded
from mockbackend.engine.session import Session
from mockbackend.io.files import FileSource
from mockbackend.io.shipped import catalogue
from mockbackend.recording.reader import Reader
from mockbackend.recording.recorder import Recorder, header_fields
from mockbackend.recording.replay import Replay
from mockbackend.recording.strict import StrictReplay
from mockbackend.redaction.redactor import Redactor
from mockbackend.testing.sources import MemorySource, recording
from mockbackend.testing.virtual import VirtualFrontend

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mockbackend.engine.events import Event as Heard
    from mockbackend.engine.steps import Action
    from mockbackend.recording.model import Event, Source


class Tape:
    """A tap that records into memory."""

    def __init__(self) -> None:
        self.content = bytearray()
        self._recorder = Recorder(header_fields("2026-12-01T10:00:00Z", {"name": "test"}), redactor=Redactor())
        self.content += self._recorder.header()

    def heard(self, event: Heard, now: int) -> None:
        self.content += self._recorder.heard(event, now)

    def said(self, actions: Sequence[Action], now: int) -> None:
        self.content += self._recorder.said(actions, now)


def again(source: Source, author: type[Replay] | type[StrictReplay] = Replay) -> list[Event]:
    """Replay *source* to a frontend that sends what the recorded one sent, when it did; return what was recorded."""
    reader = Reader(source)
    inputs = [(event.at or 0, event.data) for event in reader.events() if event.sender == "frontend"]
    frontend = VirtualFrontend(inputs, closes_at=inputs[-1][0] if inputs else 0)
    tape = Tape()
    session = Session(author(reader, recorded))
    Driver(session, frontend, frontend.clock, taps=[tape], tell=lambda _: None).run()
    return list(Reader(MemorySource(bytes(tape.content))).events())


def essence(events: Sequence[Event]) -> list[tuple[Any, ...]]:
    """What must be equal: who said which bytes when. Pongs are answered live, at once."""
    return [
        (event.at, event.sender, event.data) for event in events if event.sender is not None and event.kind != "pong"
    ]


TEXTS = st.sampled_from(["a", "é\u2028", '"{}', "\\"]) | st.text(max_size=5)
SAID = st.one_of(
    st.builds(lambda text: ("backend", {"type": "assistant_text_delta", "content": text}), TEXTS),
    st.builds(lambda key: ("backend", {"type": "tool_start", "id": key, "tool": "Read", "input": {"n": 1.5e3}}), TEXTS),
    st.builds(lambda key: ("backend", {"type": "tool_end", "id": key, "output": [None], "success": True}), TEXTS),
    st.just(("backend", {"type": "session_ended", "reason": "cancelled"})),
    st.just(("backend", {"unknown": 1})),
    st.just(("backend", "npm WARN not JSON")),
    st.just(("stderr", "ready")),
    st.just(("frontend", {"type": "mode_change", "mode": "plan"})),
    st.just(("frontend", {"type": "cancel"})),
    st.just(("frontend", "{broken")),
    st.just(("frontend", {"type": "wave"})),
    st.just(("frontend", {"type": "ping"})),
    st.builds(lambda text: ("frontend", {"type": "user_message", "content": text}), TEXTS),
    st.just(("frontend", {"type": "init", "version": 1, "working_dir": "/"})),
    st.just(("ask", None)),
    st.just(("answer", None)),
)


@st.composite
def recordings(draw: st.DrawFn) -> bytes:
    """Draw a recording in which no two lines come at the same instant, and every answer has its question."""
    at = 0
    events: list[tuple[float, str, Any]] = []
    asked: list[str] = []
    begun = False
    for who, what in [
        *draw(st.lists(SAID, max_size=3)),
        ("frontend", {"type": "init", "version": 1, "working_dir": "/"}),
        *draw(st.lists(SAID, max_size=25)),
    ]:
        at += draw(st.integers(1, 3_000_000))
        sender, message = who, what
        if who == "ask":
            asked.append(f"r{len(events)}")
            sender, message = "backend", {"type": "room_query", "request_id": asked[-1], "query": "describe"}
        elif who == "answer":
            if not asked:
                continue
            request = asked.pop(draw(st.integers(0, len(asked) - 1)))
            sender, message = "frontend", {"type": "room_query_response", "request_id": request, "description": ""}
        elif isinstance(what, dict) and who == "frontend":
            if what["type"] in {"user_message", "init"} and not begun and what["type"] != "init":
                continue
            begun = begun or what["type"] == "init"
            if what["type"] in {"init", "cancel"}:
                asked.clear()  # A real backend does not wait for what it has been told to forget.
        events.append((at / 1e6, sender, message))
    return recording(*events)


@settings(max_examples=100)
@given(recordings())
def test_recording_a_replay_gives_the_recording(content: bytes) -> None:
    source = MemorySource(content)
    assert essence(again(source)) == essence(list(Reader(source).events()))


@settings(max_examples=60)
@given(recordings())
def test_recording_a_strict_replay_gives_the_recording(content: bytes) -> None:
    source = MemorySource(content)
    assert essence(again(source, StrictReplay)) == essence(list(Reader(source).events()))


def last_run(source: Source) -> int:
    """Return in which line the second run begins; one run at a time is replayed."""
    starts = [event.number for event in Reader(source).events() if event.name == "start"]
    return starts[1] if len(starts) > 1 else 1 << 30


@pytest.mark.parametrize("author", [Replay, StrictReplay], ids=["lenient", "strict"])
@pytest.mark.parametrize("entry", catalogue("recordings"), ids=lambda entry: entry.name)
def test_every_shipped_recording_records_to_itself(entry: Any, author: type[Replay] | type[StrictReplay]) -> None:
    source = FileSource(entry.path)
    expected = essence([event for event in Reader(source).events() if event.number < last_run(source)])
    got = essence(again(source, author))
    assert got[: len(expected)] == expected
    assert len(got) == len(expected) or entry.name == "crash-and-resume"


def test_every_real_trace_records_to_itself(shared_data: Path) -> None:
    traces = sorted((shared_data / "data" / "traces").glob("*.jsonl"))
    assert len(traces) >= 20
    for trace in traces:
        for author in (Replay, StrictReplay):
            source = FileSource(trace)
            events = [
                event._replace(data=event.data.replace(b"offline-secret-key", b"[REDACTED:api_key:1]"))
                for event in Reader(source).events()
            ]
            assert essence(again(source, author)) == essence(events), trace.name
