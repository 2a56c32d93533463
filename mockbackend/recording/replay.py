"""Replay a recording to a live frontend: the author whose lines were said before.

A live opening starts the next exchange; what the recorded backend said in it comes in the recorded order and
time. The replay waits only where what follows depends on the frontend: at an opening, and at an answer to a
request. **The recording's answer wins**: a cancel or a malformed line that the recorded frontend sent in
this exchange, too, is answered by what plays, and by nothing else.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from mockbackend.engine.author import Claim
from mockbackend.engine.incoming import Incoming, prompted
from mockbackend.engine.replies import emit, error
from mockbackend.engine.steps import Await, Emit, Exit, Note
from mockbackend.protocol.catalogue import PROTOCOL_VERSION
from mockbackend.recording.finder import Finder, Match, describe
from mockbackend.recording.ids import fresh
from mockbackend.recording.timeline import LENIENT, Timeline

if TYPE_CHECKING:
    from mockbackend.engine.pacing import Pace
    from mockbackend.engine.steps import Action, Script
    from mockbackend.recording.ids import FreshIds
    from mockbackend.recording.model import Event
    from mockbackend.recording.reader import Reader


class AtEnd(Enum):
    """What happens after the last exchange."""

    ERROR = "error"
    LOOP = "loop"
    STOP = "stop"


class Options(NamedTuple):
    """How to replay.

    *start_at* is the number of a user message (from 1) or the name of a marker. With *pass_on*, a `user_message`
    that was not recorded ends the session, so that a real backend can answer it.
    """

    match: Match = Match.POSITION
    at_end: AtEnd = AtEnd.ERROR
    start_at: int | str | None = None
    pass_on: bool = False


class PassedOn(NamedTuple):
    """What a real backend has to hear: the live `init`, and the opening that was not recorded."""

    init: bytes
    opening: bytes


class Replay:
    """Author a session from a recording.

    Attributes:
        passed_on: Why the session ended, if it did so for a real backend to go on.
    """

    def __init__(
        self,
        reader: Reader,
        pace: Pace,
        options: Options | None = None,
        ids: FreshIds | None = None,
    ) -> None:
        """Play *reader* at *pace*; with *ids*, all ids are new.

        Raises:
            UsageError: There is no place to start at like the one in *options*.
        """
        options = options or Options()
        self.passed_on: PassedOn | None = None
        self._pass_on = options.pass_on
        self._init = Incoming(b"", None, None)
        self._name = reader.name
        self._at_end = options.at_end
        self._ids = ids
        self._timeline = Timeline(pace, LENIENT, ids.renew if ids else None)
        self._finder = Finder(reader, options.match, options.start_at, ids, self._timeline.pass_over)
        self._used = {"cancel": 0, "refused": 0}
        self._begun = False  # An init has been opened.
        self._prompt_included = False

    def prologue(self) -> Script | None:
        """Say what the recorded backend said before the first opening."""
        return self._timeline.play(self._finder.cursor.body(), 0, self._gate)

    def claims(self, incoming: Incoming) -> Claim:
        """Claim openings whose turn it is, and what the recording has an answer for."""
        cursor = self._finder.cursor
        match incoming.kind:
            case _ if incoming.decoded is None:
                # What we refuse may have been fine for the recorded backend, if it read JSON less strictly.
                following = cursor.following()
                if following is not None and _line(following.data) == _line(incoming.line):
                    return Claim.OPENS
                return self._answered("refused", cursor.contents().refused)
            case "cancel":
                return self._answered("cancel", cursor.contents().cancels)
            case "init":
                return Claim.OPENS if _agree(cursor.following(), incoming) else Claim.NONE
            case "user_message" if not self._begun:
                following = cursor.following()
                opens = following is not None and following.kind == "user_message"
                return Claim.OPENS if opens else Claim.NONE
            case _:
                return Claim.NONE

    def opening(self, incoming: Incoming) -> Script:
        """Return the script of the exchange that fits, or one that explains why there is none."""
        self._used = {"cancel": 0, "refused": 0}
        if incoming.kind == "init":
            return self._open_init(incoming)
        found = self._finder.message(incoming)
        if found.opening is None and not found.notes and self._at_end is AtEnd.LOOP:
            self._finder.rewind()
            found = self._finder.message(incoming)
        if found.opening is None:
            return self._unrecorded(incoming, found.notes)
        return self._exchange(found.opening, found.notes)

    def includes_prompt(self) -> bool:
        """Say whether the recorded `init` brought its `initial_prompt`, too."""
        return self._prompt_included

    def cancelling(self) -> Script | None:
        """Let every cancel go right."""
        return None

    def cancelled(self) -> Script | None:
        """Expect no more answers to what was asked; the next opening passes over the rest."""
        self._timeline.forget()
        return None

    def farewell(self, *, gone: bool) -> list[Action]:
        """End as the recorded process ended, if its end has been reached and the frontend took its leave."""
        return [Exit(0) if gone else self._timeline.exit]

    def _answered(self, what: str, recorded: int) -> Claim:
        """Use up one of the *recorded* lines of this exchange that are like the live one."""
        if self._used[what] >= recorded:
            return Claim.NONE
        self._used[what] += 1
        return Claim.ANSWERED

    def _open_init(self, incoming: Incoming) -> Script:
        self._init = incoming
        found = self._finder.init(incoming)
        if found.opening is None:  # Nothing like it ahead: the session starts anew, and so does the recording.
            self._timeline.restart()
            self._finder.rewind()
            found = self._finder.init(incoming)
        self._begun = True
        if found.opening is None:
            self._finder.rewind()
            return _start_unrecorded()
        self._prompt_included = bool((found.opening.message or {}).get("initial_prompt"))
        return self._exchange(found.opening, found.notes)

    def _exchange(self, opening: Event, notes: tuple[str, ...]) -> Script:
        for note in notes:
            yield Note(f"{self._name}:{opening.number}: {note}", "debug")
        unsaid, self._timeline.unsaid = self._timeline.unsaid, None
        if unsaid is not None and not self._timeline.started and opening.kind == "user_message":
            renewed = self._ids.renew(unsaid) if self._ids else unsaid
            self._timeline.started = True
            yield Emit(renewed.data, renewed.message)
        yield from self._timeline.play(self._finder.cursor.body(), opening.at, self._gate)
        if self._at_end is AtEnd.STOP and self._finder.cursor.at_end():
            yield self._timeline.exit

    def _gate(self, response: Event) -> Script:
        """Wait for the live answer to the same request."""
        yield Await(("answer", fresh(self._ids, (response.message or {}).get("request_id"))))

    def _unrecorded(self, incoming: Incoming, notes: tuple[str, ...]) -> Script:
        if not self._pass_on:
            return self._miss(incoming, notes)
        if not self._finder.in_last_run():
            return self._miss(incoming, ("the recording goes on with another run; only the last one can be added to",))
        # What the init says itself needs not be said again.
        prompt = self._init.message.get("initial_prompt")
        said = prompt is not None and incoming == prompted(prompt)
        self.passed_on = PassedOn(self._init.line, b"" if said else incoming.line)
        return _end_quietly()

    def _miss(self, incoming: Incoming, notes: tuple[str, ...]) -> Script:
        why = "; ".join(notes) or "the recording has no further user_message (--at-end loop begins again)"
        text = f"{self._name}: {describe(incoming)}: {why}"
        yield Note(text, "warn")
        yield error("SDK_ERROR", text, recoverable=False)


def _end_quietly() -> Script:
    yield Exit(0)


def _agree(recorded: Event | None, live: Incoming) -> bool:
    """Whether a live `init` is answered by the recorded one: not when only the live one is refused."""
    if recorded is None or recorded.kind != "init":
        return False
    return _speaks_ours(live.message.get("version")) or not _speaks_ours((recorded.message or {}).get("version"))


def _speaks_ours(version: object) -> bool:
    return version == PROTOCOL_VERSION and not isinstance(version, bool)


def _line(data: bytes) -> bytes:
    return data.rstrip(b"\r\n")


def _start_unrecorded() -> Script:
    """Start a session for a recording that has no `init`."""
    yield emit({"type": "auth_status", "authenticated": True})
    yield emit({"type": "session_started", "session_id": "replay"})
