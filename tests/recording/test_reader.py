"""The reader: a stream of events, and plain words about what cannot be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbackend.errors import BrokenLineError, UnusableFileError
from mockbackend.recording.reader import Reader
from mockbackend.testing.sources import MemorySource, recording

HEADER = b'{"mockbackend":1,"protocol":1,"summary":"a test","backend":{"name":"x","version":"2"}}\n'
INIT = b'{"t":0.000000,"from":"frontend","msg":{"type":"init","version":1,"working_dir":"/"}}\n'
PONG = b'{"t":0.500000,"from":"backend","msg":{"type":"pong"}}\n'


def read(content: bytes, **options: bool) -> Reader:
    return Reader(MemorySource(content, name="x.jsonl"), **options)


def kinds(reader: Reader) -> list[str | None]:
    return [event.kind or event.name for event in reader.events()]


def test_header_and_events_are_read() -> None:
    reader = read(HEADER + INIT + PONG)
    assert (reader.header.summary, reader.header.backend, reader.header.bare) == ("a test", "x 2", False)
    assert kinds(reader) == ["init", "pong"]
    assert [event.number for event in reader.events()] == [2, 3]


def test_a_header_may_say_less() -> None:
    header = read(b'{"mockbackend":1,"summary":7,"backend":"x"}\n').header
    assert (header.summary, header.backend) == ("", "")
    assert read(b'{"mockbackend":1,"backend":{"name":"y"}}').header.backend == "y"


def test_reading_can_begin_behind_any_event() -> None:
    reader = read(HEADER + INIT + PONG + INIT)
    first, second, third = reader.events()
    assert list(reader.events(first.after)) == [second, third]
    assert list(reader.events(third.after)) == []


@given(st.integers(1, 300))
def test_chunks_of_any_size_give_the_same_events(size: int) -> None:
    content = HEADER + INIT + PONG * 3
    assert list(Reader(MemorySource(content, size=size)).events()) == list(Reader(MemorySource(content)).events())


def test_a_byte_order_mark_and_blank_lines_are_passed_over() -> None:
    reader = read(b"\xef\xbb\xbf" + HEADER + b"\n" + INIT + b"  \r\n" + PONG + b"\n")
    assert kinds(reader) == ["init", "pong"]
    assert not reader.skipped


@pytest.mark.parametrize("cut", range(1, len(PONG) - 1))
def test_a_file_that_was_cut_at_any_byte_is_a_recording_still(cut: int) -> None:
    reader = read(HEADER + INIT + PONG[:cut])
    assert kinds(reader) == ["init"] + (["pong"] if cut == len(PONG) - 1 else [])
    assert [str(skip).partition(" (")[0] for skip in reader.skipped.values()] == [
        "x.jsonl:3: the file was cut off here; the line is skipped",
    ]


def test_a_last_line_without_newline_that_is_whole_counts() -> None:
    reader = read(HEADER + INIT + PONG[:-1])
    assert kinds(reader) == ["init", "pong"]
    assert not reader.skipped


def test_a_broken_line_in_the_middle_is_an_error_with_file_and_line() -> None:
    reader = read(HEADER + INIT + b'{"t":0.1,"from":"back\n' + PONG)
    with pytest.raises(BrokenLineError) as caught:
        list(reader.events())
    assert str(caught.value).startswith("x.jsonl:3: expected a JSON object, found a line that ends or breaks at column")
    assert str(caught.value).endswith(
        "--skip-bad-lines passes over such lines, `mockbackend validate x.jsonl` lists them"
    )
    assert caught.value.exit_code == 3


def test_broken_lines_can_be_skipped_and_are_reported_once() -> None:
    reader = read(HEADER + INIT + b"{oops\n" + PONG + b"[]\n", skip_bad_lines=True)
    assert kinds(reader) == kinds(reader) == ["init", "pong"]
    assert [str(skip)[:20] for skip in reader.skipped.values()] == ["x.jsonl:3: skipped (", "x.jsonl:5: skipped ("]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "x.jsonl: is empty; expected a recording"),
        (b'{\n  "mockbackend": 1\n}\n', "x.jsonl:1: is JSON over several lines, and a recording has one object a line"),
        (b'{"t":1,"from":"frontend","msg":{}}\n', "x.jsonl:1: lacks its header: the first line has to be one like {"),
        (b"\n", "x.jsonl: is empty"),
        (b"\xef\xbb\xbf \n", "x.jsonl: is empty"),
        (b"\x7fELF\0\0\0", "x.jsonl: is binary; expected JSON lines"),
        (b"\x89PNG\r\n\x1a\n\0", "x.jsonl:1: is not a recording: expected UTF-8, found byte 0x89"),
        (b"hello world\n", "x.jsonl:1: is not a recording: expected a JSON object"),
        (b"[1,2]\n", "x.jsonl:1: is not a recording: expected a JSON object, found an array"),
        (b'{"mockbackend":1,', "x.jsonl:1: was cut off in its header"),
        (
            b'{"version":2,"width":80}\n',
            'x.jsonl:1: is not a recording of mockbackend but of some other program: expected a header {"mockbackend":1,"protocol":1,…} or a message of the protocol, found an object with "version", "width"',
        ),
        (b"{}\n", "found an object with no keys"),
        (b'{"type":"assistant","message":{}}\n', 'found an object with "type", "message"'),
        (
            b'{"mockbackend":2}\n',
            "x.jsonl:1: needs a newer mockbackend, one that reads format 2; this one reads format 1",
        ),
        (b'{"mockbackend":1,"protocol":7}\n', "one that reads protocol version 7; this one reads protocol version 1"),
        (b'{"mockbackend":"1"}\n', "x.jsonl:1: expected \"mockbackend\" to be 1, found '1'"),
        (b'{"mockbackend":true}\n', 'expected "mockbackend" to be 1, found True'),
        (b'{"mockbackend":0}\n', 'expected "mockbackend" to be 1, found 0'),
        (b'{"mockbackend":1.5}\n', 'expected "mockbackend" to be 1, found 1.5'),
        (b"x" * (3 << 20), "x.jsonl:1: is not a recording"),
    ],
)
def test_what_is_no_recording_is_refused_in_plain_words(content: bytes, problem: str) -> None:
    with pytest.raises(UnusableFileError) as caught:
        read(content)
    assert problem in str(caught.value)
    assert caught.value.exit_code == 3


def test_a_bare_file_of_messages_is_a_recording() -> None:
    reader = read(b'{"type":"ping"}\n{"type":"pong"}\nnpm WARN\n{"type":7}\n{"x":1}\n\n{"type":"new"}')
    assert reader.header.bare
    assert [(event.at, event.sender, event.kind, event.data) for event in reader.events()] == [
        (None, "frontend", "ping", b'{"type":"ping"}\n'),
        (None, "backend", "pong", b'{"type":"pong"}\n'),
        (None, "backend", None, b"npm WARN\n"),
        (None, "backend", None, b'{"type":7}\n'),
        (None, "backend", None, b'{"x":1}\n'),
        (None, "backend", "new", b'{"type":"new"}\n'),
    ]


def test_unknown_keys_and_happenings_are_passed_on() -> None:
    [event] = read(recording((1, "weather", {"sun": True}))).events()
    assert (event.name, event.fields) == ("weather", {"sun": True})
