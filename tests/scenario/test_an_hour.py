"""An hour of use: a frontend that types whatever it likes and cancels whenever it likes never gets stuck."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mockbackend.engine.events import WOKEN, Received
from mockbackend.engine.session import Session
from mockbackend.engine.steps import Emit, Exit, Note, Stderr
from mockbackend.io.loader import Shelf
from mockbackend.protocol.codec import encode
from mockbackend.protocol.messages import parse_backend
from mockbackend.protocol.rules import PAIRS, State
from mockbackend.scenario.room import Room
from mockbackend.testing.rehearsal import answer
from tests.scenario.stage import author_of

if TYPE_CHECKING:
    from mockbackend.engine.events import Event
    from mockbackend.engine.steps import Action

SECOND = 1_000_000
LONGEST_TURN = 600 * SECOND

WORDS = st.sampled_from(
    [
        "hello",
        "fix",
        "the",
        "bug",
        "please",
        "note",
        "room",
        "desk",
        "table",
        "error",
        "tools",
        "parallel",
        "everything",
        "plan",
        "compact",
        "emoji",
        "limit",
        "big",
    ]
)
TEXTS = st.one_of(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), st.text(max_size=30))


class User:
    """A frontend with a room, which checks every line that it gets."""

    def __init__(self, seed: int) -> None:
        self.session = Session(author_of(Shelf("assistant", {}), seed=seed))
        self.room = Room()
        self.now = 0
        self.open: dict[str, set[str]] = {pair.first: set() for pair in PAIRS}
        self.requests: list[dict[str, Any]] = []
        self.streamed = ""
        self.turns = 0
        self.handle(WOKEN)
        self.send({"type": "init", "version": 1, "working_dir": "/home/dev/demo"})

    def send(self, message: dict[str, Any]) -> None:
        self.turns += message["type"] == "user_message"
        self.handle(Received(encode(message).rstrip(b"\n")))

    def answer(self, index: int = 0) -> None:
        if self.requests:
            self.send(answer(self.room, self.requests.pop(index % len(self.requests))))

    def pass_time(self, us: int) -> None:
        until = self.now + us
        while (due := self.session.deadline) is not None and due <= until:
            self.now = max(self.now, due)
            self.handle(WOKEN)
        self.now = until

    def settle(self) -> None:
        """Let everything come to its end; the room answers everything."""
        until = self.now + LONGEST_TURN * (1 + len(self.session.waiting))
        while self.requests or self.session.deadline is not None:
            assert self.now < until, "a turn without an end"
            self.answer()
            self.pass_time(SECOND)

    def handle(self, event: Event) -> None:
        for action in self.session.handle(event, self.now):
            self.check(action)

    def check(self, action: Action) -> None:
        assert not isinstance(action, (Stderr, Exit)), action
        if isinstance(action, Note):
            assert action.level == "info", action
        if not isinstance(action, Emit):
            return
        assert action.message is not None
        message = dict(action.message)
        parse_backend(message)
        self.keep_account(message)

    def keep_account(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        for pair in PAIRS:
            if pair.key is None:
                continue
            if kind == pair.first:
                assert message[pair.key] not in self.open[kind], "opened twice"
                self.open[kind].add(message[pair.key])
            if kind == pair.last:
                assert message[pair.key] in self.open[pair.first], "closed, and never opened"
                self.open[pair.first].remove(message[pair.key])
        match kind:
            case "room_query" | "room_action":
                self.requests.append(message)
            case "assistant_text_delta":
                self.streamed += message["content"]
            case "assistant_message_complete":
                assert message["content"] == self.streamed
                self.streamed = ""
            case "session_ended":
                self.streamed = ""
                self.requests.clear()
                assert not self.open["tool_start"]
                assert not self.open["subagent_spawn"]
            case _:
                pass

    def at_rest(self) -> None:
        assert self.session.state is State.IDLE
        assert self.session.deadline is None
        assert not self.session._exchanges._player._running, "a track is left"
        assert not self.open["tool_start"]
        assert not self.open["subagent_spawn"]
        assert not self.streamed


class Hour(RuleBasedStateMachine):
    """Hypothesis plays the user."""

    def __init__(self) -> None:
        super().__init__()
        self.user = User(0)

    @rule(text=TEXTS)
    def say(self, text: str) -> None:
        self.user.send({"type": "user_message", "content": text})

    @rule()
    def cancel(self) -> None:
        self.user.send({"type": "cancel"})
        self.user.pass_time(0)

    @rule(mode=st.sampled_from(["auto", "plan"]))
    def change_mode(self, mode: str) -> None:
        self.user.send({"type": "mode_change", "mode": mode})

    @rule()
    def ping(self) -> None:
        self.user.send({"type": "ping"})

    @rule(us=st.integers(0, 30 * SECOND))
    def wait(self, us: int) -> None:
        self.user.pass_time(us)

    @precondition(lambda self: self.user.requests)
    @rule(index=st.integers(0, 3))
    def answer(self, index: int) -> None:
        self.user.answer(index)

    @rule()
    def settle(self) -> None:
        self.user.settle()
        self.user.at_rest()

    @invariant()
    def lives(self) -> None:
        assert not self.user.session.finished

    def teardown(self) -> None:
        self.user.settle()
        self.user.at_rest()


TestHour = Hour.TestCase
TestHour.settings = settings(deadline=None, max_examples=settings.default.max_examples, stateful_step_count=30)  # type: ignore[union-attr]


@pytest.mark.parametrize("seed", range(10))
def test_a_thousand_turns_of_anything_leave_nothing_behind(seed: int) -> None:
    chance = random.Random(seed)
    user = User(seed)
    vocabulary = [
        "hello",
        "fix",
        "bug",
        "note",
        "room",
        "desk",
        "table",
        "error",
        "tools",
        "parallel",
        "everything",
        "plan",
        "compact",
        "emoji",
        "limit",
    ]
    while user.turns < 1000:
        match chance.random():
            case share if share < 0.5:
                user.send({"type": "user_message", "content": " ".join(chance.sample(vocabulary, 2))})
            case share if share < 0.6:
                user.send({"type": "cancel"})
            case share if share < 0.65:
                user.send({"type": "mode_change", "mode": chance.choice(["auto", "plan"])})
            case share if share < 0.8:
                user.answer(chance.randrange(4))
            case _:
                user.pass_time(chance.randrange(60 * SECOND))
    user.settle()
    user.at_rest()
