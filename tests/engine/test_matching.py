"""Matching: which fields differ, and which candidate is nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from mockbackend.engine.matching import differences, nearest, shown

if TYPE_CHECKING:
    from collections.abc import Mapping


def told(expected: Mapping[str, object], found: Mapping[str, object]) -> list[str]:
    return [str(difference) for difference in differences(expected, found)]


def test_equal_messages_do_not_differ() -> None:
    assert told({"a": 1, "b": [{"c": None}]}, {"b": [{"c": None}], "a": 1.0}) == []


def test_a_difference_names_its_path_and_both_values() -> None:
    assert told({"a": {"b": "x"}}, {"a": {"b": "y"}}) == ['a.b: expected "x", found "y"']


def test_missing_and_additional_fields_are_nothing_on_one_side() -> None:
    assert told({"a": 1}, {"b": 2}) == ["a: expected 1, found nothing", "b: expected nothing, found 2"]


def test_lists_are_compared_item_by_item_when_they_are_equally_long() -> None:
    assert told({"a": [1, 2]}, {"a": [1, 3]}) == ["a[]: expected 2, found 3"]
    assert told({"a": [1, 2]}, {"a": [1]}) == ["a: expected [1, 2], found [1]"]


def test_true_is_not_one() -> None:
    assert told({"a": True}, {"a": 1}) == ["a: expected true, found 1"]


def test_what_differs_from_machine_to_machine_does_not_count() -> None:
    expected = {"working_dir": "/a", "api_key": "k", "attachments": [{"type": "file", "path": "/a/x"}]}
    found = {"working_dir": "/b", "attachments": [{"type": "file", "path": "/b/x"}]}
    assert told(expected, found) == []


def test_long_values_are_shortened() -> None:
    assert shown("x" * 200) == '"' + "x" * 78 + "…"
    assert shown("x" * 78) == '"' + "x" * 78 + '"'


def test_the_nearest_candidate_is_the_most_similar() -> None:
    candidates = ["run the tests", "write a poem", "run the benchmark"]
    assert nearest("please run the tests", candidates) == 0
    assert nearest("a poem", candidates) == 1
    assert nearest("abc", ["abx", "cba"]) == 0
    assert nearest("x", []) is None


@given(st.lists(st.text(max_size=20), min_size=1, max_size=5), st.integers(0, 4))
def test_an_equal_candidate_is_the_nearest(candidates: list[str], index: int) -> None:
    wanted = candidates[index % len(candidates)]
    found = nearest(wanted, candidates)
    assert found is not None
    assert candidates[found] == wanted


def test_a_secret_that_was_taken_out_stands_for_any_text() -> None:
    key = "gh" + "p_" + "a1B2" * 9
    recorded = {"type": "user_message", "content": "use [REDACTED:github_token:1] now"}
    assert not differences(recorded, {"type": "user_message", "content": f"use {key} now"})
    (difference,) = differences(recorded, {"type": "user_message", "content": f"use {key} later"})
    assert str(difference) == (
        'content: expected "use [REDACTED:github_token:1] now", found "use [REDACTED:github_token:1] later"'
    )
