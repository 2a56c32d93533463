"""The check: every problem of a recording, with its line."""

from __future__ import annotations

import gzip
import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from mockbackend.io.files import FileSource
from mockbackend.io.shipped import catalogue
from mockbackend.recording.check import Problem, check
from mockbackend.testing.sources import MemorySource, recording

if TYPE_CHECKING:
    from pathlib import Path

INIT = {"type": "init", "version": 1, "working_dir": "/"}
GOOD: tuple[tuple[float, str, Any], ...] = (
    (0, "start", {}),
    (0, "frontend", INIT),
    (1, "backend", {"type": "session_started", "session_id": "s"}),
    (2, "backend", "npm WARN"),
    (3, "backend", {"type": "room_query", "request_id": "r", "query": "describe"}),
    (4, "frontend", {"type": "room_query_response", "request_id": "r", "description": ""}),
    (5, "frontend", "{broken"),
    (6, "frontend", {"type": "wave"}),
    (7, "stderr", "ready"),
    (8, "marker", {"name": "x"}),
    (9, "input_closed", {}),
    (10, "exit", {"code": 0}),
)


def problems(content: bytes) -> list[Problem]:
    return list(check(MemorySource(content)))


def told(*events: tuple[float, str, Any]) -> list[str]:
    return [f"{line} {severity} {text}" for line, severity, text in problems(recording((0, "frontend", INIT), *events))]


def test_a_good_recording_has_no_problems_even_if_its_frontend_had() -> None:
    assert problems(recording(*GOOD)) == []


@pytest.mark.parametrize("entry", catalogue("recordings"), ids=lambda entry: entry.name)
def test_what_is_shipped_is_good(entry: Any) -> None:
    assert list(check(FileSource(entry.path))) == []


@pytest.mark.parametrize(
    ("content", "line", "text"),
    [
        (b"", 0, "is empty"),
        (b"\0", 0, "is binary"),
        (b'{"mockbackend":2}\n', 1, "needs a newer mockbackend"),
        (b"hello\n", 1, "is not a recording"),
    ],
)
def test_what_is_no_recording_is_one_error(content: bytes, line: int, text: str) -> None:
    [problem] = problems(content)
    assert (problem.line, problem.severity) == (line, "error")
    assert text in problem.text


def test_every_broken_line_is_told_in_the_order_of_lines() -> None:
    lines = recording(*GOOD).splitlines(keepends=True)
    lines[3:3] = [b"oops\n", b"\n", b"[]\n"]
    found = problems(b"".join([*lines, b"{}\n", b'{"t":11,"cut']))
    assert [(problem.line, problem.severity) for problem in found] == [
        (4, "error"),
        (6, "error"),
        (17, "error"),
        (18, "warning"),
    ]
    assert found[0].text == "expected a JSON object, found none at column 1"
    assert found[3].text.startswith("the file was cut off here")


def test_time_that_goes_back_is_a_warning() -> None:
    assert told((5, "marker", {"name": "a"}), (3.5, "marker", {"name": "b"}), (4, "marker", {"name": "c"})) == [
        '4 warning "t" goes back by 1.500000 s: expected it to grow; it is played without a pause',
    ]


def test_what_does_not_fit_the_protocol_is_a_warning_with_its_path() -> None:
    assert told(
        (1, "backend", {"type": "tool_end", "id": 7, "output": ""}),
        (2, "backend", {"type": "wave"}),
        (3, "backend", {"x": 1}),
        (4, "weather", {}),
        (5, "frontend", {"type": "room_query_response", "request_id": "r", "description": ""}),
    ) == [
        "3 warning does not fit the protocol: tool_end.id: Input should be a valid string",
        "3 warning does not fit the protocol: tool_end.success: Field required",
        '4 warning a message of the unknown type "wave"',
        "5 warning a message of no type",
        '6 warning unknown event "weather": it is kept, and nothing is made of it',
        '7 warning answers the request "r", which was never asked',
    ]


def test_an_exit_that_nobody_can_say_is_a_warning() -> None:
    assert told(
        (1, "exit", {"code": "137"}),
        (2, "exit", {"code": 1000}),
        (3, "exit", {"code": True}),
        (4, "exit", {"signal": "SIGFOO"}),
        (5, "exit", {"signal": "kill"}),
        (6, "exit", {"signal": 9}),
        (7, "exit", {"code": 255}),
        (8, "exit", {}),
    ) == [
        "3 warning expected \"code\" to be a number from 0 to 255, found '137'; a replay ends with 0",
        '4 warning expected "code" to be a number from 0 to 255, found 1000; a replay ends with 232',
        '5 warning expected "code" to be a number from 0 to 255, found True; a replay ends with 0',
        "6 warning expected \"signal\" to be the name of a signal, found 'SIGFOO'",
        '10 warning expected "code" to be a number from 0 to 255, found None; a replay ends with 0',
    ]


def test_a_slip_in_an_opening_is_a_warning_unless_the_backend_refused_it() -> None:
    refusal = {"type": "error", "code": "PARSE_ERROR", "message": "no", "recoverable": True}
    assert told(
        (1, "frontend", {"type": "user_message"}),
        (2, "backend", refusal),
        (3, "frontend", {"type": "user_message", "text": "hi"}),
        (4, "frontend", {"type": "init", "version": 1}),
    ) == [
        "5 warning is no valid user_message, and no error answers it: user_message.content: missing; nothing is opened by it",
        "6 warning is no valid init, and no error answers it: init.working_dir: missing; nothing is opened by it",
    ]


def test_a_bare_log_of_a_backend_alone_is_told_what_becomes_of_it() -> None:
    [problem] = problems(b'{"type":"pong"}\n')
    assert problem.text == "begins with the backend: openings are put in where turns seem to begin"


def test_a_recording_that_says_nothing_is_a_warning() -> None:
    assert [problem.text for problem in problems(recording())] == ["holds no events: nothing will ever be said"]
    [problem] = problems(recording((0, "backend", {"type": "pong"})))
    assert problem == Problem(0, "warning", "holds no init and no user_message: nothing will ever be answered")


def test_a_bare_file_is_checked_too() -> None:
    assert [problem.line for problem in problems(b'{"type":"ping"}\n{"type":"tool_end"}\n')] == [2, 2, 2, 0]


def test_a_packed_file_that_is_damaged_is_an_error(tmp_path: Path) -> None:
    noise = ((20 + at, "marker", {"name": hashlib.sha256(b"%d" % at).hexdigest()}) for at in range(6000))
    packed = bytearray(gzip.compress(recording(*GOOD, *noise), 1))
    middle = len(packed) * 3 // 4
    packed[middle : middle + 500] = b"\xff" * 500
    (tmp_path / "x.gz").write_bytes(packed)
    assert ("error", 0) in {(problem.severity, problem.line) for problem in check(FileSource(tmp_path / "x.gz"))}
