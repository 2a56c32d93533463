"""Bare files of a backend alone: openings are put in where turns began."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from mockbackend.recording.bare import with_openings
from mockbackend.recording.reader import Reader
from mockbackend.testing.sources import MemorySource, recording


def lines(*kinds: str) -> bytes:
    return b"".join(json.dumps({"type": kind, "session_id": "s", "content": "x"}).encode() + b"\n" for kind in kinds)


def dressed(content: bytes) -> list[str | None]:
    return [event.kind for event in Reader(with_openings(MemorySource(content))).events()]


def test_a_turn_begins_after_the_start_and_after_each_end() -> None:
    content = lines(
        "auth_status",
        "session_started",
        "tool_start",
        "error",
        "pong",
        "tool_end",
        "session_ended",
        "pong",
        "assistant_text_delta",
    )
    assert dressed(content) == [
        "init",
        "auth_status",
        "session_started",
        "user_message",
        "tool_start",
        "error",
        "pong",
        "tool_end",
        "session_ended",
        "pong",
        "user_message",
        "assistant_text_delta",
    ]


def test_what_is_no_message_begins_nothing() -> None:
    content = lines("session_started") + b"npm WARN\n[]\n" + lines("assistant_text_delta").rstrip()
    assert dressed(content) == ["init", "session_started", None, None, "user_message", "assistant_text_delta"]


def test_files_with_openings_of_their_own_stay_as_they_are() -> None:
    for content in (lines("ping", "pong"), recording((0, "backend", {"type": "pong"}))):
        source = MemorySource(content)
        assert with_openings(source) is source


@given(st.integers(1, 40), st.integers(0, 300))
def test_it_can_be_read_from_anywhere(size: int, offset: int) -> None:
    content = lines("session_started", "assistant_text_delta", "assistant_message_complete")
    source = with_openings(MemorySource(content, size=size))
    assert b"".join(source.chunks(offset)) == b"".join(source.chunks())[offset:]


def test_it_can_be_read_from_behind_what_was_put_in() -> None:
    source = with_openings(MemorySource(lines("session_started", "pong")))
    whole = b"".join(source.chunks())
    assert b"".join(source.chunks(len(whole) - 3)) == whole[-3:]
    assert b"".join(source.chunks(len(whole))) == b""
