"""The format: an event keeps the bytes of its line, whatever they are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbackend.recording.format import _parse_any, format_event, format_happening, format_header, parse_event
from mockbackend.recording.model import Event
from mockbackend.recording.objects import FormatError, is_object, parse_object

AFTER = (100, 8)


def parse(line: bytes) -> Event:
    return parse_event(line, AFTER)


def test_a_usual_line_is_read() -> None:
    assert parse(b'{"t":1.250000,"from":"backend","msg":{"type":"tool_end","id":"a"}}') == Event(
        1_250_000,
        "backend",
        b'{"type":"tool_end","id":"a"}\n',
        {"type": "tool_end", "id": "a"},
        "tool_end",
        None,
        {},
        7,
        AFTER,
    )


@pytest.mark.parametrize(
    "msg",
    [
        b'{"type":"assistant_text_delta","content":"plain"}',
        b'{"type":"assistant_text_delta","content":""}',
        b'{"type":"assistant_text_delta","content":"\\n\\"\\u00e9 {}"}',
        '{"type":"assistant_text_delta","content":"é\u2028"}'.encode(),
        b'{"type":"assistant_text_delta","content":"\\ud83d"}',
        b'{ "type" : "x" , "n" : 1.50e3 , "msg" : {"msg":1} }',
        b'{"a":"\\"msg\\":{}"}',
        b"{}",
        b'{"type":7}',
    ],
)
@pytest.mark.parametrize(
    "envelope",
    [
        b'{"t":0.000001,"from":"backend","msg":%s}',
        b'{"t":0.000001,"from":"frontend","msg":%s}',
        b'{"t":0.000001,"from":"backend","new":{"msg":{"x":[1,"}"]}},"msg":%s}',
        b'{ "from": "backend", "t": 1e-6, "msg": %s }',
        b'{"msg":%s,"t":0.000001,"from":"backend"}',
        b'{"t":0.000001,"from":"backend","\\u006dsg":%s}\r',
    ],
)
def test_the_bytes_of_the_message_are_kept_in_any_envelope(envelope: bytes, msg: bytes) -> None:
    event = parse(envelope % msg)
    assert event.at == 1
    assert event.data == msg + b"\n"
    assert event.message == json.loads(msg)
    kind = json.loads(msg).get("type")
    assert event.kind == (kind if isinstance(kind, str) else None)


def test_other_keys_are_kept() -> None:
    assert parse(b'{"t":1,"from":"backend","note":"x","msg":{}}').fields == {"note": "x"}
    assert parse(b'{"t":1.000000,"event":"exit","code":3}').fields == {"code": 3}


@pytest.mark.parametrize(
    ("line", "data"),
    [
        (b'{"t":1,"from":"backend","raw":"npm WARN"}', b"npm WARN\n"),
        (b'{"t":1,"from":"frontend","raw":"\\u00e9\\r"}', "é\r\n".encode()),
        (b'{"t":1,"from":"stderr","b64":"/w=="}', b"\xff\n"),
        (b'{"t":1,"from":"backend","eol":"","raw":"half"}', b"half"),
        (b'{"t":1,"from":"backend","eol":"\\r\\n","msg":{"a":1}}', b'{"a":1}\r\n'),
        (b'{"t":1,"from":"backend","raw":"\\ud800"}', b"\xed\xa0\x80\n"),
    ],
)
def test_other_lines_are_given_back_with_their_own_ending(line: bytes, data: bytes) -> None:
    assert parse(line).data == data


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"", "expected a JSON object, found none at column 1"),
        (b"  ", "expected a JSON object, found none at column 1"),
        (b"[1]", "expected a JSON object, found an array"),
        (b'"x"', "expected a JSON object, found a string"),
        (b"true", "expected a JSON object, found a boolean"),
        (b"null", "expected a JSON object, found null"),
        (b"7", "expected a JSON object, found a number"),
        (b'{"t":1} {"t":2}', "expected one JSON object, found more behind it (column 8)"),
        (b'{"t":1,', "expected a JSON object, found a line that ends or breaks at column 8"),
        (b'{"t":1,"from":"\xff"}', "expected UTF-8, found byte 0xff at column 16"),
        (b'{"t":' + b"[" * 100_000, "expected at most 128 levels of nesting"),
        (b'{"t":' + b"1" * 5000 + b"}", 'expected "t" to be a time in seconds'),
        (b'{"from":"backend","msg":{}}', 'expected "t", the time in seconds, found none'),
        (b'{"t":"1","event":"exit"}', "found '1'"),
        (b'{"t":true,"event":"exit"}', "found True"),
        (b'{"t":-1,"event":"exit"}', "found -1"),
        (b'{"t":1e12,"event":"exit"}', "found 1000000000000.0"),
        (b'{"t":NaN,"event":"exit"}', "found nan"),
        (b'{"t":1}', 'expected "from" (who sent a line) or "event" (what happened), found neither'),
        (b'{"t":1,"event":7}', "found neither"),
        (b'{"t":NaN,"n":' + b"1" * 5000 + b"}", "found NaN, which is no JSON"),
        (b'{"t":1,"from":"me","msg":{}}', 'expected "from" to be "frontend", "backend" or "stderr", found \'me\''),
        (b'{"t":1,"from":["x"],"msg":{}}', "found ['x']"),
        (b'{"t":1,"from":"backend"}', 'expected "msg", "raw" or "b64", found none of them'),
        (b'{"t":1,"from":"backend","msg":[]}', 'expected "msg" to be a JSON object, found an array'),
        (b'{"t":1,"from":"backend","b64":"!"}', 'expected "b64" to be base64'),
        (b'{"t":1,"from":"backend","eol":"x","raw":""}', "expected \"eol\" to be a line ending, found 'x'"),
        (b'{"t":1,"from":"backend","eol":7,"raw":""}', 'expected "eol" to be a line ending, found 7'),
        (b'{"t":0.000000,"from":"backend","msg":{"a":1}', "found a line that ends or breaks"),
        (b'{"t":0.000000,"from":"backend","msg":{"a":1}}}', "found more behind it"),
        (b'{"t":0.000000,"from":"backend","msg":{"a":1},"b":{}', "found a line that ends or breaks"),
    ],
)
def test_a_line_that_is_no_event_says_what_was_expected_and_found(line: bytes, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse(line)
    assert problem in str(caught.value)


def test_an_object_alone_is_read() -> None:
    assert parse_object(b'{"a":1}\r') == {"a": 1}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
MESSAGES = st.dictionaries(st.text(), JSON, max_size=4)
LINES = st.one_of(
    st.binary(max_size=20).filter(lambda line: b"\n" not in line),
    st.text(max_size=20).map(lambda text: text.replace("\n", " ").encode(errors="surrogatepass")),
    MESSAGES.map(lambda message: json.dumps(message).encode()),
    MESSAGES.map(
        lambda message: json.dumps(message, ensure_ascii=False, indent=0).replace("\n", " ").encode(errors="replace")
    ),
    st.sampled_from(
        [
            b"",
            b" {} ",
            b'{"a":NaN}',
            b'{"a":1}\r',
            b"{}x",
            b'{"a":1,"a":2}',
            b'{"a":' + b"9" * 5000 + b"}",
            b'{"a":' + b"[" * 200 + b"]" * 200 + b"}",
            b'{"a":' + b"[" * 126 + b"]" * 126 + b"}",
            b"[" * 5000,
            b"[{}",
            b'{"type":"assistant_text_delta","content":"x"}',
        ],
    ),
)


@given(
    st.integers(0, 10**14),
    st.sampled_from(["frontend", "backend", "stderr"]),
    LINES,
    st.sampled_from([b"\n", b""]),
)
def test_whatever_was_recorded_is_given_back(at: int, sender: str, line: bytes, end: bytes) -> None:
    written = format_event(at, sender, line, end)
    assert written.count(b"\n") == 1
    event = parse(written[:-1])
    assert (event.at, event.sender, event.data) == (at, sender, line + end)


@given(st.integers(0, 10**14), LINES)
def test_both_ways_of_reading_a_line_say_the_same(at: int, line: bytes) -> None:
    written = format_event(at, "backend", line)[:-1]
    assert parse_event(written, AFTER) == _parse_any(written, AFTER)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        (b'{"a":1}', b'"msg":{"a":1}}'),
        (b' {"a":1}', b'"raw":" {\\"a\\":1}"}'),
        (b'{"a":NaN}', b'"raw":"{\\"a\\":NaN}"}'),
        (b"\xff", b'"b64":"/w=="}'),
        (b"x\r", b'"eol":"\\r\\n","raw":"x"}'),
    ],
)
def test_a_line_stands_under_the_key_that_fits(line: bytes, key: bytes) -> None:
    assert format_event(5, "backend", line) == b'{"t":0.000005,"from":"backend",' + key + b"\n"


def test_what_happened_is_written_with_its_fields() -> None:
    assert format_happening(1_500_000, "exit", {"code": 3}) == b'{"t":1.500000,"event":"exit","code":3}\n'
    assert format_happening(0, "input_closed") == b'{"t":0.000000,"event":"input_closed"}\n'


def test_the_header_is_one_line() -> None:
    assert format_header({"mockbackend": 1, "name": "é"}) == '{"mockbackend":1,"name":"é"}\n'.encode()


def test_only_the_grammar_of_json_decides_what_an_object_is() -> None:
    assert is_object(b'{"a":"\\ud800","a":1e999}')
    assert not is_object(b"{")
    assert not is_object(b"[]")


def numbers() -> Any:
    return st.integers(0, 10**15)


@given(numbers())
def test_microseconds_survive_the_file(at: int) -> None:
    if at < 10**15:
        assert parse(format_happening(at, "marker", {"name": "x"})[:-1]).at == at
