"""Taking secrets out of a recording that is there: they go, and nothing else changes."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from mockbackend.recording.reader import Reader
from mockbackend.recording.scrub import header, lines, scrubbed
from mockbackend.redaction.redactor import Redactor
from mockbackend.testing.sources import MemorySource
from tests.redaction.keys import KEYS

KEY = KEYS["github_token"].encode()
HEADER = b'{"mockbackend":1,"protocol":1,"by":"hand"}\n'
GONE = b"[REDACTED:github_token:1]"


def scrub(content: bytes) -> bytes:
    source, redactor = MemorySource(content), Redactor()
    body = b"".join(scrubbed(line, redactor) for line in lines(source))
    return header(source, redactor.counts, ["secrets"]) + body


def test_only_what_was_found_changes() -> None:
    body = b"".join(
        (
            b'{"t":0.5,"event":"start","pid":1,"note":"%s"}\n' % KEY,
            b'{ "t" : 1, "from": "frontend", "msg": {"x": "\\u00e9 %s"} }\n' % KEY,
            b'{"t":2,"from":"backend","msg":{"n":1.50}}\n',
            b'{"t":3.250000,"from":"stderr","raw":"with %s"}\n' % KEY,
            b"no event, but %s\n" % KEY,
            b"\n",
            b'{"t":4,"from":"backend","eol":"\\r\\n","raw":"%s"}' % KEY,
        )
    )
    got = scrub(HEADER + body)
    first, _, rest = got.partition(b"\n")
    assert rest == body.replace(KEY, GONE).replace(b"3.250000", b"3.25")
    assert json.loads(first) == {
        "mockbackend": 1,
        "protocol": 1,
        "by": "hand",
        "redacted": ["secrets"],
        "redactions": {"github_token": 5},
    }


def test_bytes_that_are_no_text_stay_so() -> None:
    from base64 import b64decode, b64encode

    got = scrub(HEADER + b'{"t":1,"from":"backend","b64":"%s"}\n' % b64encode(b"\xff" + KEY))
    (event,) = Reader(MemorySource(got)).events()
    assert event.data == b"\xff" + GONE + b"\n"
    assert b64decode(json.loads(got.splitlines()[1])["b64"]) == b"\xff" + GONE


def test_a_bare_file_stays_bare() -> None:
    content = b'{"type":"ping"}\n{"type":"assistant_text_delta","content":"%s"}\n' % KEY
    assert scrub(content) == content.replace(KEY, GONE)


def test_what_was_taken_out_before_counts_too() -> None:
    content = b'{"mockbackend":1,"redacted":["paths"],"redactions":{"home":2,"github_token":1}}\n{"t":1,"from":"stderr","raw":"%s"}\n'
    fields = json.loads(scrub(content % KEY).splitlines()[0])
    assert fields["redacted"] == ["paths", "secrets"]
    assert fields["redactions"] == {"github_token": 2, "home": 2}
    odd = b'{"mockbackend":1,"redacted":"yes","redactions":7}\n'
    assert json.loads(scrub(odd)) == {"mockbackend": 1, "redacted": ["secrets"], "redactions": 7}


def test_what_a_line_is_is_told_to_people() -> None:
    content = (
        HEADER
        + b'{"t":1,"from":"frontend","msg":{"type":"ping"}}\nx\n{"t":1,"event":"start"}\n{"t":1,"from":"stderr","raw":""}\n'
    )
    assert [(line.number, line.what) for line in lines(MemorySource(content))] == [
        (2, "frontend ping"),
        (3, "a line that is no event"),
        (4, "event start"),
        (5, "stderr"),
    ]


@given(st.lists(st.binary(max_size=20).map(lambda line: line.replace(b"\n", b"")), max_size=6), st.booleans())
def test_without_secrets_nothing_changes(content: list[bytes], newline: bool) -> None:
    body = b"\n".join(content) + b"\n" * newline
    assert b"".join(scrubbed(line, Redactor([])) for line in lines(MemorySource(HEADER + body))) == body
