"""The recorder: what was heard and said, as lines of a recording."""

from __future__ import annotations

import json

from mockbackend.engine.events import CLOSED, WOKEN, Received
from mockbackend.engine.steps import Emit, Exit, Note, Stderr
from mockbackend.protocol.lines import TooLong
from mockbackend.recording.reader import Reader
from mockbackend.recording.recorder import Recorder, header_fields
from mockbackend.redaction.redactor import Redactor
from mockbackend.testing.sources import MemorySource
from tests.redaction.keys import KEYS

FIELDS = header_fields("2026-12-01T10:00:00Z", {"name": "mockbackend"})
KEY = KEYS["github_token"].encode()


def test_what_is_written_can_be_read() -> None:
    recorder = Recorder(FIELDS)
    content = (
        recorder.header()
        + recorder.started(7)
        + recorder.heard(WOKEN, 0)
        + recorder.heard(Received(b'{"type":"ping"}\r'), 1)
        + recorder.said([Emit(b'{"type":"pong"}\n'), Note("x"), Stderr(b"ready\n"), Emit(b"half")], 2)
        + recorder.heard(Received(b"\xff", b""), 3)
        + recorder.heard(Received(TooLong(b"xxx", 99)), 4)
        + recorder.marked("here", 4)
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
        (4, "marker", b"", {"name": "here"}),
        (5, "input_closed", b"", {}),
        (6, "exit", b"", {"code": 3}),
        (7, "exit", b"", {"signal": 9}),
    ]


def test_a_second_run_goes_on_where_the_first_ended() -> None:
    recorder = Recorder(FIELDS, offset=5_000_000)
    assert recorder.started(1).startswith(b'{"t":5.000000,')
    assert recorder.said([Emit(b"x\n")], 1).startswith(b'{"t":5.000001,')
    assert recorder.heard(CLOSED, 2).startswith(b'{"t":5.000002,')


def test_a_delta_is_written_as_it_is() -> None:
    line = b'{"type":"assistant_text_delta","content":"plain"}'
    assert Recorder(FIELDS).lines("backend", [line, b"x"], 1) == (
        b'{"t":0.000001,"from":"backend","msg":' + line + b'}\n{"t":0.000001,"from":"backend","raw":"x"}\n'
    )


def test_time_never_goes_back() -> None:
    recorder = Recorder(FIELDS)
    assert recorder.lines("backend", [b"x"], 5).startswith(b'{"t":0.000005,')
    assert recorder.lines("frontend", [b"y"], 4).startswith(b'{"t":0.000005,')


def test_secrets_are_taken_out_before_anything_else_is_made_of_a_line() -> None:
    recorder = Recorder(FIELDS, redactor=Redactor())
    written = recorder.said([Emit(b'{"x":"' + KEY + b'"}\n'), Emit(b"\xff" + KEY), Stderr(KEY)], 1)
    written += recorder.heard(Received(KEY, b""), 2) + recorder.heard(Received(TooLong(KEY[:20], 99)), 3)
    assert KEY[:20] not in written
    assert [event.data for event in Reader(MemorySource(recorder.header() + written)).events()] == [
        b'{"x":"[REDACTED:github_token:1]"}\n',
        b"\xff[REDACTED:github_token:1]",
        b"[REDACTED:github_token:1]\n",
        b"[REDACTED:github_token:1]",
        b"",
    ]
    assert Recorder(FIELDS, redactor=Redactor()).heard(Received(TooLong(b"plain", 99)), 3).count(b"plain") == 1


def test_the_header_says_what_was_taken_out_and_keeps_its_size() -> None:
    recorder = Recorder({**FIELDS, "redacted": ["secrets"]}, redactor=Redactor())
    before = recorder.header()
    recorder.lines("backend", [KEY, KEY], 0)
    after = recorder.header()
    assert len(before) == len(after)
    assert before.endswith(b" \n")
    assert json.loads(after)["redactions"] == {"github_token": 2}
    more = Recorder(json.loads(after), redactor=Redactor(), line=after)
    assert more.header() == after
    more.lines("backend", [KEY], 0)
    assert json.loads(more.header())["redactions"] == {"github_token": 3}
    assert len(more.header()) == len(after)


def test_a_header_without_room_says_less() -> None:
    redactor = Redactor()
    line = Recorder(FIELDS).header().rstrip()
    tight, roomy = (Recorder(FIELDS, redactor=redactor, line=line + b" " * room + b"\n") for room in (5, 30))
    tight.lines("backend", [KEY, KEYS["npm_token"].encode()], 0)
    assert json.loads(tight.header()) == FIELDS
    assert json.loads(roomy.header())["redactions"] == {"secret": 2}
    assert (len(tight.header()), len(roomy.header())) == (len(line) + 6, len(line) + 31)
    tight.lines("backend", [b'{"type":"session_started","model":"a rather long name"}'], 0)
    assert tight.header() == line + b" " * 5 + b"\n"


def test_a_header_that_somebody_else_wrote_keeps_its_bytes() -> None:
    line = b'{ "mockbackend": 1, "n": 1e2, "redactions": "many", "backend": 7 }\n'
    recorder = Recorder(json.loads(line), redactor=Redactor(), line=line)
    recorder.lines("backend", [b'{"type":"session_started","session_id":"s"}'], 0)
    assert recorder.header() == line
    recorder.lines("backend", [KEY], 0)
    assert len(recorder.header()) == len(line)


def test_the_backend_tells_its_version_itself() -> None:
    recorder = Recorder(FIELDS)
    recorder.lines(
        "backend", [b'{"type":"session_started"', b'{"type":"session_started","session_id":"s","model":"m"}'], 0
    )
    recorder.lines("backend", [b'{"type":"session_started","claude_code_version":"2.1","model":"n","version":3}'], 0)
    assert json.loads(recorder.header())["backend"] == {"name": "mockbackend", "model": "m", "version": "2.1"}
    bare = Recorder({"mockbackend": 1})
    bare.lines("backend", [b'{"type":"session_started","model":"m"}'], 0)
    assert json.loads(bare.header())["backend"] == {"model": "m"}
