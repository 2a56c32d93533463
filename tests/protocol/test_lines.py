"""Lines: any chunking gives the same ones, and none of any length harms."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mockbackend.protocol.lines import LineBuffer, TooLong


def test_lines_end_at_newlines_only() -> None:
    text = "a\u2028b\x0b\x0c\x85\r\n".encode()
    assert LineBuffer().feed(text) == ["a\u2028b\x0b\x0c\x85\r".encode()]


def test_the_rest_waits_for_its_newline() -> None:
    buffer = LineBuffer()
    assert buffer.feed(b"a\nb") == [b"a"]
    assert buffer.feed(b"c\n\n") == [b"bc", b""]
    assert buffer.finish() is None


def test_the_last_line_may_lack_its_newline() -> None:
    buffer = LineBuffer()
    buffer.feed(b"a\nb")
    assert buffer.finish() == b"b"
    assert buffer.finish() is None


def test_a_line_over_the_limit_is_reported_where_it_ends() -> None:
    buffer = LineBuffer(4)
    assert buffer.feed(b"12345678") == []
    assert buffer.feed(b"9\nok\n") == [TooLong(b"12345678", 9), b"ok"]


def test_a_line_over_the_limit_is_reported_at_the_end_of_input_too() -> None:
    buffer = LineBuffer(4)
    buffer.feed(b"12345")
    assert buffer.finish() == TooLong(b"12345", 5)


def test_only_the_beginning_of_a_long_line_is_kept() -> None:
    buffer = LineBuffer(1000)
    for _ in range(100):
        assert buffer.feed(b"x" * 900) == []
    [line] = buffer.feed(b"\n")
    assert line == TooLong(b"x" * 160, 90_000)


@given(st.lists(st.binary(max_size=9)), st.data())
def test_any_chunking_gives_the_same_lines(parts: list[bytes], data: st.DataObject) -> None:
    blob = b"\n".join(parts)
    whole = LineBuffer(6)
    expected = [*whole.feed(blob), whole.finish()]
    buffer, found, rest = LineBuffer(6), list[bytes | TooLong](), blob
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        found += buffer.feed(rest[:size])
        rest = rest[size:]
    assert _sizes([*found, buffer.finish()]) == _sizes(expected)


def _sizes(lines: list[bytes | TooLong | None]) -> list[object]:
    # How much of its beginning was seen when a line became too long does depend on the chunks.
    return [line.size if isinstance(line, TooLong) else line for line in lines]
