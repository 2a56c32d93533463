"""What lasts as long as a session: who it is, what was said, the room, and the project at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from mockbackend.scenario.chance import Rng
from mockbackend.scenario.room import Room

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from faker import Faker

    from mockbackend.scenario.chance import Seeds
    from mockbackend.scenario.project import Project
    from mockbackend.scenario.prose import Prose

MODEL = "claude-sonnet-4.5"
TOOLS = (
    "Read",
    "Write",
    "Edit",
    "MultiEdit",
    "Bash",
    "Grep",
    "Glob",
    "LS",
    "Task",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "NotebookEdit",
    "ExitPlanMode",
)
"""The standard tools of a coding agent, in the order in which it names them."""


class Vocabulary(Protocol):
    """Data files, by name."""

    def names(self, folder: str) -> list[str]:
        """Return the names of what lies in *folder*, sorted."""
        ...

    def read(self, name: str) -> Mapping[str, Any]:
        """Return what is in the file *name*."""
        ...


class World(NamedTuple):
    """Where a session gets what it does not make up itself.

    Attributes:
        seeds: Chance, by purpose.
        vocabulary: The words and projects (see `generators/vocabulary`).
        faker: Makes a Faker for a seed.
        locale: The locale of what is said, as Faker names it; None: English, of our own vocabulary.
    """

    seeds: Seeds
    vocabulary: Vocabulary
    faker: Callable[[int], Faker]
    locale: str | None = None


class Said(NamedTuple):
    """A message of the conversation: *who* is "user" or "assistant"."""

    who: str
    text: str


class Memory:
    """One session, as its scenario knows it.

    Attributes:
        init: The `init` it began with.
        session_id: Its id; a resumed session keeps the one that the frontend gave.
        model: The name of the model it pretends to be.
        tools: The names of its tools.
        mode: "auto" or "plan", as the frontend last said.
        turns: How many turns have begun.
        history: What was said, both sides, in order.
        state: A place for whatever a scenario wants to remember.
        room: The room, as far as the frontend has confirmed it.
    """

    def __init__(self, world: World, init: Mapping[str, Any]) -> None:
        self.world = world
        self.init = init
        self.ids = Rng(world.seeds("ids"))
        resumed = init.get("resume_session_id") or init.get("resume")
        self.resumed = bool(resumed)
        self.session_id = str(resumed) if resumed else self.ids.uuid()
        config = init.get("config") or {}
        self.model = str(config.get("model") or MODEL)
        self.tools: tuple[str, ...] = TOOLS
        self.mode = "auto"
        self.turns = 0
        self.history: list[Said] = []
        self.state: dict[str, Any] = {}
        self.room = Room()
        self._project: Project | None = None
        self._prose: Prose | None = None
        self._fake: Faker | None = None

    @property
    def cwd(self) -> str:
        """The project's folder, as `init` gave it, without a slash at its end."""
        return str(self.init.get("working_dir") or "/home/dev/demo").rstrip("/") or "/"

    @property
    def project(self) -> Project:
        """The small invented project that this session is about."""
        if self._project is None:
            from mockbackend.scenario.project import invent  # not before somebody works

            self._project = invent(self.world.vocabulary, Rng(self.world.seeds("project")), self.cwd)
        return self._project

    @property
    def prose(self) -> Prose:
        """The agent's way to talk."""
        if self._prose is None:
            from mockbackend.scenario.prose import Prose  # not before somebody talks

            self._prose = Prose(self)
        return self._prose

    @property
    def fake(self) -> Faker:
        """Faker, of this session's locale and seed (slow to import: the first use takes some 200 ms)."""
        if self._fake is None:
            self._fake = self.world.faker(int(Rng(self.world.seeds("fake")).random() * 2**32))
        return self._fake
