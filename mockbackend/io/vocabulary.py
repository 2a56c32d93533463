"""Words and projects for generated sessions: TOML files, read when somebody first needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockbackend.errors import UnusableFileError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class VocabularyFiles:
    """The TOML files below a folder, by their path without the suffix."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, Mapping[str, Any]] = {}

    def names(self, folder: str) -> list[str]:
        """Return the names of the files in *folder*, sorted."""
        return sorted(path.stem for path in (self._folder / folder).glob("*.toml"))

    def read(self, name: str) -> Mapping[str, Any]:
        """Return what is in the file *name*; raise `UnusableFileError` if it cannot be read."""
        if name not in self._read:
            import tomllib  # not before somebody talks

            path = self._folder / f"{name}.toml"
            try:
                self._read[name] = tomllib.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError) as problem:
                raise UnusableFileError(str(path), str(problem)) from None
        return self._read[name]
