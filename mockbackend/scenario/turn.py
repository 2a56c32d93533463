"""A turn, as a scenario sees it: what the user said, what the session knows, and the ways to answer.

Each helper is a script: say `yield from turn.say(…)`. None touches a clock; what has no `seconds` of its own
takes the time that the pace gives it. Times are in seconds here, because people write them; steps have
microseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mockbackend.engine.replies import emit, ended, error
from mockbackend.engine.steps import Await, Emit, Exit, Fork, Freeze, Hold, Join, Note, Queue, Wait
from mockbackend.scenario.chance import Rng
from mockbackend.scenario.faults import Fault
from mockbackend.scenario.memory import Said
from mockbackend.scenario.speech import deltas

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from typing import Self

    from faker import Faker

    from mockbackend.engine.steps import Script, Step
    from mockbackend.scenario.memory import Memory
    from mockbackend.scenario.project import Project
    from mockbackend.scenario.prose import Prose
    from mockbackend.scenario.room import Room

    Play = Callable[["Turn", str], Script]

_PATIENCE_S = 30.0
"""How long an agent waits for the room by default, in seconds."""


class Done(NamedTuple):
    """What came of an action in the room; *answered* is false when nobody answered in time."""

    success: bool
    message: str
    answered: bool = True


class Answer(NamedTuple):
    """What the room looks like; *description* is empty when nobody answered in time."""

    description: str
    answered: bool = True


class Branches:
    """What runs side by side: each script that is added gets a track of its own, and all start together.

    They start when the `with` block ends, and what follows it waits for all of them.
    """

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._scripts: list[Script] = []

    def add(self, script: Script) -> None:
        """Let *script* run beside the others."""
        self._scripts.append(script)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *trouble: object) -> None:
        if trouble == (None, None, None):
            self._turn.pending.append(self._turn.together(*self._scripts))


class Turn:
    """One turn; also what an `opening` gets, with the number 0 and no message.

    Attributes:
        message: What the user said.
        attachments: The files that go with it, as the protocol has them.
        number: Which turn of the session it is, from 1; 0 for the opening.
        rng: Chance. The same seed gives every turn of this number the same numbers.
        session: What lasts as long as the session.
        on_cancel: What happens at a cancel in place of the right thing; it may end in the step `Stop`.
        folds: Whether messages that come now belong to this turn (see `take_folded`).
    """

    def __init__(self, session: Memory, message: str = "", *, attachments: tuple[Any, ...] = (), play: Play) -> None:
        self.session = session
        self.message = message
        self.attachments = attachments
        self.number = session.turns
        self.rng = Rng(session.world.seeds(f"turn {self.number}"))
        self.on_cancel: Callable[[], Script] | None = None
        self.folds = False
        self.folded: list[str] = []
        self._play = play
        self._speaker: int | None = None  # The track that is saying something, while several run.
        self._side_by_side = 0
        self.pending: list[Script] = []  # What runs before the next step; see `paced`.

    # What the session knows

    @property
    def mode(self) -> str:
        """What the frontend last said: "auto" or "plan"."""
        return self.session.mode

    @property
    def state(self) -> dict[str, Any]:
        """A dict that lives as long as the session."""
        return self.session.state

    @property
    def history(self) -> list[Said]:
        """What was said before, both sides."""
        return self.session.history

    @property
    def room(self) -> Room:
        """The room, as far as the frontend has confirmed it."""
        return self.session.room

    @property
    def project(self) -> Project:
        """The small invented project that the session is about."""
        return self.session.project

    @property
    def prose(self) -> Prose:
        """Words for every occasion."""
        return self.session.prose

    @property
    def fake(self) -> Faker:
        """Faker, of the session's locale and seed."""
        return self.session.fake

    @property
    def cwd(self) -> str:
        """The folder that the frontend works in."""
        return self.session.cwd

    @property
    def init(self) -> Mapping[str, Any]:
        """The `init` of this session."""
        return self.session.init

    @property
    def resumed(self) -> bool:
        """Whether the frontend resumed an earlier session."""
        return self.session.resumed

    def path(self, name: str) -> str:
        """Return the path of *name* in the project's folder."""
        return f"{self.cwd.rstrip('/')}/{name}"

    def new_id(self) -> str:
        """Return an id for a tool or a subagent, in the form that real backends use."""
        return f"toolu_01{self.session.ids.token(22)}"

    # Saying

    def say(self, text: str) -> Script:
        """Say *text* in deltas, then the whole of it: a message of the assistant."""
        yield from self._alone(self._message(text))

    def stream(self, text: str) -> Script:
        """Say *text* in deltas, and do not complete it."""
        for piece in deltas(text, self.rng):
            yield emit({"type": "assistant_text_delta", "content": piece})

    def complete(self, text: str) -> Script:
        """Say that *text* is the whole message, whatever was streamed."""
        self.session.history.append(Said("assistant", text))
        yield emit({"type": "assistant_message_complete", "content": text})

    def text(self, *, paragraphs: int = 1, markdown: bool = False) -> Script:
        """Say something about the project, as long as asked for; with *markdown*: headings, lists, code, a table."""
        yield from self.say(self.prose.text(self.rng, paragraphs=paragraphs, markdown=markdown))

    def burst(self, text: str) -> Script:
        """Say *text* in one delta, at once."""
        yield Wait(0)
        yield emit({"type": "assistant_text_delta", "content": text})

    def finish(self, text: str | None = None) -> Script:
        """Say the last words of the turn: *text*, or a closing remark. The message's end is the turn's end."""
        yield from self.say(text or self.prose.remark("done", self.rng))

    # Working

    def tool(
        self,
        name: str,
        input: Mapping[str, Any],  # noqa: A002  # the protocol's word
        *,
        output: Any = None,
        success: bool = True,
        seconds: float | None = None,
        id: str | None = None,  # noqa: A002  # the protocol's word
    ) -> Script:
        """Run a tool: its start, its time, its end. Without *output*, it is what the project has to say."""
        tool_id = id or self.new_id()
        yield emit({"type": "tool_start", "id": tool_id, "tool": name, "input": dict(input)})
        if seconds is not None:
            yield self.pause(seconds)
        if output is None:
            output, worked = self.project.run(name, input)
            success = success and worked
        yield emit({"type": "tool_end", "id": tool_id, "output": output, "success": success})

    def parallel(self) -> Branches:
        """Return what collects scripts in a `with` block and runs them side by side."""
        return Branches(self)

    def together(self, *scripts: Script) -> Script:
        """Run *scripts* side by side, and go on when all have ended."""
        self._side_by_side += 1
        tracks: list[int] = []
        for script in scripts:
            track = yield Fork(script)
            tracks += [track]
        for track in tracks:
            yield Join(track)
        self._side_by_side -= 1

    def subagent(
        self, task: str, *, script: Callable[[Subagent], Script] | None = None, success: bool = True
    ) -> Script:
        """Run a subagent in the foreground: its spawn, what *script* lets it say and do, its end."""
        agent = Subagent(self, self.new_id())
        yield emit({"type": "subagent_spawn", "id": agent.id, "task": task})
        yield from (script or _report)(agent)
        yield emit({"type": "subagent_end", "id": agent.id, "success": success})

    def background(self, script: Script) -> Script:
        """Let *script* run on while the turn goes on, and after it; it must not say a message (see `later`)."""
        yield Fork(script)

    def later(self, script: Script) -> Script:
        """Let *script* be a turn that nobody asked for, as soon as no other turn runs."""
        yield Queue(script)

    def take_folded(self) -> str | None:
        """Return a message that came while the turn ran and `folds` was set; None: there is none."""
        if not self.folded:
            return None
        message = self.folded.pop(0)
        self.history.append(Said("user", message))
        return message

    def play(self, name: str) -> Script:
        """Answer this turn as the scenario *name* would."""
        yield from self._play(self, name)

    # The room

    def room_action(self, action: Mapping[str, Any], *, timeout: float = _PATIENCE_S) -> Generator[Step, Any, Done]:
        """Do *action* in the room and wait up to *timeout* seconds for what comes of it."""
        request_id = self.session.ids.uuid()
        yield emit({"type": "room_action", "request_id": request_id, "action": dict(action)})
        reply = yield Await(("answer", request_id), _us(timeout))
        if reply is None:
            return Done(False, "", answered=False)
        if reply["success"]:
            self.room.believe(action)
        return Done(reply["success"], reply["message"])

    def room_query(
        self,
        query: Literal["describe", "examine"] = "describe",
        target: str | None = None,
        *,
        timeout: float = _PATIENCE_S,
    ) -> Generator[Step, Any, Answer]:
        """Ask what the room (or *target* in it) looks like and wait up to *timeout* seconds for the answer."""
        request_id = self.session.ids.uuid()
        where = {} if target is None else {"target": target}
        yield emit({"type": "room_query", "request_id": request_id, "query": query, **where})
        reply = yield Await(("answer", request_id), _us(timeout))
        return Answer("", answered=False) if reply is None else Answer(reply["description"])

    # The session

    def auth(self, authenticated: bool = True, *, error: str | None = None) -> Script:  # noqa: FBT001, FBT002  # auth(False)
        """Say whether the user is authenticated; if not, with the *error*."""
        why = {} if error is None else {"error": error}
        yield emit({"type": "auth_status", "authenticated": authenticated, **why})

    def started(self, *, model: str | None = None, tools: tuple[str, ...] | None = None) -> Script:
        """Say that the session has started; its model and tools, unless others are given, are the session's."""
        session = self.session
        about = {"model": model or session.model, "tools": list(session.tools if tools is None else tools)}
        yield emit({"type": "session_started", "session_id": session.session_id, **about})

    def error(self, code: str, text: str = "", *, recoverable: bool | None = None) -> Script:
        """Say an error of *code*; its text and whether it is *recoverable* follow from the catalogue if not given."""
        from mockbackend.protocol.catalogue import ERROR_CODES

        known = ERROR_CODES.get(code)
        can_go_on = recoverable if known or recoverable is not None else True
        yield error(code, text or (known.meaning if known else code), recoverable=can_go_on)

    def compaction(self, trigger: Literal["manual", "auto"] = "auto", *, new_id: bool = True) -> Script:
        """Say that the conversation was compacted; with *new_id*, the session goes on under another one."""
        session = self.session
        old = session.session_id
        if new_id:
            session.session_id = session.ids.uuid()
        ids = {"old_session_id": old, "new_session_id": session.session_id}
        yield emit({"type": "compaction_occurred", **ids, "trigger": trigger})

    def end_session(self, reason: str = "success") -> Script:
        """Say that the session has ended, and why; the process lives on."""
        yield ended(reason)

    # Time and trouble

    def wait(self, seconds: float) -> Script:
        """Let time pass."""
        yield self.pause(seconds)

    def pause(self, seconds: float) -> Wait:
        """Return the step that lets time pass."""
        return Wait(_us(seconds))

    def hold(self, name: str = "hold") -> Script:
        """Wait until somebody releases *name*, or the user cancels."""
        yield Hold(name)

    def hang(self, seconds: float | None = None) -> Script:
        """Say nothing and hear nothing, not even a ping, for so long; None: until the frontend closes our input."""
        yield Freeze(None if seconds is None else _us(seconds))

    def raw(self, line: str | bytes) -> Script:
        """Say *line* as it is, whatever it is."""
        data = line if isinstance(line, bytes) else line.encode(errors="surrogatepass")
        yield Emit(data if data.endswith(b"\n") else data + b"\n")

    def fault(
        self, *, truncate: float | None = None, duplicate: bool = False, drop: bool = False, garbage: str | None = None
    ) -> Script:
        """Damage the next line: cut it off, say it twice, lose it, or let rubbish come before it."""
        yield Fault(truncate, duplicate, drop, garbage)  # type: ignore[misc]  # `paced` takes it out

    def send(self, message: Mapping[str, Any]) -> Script:
        """Say *message*, of whatever type."""
        yield emit(message)

    def remark(self, text: str) -> Script:
        """Tell the developer something, on stderr; the frontend hears nothing of it."""
        yield Note(f"turn {self.number} {text}")

    def crash(self, code: int = 1, *, signal: int | None = None) -> Script:
        """End the process at once, with *code* or by *signal*."""
        yield Exit(code, signal)

    # Within

    def _message(self, text: str) -> Script:
        yield from self.stream(text)
        yield from self.complete(text)

    def _alone(self, message: Script) -> Script:
        """Say *message* when nobody else is in the middle of one: a model says one thing at a time."""
        if not self._side_by_side:
            yield from message
            return
        while (speaker := self._speaker) is not None:
            yield Join(speaker)
            if self._speaker == speaker:
                self._speaker = None
        self._speaker = yield Fork(message)
        yield Join(self._speaker)
        self._speaker = None


class Subagent:
    """A subagent at work: `say` and `tool` are its ways to be heard."""

    def __init__(self, turn: Turn, agent_id: str) -> None:
        self.turn = turn
        self.id = agent_id

    def say(self, text: str) -> Script:
        """Say *text*, in one piece."""
        yield emit({"type": "subagent_message", "id": self.id, "content": text})

    def tool(self, name: str, input: Mapping[str, Any], **more: Any) -> Script:  # noqa: A002  # the protocol's word
        """Run a tool (see `Turn.tool`)."""
        yield from self.turn.tool(name, input, **more)


def _report(agent: Subagent) -> Script:
    yield from agent.say(agent.turn.prose.remark("report", agent.turn.rng))


def _us(seconds: float) -> int:
    return round(seconds * 1_000_000)
