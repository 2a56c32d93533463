"""The redactor: what is secret goes, wherever it stands, and everything else stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbackend.io.files import FileSource
from mockbackend.io.shipped import catalogue
from mockbackend.recording.reader import Reader
from mockbackend.redaction.redactor import Redactor
from mockbackend.redaction.rules import RULES, custom, path_rules, secret_variables
from tests.redaction.keys import KEYS


def redacted(message: dict[str, Any], sender: str = "backend", redactor: Redactor | None = None) -> Any:
    line = json.dumps(message).encode()
    return json.loads((redactor or Redactor()).line(sender, line))


def delta(text: str) -> bytes:
    return json.dumps({"type": "assistant_text_delta", "content": text}, separators=(",", ":")).encode()


def said(redactor: Redactor, pieces: list[str]) -> list[str]:
    return [json.loads(redactor.lines("backend", [delta(piece)])[0])["content"] for piece in pieces]


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("depth", range(5))
def test_a_key_goes_however_deep_it_is_wrapped(kind: str, depth: int) -> None:
    key = KEYS[kind]
    value: Any = f'first line\n{key}\nin "quotes"'
    for _ in range(depth):
        value = json.dumps({"output": [value], "é": "\u2028/"})
    redactor = Redactor()
    got = redacted({"type": "tool_end", "id": "1", "output": value, "success": True}, redactor=redactor)["output"]
    for _ in range(depth):
        got = json.loads(got)
        assert got["é"] == "\u2028/"
        got = got["output"][0]
    assert got == f'first line\n[REDACTED:{kind}:1]\nin "quotes"'
    assert redactor.counts == {kind: 1}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_a_key_in_json_that_is_part_of_a_text_goes(key: str) -> None:
    inner = json.dumps({"input": json.dumps({"text": f"x {key}"})})
    got = redacted({"type": "tool_end", "output": f"Result:\n{inner}\ndone"})["output"]
    assert key not in got
    assert json.dumps(key)[1:-1] not in got
    assert "REDACTED" in got
    assert got.endswith("\ndone")


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_a_key_split_over_two_deltas_goes_wherever_it_is_split(key: str) -> None:
    for split in range(1, len(key)):
        redactor = Redactor()
        pieces = said(redactor, ["The key is ", key[:split], key[split:], " and that is all."])
        joined = "".join(pieces)
        assert key not in joined, split
        assert joined.startswith("The key is ")
        assert joined.endswith(" and that is all.")
        assert joined.count("REDACTED") == 1
        # A reader learns at most what tells the kind, and seven characters more.
        rest = joined.removeprefix("The key is ").partition("[")[0]
        assert len(rest) <= 7 + 31, (rest, split)
        assert not rest or key.startswith(rest)
        complete = redacted({"type": "assistant_message_complete", "content": f"The key is {key}"}, redactor=redactor)
        assert complete["content"] == "The key is [" + joined.partition("[")[2].partition("]")[0] + "]"


@given(key=st.sampled_from(sorted(KEYS)), data=st.data())
def test_a_key_in_any_pieces_never_stays_whole(key: str, data: st.DataObject) -> None:
    text = f"before {KEYS[key]} after"
    cuts = sorted(data.draw(st.sets(st.integers(1, len(text) - 1), max_size=12)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    joined = "".join(said(Redactor(), pieces))
    assert KEYS[key] not in joined
    assert joined.startswith("before ")
    assert joined.endswith(" after")


def test_the_same_secret_gets_the_same_placeholder_and_another_one_another() -> None:
    redactor = Redactor()
    one, other = KEYS["github_token"], KEYS["github_token"][::-1].replace("_phg", "") + "Z"
    text = f"{one} ghp_{other} {one}"
    assert redacted({"content": text}, redactor=redactor)["content"] == (
        "[REDACTED:github_token:1] [REDACTED:github_token:2] [REDACTED:github_token:1]"
    )
    assert redactor.counts == {"github_token": 3}


def test_the_key_of_init_is_a_secret_wherever_it_stands() -> None:
    redactor = Redactor()
    key = 'my own "key"/with\\things'
    assert (
        redacted({"type": "init", "version": 1, "api_key": key}, "frontend", redactor)["api_key"]
        == "[REDACTED:api_key:1]"
    )
    assert redacted({"content": f"it is {key}!"}, redactor=redactor)["content"] == "it is [REDACTED:api_key:1]!"
    assert said(redactor, ["so: my own ", '"key"/with\\thi', "ngs it is"]) == [
        "so: my own ",
        "[REDACTED:api_key:1]",
        " it is",
    ]
    assert redactor.line("stderr", key.encode()) == b"[REDACTED:api_key:1]"


def test_a_short_key_goes_from_its_place_alone() -> None:
    redactor = Redactor()
    assert redacted({"type": "init", "api_key": "x"}, "frontend", redactor)["api_key"] == "[REDACTED:api_key:1]"
    assert redacted({"content": "x marks"}, redactor=redactor)["content"] == "x marks"
    assert redacted({"type": "init", "api_key": ""}, "frontend", redactor)["api_key"] == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DB_PASSWORD=hunter2hunter2\nPORT=80", "DB_PASSWORD=[REDACTED:secret:1]\nPORT=80"),
        ("export STRIPE_KEY='abc123def456'", "export STRIPE_KEY='[REDACTED:secret:1]'"),
        ("     3\tAPI_TOKEN = abcdefgh1", "     3\tAPI_TOKEN = [REDACTED:secret:1]"),
        ("postgres://bob:s3cret@db/x", "postgres://bob:[REDACTED:url_password:1]@db/x"),
        (
            "curl -H 'Authorization: Bearer abcdef0123456789'",
            "curl -H 'Authorization: Bearer [REDACTED:authorization:1]'",
        ),
        ("Set-Cookie: sid=0123456789; Path=/", "Set-Cookie: [REDACTED:cookie:1]"),
        ('{"clientSecret": "abcdef", "n": 1} tail', '{"clientSecret": "[REDACTED:secret:1]", "n": 1} tail'),
        ("password: hunter2hunter", "password: [REDACTED:secret:1]"),
        ("const apiKey = 'a1b2c3d4';", "const apiKey = '[REDACTED:secret:1]';"),
    ],
)
def test_what_stands_before_a_value_tells_it(text: str, expected: str) -> None:
    assert redacted({"output": text})["output"] == expected
    assert redacted({"output": expected})["output"] == expected


@pytest.mark.parametrize(
    "text",
    [
        "password = get_password()",
        "api_key: str",
        "the secret of success",
        "task-force-of-the-ministry-of-silly-walks",
        'const apiKey = process.env["API_KEY"];',
        "API_KEY=$OTHER_KEY",
        "API_KEY=<your key here>",
        "max_tokens: 4096",
        "https://example.com:8080/a@b",
        "git@github.com:owner/name.git",
        "import hf_transfer_download_everything",
        "npm_config_registry",
        "x" + KEYS["npm_token"],
        "sk-learn-contrib-project-template",
        "eyJhbGciOi",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "commit 0a1b2c3d4e5f67890123456789abcdef01234567",
        "e0b7f1d2-1c2d-4e5f-8a9b-0c1d2e3f4a5b",
    ],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    line = json.dumps({"type": "tool_end", "output": text}).encode()
    assert Redactor().line("backend", line) == line
    assert "".join(said(Redactor(), [text[:9], text[9:], "."])) == f"{text}."


def test_members_are_told_by_their_names() -> None:
    message = {
        "password": "pa ss", "passphrase": "correct horse battery", "client_secret": "abcd", "Authorization": "Basic eA==",
        "tokens": 5, "token": "a1b2c3d4e5f6g7h8", "key": "main", "api_keys": ["abcdefg1", "x"], "secret": None,
        "type": "password", "schema": {"password": "string"}, "max_tokens": "none",
    }  # fmt: skip
    got = redacted({"type": "tool_start", "input": message})["input"]
    assert {key for key, value in got.items() if value != message[key]} == {
        "passphrase", "client_secret", "Authorization", "token", "api_keys",
    }  # fmt: skip
    assert got["api_keys"][1] == "x"


def test_a_line_keeps_its_own_bytes() -> None:
    line = rb'{ "type" : "tool_end","n":1.50,"x":"\u00e9\/\ud83d\ude00 KEY \/ \"","\ud83d":1e999, "y":"\ud800"}'
    key = KEYS["npm_token"].encode()
    assert Redactor().line("backend", line.replace(b"KEY", key)) == line.replace(b"KEY", b"[REDACTED:npm_token:1]")


def test_an_escaped_character_of_a_key_does_not_hide_it() -> None:
    key = KEYS["slack_token"]
    line = json.dumps({"output": f"\x1b[0m{key}"}).replace("xoxb-", r"xo\u0078b\u002d").encode()
    assert b"0m[REDACTED:slack_token:1]" in Redactor().line("backend", line)


@pytest.mark.parametrize("before", ["\x1b[1;32m", "x=%3D", r"{\"a\":\"x\n", r"\u0009", r"\033[0m", "(", "="])
def test_what_stands_before_a_key_may_be_an_escape(before: str) -> None:
    got = redacted({"output": f"{before}{KEYS['github_token']}"})["output"]
    assert got == f"{before}[REDACTED:github_token:1]"


def test_deltas_among_other_lines_are_one_text() -> None:
    key = KEYS["gitlab_token"]
    said = [delta('é\n"x" \u2028'), delta("the key: " + key[:16]), b'{"type":"pong"}', delta(key[16:] + " .")]
    got = Redactor().lines("backend", said)
    assert got == [said[0], delta("the key: [REDACTED:gitlab_token:1]"), said[2], delta(" .")]
    plain = [delta("a\nb"), b"{}", delta("\ud83d"), delta("c")]
    assert Redactor().lines("backend", plain) == plain


def test_what_looks_like_a_delta_and_is_none_is_looked_at_as_text() -> None:
    key = KEYS["npm_token"].encode()
    broken = [
        b'{"type":"assistant_text_delta","content":"\\q %s"}' % key,
        b'{"type":"assistant_text_delta","content":"\xff %s"}' % key,
    ]
    got = Redactor().lines("backend", broken)
    assert got == [line.replace(key, b"[REDACTED:npm_token:1]") for line in broken]


def test_text_that_is_no_json_is_looked_at_too() -> None:
    redactor = Redactor()
    key = KEYS["github_token"].encode()
    assert redactor.line("stderr", b"using " + key) == b"using [REDACTED:github_token:1]"
    assert redactor.line("backend", b"\xff" + key + b"\xfe") == b"\xff[REDACTED:github_token:1]\xfe"
    assert redactor.line("backend", b'{"broken":"' + key) == b'{"broken":"[REDACTED:github_token:1]'
    assert redactor.line("backend", b'["' + key + b'"]') == b'["[REDACTED:github_token:1]"]'


def test_a_key_block_may_take_several_lines() -> None:
    lines = KEYS["private_key"].encode().split(b"\n")
    got = Redactor().lines("stderr", [b"key:", *lines, b"done"])
    assert got == [b"key:", b"[REDACTED:private_key:1]", b"", b"", b"", b"done"]


def test_a_placeholder_stays_and_keeps_its_number() -> None:
    redactor = Redactor()
    text = f"[REDACTED:npm_token:3] {KEYS['npm_token']} PASSWORD=[REDACTED:secret:1] ://u:[REDACTED:url_password:1]@h"
    got = redacted({"output": text}, redactor=redactor)["output"]
    assert got == text.replace(KEYS["npm_token"], "[REDACTED:npm_token:4]")


def test_variables_of_the_environment_are_known_word_by_word() -> None:
    environment = {
        "MY_API_KEY": "tiny words", "HOME": "/home/a", "DB_PASSWORD": "short", "KEYBOARD": "qwertz-layout",
        "SSH_KEY": "/home/a/.ssh/id", "GITHUB_TOKEN_2": "${OTHER_TOKEN}", "AUTH_SECRET": "open sesame",
    }  # fmt: skip
    literals = secret_variables(environment)
    assert literals == {"tiny words": "my_api_key", "open sesame": "auth_secret"}
    redactor = Redactor(literals=literals)
    assert said(redactor, ["say open ses", "ame now", "tiny"]) == ["say [REDACTED:auth_secret:1]", " now", "tiny"]
    assert said(redactor, ["open s x", " it"]) == ["open s x", " it"]
    assert redactor.literals == literals


def test_words_of_a_command_line_are_looked_at_by_name() -> None:
    redactor = Redactor()
    assert redactor.member("api-key", "abcd1234") == "[REDACTED:secret:1]"
    assert redactor.member("", f"--token={KEYS['npm_token']}") == "--token=[REDACTED:npm_token:1]"


def test_letters_that_change_their_number_in_lower_case_do_not_move_anything() -> None:
    assert redacted({"output": "İİ PASSWORD: a1b2c3d4"})["output"] == "İİ PASSWORD: [REDACTED:secret:1]"


def test_rules_of_the_user() -> None:
    redactor = Redactor([*RULES, custom("ticket", r"TICKET-(\d+)")])
    assert redacted({"content": "see TICKET-42"}, redactor=redactor)["content"] == "see TICKET-[REDACTED:ticket:1]"
    for name, pattern in (("Bad Name", "x"), ("x", "("), ("x", "y*")):
        with pytest.raises(ValueError, match="expected"):
            custom(name, pattern)


def test_paths_go_on_wish() -> None:
    rules = path_rules([("home", "/home/alice"), ("project", "/home/alice/work/"), ("home", "/")])
    redactor = Redactor(rules, paths=True)
    text = "/home/alice/work/a.py /home/alice/.x /home/alicesmith ~/.claude/projects/-home-alice-work/1 /"
    assert redacted({"output": text}, redactor=redactor)["output"] == (
        "[REDACTED:project:1]/a.py [REDACTED:home:1]/.x /home/alicesmith ~/.claude/projects/[REDACTED:project:2]/1 /"
    )
    redacted({"type": "init", "version": 1, "working_dir": "/srv/demo"}, "frontend", redactor)
    assert redacted({"output": "in /srv/demo/x"}, redactor=redactor)["output"] == "in [REDACTED:project:3]/x"


def test_what_is_found_is_told() -> None:
    told: list[tuple[str, str]] = []
    redactor = Redactor(found=lambda kind, text: told.append((kind, text)))
    redacted({"x": KEYS["jwt"]}, redactor=redactor)
    assert told == [("jwt", KEYS["jwt"])]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(sorted(KEYS.values())),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5) | st.sampled_from(["password", "api_key", "token"]), inner, max_size=3)
        | inner.map(json.dumps)
        | inner.map(lambda value: f'x={json.dumps(value)}; PASSWORD="{value}"')
    ),
    max_leaves=8,
)


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return [shape(inner) for inner in value.values()]
    return [shape(inner) for inner in value] if isinstance(value, list) else type(value)


@given(value=st.dictionaries(st.text(max_size=8), JSON, max_size=3), ascii_only=st.booleans())
def test_any_message_keeps_its_shape_and_no_key(value: dict[str, Any], ascii_only: bool) -> None:
    line = json.dumps(value, ensure_ascii=ascii_only).encode(errors="surrogatepass")
    got = Redactor().line("backend", line)
    assert shape(json.loads(got.decode())) == shape(value)
    for kind, key in KEYS.items():
        assert json.dumps(key)[1:-1].encode() not in got, kind
    assert Redactor().line("backend", got) == got


@given(st.lists(st.binary(max_size=60), max_size=4), st.sampled_from(["frontend", "backend", "stderr"]))
def test_any_bytes_are_looked_at(lines: list[bytes], sender: str) -> None:
    assert list(Redactor().lines(sender, lines)) == lines or any(b":" in line or b"=" in line for line in lines)


@pytest.mark.parametrize("entry", catalogue("recordings"), ids=lambda entry: str(entry.name))
def test_shipped_recordings_hold_no_secrets(entry: Any) -> None:
    redactor = Redactor()
    for event in Reader(FileSource(entry.path)).events():
        if event.sender is not None:
            data = event.data.rstrip(b"\n")
            assert redactor.line(event.sender, data) == data
