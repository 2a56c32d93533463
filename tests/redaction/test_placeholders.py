"""Placeholders: each stands for any text, and the same one for the same text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbackend.redaction.placeholders import fits, placeholder

ONE, OTHER = placeholder("key", 1), placeholder("key", 2)


@pytest.mark.parametrize(
    ("recorded", "live", "expected"),
    [
        ("plain", "plain", True),
        ("plain", "other", False),
        (f"use {ONE}.", "use sk-123.", True),
        (f"use {ONE}.", "use .", False),
        (f"use {ONE}.", f"use {ONE}.", True),
        (f"use {ONE}.", "use\nsk.", False),
        (f"{ONE} = {ONE}", "a\nb = a\nb", True),
        (f"{ONE} = {ONE}", "a = b", False),
        (f"{ONE} = {OTHER}", "a = b", True),
        ("[REDACTED:", "[REDACTED:", True),
        ("[REDACTED:key:x](.*", "[REDACTED:key:x](.*", True),
    ],
)
def test_what_fits(recorded: str, live: str, expected: bool) -> None:
    assert fits(recorded, live) is expected


@given(st.text(), st.text(min_size=1), st.text())
def test_a_placeholder_stands_for_any_text(before: str, secret: str, behind: str) -> None:
    assert fits(f"{before}{ONE}{behind}", f"{before}{secret}{behind}")
