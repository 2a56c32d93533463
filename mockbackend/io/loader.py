"""Load scenarios: from a file by its path, from `./generators`, from an installed package, or the shipped ones.

A Python file is code, and is run when it is loaded. No registry is kept: a file's scenarios
are those that `@scenario` has marked in it. A file that changed on disk is loaded anew before the next turn; if
it is broken then, the last good version stays, and the trouble is told once.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from mockbackend.errors import UnusableFileError, UsageError
from mockbackend.io.shipped import find
from mockbackend.scenario.author import Cast
from mockbackend.scenario.declare import MARK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from mockbackend.scenario.declare import Declaration

GROUP = "mockbackend.scenarios"
"""The entry points of installed packages that bring scenarios."""


class Loaded(NamedTuple):
    """A scenario, and the file it came from; None: an installed package."""

    declaration: Declaration
    path: Path | None


def load(name: str) -> Loaded:
    """Return the scenario *name*: a path, `path:name`, or the name of one that is known.

    Raises:
        UnusableFileError: There is none, or its file is broken; the text has the nearest names, or file and line.
    """
    path, wanted = _split(name)
    try:
        file = find(path, "generators")
    except UnusableFileError:
        if (installed := _installed(name)) is not None:
            return Loaded(installed, None)
        raise
    declarations = declarations_in(file)
    return Loaded(_choose(declarations, wanted, file), file)


def declarations_in(file: Path) -> list[Declaration]:
    """Return the scenarios in *file*, in their order there; raise `UnusableFileError` if it cannot be used."""
    if file.suffix != ".py":
        raise UnusableFileError(os.fspath(file), "expected a Python file (.py)")
    module = _run(file)
    found = [getattr(value, MARK) for value in vars(module).values() if _is_own(value, module)]
    names = [declaration.name for declaration in found]
    for name in names:
        if names.count(name) > 1:
            raise UnusableFileError(os.fspath(file), f"two scenarios are called {name!r}")
    return found


def _is_own(value: Any, module: ModuleType) -> bool:
    return hasattr(value, MARK) and getattr(value, "__module__", None) == module.__name__


def _split(name: str) -> tuple[str, str | None]:
    """Split `path.py:name`; a colon elsewhere, as in a Windows path, belongs to the path."""
    head, colon, tail = name.rpartition(":")
    return (head, tail) if colon and head.endswith(".py") else (name, None)


def _choose(declarations: list[Declaration], wanted: str | None, file: Path) -> Declaration:
    names = [declaration.name for declaration in declarations]
    if not names:
        raise UnusableFileError(os.fspath(file), 'there is no scenario in it: mark one with @scenario("its-name")')
    for declaration in declarations:
        made = declaration.make
        if wanted in {None, declaration.name, getattr(made, "__name__", None)}:
            if wanted is None and len(names) > 1 and declaration.name != file.stem:
                continue
            return declaration
    if wanted is None:
        raise UnusableFileError(
            os.fspath(file), f"it has several scenarios: say {file}:NAME, one of {', '.join(names)}"
        )
    from difflib import get_close_matches  # only after a slip

    near = get_close_matches(wanted, names, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}"
    raise UnusableFileError(os.fspath(file), f"there is no scenario {wanted!r} in it; {hint}")


def _run(file: Path) -> ModuleType:
    """Run the Python file *file*; raise `UnusableFileError` with the line where it breaks."""
    module = ModuleType(f"mockbackend_scenario_{file.stem.replace('-', '_')}")
    module.__file__ = os.fspath(file)
    try:
        code = compile(file.read_bytes(), os.fspath(file), "exec")
        sys.modules[module.__name__] = module
        exec(code, vars(module))  # noqa: S102  # a Python scenario is code
    except OSError as problem:
        raise UnusableFileError(os.fspath(file), problem.strerror or str(problem)) from None
    except SyntaxError as problem:
        raise UnusableFileError(f"{file}:{problem.lineno}", f"SyntaxError: {problem.msg}") from None
    except Exception as problem:  # noqa: BLE001  # whatever it does
        raise UnusableFileError(f"{file}:{_line(problem, file)}", f"{type(problem).__name__}: {problem}") from None
    return module


def _line(problem: BaseException, file: Path) -> int:
    line, trace = 1, problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == os.fspath(file):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _installed(name: str) -> Declaration | None:
    """Return the scenario *name* of an installed package."""
    found = [declaration for declaration, _ in installed() if declaration.name == name]
    return found[0] if found else None


def installed() -> Iterator[tuple[Declaration, str]]:
    """Yield the scenarios of installed packages, with the entry point that brings each.

    Raises:
        UnusableFileError: Two have the same name.
    """
    from importlib.metadata import entry_points  # slow; only when nothing else has the name

    seen: dict[str, str] = {}
    for point in entry_points(group=GROUP):
        try:
            declaration = getattr(point.load(), MARK, None)
        except Exception as problem:  # noqa: BLE001  # whatever a package does
            raise UnusableFileError(point.value, f"{type(problem).__name__}: {problem}") from None
        if declaration is None:
            raise UnusableFileError(point.value, 'it is no scenario: mark it with @scenario("its-name")')
        if declaration.name in seen:
            raise UnusableFileError(point.value, f"{seen[declaration.name]} has a scenario {declaration.name!r}, too")
        seen[declaration.name] = point.value
        yield declaration, point.value


class Shelf:
    """The scenario of one process, kept up to date with its file; others by name, for those that play others."""

    def __init__(self, name: str, settings: Mapping[str, str]) -> None:
        """Load *name* and set what *settings* say.

        Raises:
            UnusableFileError: It cannot be loaded.
            UsageError: A setting that it has not, or a value that is none.
        """
        self._name = name
        self._settings = settings
        self._loaded = load(name)
        self._cast = cast(self._loaded.declaration, settings)
        self._stamp = self._now()
        self._others: dict[str, Cast] = {}

    @property
    def declaration(self) -> Declaration:
        """What the scenario says of itself."""
        return self._loaded.declaration

    def current(self) -> tuple[Cast, str]:
        """Return the scenario in its newest good version, and what is wrong with a newer one."""
        stamp = self._now()
        if stamp == self._stamp:
            return self._cast, ""
        self._stamp = stamp
        try:
            loaded = load(self._name)
            self._cast = cast(loaded.declaration, self._settings)
        except (UnusableFileError, UsageError) as problem:
            return self._cast, f"{problem}; the last good version goes on"
        self._loaded = loaded
        self._others.clear()
        return self._cast, ""

    def find(self, name: str) -> Cast:
        """Return the scenario *name*, with its defaults."""
        if name not in self._others:
            self._others[name] = cast(load(name).declaration, {})
        return self._others[name]

    def _now(self) -> tuple[int, int] | None:
        """Return what changes when the file does."""
        if self._loaded.path is None:
            return None
        try:
            status = os.stat(self._loaded.path)
        except OSError:  # It is being replaced, perhaps.
            return self._stamp if hasattr(self, "_stamp") else None
        return status.st_mtime_ns, status.st_size


def cast(declaration: Declaration, settings: Mapping[str, str]) -> Cast:
    """Return the scenario of *declaration* with *settings*, as they were written."""
    values = {name: parameter.default for name, parameter in declaration.parameters.items()}
    for name, text in settings.items():
        parameter = declaration.parameters.get(name)
        if parameter is None:
            raise UsageError(f"--set {name}={text}: {_settable(declaration, name)}")
        try:
            values[name] = parameter.read(text)
        except ValueError as problem:
            raise UsageError(f"--set {name}={text}: {problem}") from None
    return Cast(declaration.name, declaration.make(**values))


def _settable(declaration: Declaration, name: str) -> str:
    from difflib import get_close_matches  # only after a slip

    if not declaration.parameters:
        return f"the scenario {declaration.name} has nothing to set"
    near = get_close_matches(name, declaration.parameters, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(declaration.parameters)}"
    return f"the scenario {declaration.name} has no {name!r}; {hint}"
