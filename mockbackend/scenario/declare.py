"""What a scenario says of itself: its name, what it shows, and what can be set.

A scenario is a function of a `Turn`, or a class with a method `turn`, and one `opening` if it wants to decide
how a session starts. `@scenario` leaves a declaration on it and nothing else: no registry knows it, whoever
looks into its file finds it.

What can be set are the keyword-only arguments of the function (or of the class's `__init__`), by their defaults::

    @scenario("flood", summary="events faster than a frontend can draw", sets={"rate": "events per second"})
    def flood(turn: Turn, *, rate: int = 10_000) -> Script:
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Value = str | int | float | bool

T = TypeVar("T")

MARK = "__mockbackend_scenario__"


class Parameter(NamedTuple):
    """Something that `--set` sets: its default decides the type; *help* says what it is, with its unit."""

    name: str
    default: Value
    help: str = ""

    def read(self, text: str) -> Value:
        """Return *text* as a value of the default's type; raise `ValueError`, which says what was expected."""
        kind = type(self.default)
        if kind is bool:
            if text not in {"true", "false"}:
                raise ValueError(f"expected true or false, found {text!r}")
            return text == "true"
        if kind is str:
            return text
        try:
            return kind(text)
        except ValueError:
            expected = {int: "a whole number", float: "a number"}[kind]
            raise ValueError(f"expected {expected}, found {text!r}") from None


class Declaration(NamedTuple):
    """What is known of a scenario without running it.

    Attributes:
        name: What it is called by.
        summary: What it does, in a line.
        shows: What a frontend's developer sees in it.
        tries: What a user might type to see it, for a sample: messages, or "/cancel 2.5" (after so many seconds),
            "/plan", "/auto", "/resume" (a new process after a crash), "/wait 3".
        parameters: What can be set, by name.
        make: Takes the parameters and returns the scenario: a function of a turn, or an object with methods.
    """

    name: str
    summary: str
    shows: str
    tries: tuple[str, ...]
    parameters: Mapping[str, Parameter]
    make: Callable[..., Any]


def scenario(
    name: str,
    *,
    summary: str = "",
    shows: str = "",
    tries: Sequence[str] = ("Hello!",),
    sets: Mapping[str, str] | None = None,
) -> Callable[[T], T]:
    """Declare a scenario: a function of a `Turn`, or a class (see `Declaration` for the words).

    *sets* says what each keyword-only argument is. Raises `TypeError` when one has no plain default, or when
    *sets* names one that is not there.
    """

    def declare(author: T) -> T:
        parameters = _parameters(author, sets or {})
        setattr(author, MARK, Declaration(name, summary, shows, tuple(tries), parameters, _maker(author)))
        return author

    return declare


def _parameters(author: Any, helps: Mapping[str, str]) -> dict[str, Parameter]:
    function = vars(author).get("__init__") if isinstance(author, type) else author
    defaults = getattr(function, "__kwdefaults__", None) or {}
    for name, default in defaults.items():
        if type(default) not in {str, int, float, bool}:
            raise TypeError(f"{name}: expected a default that is a string, a number or a boolean, found {default!r}")
    for name in helps:
        if name not in defaults:
            raise TypeError(f"sets: there is no keyword-only argument {name!r} with a default")
    return {name: Parameter(name, default, helps.get(name, "")) for name, default in defaults.items()}


def _maker(author: Any) -> Callable[..., Any]:
    if isinstance(author, type):
        return author
    return lambda **values: _Function(author, values)


class _Function:
    """A scenario that is a function, with its parameters."""

    def __init__(self, function: Callable[..., Any], values: Mapping[str, Value]) -> None:
        self._function = function
        self._values = values

    def turn(self, turn: Any) -> Any:
        return self._function(turn, **self._values)
