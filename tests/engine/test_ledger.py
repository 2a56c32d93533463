"""The ledger: what is open, and what a cancel has closed."""

from __future__ import annotations

from mockbackend.engine.ledger import STOPPED, TRACKED, Ledger


def start(key: object) -> dict[str, object]:
    return {"type": "tool_start", "id": key, "tool": "x", "input": {}}


def test_what_is_open_is_closed_last_first() -> None:
    ledger = Ledger()
    for message in (start("a"), {"type": "subagent_spawn", "id": "s"}, start("b"), start("c")):
        assert ledger.note(message)
    assert ledger.note({"type": "tool_end", "id": "b"})
    assert list(ledger.close()) == [
        {"type": "subagent_end", "id": "s", "success": False},
        {"type": "tool_end", "id": "c", "output": STOPPED, "success": False},
        {"type": "tool_end", "id": "a", "output": STOPPED, "success": False},
    ]
    assert list(ledger.close()) == []


def test_what_was_closed_stays_silent_until_it_starts_again() -> None:
    ledger = Ledger()
    ledger.note(start("a"))
    list(ledger.close())
    assert not ledger.note({"type": "tool_end", "id": "a"})
    assert not ledger.note({"type": "subagent_message", "id": "a"})
    assert ledger.note({"type": "subagent_message", "id": "b"})
    assert ledger.note(start("a"))
    assert ledger.note({"type": "tool_end", "id": "a"})


def test_odd_ids_are_let_pass() -> None:
    ledger = Ledger()
    assert ledger.note(start(7))
    assert ledger.note(start(None))
    assert ledger.note({"type": "tool_end"})
    assert ledger.note({"type": "tool_end", "id": "never started"})
    assert list(ledger.close()) == []


def test_an_answer_counts_once_and_only_for_its_own_kind_of_request() -> None:
    ledger = Ledger()
    ledger.note({"type": "room_query", "request_id": "r"})
    assert not ledger.answers("room_action_response", "r")
    assert ledger.answers("room_query_response", "r")
    assert not ledger.answers("room_query_response", "r")


def test_a_session_that_starts_anew_owes_nothing() -> None:
    ledger = Ledger()
    ledger.note(start("a"))
    ledger.note({"type": "room_query", "request_id": "r"})
    ledger.reset()
    assert list(ledger.close()) == []
    assert not ledger.answers("room_query_response", "r")


def test_only_what_matters_is_tracked() -> None:
    assert "assistant_text_delta" not in TRACKED
    assert {"tool_start", "tool_end", "subagent_message", "room_query", "room_action"} <= TRACKED
