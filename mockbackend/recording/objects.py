"""JSON objects of a recording's lines: read by the grammar alone, and cut out with their own bytes.

A recording keeps what was said, also what our session would refuse to read from a live frontend: duplicate
keys, half of a surrogate pair, numbers of any length. So this is the grammar of JSON and no more.
"""

from __future__ import annotations

import json
import re
from typing import Any

from mockbackend.protocol.codec import MAX_DEPTH

scan: Any = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # what `decode` calls, since Python 2.6
"""Return the JSON value at a place of a text, and where it ends; the json module's own way, and the fastest."""

_KEY = re.compile(r'[ \t\r\n]*"([^"\\]*(?:\\.[^"\\]*)*)"[ \t\r\n]*:[ \t\r\n]*', re.DOTALL)
_PLAIN_DELTA = re.compile(rb'\{"type":"assistant_text_delta","content":"[ !#-\[\]-~]*"\}')
"""Most lines of most sessions; their shape alone says that they are objects."""

_LONG_NUMBER = 4000
"""Digits; Python refuses to convert more than 4300."""


class FormatError(ValueError):
    """A line that is no event; the text says what was expected and what came."""


def parse_object(line: bytes) -> dict[str, Any]:
    """Return the JSON object that *line* is.

    Raises:
        FormatError: It is something else.
    """
    try:
        text = line.decode()
        value, end = _read(text, 0)
    except UnicodeDecodeError as problem:
        raise FormatError(
            f"expected UTF-8, found byte 0x{line[problem.start]:02x} at column {problem.start + 1}"
        ) from None
    except json.JSONDecodeError as problem:
        raise FormatError(
            f"expected a JSON object, found a line that ends or breaks at column {problem.pos + 1}: {problem.msg}"
        ) from None
    except StopIteration as problem:
        raise FormatError(f"expected a JSON object, found none at column {problem.value + 1}") from None
    except RecursionError:
        raise FormatError(f"expected at most {MAX_DEPTH} levels of nesting, found more") from None
    if value.__class__ is not dict:
        raise FormatError(f"expected a JSON object, found {called(value)}")
    if end != len(text) and text[end:].strip(" \t\r"):
        raise FormatError(f"expected one JSON object, found more behind it (column {end + 1})")
    return value


def is_object(line: bytes) -> bool:
    """Say whether *line* is a JSON object that may stand under `msg` as it is."""
    if line[:1] != b"{" or line[-1:] != b"}":
        return False
    if _PLAIN_DELTA.fullmatch(line):
        return True
    try:
        value, end = _scan_leniently(text := line.decode(), 0)
    except (ValueError, StopIteration, RecursionError):
        return False
    return end == len(text) and value.__class__ is dict and _depth(value) < MAX_DEPTH


def cut_value(text: str, name: str) -> str:
    """Return the text of the last value under *name* in the object, a valid one, that *text* is."""
    place, found = text.index("{") + 1, ""
    while (key := _KEY.match(text, place)) is not None:
        _, end = _read(text, key.end())
        if json.loads(f'"{key[1]}"') == name:
            found = text[key.end() : end]
        place = text.find(",", end) + 1 or len(text)
    return found


def called(value: object) -> str:
    """Return what kind of JSON value it is, in words."""
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")


def _read(text: str, place: int) -> tuple[Any, int]:
    """Return the JSON value at *place* and where it ends."""
    try:
        return scan(text, place)  # type: ignore[no-any-return]
    except json.JSONDecodeError:
        raise
    except ValueError:  # A number of more digits than Python converts by default.
        return _scan_leniently(text, place)  # type: ignore[no-any-return]


def _refuse(token: str) -> None:
    raise FormatError(f"expected a JSON object, found {token}, which is no JSON")


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) < _LONG_NUMBER else digits


def _depth(value: object) -> int:
    """Return how deep *value* nests, without recursion."""
    deepest, todo = 0, [(value, 0)]
    while todo:
        item, depth = todo.pop()
        if isinstance(item, dict | list):
            deepest = max(deepest, depth + 1)
            todo.extend((inner, depth + 1) for inner in (item.values() if isinstance(item, dict) else item))
    return deepest


# The grammar of JSON alone: no NaN, and integers however long.
_lenient = json.JSONDecoder(parse_constant=_refuse, parse_int=_integer)
_scan_leniently: Any = _lenient.scan_once  # type: ignore[attr-defined]  # as above
