"""Scenarios that go wrong, and those that bend the rules: the session lives on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mockbackend.engine.steps import Await, Emit, Fork, Join, Note, Stderr, Wait
from mockbackend.engine.timing import Timing
from mockbackend.scenario import Script, Turn, emit
from tests.scenario.stage import OneAct, messages, rehearse, words

if TYPE_CHECKING:
    from mockbackend.scenario import Subagent


def test_an_exception_in_a_turn_is_an_error_with_its_place_and_the_next_turn_works() -> None:
    def turn(turn: Turn) -> Script:
        yield from turn.send({"type": "tool_start", "id": "t", "tool": "Bash", "input": {}})
        if turn.number == 1:
            raise KeyError("lost")
        yield from turn.send({"type": "tool_end", "id": "t", "output": "", "success": True})

    said = rehearse(turn, "one", "/wait 1", "two").said
    (error,) = [message for message in messages(said) if message["type"] == "error"]
    assert error["code"] == "SDK_ERROR"
    assert error["recoverable"] is True
    assert "scenario test, " in error["message"]
    assert "test_author.py:" in error["message"]
    assert "KeyError: 'lost'" in error["message"]
    (trace,) = [action for _, action in said if isinstance(action, Stderr)]
    assert b"Traceback" in trace.data
    assert [word.split()[0] for word in words(said)] == [
        *["tool_start", "tool_end", "note", "stderr", "error"],
        *["tool_start", "tool_end", "exit"],
    ]


@pytest.mark.parametrize("odd", ["hello", None, 7, object])
def test_what_is_no_step_is_refused_with_the_line_that_yielded_it(odd: Any) -> None:
    def turn(turn: Turn) -> Script:
        yield odd

    (error,) = [message for message in messages(rehearse(turn).said) if message["type"] == "error"]
    assert "steps only, not" in error["message"]
    assert "test_author.py:" in error["message"]


@pytest.mark.parametrize("timing", [Timing.INSTANT, Timing.REALISTIC])
def test_an_endless_loop_without_a_wait_is_noticed(timing: Timing) -> None:
    def turn(turn: Turn) -> Script:
        while True:
            yield Note("again")

    said = rehearse(turn, timing=timing).said
    (error,) = [message for message in messages(said) if message["type"] == "error"]
    assert "endless loop" in error["message"]


def test_a_script_that_breaks_while_it_is_stopped_is_told_of() -> None:
    def turn(turn: Turn) -> Script:
        try:
            yield from turn.wait(10)
        finally:
            raise OSError("no way out")

    said = rehearse(turn, "one", "/cancel 1", "/wait 1").said
    assert any(isinstance(action, Note) and "no way out" in action.text for _, action in said)


def test_an_answer_that_never_comes_is_not_waited_for() -> None:
    def turn(turn: Turn) -> Script:
        gone = yield Await("never", timeout_us=5_000_000)
        yield from turn.complete(f"{gone}")

    assert words(rehearse(turn).said) == ["assistant_message_complete None", "exit 0"]


def test_branches_run_side_by_side_and_what_follows_waits_for_them() -> None:
    def turn(turn: Turn) -> Script:
        with turn.parallel() as both:
            both.add(turn.tool("Bash", {"command": "slow"}, output="", seconds=5))
            both.add(turn.tool("Grep", {"pattern": "fast"}, output="", seconds=1))
        yield from turn.complete("both")

    said = rehearse(turn).said
    ends = [message["id"] for message in messages(said) if message["type"] == "tool_end"]
    starts = [message["id"] for message in messages(said) if message["type"] == "tool_start"]
    assert ends == starts[::-1]
    assert words(said)[-2:] == ["assistant_message_complete both", "exit 0"]


def test_branches_at_the_end_of_a_turn_run_too() -> None:
    def turn(turn: Turn) -> Script:
        with turn.parallel() as both:
            both.add(turn.complete("a"))
            both.add(turn.complete("b"))
        return
        yield

    said = rehearse(turn, timing=Timing.INSTANT).said
    assert words(said) == ["assistant_message_complete a", "assistant_message_complete b", "exit 0"]


def test_a_block_that_raises_starts_no_branches() -> None:
    def turn(turn: Turn) -> Script:
        try:
            with turn.parallel() as both:
                both.add(turn.complete("never"))
                raise ValueError
        except ValueError:
            yield from turn.complete("caught")

    assert words(rehearse(turn).said) == ["assistant_message_complete caught", "exit 0"]


def test_branches_that_talk_do_so_one_after_another() -> None:
    def turn(turn: Turn) -> Script:
        with turn.parallel() as both:
            for letter in "abc":
                both.add(turn.say(f"{letter} " * 30))
        yield from turn.complete("end")

    streamed = ""
    for message in messages(rehearse(turn).said)[2:-1]:
        if message["type"] == "assistant_text_delta":
            streamed += message["content"]
        else:
            assert streamed == message["content"]
            streamed = ""


def test_a_subagent_says_and_does_things_of_its_own() -> None:
    def work(agent: Subagent) -> Script:
        yield from agent.say("looking")

    def turn(turn: Turn) -> Script:
        yield from turn.subagent("look", script=work, success=False)

    kinds = [message["type"] for message in messages(rehearse(turn).said)[2:]]
    assert kinds == ["subagent_spawn", "subagent_message", "subagent_end"]


def test_low_level_steps_reach_the_player_and_their_answers_come_back() -> None:
    def side() -> Script:
        yield Wait(1)

    def turn(turn: Turn) -> Script:
        track = yield Fork(side())
        yield Join(track)
        yield emit({"type": "assistant_message_complete", "content": f"{type(track).__name__}"})
        yield Wait(1_000_000)

    said = rehearse(turn).said
    assert words(said) == ["assistant_message_complete int", "exit 0"]
    assert said[-1][0] - said[-2][0] == 1_000_000


def test_a_fault_damages_the_next_line_only() -> None:
    def turn(turn: Turn) -> Script:
        for fault in ({"truncate": 0.5}, {"duplicate": True}, {"drop": True}, {"garbage": "npm WARN"}):
            yield from turn.fault(**fault)
            yield from turn.complete("x")
        yield Wait(1)
        yield from turn.fault()
        yield from turn.complete("y")

    assert words(rehearse(turn).said) == [
        'raw b\'{"type":"assistant_messag\\n\'',
        *["assistant_message_complete x"] * 2,
        "raw b'npm WARN\\n'",
        "assistant_message_complete x",
        "assistant_message_complete y",
        "exit 0",
    ]


def test_a_line_can_be_anything() -> None:
    def turn(turn: Turn) -> Script:
        yield from turn.raw("not JSON")
        yield from turn.raw(b"\xff\n")

    assert words(rehearse(turn).said) == ["raw b'not JSON\\n'", "raw b'\\xff\\n'", "exit 0"]


def test_a_message_that_was_taken_in_and_not_answered_is_a_turn_of_its_own() -> None:
    def turn(turn: Turn) -> Script:
        turn.folds = turn.number == 1
        yield from turn.wait(5)
        yield from turn.complete(turn.message)

    expected = ["assistant_message_complete one", "assistant_message_complete two", "exit 0"]
    assert words(rehearse(turn, "one", "//2 two").said) == expected


def test_messages_that_were_taken_in_survive_a_cancel() -> None:
    def turn(turn: Turn) -> Script:
        turn.folds = turn.number == 1
        yield from turn.wait(5)
        yield from turn.complete(turn.message)

    expected = [
        "session_ended cancelled",
        "assistant_message_complete two",
        "assistant_message_complete three",
        "exit 0",
    ]
    assert words(rehearse(turn, "one", "//1 two", "//1 three", "/cancel 1", "/wait 20").said) == expected


def test_a_second_cancel_changes_nothing_about_a_late_one() -> None:
    said = rehearse("cancel-late", "Take your time.", "/cancel 3", "/cancel 1", "/wait 20").said
    assert [word for word in words(said) if word.startswith("session_ended")] == ["session_ended cancelled"]


def test_a_second_init_begins_another_session_with_other_chances() -> None:
    author = OneAct(lambda turn: turn.complete(turn.session.session_id))
    from mockbackend.testing.rehearsal import Rehearsal
    from tests.scenario.stage import author_of

    rehearsal = Rehearsal(lambda: author_of(author))
    rehearsal.run(["one"])
    again = Rehearsal(lambda: author_of(author))
    again.send({"type": "init", "version": 1, "working_dir": "/x"})
    again.send({"type": "init", "version": 1, "working_dir": "/x"})
    again.pass_time(None)
    ids = [message["session_id"] for message in messages(again.said) if message["type"] == "session_started"]
    assert len(ids) == 1
    first = next(message for message in messages(rehearsal.said) if message["type"] == "session_started")
    assert ids[0] != first["session_id"]


def test_a_newer_version_that_is_broken_is_told_of() -> None:
    from mockbackend.testing.rehearsal import Rehearsal
    from tests.scenario.stage import author_of

    author = OneAct(lambda turn: turn.complete("x"))
    author.trouble = "mine.py:3: SyntaxError; the last good version goes on"
    rehearsal = Rehearsal(lambda: author_of(author))
    rehearsal.run(["one"])
    notes = [action for _, action in rehearsal.said if isinstance(action, Note)]
    assert notes[0] == Note(author.trouble, "warn")


def test_a_resumed_session_keeps_its_id() -> None:
    said = rehearse(lambda turn: turn.crash(9), "one", "/resume").said
    ids = {message["session_id"] for message in messages(said) if message["type"] == "session_started"}
    assert len(ids) == 1


def test_everything_said_is_a_line() -> None:
    assert all(action.data.endswith(b"\n") for _, action in rehearse("unicode").said if isinstance(action, Emit))
