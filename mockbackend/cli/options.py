"""Options that several commands share, each parsed in one place."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

import click

from mockbackend.engine.auth import Auth
from mockbackend.engine.timing import Timing

if TYPE_CHECKING:
    from collections.abc import Callable

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class Mode(Enum):
    """When a replay starts the real backend."""

    NONE = "none"
    ONCE = "once"
    NEW_EPISODES = "new-episodes"
    ALL = "all"


class Member(click.Choice[Any]):
    """A choice among the values of an enum, case and all."""

    def __init__(self, kind: type[Enum]) -> None:
        super().__init__([str(member.value) for member in kind])
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the member of that value."""
        if isinstance(value, self._kind):
            return value
        return self._kind(super().convert(value, param, ctx))

    @staticmethod
    def spell(value: Enum) -> str:
        """Return how *value* was written."""
        return str(value.value)


class Number(click.FloatRange):
    """A number in a range; "nan" is in none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        number = super().convert(value, param, ctx)
        if number != number:  # noqa: PLR0124  # what only a NaN is
            self.fail(f"expected a number, found {value!r}", param, ctx)
        return number


class Gap(click.ParamType[Any]):
    """Seconds as microseconds, or "none" for no limit."""

    name = "seconds|none"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        """Return microseconds; None for "none"."""
        if value == "none":
            return None
        try:
            seconds = float(value)
        except ValueError:
            seconds = -1.0
        if not 0 <= seconds < float("inf"):
            self.fail(f"expected a number of seconds or 'none', found {value!r}", param, ctx)
        return round(seconds * 1_000_000)

    @staticmethod
    def spell(value: int | None) -> str:
        """Return how *value* was written."""
        return "none" if value is None else str(value / 1_000_000).removesuffix(".0")


class CommandBehind(click.Command):
    """A command whose last arguments are another program's command line, behind "--"."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse words in its place without the dashes: they are a slip, or meant for something else."""
        dashes = "--" in args
        rest = super().parse_args(ctx, args)
        if (words := ctx.params.get("command")) and not dashes:
            raise click.UsageError(f"Got unexpected argument ({words[0]}): the backend's command comes behind --", ctx)
        return rest


class Place(click.ParamType[Any]):
    """The number of a turn, or the name of a marker."""

    name = "turn|marker"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Return an int when it looks like one."""
        text = str(value)
        return int(text) if text.isdecimal() else text


class Setting(click.ParamType[Any]):
    """KEY=VALUE."""

    name = "key=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Return both parts."""
        if isinstance(value, tuple):
            return value
        key, equals, text = str(value).partition("=")
        if not equals or not key:
            self.fail(f"expected KEY=VALUE, found {value!r}", param, ctx)
        return key, text

    @staticmethod
    def spell(value: tuple[str, str]) -> str:
        """Return how *value* was written."""
        return "=".join(value)


class RuleOfUser(click.ParamType[Any]):
    """NAME=REGEX."""

    name = "name=regex"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Return both parts."""
        from mockbackend.redaction.rules import custom  # rarely wanted

        if isinstance(value, tuple):
            return value
        name, equals, pattern = str(value).partition("=")
        try:
            if not equals:
                raise ValueError(f"expected NAME=REGEX, found {value!r}")
            custom(name, pattern)
        except ValueError as problem:
            self.fail(str(problem), param, ctx)
        return name, pattern

    @staticmethod
    def spell(value: tuple[str, str]) -> str:
        """Return how *value* was written."""
        return "=".join(value)


_FILE_OPTIONS: tuple[Decorator, ...] = (
    click.option("--force", is_flag=True, help="Overwrite the recording if it exists."),
    click.option("--append", is_flag=True, help="Add a run to the recording if it exists."),
)
_REDACTION: tuple[Decorator, ...] = (
    click.option(
        "--redact/--no-redact", default=True, help="Keep secrets out of the recording (default), or keep all."
    ),
    click.option(
        "--rule",
        type=RuleOfUser(),
        multiple=True,
        metavar="NAME=REGEX",
        help="Redact what this finds, too (its group, if it has one). May be repeated.",
    ),
    click.option("--redact-paths", is_flag=True, help="Redact the paths of the home and project folders, too."),
)


def recording_options() -> Decorator:
    """Return the options of every command that records."""
    return _stack(*_FILE_OPTIONS, *_REDACTION)


def redaction_options() -> Decorator:
    """Return the options of what redacts a recording that is there already."""
    return _stack(*_REDACTION[1:])


def _stack(*options: Decorator) -> Decorator:
    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def pacing_options(default: Timing) -> Decorator:
    """Return the options about time; *default* is the timing when none is given."""
    return _stack(
        click.option(
            "--timing",
            type=Member(Timing),
            default=default.value,
            show_default=True,
            help="Where the pauses come from.",
        ),
        click.option(
            "--speed",
            type=Number(min=0, min_open=True, max=1e6),
            default=1.0,
            show_default=True,
            metavar="X",
            help="Play X times as fast.",
        ),
        click.option(
            "--max-gap",
            type=Gap(),
            default="5",
            show_default=True,
            metavar="SECONDS|none",
            help="Shorten longer pauses to this.",
        ),
        click.option(
            "--jitter",
            type=Number(0, 1),
            default=0.0,
            metavar="F",
            help="Vary each pause at random by up to this share of it (0 to 1).",
        ),
        click.option(
            "--seed",
            type=click.IntRange(0, 2**64 - 1),
            metavar="N",
            help="What all chance comes from; printed when not given.",
        ),
    )


def session_options() -> Decorator:
    """Return the options that every command has which is a backend."""
    return _stack(
        click.option(
            "--auth",
            type=Member(Auth),
            default=Auth.OK.value,
            show_default=True,
            help="Whom to let in: everybody, whoever has an api_key, or nobody.",
        ),
        click.option(
            "--end-each-turn",
            is_flag=True,
            help="Send session_ended after every turn.",
        ),
        click.option(
            "--record",
            type=click.Path(),
            metavar="FILE",
            help="Record this session, as it is said and heard.",
        ),
        *_FILE_OPTIONS,
        *_REDACTION,
        click.option(
            "--log",
            type=click.Path(),
            metavar="FILE",
            help="Append a readable log of all that is said and heard.",
        ),
    )
