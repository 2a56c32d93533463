"""The codec: whatever comes is a message or exactly one error, and the error says what is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbackend.errors import MalformedLineError
from mockbackend.protocol.codec import MAX_DEPTH, abbreviate, decode, encode, load
from mockbackend.protocol.lines import TooLong

EXAMPLES: list[dict[str, Any]] = [
    {"type": "init", "version": 1, "working_dir": "/home/dev/demo", "api_key": "k", "config": {"model": "m"}},
    {"type": "user_message", "content": "Grüße 👋\u2028", "attachments": [{"type": "image", "path": "/x.png"}]},
    {"type": "cancel"},
    {"type": "ping"},
    {"type": "mode_change", "mode": "plan"},
    {"type": "room_query_response", "request_id": "r1", "description": "tidy"},
    {"type": "room_action_response", "request_id": "r1", "success": False, "message": "full"},
    {"type": "shutdown"},
]


def refusal(line: bytes | TooLong) -> MalformedLineError:
    with pytest.raises(MalformedLineError) as caught:
        decode(line)
    return caught.value


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: message["type"])
def test_each_message_is_read_as_it_was_written(message: dict[str, Any]) -> None:
    assert decode(encode(message)) == message


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: message["type"])
def test_a_message_that_was_cut_at_any_byte_is_one_error(message: dict[str, Any]) -> None:
    line = encode(message).rstrip()
    for size in range(len(line)):
        assert str(refusal(line[:size]))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"type":"pi\xffng"}', "not UTF-8: byte 0xff at offset 11"),
        (b"{oops", "not JSON: Expecting property name enclosed in double quotes at column 2"),
        (b'{"type":"ping"} x', "not JSON: Extra data at column 17"),
        (b'{"type":"ping","x":NaN}', "not JSON that everybody reads: NaN is no JSON"),
        (b'{"type":"ping","x":-Infinity}', "not JSON that everybody reads: -Infinity is no JSON"),
        (b'{"type":"ping","x":1e999}', "not JSON that everybody reads: the number 1e999 is out of range"),
        (b'{"type":"ping","x":-1e999}', "not JSON that everybody reads: the number -1e999 is out of range"),
        (
            b'{"type":"ping","x":' + b"9" * 4301 + b"}",
            "not JSON that everybody reads: a number of 4301 digits is too long",
        ),
        (b'{"a":1,"a":1}', 'not JSON that everybody reads: the key "a" occurs twice in one object'),
        (b'{"type":"ping","x":{"' + b"k" * 50 + b'":1,"' + b"k" * 50 + b'":1}}', "occurs twice"),
        (b'"ping"', "expected an object, got a string"),
        (b"[1]", "expected an object, got an array"),
        (b"null", "expected an object, got null"),
        (b"true", "expected an object, got true"),
        (b"false", "expected an object, got false"),
        (b"12", "expected an object, got a number"),
        (b"{}", 'expected an object with "type", got one without'),
        (b'{"type":7}', "type: expected a string, got a number"),
        (b'{"type":"pnig"}', 'type: unknown message type "pnig"; did you mean "ping"?'),
        (b'{"type":"wave"}', 'type: unknown message type "wave"'),
        (b'{"type":"session_started"}', 'type: unknown message type "session_started"'),
        (b'{"type":"mode_change","mode":"x"}', 'mode_change.mode: expected "auto" or "plan", got "x"'),
        (TooLong(b"{", 17_000_000), "too long: 17000000 bytes, at most 16777216 are read"),
        (b'{"type":"ping","a":"\x01"}', "not JSON: Invalid control character at column 21"),
        (b'{"type":"ping"}\0', "not JSON: Extra data at column 16"),
        (b'\xef\xbb\xbf{"type":"ping"}', "not JSON"),
    ],
)
def test_what_is_wrong_is_said(line: bytes | TooLong, reason: str) -> None:
    assert reason in refusal(line).reason


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b'{"type":"ping","x":NaN}', "ping"),
        (b'{"type":"ping","type":"cancel"}', "cancel"),
        (b'{"type":7,"x":NaN}', None),
        (b'{"type":"user_message","content":"\\ud83d"}', "user_message"),
        (b'{"type":3,"content":"\\ud83d"}', None),
        (b'["\\ud83d"]', None),
        (b"[NaN]", None),
        (b'{"type":"mode_change"}', "mode_change"),
        (b'{"type":"wave"}', "wave"),
        (b'{"type":"ping","x":' + b"9" * 5000 + b"}", None),
        (b"{", None),
    ],
)
def test_the_type_is_told_where_there_is_one(line: bytes, kind: str | None) -> None:
    assert refusal(line).kind == kind


@pytest.mark.parametrize("escaped", ["\\ud800", "\\udfff", "\\ude00\\ud83d"])
@pytest.mark.parametrize("where", ['{{"type":"ping","x":["{}"]}}', '{{"type":"ping","x":{{"{}":1}}}}'])
def test_half_a_surrogate_pair_is_refused_wherever_it_stands(where: str, escaped: str) -> None:
    assert refusal(where.format(escaped).encode()).reason.startswith("not Unicode")


def test_a_whole_surrogate_pair_is_fine() -> None:
    assert decode(b'{"type":"user_message","content":"\\ud83d\\ude00","x":[1]}')["content"] == "😀"


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":', b'{"a":[', b'["]",'])
def test_depth_is_limited_and_never_a_recursion_error(opening: bytes) -> None:
    for count in (1000, 300_000):
        assert refusal(opening * count).reason.startswith("too deep")
    closing = opening.translate(bytes.maketrans(b"[{", b"]}"), b'"a:,')[::-1]
    closing = closing.replace(b"]]", b"]") if opening.startswith(b'["]"') else closing
    levels = opening.count(b"[") + opening.count(b"{")
    inner = b"1"
    for limit, deep in ((MAX_DEPTH - 1, False), (MAX_DEPTH, True)):
        count = limit // levels
        text = b'{"type":"ping","x":' + opening * count + inner + closing * count + b"}"
        rest = limit - count * levels
        text = text.replace(inner, b"[" * rest + inner + b"]" * rest, 1)
        if deep:
            assert refusal(text).reason.startswith("too deep")
        else:
            assert decode(text)["type"] == "ping"


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert decode(b'{"type":"ping","x":[' + b"[],{}," * 500 + b'"[[[["]}')["type"] == "ping"
    assert refusal(b'{"type":"ping","x":[' + b"[]," * 500).reason.startswith("not JSON")


def test_white_space_around_a_message_is_fine() -> None:
    assert decode(b' \t{"type":"ping"}\r') == {"type": "ping"}


def test_unknown_fields_are_kept() -> None:
    assert decode(b'{"type":"ping","new":[1,2.5,null]}') == {"type": "ping", "new": [1, 2.5, None]}


@given(st.binary(max_size=60))
def test_random_bytes_are_a_message_or_one_error(line: bytes) -> None:
    try:
        assert decode(line)["type"]
    except MalformedLineError as problem:
        assert problem.reason


@given(st.sampled_from(EXAMPLES), st.data())
def test_a_damaged_message_is_a_message_or_one_error(message: dict[str, Any], data: st.DataObject) -> None:
    line = bytearray(encode(message))
    for _ in range(data.draw(st.integers(1, 3))):
        line[data.draw(st.integers(0, len(line) - 1))] = data.draw(st.integers(0, 255))
    try:
        assert decode(bytes(line))["type"]
    except MalformedLineError as problem:
        assert problem.reason


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON))
def test_encode_then_load_is_the_identity(message: dict[str, Any]) -> None:
    line = encode(message)
    assert line.count(b"\n") == 1
    assert load(line) == message


def test_half_a_surrogate_pair_is_written_as_an_escape() -> None:
    assert encode({"a": "\ud83d é"}) == b'{"a":"\\ud83d \\u00e9"}\n'


def test_text_is_written_as_it_is() -> None:
    assert encode({"a": "é\u2028"}) == '{"a":"é\u2028"}\n'.encode()


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (b"short", "short"),
        (b"x" * 80, "x" * 80),
        (b"x" * 81, "x" * 80 + "…"),
        ("é".encode() * 81, "é" * 80 + "…"),
        (b"a\tb\x00\x1b[31m", "a\\tb\\u0000\\u001b[31m"),
        ("a\u2028b".encode(), "a\\u2028b"),
        (b"\xff\xfe", "��"),
    ],
)
def test_a_line_is_shown_in_eighty_printable_characters(line: bytes, shown: str) -> None:
    assert abbreviate(line) == shown


def test_reasons_can_be_encoded() -> None:
    for line in (b'{"type":"\\ud800"}', b'{"\\ud800":1,"\\ud800":1}', b'{"type":"mode_change","mode":"\\ud800"}'):
        refusal(line).reason.encode()
    assert json.dumps(str(refusal(b'{"type":"' + b"x" * 99 + b'"}')))
