"""Scenarios from files: found, refused with their place, set, and loaded anew."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from mockbackend.errors import UnusableFileError, UsageError
from mockbackend.io.loader import Shelf, load

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """
from mockbackend.scenario import scenario

@scenario("good", sets={"count": "how many", "rate": "how fast"})
def good(turn, *, count: int = 3, rate: float = 0.5, loud: bool = False, word: str = "x"):
    yield from turn.complete(f"{count} {rate} {loud} {word}")
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    file = tmp_path / "mine.py"
    file.write_text(GOOD)
    return file


def refusal(name: str, **settings: str) -> str:
    with pytest.raises((UnusableFileError, UsageError)) as caught:
        Shelf(name, settings)
    return str(caught.value)


def test_a_file_is_loaded_by_its_path_and_by_path_and_name(mine: Path) -> None:
    assert load(str(mine)).declaration.name == "good"
    assert load(f"{mine}:good").declaration.name == "good"


def test_a_scenario_that_is_not_there_is_refused_with_the_nearest_name(mine: Path) -> None:
    assert "did you mean coding" in refusal("codin")
    assert "did you mean good?" in refusal(f"{mine}:goood")
    assert "there are: good" in refusal(f"{mine}:zzz")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("def f(:\n", "mine.py:1: SyntaxError"),
        ("\n\nraise KeyError('x')\n", "mine.py:3: KeyError: 'x'"),
        ("import no_such_module\n", "mine.py:1: ModuleNotFoundError"),
        ("x = 1\n", "no scenario in it"),
        (GOOD + GOOD.replace("def good", "def other"), "two scenarios are called 'good'"),
        (GOOD + GOOD.replace("good", "other"), "it has several scenarios"),
        (GOOD.replace('"how fast"}', '"how fast", "zzz": "?"}'), "no keyword-only argument 'zzz'"),
        (GOOD.replace("= 0.5", "= None"), "expected a default that is a string"),
    ],
)
def test_a_file_that_is_broken_is_refused_with_its_line(mine: Path, content: str, told: str) -> None:
    mine.write_text(content)
    assert told in refusal(str(mine))


def test_a_file_that_is_not_python_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("")
    assert "expected a Python file" in refusal(str(tmp_path / "x.txt"))
    assert "No such file" in refusal(str(tmp_path / "none.py"))


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"count": "many"}, "--set count=many: expected a whole number, found 'many'"),
        ({"rate": "fast"}, "--set rate=fast: expected a number"),
        ({"loud": "yes"}, "--set loud=yes: expected true or false"),
        ({"cout": "1"}, "no 'cout'; did you mean count?"),
        ({"zzz": "1"}, "no 'zzz'; there are: count, rate, loud, word"),
    ],
)
def test_a_wrong_setting_is_refused_with_what_was_expected(mine: Path, settings: dict[str, str], told: str) -> None:
    assert told in refusal(str(mine), **settings)


def test_a_scenario_without_parameters_says_so() -> None:
    assert "has nothing to set" in refusal("hello", x="1")


def test_settings_reach_the_scenario_as_values_of_their_type(mine: Path) -> None:
    shelf = Shelf(str(mine), {"count": "7", "rate": "2", "loud": "true", "word": "y"})
    cast, trouble = shelf.current()
    assert not trouble
    assert cast.author._values == {"count": 7, "rate": 2.0, "loud": True, "word": "y"}


def test_a_changed_file_is_used_and_a_broken_one_is_told_once(mine: Path) -> None:
    shelf = Shelf(str(mine), {})
    before, _ = shelf.current()
    _write(mine, GOOD.replace("count: int = 3", "count: int = 4"), 1)
    after, trouble = shelf.current()
    assert (before.author._values["count"], after.author._values["count"], trouble) == (3, 4, "")
    _write(mine, "def f(:\n", 2)
    kept, trouble = shelf.current()
    assert kept is after
    assert "mine.py:1: SyntaxError" in trouble
    assert "the last good version goes on" in trouble
    assert shelf.current() == (after, "")
    mine.unlink()
    assert shelf.current() == (after, "")


def test_a_scenario_plays_others_by_name() -> None:
    shelf = Shelf("assistant", {})
    assert shelf.find("hello").name == "hello"
    assert shelf.find("hello") is shelf.find("hello")


def _write(file: Path, content: str, age: int) -> None:
    file.write_text(content)
    os.utime(file, ns=(age * 10**9, age * 10**9))
