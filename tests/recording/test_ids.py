"""Fresh ids: another one for each, of the same shape, the same everywhere."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbackend.recording.ids import FreshIds, fresh
from mockbackend.recording.model import Event


def event(message: dict[str, object]) -> Event:
    data = json.dumps(message, ensure_ascii=False).encode() + b"\n"
    return Event(0, "backend", data, message, str(message.get("type")), None, {}, 1, (0, 1))


@pytest.mark.parametrize(
    ("old", "shape"),
    [
        ("7bda77f3-2bdc-44ee-bacc-751e84b6a54d", r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
        ("toolu_0b39a04007a14a21b950e3a5", r"toolu_[0-9a-f]{24}"),
        ("REQ-00000012345678", r"REQ-[0-9]{14}"),
        ("abc01XYZ9-000000", r"abc[0-9]{2}XYZ[0-9]-[0-9]{6}"),
        ("t1", r"t1-[0-9a-f]{6}"),
        ("a" * 40, r"a{40}"),
    ],
)
def test_a_new_id_has_the_shape_of_the_old_one(old: str, shape: str) -> None:
    new = FreshIds(1).new(old)
    assert re.fullmatch(shape, new)
    assert new == FreshIds(1).new(old)
    assert new != FreshIds(2).new(old) or old == "a" * 40


def test_ids_are_replaced_in_their_fields_and_long_ones_everywhere() -> None:
    ids = FreshIds(3)
    long = "toolu_0123456789abcdef"
    message = {"type": "tool_end", "id": long, "output": f"agent {long} and t1", "request_id": "t1", "success": True}
    renewed = ids.renew(event(message))
    assert json.loads(renewed.data) == {
        **message,
        "id": ids.new(long),
        "output": f"agent {ids.new(long)} and t1",
        "request_id": ids.new("t1"),
    }
    assert renewed.message is not None
    assert renewed.message["id"] == ids.new(long)


def test_nothing_but_ids_changes() -> None:
    data = b'{ "type":"tool_start",  "id" : "t1","input":{"x":"t1 \\u00e9"} }\n'
    renewed = FreshIds(3).renew(event({"type": "tool_start", "id": "t1"})._replace(data=data))
    assert renewed.data == data.replace(b'"id" : "t1"', b'"id" : "%s"' % FreshIds(3).new("t1").encode())


def test_lines_without_ids_stay_as_they_are() -> None:
    raw = Event(0, "backend", b"npm WARN\n", None, None, None, {}, 1, (0, 1))
    assert FreshIds(1).renew(raw) is raw
    odd = event({"type": "x", "id": 7, "session_id": ""})
    assert FreshIds(1).renew(odd).data == odd.data


def test_what_is_no_id_is_not_replaced() -> None:
    assert fresh(None, "a") == "a"
    assert fresh(FreshIds(1), None) is None
    assert fresh(FreshIds(1), "a") == FreshIds(1).new("a")


@given(st.lists(st.text(min_size=1, max_size=11), unique=True, max_size=20), st.integers(0, 9))
def test_different_ids_stay_different(old: list[str], seed: int) -> None:
    ids = FreshIds(seed)
    assert len({ids.new(one) for one in old}) == len(old)
