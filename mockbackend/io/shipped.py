"""Find recordings and scenarios by name.

A NAME is looked up as a path first, then in `./recordings` (or `./generators`), in the user's data folder, and
among those that are shipped with the program: in a wheel they lie inside the package, in a checkout beside it.
The first place that has it wins.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from mockbackend.errors import UnusableFileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Kind = Literal["recordings", "generators"]

SUFFIXES: Mapping[str, tuple[str, ...]] = {"recordings": (".jsonl", ".jsonl.gz"), "generators": (".py",)}

_PACKAGE = Path(__file__).parent.parent


class Entry(NamedTuple):
    """Something that can be named: its *path*, and in which words its *origin* is told."""

    name: str
    path: Path
    origin: str


def find(name: str, kind: Kind) -> Path:
    """Return the file that *name* stands for.

    Raises:
        UnusableFileError: There is none; the text has the nearest names, and where was looked.
    """
    path = Path(name)
    bare = next((name.removesuffix(suffix) for suffix in SUFFIXES[kind] if name.endswith(suffix)), "")
    if bare and not path.exists() and any(entry.name == bare for entry in catalogue(kind)):
        raise UnusableFileError(name, f"there is no such file; the {kind.removesuffix('s')} of this name is {bare}")
    if path.is_file() or os.path.dirname(name) or name.endswith(SUFFIXES[kind]):
        return path
    for _, folder in _places(kind):
        for suffix in SUFFIXES[kind]:
            if (found := folder / f"{name}{suffix}").is_file():
                return found
    if path.exists():  # A folder of that name, perhaps; whoever opens it will say so.
        return path
    raise UnusableFileError(name, _unknown(name, kind))


def catalogue(kind: Kind) -> list[Entry]:
    """Return everything that has a name, each name once, sorted."""
    entries: dict[str, Entry] = {}
    for origin, folder in _places(kind):
        for path in sorted(folder.glob("*")) if folder.is_dir() else ():
            name = next((path.name.removesuffix(suffix) for suffix in SUFFIXES[kind] if path.name.endswith(suffix)), "")
            if name and not name.startswith("_"):
                entries.setdefault(name, Entry(name, path, origin))
    return sorted(entries.values())


def _places(kind: Kind) -> Iterator[tuple[str, Path]]:
    """Yield the folders in which names are looked up, in order, with what to call them."""
    yield f"./{kind}", Path(kind)
    from platformdirs import user_data_path  # only when the folder here has nothing

    yield "your data folder", user_data_path("mockbackend", appauthor=False) / kind
    yield "shipped", shipped(kind)


def shipped(kind: Kind) -> Path:
    """Return the folder of what is shipped with the program."""
    folder = _PACKAGE / "_shipped" / kind
    return folder if folder.is_dir() else _PACKAGE.parent / kind


def _unknown(name: str, kind: Kind) -> str:
    from difflib import get_close_matches  # only after a slip

    names = [entry.name for entry in catalogue(kind)]
    near = get_close_matches(name, names, 3)
    what = kind.removesuffix("s")
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(names) or 'none'}."
    places = ", ".join(os.fspath(folder) for _, folder in _places(kind))
    return f"there is no {what} of this name; {hint} Looked for a file, and in {places}"
