"""The fields of the frontend's messages, checked without pydantic.

What a session reads before its first reply decides how fast it starts, and pydantic alone takes longer than
all the rest. So the wire has this table; the models of `protocol.messages` are its proven twin: a test shows
that both accept exactly the same messages and name the same field.

An optional field may be null, which is how a Rust frontend writes a field that it leaves out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mockbackend.protocol.catalogue import ATTACHMENT_TYPES, MODES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Check = Callable[[Any, str], str | None]


class Field(NamedTuple):
    """One field: its *check* gives None, or what is wrong with the value at a path."""

    check: Check
    required: bool = True


def _is(kind: type, name: str) -> Check:
    def check(value: Any, path: str) -> str | None:
        return None if value.__class__ is kind else _unlike(path, name, value)

    return check


def _one_of(values: tuple[str, ...]) -> Check:
    wanted = " or ".join(f'"{value}"' for value in values)

    def check(value: Any, path: str) -> str | None:
        # The type as well: [] in ("a", "b") is fine, but hash-based sets would fail on it.
        return None if isinstance(value, str) and value in values else _unlike(path, wanted, value)

    return check


def _anything(value: Any, path: str) -> str | None:
    return None


def _unlike(path: str, wanted: str, value: Any) -> str:
    return f"{path}: expected {wanted}, got {_brief(value)}"


def _brief(value: Any) -> str:
    """Return *value* in a few words of JSON."""
    import json  # only for a message that is wrong

    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:39]}…"  # noqa: PLR2004  # part of a line


_string = _is(str, "a string")
_attachment: Mapping[str, Field] = {
    "type": Field(_one_of(ATTACHMENT_TYPES)),
    "path": Field(_string),
    "mime": Field(_string, required=False),
}


def _attachments(value: Any, path: str) -> str | None:
    if not isinstance(value, list):
        return _unlike(path, "an array", value)
    for index, item in enumerate(value):
        here = f"{path}[{index}]"
        problem = _check_fields(item, _attachment, here) if isinstance(item, dict) else _unlike(here, "an object", item)
        if problem is not None:
            return problem
    return None


FRONTEND_FIELDS: Mapping[str, Mapping[str, Field]] = {
    "init": {
        # Whatever it is: a wrong version is not malformed but a mismatch, which the session answers.
        "version": Field(_anything),
        "working_dir": Field(_string),
        "api_key": Field(_string, required=False),
        "resume_session_id": Field(_string, required=False),
        # Planned extensions of the document.
        "resume": Field(_string, required=False),
        "initial_prompt": Field(_string, required=False),
        "config": Field(_is(dict, "an object"), required=False),
    },
    "user_message": {"content": Field(_string), "attachments": Field(_attachments, required=False)},
    "cancel": {},
    "ping": {},
    "mode_change": {"mode": Field(_one_of(MODES))},
    "room_query_response": {"request_id": Field(_string), "description": Field(_string)},
    "room_action_response": {
        "request_id": Field(_string),
        "success": Field(_is(bool, "true or false")),
        "message": Field(_string),
    },
    "shutdown": {},
}


def check(message: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a *message* of a known type, with the path of the first bad field, or None."""
    kind = message["type"]
    return _check_fields(message, FRONTEND_FIELDS[kind], kind)


def _check_fields(value: Mapping[str, Any], fields: Mapping[str, Field], path: str) -> str | None:
    for name, field in fields.items():
        if name not in value:
            if field.required:
                return f"{path}.{name}: missing"
            continue
        found = value[name]
        if found is None and not field.required:
            continue
        problem = field.check(found, f"{path}.{name}")
        if problem is not None:
            return problem
    return None
