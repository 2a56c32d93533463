"""One line of a recording: bytes to event, and event to bytes.

`msg` is the last key and holds the recorded line's own bytes, so that a replay is byte-identical: they are
cut out of the line, never serialised again. Most lines have the shape that the recorder writes, and in them
`msg` is found by its place. A line of another shape (edited by hand, or written by another program) takes the
slower way through its keys, `_parse_any`, which says the same of every line.

Seconds in a file, microseconds in memory: six decimals say a microsecond exactly.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mockbackend.recording.model import BACKEND, FRONTEND, STDERR, Event
from mockbackend.recording.objects import FormatError, called, cut_value, is_object, parse_object, scan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mockbackend.recording.model import Position

_USUAL = re.compile(rb'\{"t":([0-9]{1,9})\.([0-9]{6}),"from":"(backend|frontend)","msg":(?=\{)')
# Most lines of most recordings: a delta whose text is plain ASCII and needs no escape. Its shape alone says what
# a JSON parser would say.
_PLAIN_DELTA = re.compile(
    rb'\{"t":([0-9]{1,9})\.([0-9]{6}),"from":"backend","msg":'
    rb'(\{"type":"assistant_text_delta","content":"([ !#-\[\]-~]*)"\})\}',
)
_SENDER = {b"frontend": FRONTEND, b"backend": BACKEND, b"stderr": STDERR}
_CONTENT = frozenset({"msg", "raw", "b64", "eol"})
_NO_FIELDS: Mapping[str, Any] = MappingProxyType({})
_US = 1_000_000
_LONGEST = 1e9
"""Seconds, some thirty years: what is longer is no time but a mistake."""
_BRACE = ord("}")
# By the tuple's own constructor: a replay at full speed makes nothing more often than events and steps.
_new: Callable[[type[Event], tuple[Any, ...]], Event] = tuple.__new__


def parse_event(line: bytes, after: Position) -> Event:
    """Return the event that *line* (without its newline) holds; its place in the file is before *after*.

    Raises:
        FormatError: The line is no event.
    """
    plain = _PLAIN_DELTA.fullmatch(line)
    if plain is not None:
        whole, fraction, data, content = plain.groups()
        message = {"type": "assistant_text_delta", "content": content.decode()}
        at = int(whole + fraction)  # Six decimals: the digits are microseconds.
        return _new(
            Event, (at, BACKEND, data + b"\n", message, "assistant_text_delta", None, _NO_FIELDS, after[1] - 1, after)
        )
    usual = _USUAL.match(line)
    if usual is not None and line[-1] == _BRACE:
        # What follows "msg": is one object and then the brace of the envelope: nothing else is in the line.
        data = line[usual.end() : -1]
        try:
            message, end = scan(text := data.decode(), 0)
        except (ValueError, StopIteration, RecursionError):
            return _parse_any(line, after)
        if end == len(text) and message.__class__ is dict:
            whole, fraction, sender = usual.groups()
            kind = message.get("type")
            if kind.__class__ is not str:
                kind = None
            at = int(whole + fraction)
            return _new(
                Event, (at, _SENDER[sender], data + b"\n", message, kind, None, _NO_FIELDS, after[1] - 1, after)
            )
    return _parse_any(line, after)


def _parse_any(line: bytes, after: Position) -> Event:
    fields = parse_object(line)
    at = _microseconds(fields.pop("t", None))
    number = after[1] - 1
    sender = fields.pop("from", None)
    if sender is None:
        name = fields.pop("event", None)
        if not isinstance(name, str):
            raise FormatError('expected "from" (who sent a line) or "event" (what happened), found neither')
        return Event(at, None, b"", None, None, name, fields, number, after)
    if sender not in _SENDER.values():
        raise FormatError(f'expected "from" to be "frontend", "backend" or "stderr", found {sender!r:.40}')
    message = fields.get("msg")
    end = _end(fields)
    if isinstance(message, dict):
        data, kind = cut_value(line.decode(), "msg").encode(), message.get("type")
        kind = kind if isinstance(kind, str) else None
    else:
        data, message, kind = _raw(fields), None, None
    more = {key: value for key, value in fields.items() if key not in _CONTENT}
    return Event(at, sender, data + end, message, kind, None, more, number, after)


def _microseconds(seconds: object) -> int:
    if seconds is None:
        raise FormatError('expected "t", the time in seconds, found none')
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < _LONGEST:
        raise FormatError(f'expected "t" to be a time in seconds, found {seconds!r:.40}')
    return round(seconds * _US)


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
            raise FormatError(f'expected "msg" to be a JSON object, found {called(value)}')
        case _:
            raise FormatError('expected "msg", "raw" or "b64", found none of them')


def _end(fields: Mapping[str, Any]) -> bytes:
    match fields.get("eol", "\n"):
        case str(end) if not end.strip("\r\n"):
            return end.encode()
        case other:
            raise FormatError(f'expected "eol" to be a line ending, found {other!r:.40}')
