"""Replay line by line: every recorded line of the frontend (but pings) must come, in its turn.

One script runs from the first line of the recording to the last and awaits each recorded frontend line. A
line of the same type with another content is a finding, and the replay goes on; a line of another type ends
it, with an explanation; so does input that ends too early. Findings make the exit code 4.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from mockbackend.engine.author import LINE, Claim
from mockbackend.engine.incoming import read
from mockbackend.engine.matching import differences
from mockbackend.engine.replies import error
from mockbackend.engine.steps import Await, Exit, Note
from mockbackend.protocol.codec import abbreviate
from mockbackend.recording.exchanges import Cursor, choose_run, resumed, role
from mockbackend.recording.ids import fresh
from mockbackend.recording.model import FRONTEND
from mockbackend.recording.timeline import EVERY_LINE, Timeline

if TYPE_CHECKING:
    from collections.abc import Generator

    from mockbackend.engine.incoming import Incoming
    from mockbackend.engine.pacing import Pace
    from mockbackend.engine.steps import Action, Script, Step
    from mockbackend.recording.ids import FreshIds
    from mockbackend.recording.model import Event
    from mockbackend.recording.reader import Reader

AT_FAULT = 4
"""The exit code when the frontend did not do what the recorded one did."""


class StrictReplay:
    """Author a session that the frontend has to follow.

    Attributes:
        findings: What the frontend did otherwise than recorded, in words.
    """

    def __init__(self, reader: Reader, pace: Pace, ids: FreshIds | None = None) -> None:
        self.findings: list[str] = []
        self._reader = reader
        self._ids = ids
        self._timeline = Timeline(pace, EVERY_LINE, ids.renew if ids else None, self._verdict)
        self._cursor = Cursor(reader)
        self._inbox: deque[Incoming] = deque()  # Lines that came and whose turn has not.
        self._matched = reader.start  # Behind the last line of the recorded frontend that has come.
        self._first = True

    def prologue(self) -> Script | None:
        """Return the one script that plays the whole run."""
        return self._whole_run()

    def claims(self, incoming: Incoming) -> Claim:
        """Claim every line but `shutdown`, which ends everything at once, rightly or not."""
        if incoming.kind == "shutdown" and incoming.decoded is not None:
            self._inbox.append(incoming)
            return Claim.NONE
        self._inbox.append(incoming)
        return Claim.AWAITED

    def opening(self, incoming: Incoming) -> Script:
        """Never asked: the prologue says everything."""
        raise AssertionError(incoming)

    def includes_prompt(self) -> bool:
        """Say yes: a recorded prompt is answered where it was."""
        return True

    def cancelling(self) -> Script | None:
        """Never asked, because a cancel is a line like others."""
        raise AssertionError

    def cancelled(self) -> Script | None:
        """Never asked, because a cancel is a line like others."""
        raise AssertionError

    def farewell(self, *, gone: bool) -> list[Action]:
        """Compare what is left over on both sides, and give the verdict."""
        notes: list[Action] = []
        for event in self._cursor.rest(self._matched):
            if event.sender != FRONTEND or role(event) not in EVERY_LINE:
                continue
            if not self._inbox:
                notes.append(self._find(f"the input ended before line {event.number}: expected {_shown(event)}"))
                break
            problem, fatal = self._compare(event, self._inbox.popleft())
            if problem:
                notes.append(self._find(problem))
            if fatal:
                self._inbox.clear()
                break
        if self._inbox and self._inbox[0].kind != "shutdown":
            notes.append(self._find(f"expected nothing more, found {_called(self._inbox[0])}"))
        return [*notes, self._verdict(Exit(0) if gone else self._timeline.exit)]

    def _whole_run(self) -> Script:
        yield from self._timeline.play(self._cursor.body(), 0, self._gate)
        while (opening := self._cursor.next_opening()) is not None:
            opening = yield from self._choose(opening)
            yield from self._gate(opening)
            yield from self._timeline.play(self._cursor.body(), opening.at, self._gate)
        live = yield from self._next_line(take=False)
        yield from self._stop(f"expected nothing more, found {_called(live)}")

    def _choose(self, opening: Event) -> Generator[Step, object, Event]:
        """Let the first `init` choose the run."""
        if not self._first:
            return opening
        self._first = False
        live = yield from self._next_line(take=False)
        run = self._cursor.run
        if live.kind == "init" and fresh(self._ids, resumed(opening)) != resumed(live):
            run = choose_run(self._reader, resumed(live), lambda recorded: fresh(self._ids, recorded))
        if run == self._cursor.run:
            return opening
        self._cursor = Cursor(self._reader, run)
        self._matched = run
        return self._cursor.next_opening() or opening

    def _gate(self, event: Event) -> Script:
        """Wait for the live line whose turn it is, and compare."""
        live = yield from self._next_line(take=True)
        self._matched = event.after
        problem, fatal = self._compare(event, live)
        if fatal:
            yield from self._stop(problem)
        elif problem:
            yield self._find(problem)

    def _next_line(self, *, take: bool) -> Generator[Step, object, Incoming]:
        """Wait for the frontend's next line; *take* it, or only look at it."""
        while not self._inbox:  # A delivery may be of a line that has been taken since.
            yield Await(LINE)
        return self._inbox.popleft() if take else self._inbox[0]

    def _compare(self, event: Event, live: Incoming) -> tuple[str, bool]:
        """Return how *live* differs from the recorded line, and whether that ends the replay."""
        recorded = read(event.data.rstrip(b"\r\n"), first=True)
        where = f"line {event.number}"
        if recorded is None or recorded.kind != live.kind:
            return f"{where}: expected {_shown(event)}, found {_called(live)}", True
        if recorded.decoded is None or live.decoded is None:
            same = recorded.line == live.line.rstrip(b"\r")
            return ("" if same else f"{where}: expected {_shown(event)}, found {_called(live)}"), False
        found = differences(self._renewed(recorded.message), live.message)
        text = "; ".join(str(difference) for difference in found)
        return (f"{where}: {recorded.kind}: {text}" if text else ""), False

    def _renewed(self, message: object) -> dict[str, object]:
        """Return a recorded message with the ids that this replay gives out."""
        renewed = dict(message)  # type: ignore[call-overload]
        for field in ("request_id", "resume_session_id", "resume"):
            if field in renewed:
                renewed[field] = fresh(self._ids, renewed[field])
        return renewed  # type: ignore[no-any-return]

    def _find(self, text: str) -> Note:
        self.findings.append(text)
        return Note(f"strict: {self._reader.name}: {text}", "warn")

    def _stop(self, problem: str) -> Script:
        note = self._find(problem)
        yield note
        yield error("SDK_ERROR", note.text, recoverable=False)
        yield Exit(AT_FAULT)

    def _verdict(self, otherwise: Exit) -> Exit:
        return Exit(AT_FAULT) if self.findings else otherwise


def _shown(event: Event) -> str:
    return (
        abbreviate(event.data.rstrip(b"\r\n"))
        if event.message is None
        else f"{event.kind} {abbreviate(event.data.rstrip())}"
    )


def _called(live: Incoming) -> str:
    return abbreviate(live.line) if live.decoded is None else f"{live.kind} {abbreviate(live.line)}"
