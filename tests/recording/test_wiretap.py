"""The wiretap: byte streams become the lines that they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mockbackend.recording.reader import Reader
from mockbackend.recording.recorder import Recorder, header_fields
from mockbackend.recording.wiretap import Wiretap
from mockbackend.testing.sources import MemorySource


def wiretap() -> tuple[Wiretap, bytes]:
    recorder = Recorder(header_fields("2026-12-01T10:00:00Z", {}))
    return Wiretap(recorder), recorder.header()


def test_a_line_is_written_when_its_end_has_come() -> None:
    tap, header = wiretap()
    written = [
        tap.passed("backend", b'{"a":', 1),
        tap.passed("stderr", b"warn", 2),
        tap.passed("backend", b'"\xc3', 3),
        tap.passed("backend", b'\xa9"}\r\n\nrest', 4),
        tap.ended("backend", 5),
        tap.passed("frontend", b"half", 6),
        tap.ended("frontend", 7),
        tap.exited(3, None, 8),
    ]
    assert [bool(line) for line in written] == [False, False, False, True, True, False, True, True]
    events = list(Reader(MemorySource(header + b"".join(written))).events())
    assert [(event.at, event.sender or event.name, event.data) for event in events] == [
        (4, "backend", '{"a":"é"}\r\n'.encode()),
        (4, "backend", b"\n"),
        (5, "backend", b"rest"),
        (7, "frontend", b"half"),
        (7, "input_closed", b""),
        (8, "stderr", b"warn"),
        (8, "exit", b""),
    ]


def test_nothing_comes_after_the_end_of_the_backend() -> None:
    tap, _ = wiretap()
    assert tap.exited(0, None, 1)
    assert tap.passed("frontend", b"{}\n", 2) == b""
    assert tap.ended("frontend", 3) == b""


@given(st.lists(st.tuples(st.sampled_from(["frontend", "backend", "stderr"]), st.binary(max_size=30)), max_size=12))
def test_any_bytes_in_any_pieces_can_be_read_again(pieces: list[tuple[str, bytes]]) -> None:
    tap, content = wiretap()
    for at, (sender, data) in enumerate(pieces):
        content += tap.passed(sender, data, at)
    content += tap.exited(0, 9, 99)
    events = list(Reader(MemorySource(content)).events())
    for sender in ("frontend", "backend", "stderr"):
        whole = b"".join(data for who, data in pieces if who == sender)
        assert b"".join(event.data for event in events if event.sender == sender) == whole
