"""Bytes to message, and message to bytes.

`decode` takes whatever the frontend may send and gives a valid message or exactly one `MalformedLineError`,
whose reason says what was expected and what came. It is stricter than the json module where that one lets
pass what other languages refuse: NaN, numbers without end, duplicate keys, half a surrogate pair.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mockbackend.errors import MalformedLineError
from mockbackend.protocol.fields import FRONTEND_FIELDS, check
from mockbackend.protocol.lines import MAX_LINE_BYTES, TooLong

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_DEPTH = 128
"""Levels of nesting that are read: the default limit of serde_json, with which the frontend reads."""

SHOWN = 80
"""Characters of a line that people get to see."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_PAIR = re.compile(rb"\[\]|\{\}")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


class _RefusedError(ValueError):
    """Valid for the json module, but not for us."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _RefusedError(f"the key {_quoted(twice)} occurs twice in one object")
    return value


def _integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        raise _RefusedError(f"a number of {len(digits)} digits is too long") from None


def _fraction(digits: str) -> float:
    value = float(digits)
    if value in {float("inf"), float("-inf")}:
        raise _RefusedError(f"the number {digits[:20]} is out of range")
    return value


def _constant(token: str) -> None:
    raise _RefusedError(f"{token} is no JSON")


_decoder = json.JSONDecoder(
    object_pairs_hook=_pairs,
    parse_int=_integer,
    parse_float=_fraction,
    parse_constant=_constant,
)
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_encode_ascii = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


def load(line: bytes) -> Any:
    """Return the JSON value that *line* is.

    Raises:
        MalformedLineError: It is none, or one that not every JSON parser reads.
    """
    try:
        text = line.decode()
    except UnicodeDecodeError as problem:
        raise MalformedLineError(f"not UTF-8: byte 0x{line[problem.start]:02x} at offset {problem.start}") from None
    # Counting is quick, and enough for any line that is not made to be deep.
    if line.count(b"[") + line.count(b"{") > MAX_DEPTH and _is_deep(line):
        raise MalformedLineError(f"too deep: more than {MAX_DEPTH} levels of nesting")
    try:
        value = _decoder.decode(text)
    except json.JSONDecodeError as problem:
        what = problem.msg.removesuffix(" at")
        raise MalformedLineError(f"not JSON: {what} at column {problem.pos + 1}") from None
    except _RefusedError as problem:
        raise MalformedLineError(f"not JSON that everybody reads: {problem}", _glimpse(text)) from None
    if "\\u" in text and _has_surrogate(value):
        kind = value.get("type") if isinstance(value, dict) else None
        raise MalformedLineError(
            "not Unicode: half of a surrogate pair in a string",
            kind if isinstance(kind, str) else None,
        )
    return value


def decode(line: bytes | TooLong) -> dict[str, Any]:
    """Return the message of the frontend that *line* is.

    Raises:
        MalformedLineError: It is none; the reason names the field, the column or the byte.
    """
    if isinstance(line, TooLong):
        raise MalformedLineError(f"too long: {line.size} bytes, at most {MAX_LINE_BYTES} are read")
    value = load(line)
    if not isinstance(value, dict):
        raise MalformedLineError(f"expected an object, got {_named(value)}")
    if "type" not in value:
        raise MalformedLineError('expected an object with "type", got one without')
    kind = value["type"]
    if not isinstance(kind, str):
        raise MalformedLineError(f"type: expected a string, got {_named(kind)}")
    if kind not in FRONTEND_FIELDS:
        raise MalformedLineError(f"type: unknown message type {_quoted(kind)}{_suggestion(kind)}", kind)
    problem = check(value)
    if problem is not None:
        raise MalformedLineError(problem, kind)
    return value


def encode(message: Mapping[str, Any]) -> bytes:
    """Return the line, with its newline, that says *message*: compact, its keys in their order."""
    try:
        return _encode(message).encode() + b"\n"
    except UnicodeEncodeError:  # Half of a surrogate pair has no UTF-8; as an escape it passes.
        return _encode_ascii(message).encode() + b"\n"


def abbreviate(line: bytes) -> str:
    """Return the first 80 characters of *line* for people: printable, and with "…" where it was cut."""
    text = line[: 4 * SHOWN + 4].decode(errors="replace")
    shown = _CONTROL.sub(lambda found: json.dumps(found[0])[1:-1], text[:SHOWN])
    return f"{shown}…" if len(text) > SHOWN else shown


def _is_deep(line: bytes) -> bool:
    """Say whether the brackets of *line* nest deeper than allowed, those in strings not counted.

    Each round takes the innermost pairs away, so that even megabytes of brackets cost a few passes.
    """
    brackets = _STRING.sub(b"", line).translate(None, _NO_BRACKETS)
    for _ in range(MAX_DEPTH):
        rest = _PAIR.sub(b"", brackets)
        if len(rest) == len(brackets):
            return len(brackets) > MAX_DEPTH  # They do not match: no JSON, and no need to look into it.
        brackets = rest
    return len(brackets) > 0


def _has_surrogate(value: Any) -> bool:
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            if _SURROGATE.search(item):
                return True
        elif isinstance(item, dict):
            todo += item.keys()
            todo += item.values()
        elif isinstance(item, list):
            todo += item
    return False


def _glimpse(text: str) -> str | None:
    """Return the `type` of an object that the json module reads and we do not."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    kind = value.get("type") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else None


def _named(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    names = {dict: "an object", list: "an array", str: "a string", type(None): "null"}
    return names.get(type(value), "a number")


def _quoted(text: str) -> str:
    shown = json.dumps(text, ensure_ascii=True)
    return shown if len(shown) <= 40 else f"{shown[:39]}…"  # noqa: PLR2004  # part of a line


def _suggestion(kind: str) -> str:
    from difflib import get_close_matches  # only after a slip

    near = get_close_matches(kind[:40], FRONTEND_FIELDS, 1)
    return f'; did you mean "{near[0]}"?' if near else ""
