"""The wire's table of fields and the models accept the same: each is the proof of the other."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from mockbackend.protocol.catalogue import FRONTEND_TYPES
from mockbackend.protocol.fields import FRONTEND_FIELDS, check
from mockbackend.protocol.messages import explain, parse_frontend

VALID: dict[str, dict[str, Any]] = {
    "init": {
        "version": 1,
        "working_dir": "/",
        "api_key": "k",
        "resume_session_id": "s",
        "resume": "s",
        "initial_prompt": "go",
        "config": {"model": "m"},
    },
    "user_message": {
        "content": "hi",
        "attachments": [{"type": "image", "path": "/a", "mime": "image/png"}, {"type": "file", "path": "/b"}],
    },
    "cancel": {},
    "ping": {},
    "mode_change": {"mode": "plan"},
    "room_query_response": {"request_id": "r", "description": "d"},
    "room_action_response": {"request_id": "r", "success": True, "message": "m"},
    "shutdown": {},
}
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, 0, 1, 1.5, "", "auto", "image", [], [1], [{}], {}, {"a": 1}]
)


def test_every_message_of_the_frontend_is_here() -> None:
    assert tuple(FRONTEND_FIELDS) == FRONTEND_TYPES == tuple(VALID)


@pytest.mark.parametrize("kind", FRONTEND_TYPES)
def test_a_complete_message_is_accepted(kind: str) -> None:
    assert check({"type": kind, **VALID[kind]}) is None


@pytest.mark.parametrize("kind", FRONTEND_TYPES)
def test_optional_fields_may_be_missing_or_null(kind: str) -> None:
    for name, field in FRONTEND_FIELDS[kind].items():
        message = {"type": kind, **VALID[kind]}
        assert (check({**message, name: None}) is None) is (not field.required or name == "version")
        del message[name]
        assert (check(message) is None) is not field.required


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({"type": "user_message"}, "user_message.content: missing"),
        ({"type": "user_message", "content": 7}, "user_message.content: expected a string, got 7"),
        (
            {"type": "user_message", "content": "", "attachments": {}},
            "user_message.attachments: expected an array, got an object",
        ),
        (
            {"type": "user_message", "content": "", "attachments": [1]},
            "user_message.attachments[0]: expected an object, got 1",
        ),
        (
            {
                "type": "user_message",
                "content": "",
                "attachments": [{"type": "image", "path": "/"}, {"type": "file", "path": [1]}],
            },
            "user_message.attachments[1].path: expected a string, got an array",
        ),
        ({"type": "mode_change", "mode": ["auto"]}, 'mode_change.mode: expected "auto" or "plan", got an array'),
        (
            {"type": "init", "version": 1, "working_dir": "x" * 50, "config": "x" * 50},
            f'init.config: expected an object, got "{"x" * 38}…',
        ),
        (
            {"type": "room_action_response", "request_id": "", "success": 1, "message": ""},
            "room_action_response.success: expected true or false, got 1",
        ),
    ],
)
def test_the_first_problem_is_named_with_its_path(message: dict[str, Any], problem: str) -> None:
    assert check(message) == problem


@st.composite
def near_messages(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a message that is valid or nearly so."""
    kind = draw(st.sampled_from(FRONTEND_TYPES))
    message = {"type": kind, **copy.deepcopy(VALID[kind])}
    for _ in range(draw(st.integers(0, 2))):
        target = message
        if kind == "user_message" and isinstance(message.get("attachments"), list) and draw(st.booleans()):
            target = draw(
                st.sampled_from([item for item in message["attachments"] if isinstance(item, dict)] or [message])
            )
        names = [name for name in target if target is not message or name != "type"]
        change = draw(st.sampled_from(["drop", "replace", "add"]))
        if change == "add" or not names:
            target["unknown"] = draw(ODD)
        elif change == "drop":
            del target[draw(st.sampled_from(names))]
        else:
            target[draw(st.sampled_from(names))] = draw(ODD)
    return message


@given(near_messages())
def test_the_table_accepts_what_the_models_accept(message: dict[str, Any]) -> None:
    problem = check(message)
    try:
        parse_frontend(message)
    except ValidationError as error:
        assert problem is not None
        # The models name all problems, in another order perhaps; the table names one of them.
        paths = {re.sub(r": .*", "", text) for text in explain(error)}
        assert problem.partition(": ")[0] in paths
    else:
        assert problem is None
