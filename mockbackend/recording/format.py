"""One line of a recording: bytes to event, and event to bytes.

`msg` is the last key and holds the recorded line's own bytes, so that a replay is byte-identical: they are
cut out of the line, never serialised again. Most lines have the shape that the recorder writes, and for them
`"msg":` is found by its place. A line of another shape (edited by hand, or written by another program) takes
the slower way through its keys.

Seconds in a file, microseconds in memory: six decimals say a microsecond exactly.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from typing import TYPE_CHECKING, Any

from mockbackend.protocol.codec import MAX_DEPTH
from mockbackend.recording.model import Event

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockbackend.recording.model import Position

_scan = json.JSONDecoder().scan_once
_USUAL = re.compile(rb'\{"t":[0-9.]+,"from":"(?:backend|frontend|stderr)","msg":')
_KEY = re.compile(r'[ \t\r\n]*"((?:[^"\\]|\\.)*)"[ \t\r\n]*:[ \t\r\n]*', re.DOTALL)
_SENDERS = frozenset({"frontend", "backend", "stderr"})
_US = 1_000_000


class FormatError(ValueError):
    """A line that is no event; the text says what was expected and what came."""


def parse_event(line: bytes, after: Position) -> Event:
    """Return the event that *line* (without its newline) holds; its place in the file is before *after*.

    Raises:
        FormatError: The line is no event.
    """
    fields = parse_object(line)
    seconds = fields.get("t")
    if seconds.__class__ is not float and (isinstance(seconds, bool) or not isinstance(seconds, int | float)):
        raise FormatError(f'expected "t", the time in seconds, found {seconds!r:.40}')
    if not 0 <= seconds < 1e9:  # type: ignore[operator]  # a number by now
        raise FormatError(f'expected "t" to be a time in seconds, found {seconds!r:.40}')
    at = round(seconds * _US)  # type: ignore[operator]
    number = after[1] - 1
    sender = fields.get("from")
    if sender is None:
        name = fields.get("event")
        if not isinstance(name, str):
            raise FormatError('expected "from" (who sent a line) or "event" (what happened), found neither')
        return Event(at, None, b"", None, name, fields, number, after)
    if sender not in _SENDERS:
        raise FormatError(f'expected "from" to be "frontend", "backend" or "stderr", found {sender!r:.40}')
    message = fields.get("msg")
    if message.__class__ is dict:
        data = _cut(line, fields)
        end = b"\n" if "eol" not in fields else _end(fields)
        return Event(at, sender, data + end, message, None, fields, number, after)
    return Event(at, sender, _raw(fields) + _end(fields), None, None, fields, number, after)


def parse_object(line: bytes) -> dict[str, Any]:
    """Return the JSON object that *line* is.

    Raises:
        FormatError: It is something else.
    """
    try:
        text = line.decode()
        value, end = _scan(text, 0)
    except UnicodeDecodeError as problem:
        raise FormatError(f"expected UTF-8, found byte 0x{line[problem.start]:02x} at column {problem.start + 1}") from None
    except json.JSONDecodeError as problem:
        raise FormatError(f"expected a JSON object, found a line that ends or breaks at column {problem.pos + 1}: {problem.msg}") from None
    except StopIteration as problem:
        raise FormatError(f"expected a JSON object, found none at column {problem.value + 1}") from None
    except RecursionError:
        raise FormatError(f"expected at most {MAX_DEPTH} levels of nesting, found more") from None
    except ValueError as problem:  # An integer of more digits than Python converts.
        raise FormatError(f"expected a JSON object, found a number that is too long: {problem}") from None
    if value.__class__ is not dict:
        raise FormatError(f"expected a JSON object, found {_called(value)}")
    if end != len(text) and text[end:].strip(" \t\r"):
        raise FormatError(f"expected one JSON object, found more behind it (column {end + 1})")
    return value  # type: ignore[no-any-return]


def is_object(line: bytes) -> bool:
    """Say whether *line* is a JSON object that may stand under `msg` as it is."""
    if line[:1] != b"{" or line[-1:] != b"}":
        return False
    try:
        value, end = _lenient.scan_once(text := line.decode(), 0)
    except (ValueError, StopIteration, RecursionError):
        return False
    return end == len(text) and value.__class__ is dict and _depth(value) < MAX_DEPTH


def format_event(at: int, sender: str, line: bytes, end: bytes = b"\n") -> bytes:
    """Return the recording's line for *line*, which *sender* sent at *at* microseconds.

    *line* has no newline; *end* is what ended it.
    """
    if line.endswith(b"\r") and end == b"\n":
        line, end = line[:-1], b"\r\n"
    eol = b"" if end == b"\n" else b'"eol":%s,' % json.dumps(end.decode()).encode()
    head = b'{"t":%s,"from":"%s",%s' % (seconds(at), sender.encode(), eol)
    if is_object(line):
        return b'%s"msg":%s}\n' % (head, line)
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return b'%s"b64":"%s"}\n' % (head, b64encode(line))
    return b'%s"raw":%s}\n' % (head, json.dumps(text, ensure_ascii=False).encode())


def format_happening(at: int, name: str, fields: Mapping[str, Any] | None = None) -> bytes:
    """Return the recording's line that says that *name* happened at *at* microseconds."""
    more = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))[1:] if fields else "}"
    comma = "," if fields else ""
    return b'{"t":%s,"event":%s%s\n' % (seconds(at), json.dumps(name).encode(), (comma + more).encode())


def format_header(fields: Mapping[str, Any]) -> bytes:
    """Return the first line of a recording."""
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def seconds(at: int) -> bytes:
    """Return *at* microseconds as seconds with six decimals."""
    return b"%d.%06d" % divmod(at, _US)


def _cut(line: bytes, fields: Mapping[str, Any]) -> bytes:
    """Return the bytes of the value of `msg`."""
    usual = _USUAL.match(line)
    # Three keys and no other `"msg":` in the line: so it is the one in its place, and the last.
    if usual is not None and len(fields) == 3 and line[-1] == 0x7D and line.find(b'"msg":', usual.end()) < 0:  # noqa: PLR2004
        return line[usual.end() : -1]
    return _search(line.decode()).encode()


def _search(text: str) -> str:
    """Walk through the keys of an object, a valid one, and return the text of its last `msg`."""
    place, found = text.index("{") + 1, ""
    while (key := _KEY.match(text, place)) is not None:
        _, end = _scan(text, key.end())
        if json.loads(f'"{key[1]}"') == "msg":
            found = text[key.end() : end]
        place = text.find(",", end) + 1 or len(text)
    return found


def _raw(fields: Mapping[str, Any]) -> bytes:
    match fields:
        case {"raw": str(text)}:
            # A recording made elsewhere may hold what no encoding can say; it must not stop a replay.
            return text.encode(errors="surrogatepass")
        case {"b64": str(code)}:
            try:
                return b64decode(code, validate=True)
            except Base64Error as problem:
                raise FormatError(f'expected "b64" to be base64, found something else: {problem}') from None
        case {"msg": value}:
            raise FormatError(f'expected "msg" to be a JSON object, found {_called(value)}')
        case _:
            raise FormatError('expected "msg", "raw" or "b64", found none of them')


def _end(fields: Mapping[str, Any]) -> bytes:
    match fields.get("eol", "\n"):
        case str(end) if not end.strip("\r\n"):
            return end.encode()
        case other:
            raise FormatError(f'expected "eol" to be a line ending, found {other!r:.40}')


def _refuse(token: str) -> None:
    raise ValueError(token)


def _depth(value: object) -> int:
    """Return how deep *value* nests, without recursion."""
    deepest, todo = 0, [(value, 0)]
    while todo:
        item, depth = todo.pop()
        if isinstance(item, dict | list):
            deepest = max(deepest, depth + 1)
            todo.extend((inner, depth + 1) for inner in (item.values() if isinstance(item, dict) else item))
    return deepest


def _called(value: object) -> str:
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")


# The grammar of JSON alone: no NaN, and numbers as they stand, however long.
_lenient = json.JSONDecoder(parse_constant=_refuse, parse_int=str, parse_float=str)
