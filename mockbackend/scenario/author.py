"""The author of a generated session: asks a scenario for each turn, and the pace for its time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from mockbackend.engine.author import Claim
from mockbackend.engine.steps import Exit, Note
from mockbackend.scenario.memory import Memory, Said
from mockbackend.scenario.paced import Conditions, paced
from mockbackend.scenario.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockbackend.engine.incoming import Incoming
    from mockbackend.engine.steps import Action, Script
    from mockbackend.scenario.memory import World
    from mockbackend.scenario.paced import Pacer


class Cast(NamedTuple):
    """A scenario that can be asked for turns, under its *name*; *author* has a `turn`, and perhaps an `opening`."""

    name: str
    author: Any


class Library(Protocol):
    """Where scenarios come from."""

    def current(self) -> tuple[Cast, str]:
        """Return the scenario of this session in its newest good version, and what is wrong with a newer one."""
        ...

    def find(self, name: str) -> Cast:
        """Return the scenario *name*; raise `MockBackendError` if there is none."""
        ...


class ScenarioAuthor:
    """Writes what a generated session says."""

    def __init__(self, library: Library, world: World, pacer: Pacer) -> None:
        self._library = library
        self._world = world
        self._pacer = pacer
        self._sessions = 0
        self._session: Memory | None = None
        self._mode = "auto"
        self._turn: Turn | None = None  # The turn that runs, or the last one.
        self._running = False
        self._cancelling = False
        self._complaints: list[str] = []

    def prologue(self) -> Script | None:
        """Say nothing before the frontend does."""
        return None

    def claims(self, incoming: Incoming) -> Claim:
        """Claim a message that the running turn folds into itself; note the mode."""
        if incoming.kind == "mode_change" and incoming.decoded is not None:
            self._mode = incoming.message["mode"]
            if self._session is not None:
                self._session.mode = self._mode
        turn = self._turn
        if incoming.kind == "user_message" and incoming.decoded is not None and self._running and turn and turn.folds:
            turn.folded.append(incoming.message["content"])
            return Claim.ANSWERED
        return Claim.NONE

    def opening(self, incoming: Incoming) -> Script:
        """Return the script of a session's start, or of a turn."""
        if incoming.kind == "init":
            return self._start(incoming.message)
        return self._answer(incoming.message["content"], tuple(incoming.message.get("attachments") or ()))

    def includes_prompt(self) -> bool:
        """Say no: an `initial_prompt` is a turn like others."""
        return False

    def cancelling(self) -> Script | None:
        """Let the running turn spoil its cancel, if it wants to; further cancels change nothing then."""
        turn = self._turn
        if turn is None or not self._running or turn.on_cancel is None:
            return None
        if self._cancelling:
            return _nothing()
        self._cancelling = True
        return paced(turn.on_cancel(), self._conditions("cancel", turn), asked=False)

    def cancelled(self) -> Script | None:
        """Answer the messages that the cancelled turn had taken in: they survive it."""
        left = self._leave()
        return self._answer(left[0], (), left[1:]) if left else None

    def farewell(self, *, gone: bool) -> list[Action]:
        """End well; say what went wrong while scripts were closed."""
        return [*self._complaints_so_far(), Exit(0)]

    def _start(self, init: Mapping[str, Any]) -> Script:
        self._leave()
        world = self._world
        if self._sessions:  # Another session, with other chances.
            seeds, number = world.seeds, self._sessions
            world = world._replace(seeds=lambda purpose: seeds(f"session {number} {purpose}"))
        self._sessions += 1
        session = self._session = Memory(world, init)
        session.mode = self._mode
        cast, trouble = self._library.current()
        yield from self._notes(trouble)
        turn = Turn(session, play=self._play)
        self._turn = turn
        opening = getattr(cast.author, "opening", None) or _opening
        yield from self._perform(cast.name, turn, opening)

    def _answer(self, message: str, attachments: tuple[Any, ...], more: tuple[str, ...] = ()) -> Script:
        session = self._session
        if session is None:
            raise AssertionError("a turn before any init")
        cast, trouble = self._library.current()
        yield from self._notes(trouble)
        session.turns += 1
        session.history.append(Said("user", message))
        turn = self._turn = Turn(session, message, attachments=attachments, play=self._play)
        yield from self._perform(cast.name, turn, cast.author.turn)
        for message_left in (*self._leave(), *more):
            yield from self._answer(message_left, ())

    def _perform(self, name: str, turn: Turn, part: Any) -> Script:
        self._running, self._cancelling = True, False
        try:
            yield from paced(_called(part, turn), self._conditions(name, turn))
        finally:
            self._running = False

    def _play(self, turn: Turn, name: str) -> Script:
        cast = self._library.find(name)
        yield from cast.author.turn(turn)

    def _conditions(self, name: str, turn: Turn) -> Conditions:
        return Conditions(self._pacer, name, self._complaints.append, turn.pending)

    def _leave(self) -> tuple[str, ...]:
        """End the turn; return the messages that it had taken in and not answered."""
        turn, self._running = self._turn, False
        if turn is None:
            return ()
        left, turn.folded = tuple(turn.folded), []
        return left

    def _notes(self, trouble: str) -> Script:
        yield from self._complaints_so_far()
        if trouble:
            yield Note(trouble, "warn")

    def _complaints_so_far(self) -> list[Note]:
        notes = [Note(complaint, "warn") for complaint in self._complaints]
        self._complaints.clear()
        return notes


def _called(part: Any, turn: Turn) -> Script:
    """Ask for the script within the script: what goes wrong then is told like anything else."""
    yield from part(turn)


def _opening(turn: Turn) -> Script:
    """Start as backends should: who the user is, then the session."""
    yield from turn.auth()
    yield from turn.started()


def _nothing() -> Script:
    yield from ()
