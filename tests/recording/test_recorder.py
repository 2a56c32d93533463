"""The recorder: what was heard and said, as lines of a recording."""

from __future__ import annotations

from mockbackend.engine.events import CLOSED, WOKEN, Received
from mockbackend.engine.steps import Emit, Exit, Note, Stderr
from mockbackend.protocol.lines import TooLong
from mockbackend.recording.reader import Reader
from mockbackend.recording.recorder import Recorder, header
from mockbackend.testing.sources import MemorySource


def test_what_is_written_can_be_read() -> None:
    recorder = Recorder()
    content = (
        header("2026-12-01T10:00:00Z", {"name": "mockbackend"})
        + recorder.started(7)
        + recorder.heard(WOKEN, 0)
        + recorder.heard(Received(b'{"type":"ping"}\r'), 1)
        + recorder.said([Emit(b'{"type":"pong"}\n'), Note("x"), Stderr(b"ready\n"), Emit(b"half")], 2)
        + recorder.heard(Received(b"\xff", b""), 3)
        + recorder.heard(Received(TooLong(b"xxx", 99)), 4)
        + recorder.heard(CLOSED, 5)
        + recorder.said([Exit(3)], 6)
        + recorder.said([Exit(137, 9)], 7)
    )
    reader = Reader(MemorySource(content))
    assert reader.header.backend == "mockbackend"
    assert [(event.at, event.sender or event.name, event.data, event.fields) for event in reader.events()] == [
        (0, "start", b"", {"pid": 7}),
        (1, "frontend", b'{"type":"ping"}\r\n', {}),
        (2, "backend", b'{"type":"pong"}\n', {}),
        (2, "stderr", b"ready\n", {}),
        (2, "backend", b"half", {}),
        (3, "frontend", b"\xff", {}),
        (4, "frontend", b"xxx", {"size": 99}),
        (5, "input_closed", b"", {}),
        (6, "exit", b"", {"code": 3}),
        (7, "exit", b"", {"signal": 9}),
    ]


def test_a_second_run_goes_on_where_the_first_ended() -> None:
    recorder = Recorder(offset=5_000_000)
    assert recorder.started(1).startswith(b'{"t":5.000000,')
    assert recorder.said([Emit(b"x\n")], 1).startswith(b'{"t":5.000001,')
    assert recorder.heard(CLOSED, 2).startswith(b'{"t":5.000002,')
