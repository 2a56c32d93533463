"""The small invented project that a session is about: files that can be read, searched and changed.

One project per seed. What a tool says about it follows from its files as they are now, so that a `Read` shows
what the `Edit` before it wrote, and tests pass once the change is in.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockbackend.scenario.chance import Rng
    from mockbackend.scenario.memory import Vocabulary

_SLOT = re.compile(r"@(\w+)@")


class Change(NamedTuple):
    """Something to be done in a project, from the report to the passing test.

    Attributes:
        title: What it is about, in a few words.
        why: What is wrong, in a sentence.
        symbol: What one searches for.
        file: Where it is; *old* stands there once, and *new* should.
        test: The command that shows whether it is done.
        fails: What that says before the change,
        passes: and after it.
    """

    title: str
    why: str
    symbol: str
    file: str
    old: str
    new: str
    test: str
    fails: str
    passes: str


class Project:
    """Files by their path in the project's folder, and the changes to be made.

    Attributes:
        folder: The absolute path of the project's folder.
    """

    def __init__(
        self, folder: str, name: str, language: str, files: Mapping[str, str], changes: tuple[Change, ...]
    ) -> None:
        self.folder = folder
        self.name = name
        self.language = language
        self.files = dict(files)
        self.changes = changes
        self.background: dict[str, str] = {}  # Commands that run in the background, by id.

    def open_changes(self) -> list[Change]:
        """Return what has not been done yet."""
        return [change for change in self.changes if not self.is_done(change)]

    def is_done(self, change: Change) -> bool:
        """Whether *change* is in its file."""
        return change.new in self.files.get(change.file, "")

    def next_change(self, rng: Rng) -> Change:
        """Return something to do; when all is done, everything is found undone again."""
        if not self.open_changes():
            for change in self.changes:
                text = self.files.get(change.file, "")
                self.files[change.file] = text.replace(change.new, change.old, 1)
        return rng.choice(self.open_changes() or list(self.changes))

    def path(self, name: str) -> str:
        """Return the absolute path of the file *name*."""
        return f"{self.folder.rstrip('/')}/{name}"

    def local(self, path: str) -> str:
        """Return what the file at *path* is called within the project."""
        return path.removeprefix(self.folder.rstrip("/") + "/")

    def run(self, tool: str, given: Mapping[str, Any]) -> tuple[Any, bool]:
        """Run a standard tool on this project; return its output and whether it succeeded."""
        from mockbackend.scenario.toolbox import run  # not before a tool runs

        return run(self, tool, given)


def invent(vocabulary: Vocabulary, rng: Rng, folder: str) -> Project:
    """Return a project of *vocabulary*, with the names that chance gave its things."""
    told = vocabulary.read(f"projects/{rng.choice(vocabulary.names('projects'))}")
    names = {word: rng.choice(choices) for word, choices in told.get("names", {}).items()}

    def filled(text: str) -> str:
        return _SLOT.sub(lambda found: names.get(found[1], found[0]), text)

    files = {filled(file["path"]): filled(file["text"]).lstrip("\n") for file in told["files"]}
    changes = tuple(Change(**{key: filled(change[key]) for key in Change._fields}) for change in told["changes"])
    return Project(folder, filled(told["name"]), told["language"], files, changes)
