"""The session: what it answers by itself, and how exchanges follow one another."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mockbackend.engine.auth import Auth
from mockbackend.engine.author import Claim
from mockbackend.engine.events import CLOSED, WOKEN, Received
from mockbackend.engine.replies import emit
from mockbackend.engine.session import Session
from mockbackend.engine.steps import Await, Emit, Exit, Fork, Freeze, Hold, Note, Queue, Stop, Wait
from mockbackend.errors import BrokenLineError, ScriptError
from mockbackend.protocol.lines import TooLong
from mockbackend.protocol.rules import State
from mockbackend.testing.conversation import SECOND, line, play

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockbackend.engine.events import Event
    from mockbackend.engine.incoming import Incoming
    from mockbackend.engine.steps import Action, Script

INIT = line({"type": "init", "version": 1, "working_dir": "/home/dev/demo"})
CANCEL = line({"type": "cancel"})
PING = line({"type": "ping"})
SHUTDOWN = line({"type": "shutdown"})


def ask(content: str = "hi", **more: Any) -> Received:
    return line({"type": "user_message", "content": content, **more})


class Echo:
    """An author that starts at once and answers each message with three deltas, a second apart."""

    def __init__(self, turn: Callable[[str], Script] | None = None, prologue: Script | None = None) -> None:
        self.cancels = 0
        self._turn = turn or self._echo
        self._prologue = prologue

    def prologue(self) -> Script | None:
        return self._prologue

    def claims(self, incoming: Incoming) -> Claim:
        return Claim.NONE

    def opening(self, incoming: Incoming) -> Script:
        if incoming.kind == "init":
            return self._start()
        return self._turn(str(incoming.message["content"]))

    def includes_prompt(self) -> bool:
        return False

    def cancelling(self) -> Script | None:
        return None

    def cancelled(self) -> Script | None:
        self.cancels += 1
        return None

    def farewell(self, *, gone: bool) -> list[Action]:
        self.gone = gone
        return [Exit(0)]

    def _start(self) -> Script:
        yield emit({"type": "session_started", "session_id": "s"})

    def _echo(self, text: str) -> Script:
        for part in (text, text):
            yield emit({"type": "assistant_text_delta", "content": part})
            yield Wait(SECOND)
        yield emit({"type": "assistant_message_complete", "content": text + text})


def digest(actions: list[tuple[int, Action]]) -> list[tuple[float, str]]:
    """Return times in seconds, and each action in a word or two."""
    return [(at / SECOND, _word(action)) for at, action in actions]


def _word(action: Action) -> str:
    match action:
        case Emit(data):
            message = json.loads(data)
            detail = message.get("content") or message.get("reason") or message.get("code") or message.get("id") or ""
            return f"{message['type']} {detail}".strip()
        case Exit(code):
            return f"exit {code}"
        case Note(text):
            return f"note {text}"
        case other:
            return type(other).__name__.lower()


def words_of(actions: list[tuple[int, Action]]) -> list[str]:
    return [word for _, word in digest(actions)]


def talk(*inputs: tuple[float, Event], author: Echo | None = None, **options: Any) -> list[tuple[float, str]]:
    session = Session(author or Echo(), **options)
    return digest(play(session, [(round(at * SECOND), event) for at, event in inputs]))


def words(*inputs: tuple[float, Event], author: Echo | None = None, **options: Any) -> list[str]:
    return [word for _, word in talk(*inputs, author=author, **options)]


def messages(*inputs: tuple[float, Event], **options: Any) -> list[dict[str, Any]]:
    session = Session(Echo(), **options)
    said = play(session, [(round(at * SECOND), event) for at, event in inputs])
    return [json.loads(action.data) for _, action in said if isinstance(action, Emit)]


def test_an_exchange_is_played_and_the_end_of_input_lets_it_finish() -> None:
    assert talk((0, INIT), (1, ask("a"))) == [
        (0, "session_started"),
        (1, "assistant_text_delta a"),
        (2, "assistant_text_delta a"),
        (3, "assistant_message_complete aa"),
        (3, "exit 0"),
    ]


def test_a_message_before_init_is_refused() -> None:
    [refusal] = messages((0, ask()))
    assert refusal == {
        "type": "error",
        "code": "NOT_AUTHENTICATED",
        "message": "no session: send init first",
        "recoverable": True,
    }


def test_messages_during_a_turn_are_queued_and_run_one_after_another() -> None:
    said = talk((0, INIT), (1, ask("a")), (1.5, ask("b")), (1.6, ask("c")))
    completes = [(at, word) for at, word in said if "complete" in word]
    assert completes == [
        (3, "assistant_message_complete aa"),
        (5, "assistant_message_complete bb"),
        (7, "assistant_message_complete cc"),
    ]
    assert said[-1] == (7, "exit 0")


def test_a_cancel_in_mid_text_stops_at_once_and_the_session_lives_on() -> None:
    author = Echo()
    assert talk((0, INIT), (1, ask("a")), (1.25, CANCEL), (4, ask("b")), author=author)[1:4] == [
        (1, "assistant_text_delta a"),
        (1.25, "session_ended cancelled"),
        (4, "assistant_text_delta b"),
    ]
    assert author.cancels == 1


def test_a_cancel_during_a_long_wait_does_not_wait_for_it() -> None:
    def sleepy(text: str) -> Script:
        yield Wait(3600 * SECOND)
        yield Emit(b"never\n")

    said = talk((0, INIT), (1, ask()), (2, CANCEL), author=Echo(sleepy))
    assert said[1:] == [(2, "session_ended cancelled"), (2, "exit 0")]


def working(text: str) -> Script:
    """A turn with two tools and a subagent open, of which one tool ends."""
    yield emit({"type": "tool_start", "id": "t1", "tool": "Agent", "input": {}})
    yield emit({"type": "subagent_spawn", "id": "t1", "task": "x"})
    yield emit({"type": "tool_start", "id": "t2", "tool": "Bash", "input": {}})
    yield emit({"type": "tool_start", "id": "t3", "tool": "Read", "input": {}})
    yield emit({"type": "tool_end", "id": "t3", "output": "", "success": True})
    yield Wait(10 * SECOND)
    yield emit({"type": "tool_end", "id": "t2", "output": "", "success": True})


def test_a_cancel_closes_open_tools_and_subagents_as_failed() -> None:
    session = Session(Echo(working))
    said = play(session, [(0, INIT), (0, ask()), (SECOND, CANCEL)])
    closing = [json.loads(action.data) for at, action in said if at == SECOND and isinstance(action, Emit)]
    assert [(m["type"], m.get("id"), m.get("success")) for m in closing] == [
        ("subagent_end", "t1", False),
        ("tool_end", "t2", False),
        ("tool_end", "t1", False),
        ("session_ended", None, None),
    ]
    assert closing[-1]["reason"] == "cancelled"


def test_what_a_cancel_closed_is_not_closed_again_by_the_next_exchange() -> None:
    def turn(text: str) -> Script:
        if text == "first":
            return working(text)
        return iter_script(
            {"type": "tool_end", "id": "t2", "output": "", "success": True},
            {"type": "subagent_message", "id": "t1", "content": "late"},
            {"type": "tool_start", "id": "t2", "tool": "Bash", "input": {}},
            {"type": "tool_end", "id": "t2", "output": "", "success": True},
        )

    said = words((0, INIT), (0, ask("first")), (1, CANCEL), (2, ask("second")), author=Echo(turn))
    assert said[said.index("session_ended cancelled") + 1 :] == ["tool_start t2", "tool_end t2", "exit 0"]


def iter_script(*said: dict[str, Any]) -> Script:
    for message in said:
        yield emit(message)


def test_a_cancel_when_idle_says_only_that_the_session_ended() -> None:
    author = Echo()
    assert words((0, INIT), (1, CANCEL), (2, CANCEL), author=author) == [
        "session_started",
        "session_ended cancelled",
        "session_ended cancelled",
        "exit 0",
    ]
    assert author.cancels == 2


def test_a_cancel_before_init_is_answered_too() -> None:
    assert words((0, CANCEL)) == ["session_ended cancelled", "exit 0"]


def test_queued_messages_survive_a_cancel() -> None:
    said = talk((0, INIT), (1, ask("a")), (1.1, ask("b")), (1.2, CANCEL))
    assert (1.2, "session_ended cancelled") in said
    assert (1.2, "assistant_text_delta b") in said
    assert said[-1] == (3.2, "exit 0")


def test_a_second_init_starts_the_session_anew() -> None:
    assert talk((0, INIT), (1, ask("a")), (1, ask("b")), (1.5, INIT)) == [
        (0, "session_started"),
        (1, "assistant_text_delta a"),
        (1.5, "session_started"),
        (1.5, "exit 0"),
    ]


@pytest.mark.parametrize(
    "before",
    [[], [(0, INIT)], [(0, INIT), (0.5, ask("a"))], [(0, INIT), (0.5, ask("a")), (0.6, CANCEL)], [(0, ask())]],
    ids=["fresh", "idle", "in a turn", "after a cancel", "refused"],
)
def test_a_ping_is_answered_at_once_in_every_state(before: list[tuple[float, Event]]) -> None:
    assert (0.75, "pong") in talk(*before, (0.75, PING))


def test_the_prologue_comes_before_anything_was_heard() -> None:
    banner = iter_script({"type": "auth_status", "authenticated": True})
    assert talk((1, PING), author=Echo(prologue=banner))[0] == (0, "auth_status")


def test_an_initial_prompt_is_the_first_message() -> None:
    init = line({"type": "init", "version": 1, "working_dir": "/", "initial_prompt": "go"})
    assert words((0, init)) == [
        "session_started",
        "assistant_text_delta go",
        "assistant_text_delta go",
        "assistant_message_complete gogo",
        "exit 0",
    ]


@pytest.mark.parametrize("version", [2, 0, True, "1", None, 1.5, [1], -1])
def test_another_version_is_a_mismatch_and_then_there_is_no_session(version: object) -> None:
    init = line({"type": "init", "version": version, "working_dir": "/"})
    [mismatch, refusal] = messages((0, init), (1, ask()))
    assert (mismatch["code"], mismatch["recoverable"]) == ("PROTOCOL_MISMATCH", False)
    assert refusal["code"] == "NOT_AUTHENTICATED"
    assert "version 1" in refusal["message"]


def test_version_one_may_be_written_as_a_fraction() -> None:
    assert words((0, line({"type": "init", "version": 1.0, "working_dir": "/"})))[0] == "session_started"


def test_a_mismatch_in_mid_turn_ends_what_plays() -> None:
    init = line({"type": "init", "version": 2, "working_dir": "/"})
    assert talk((0, INIT), (1, ask("a")), (1.5, init))[2:] == [(1.5, "error PROTOCOL_MISMATCH"), (1.5, "exit 0")]


def test_the_right_version_after_a_wrong_one_starts_the_session() -> None:
    wrong = line({"type": "init", "version": 2, "working_dir": "/"})
    assert words((0, wrong), (1, INIT))[1] == "session_started"


WITH_KEY = line({"type": "init", "version": 1, "working_dir": "/", "api_key": "k"})


def test_required_auth_asks_for_a_key_until_there_is_one() -> None:
    said = messages((0, INIT), (1, ask()), (2, WITH_KEY), (3, ask()), auth=Auth.REQUIRED)
    assert said[0] == {"type": "auth_status", "authenticated": False, "error": "No API key provided"}
    assert said[1]["code"] == "NOT_AUTHENTICATED"
    assert [message["type"] for message in said[2:]][:2] == ["session_started", "assistant_text_delta"]


@pytest.mark.parametrize(("auth", "code"), [(Auth.INVALID, "AUTH_FAILED"), (Auth.EXPIRED, "TOKEN_REFRESH_FAILED")])
def test_other_auth_refuses_any_key(auth: Auth, code: str) -> None:
    [status, error, refusal] = messages((0, WITH_KEY), (1, ask()), auth=auth)
    assert (status["type"], status["authenticated"]) == ("auth_status", False)
    assert (error["code"], error["recoverable"]) == (code, True)
    assert refusal["code"] == "NOT_AUTHENTICATED"
    [missing] = messages((0, INIT), auth=auth)
    assert missing["error"] == "No API key provided"


def test_malformed_lines_get_one_parse_error_each_and_the_session_goes_on() -> None:
    said = messages((0, Received(b"{oops")), (0, Received(TooLong(b"{" * 80, 20_000_000))), (0, INIT))
    assert [message.get("code") for message in said] == ["PARSE_ERROR", "PARSE_ERROR", None]
    assert said[0]["recoverable"] is True
    assert said[0]["message"].endswith("in: {oops")
    assert "20000000" in said[1]["message"].replace(",", "").replace("_", "")


def test_blank_lines_crlf_and_one_leading_bom_are_fine() -> None:
    marked = Received(b"\xef\xbb\xbf" + PING.line + b"\r")  # type: ignore[operator]
    assert words((0, marked), (0, Received(b"")), (0, Received(b" \t\r")), (0, PING)) == ["pong", "pong", "exit 0"]


def test_a_second_bom_is_malformed() -> None:
    marked = Received(b"\xef\xbb\xbf" + PING.line)  # type: ignore[operator]
    assert words((0, marked), (0, marked)) == ["pong", "error PARSE_ERROR", "exit 0"]


def test_shutdown_exits_at_once_without_a_word() -> None:
    assert talk((0, INIT), (1, ask("a")), (1.5, SHUTDOWN), (1.6, PING))[2:] == [(1.5, "exit 0")]


def test_nothing_is_done_after_the_exit() -> None:
    session = Session(Echo())
    assert session.handle(SHUTDOWN, 0) == [Exit(0)]
    assert session.handle(PING, 1) == []
    assert session.state is State.OVER
    assert session.deadline is None


def asking(text: str) -> Script:
    yield emit({"type": "room_query", "request_id": "r1", "query": "describe"})
    reply = yield Await(("answer", "r1"))
    yield emit({"type": "assistant_message_complete", "content": reply["description"]})


def answer(request_id: str, text: str) -> Received:
    return line({"type": "room_query_response", "request_id": request_id, "description": text})


def test_an_answer_reaches_the_script_that_asked() -> None:
    said = words((0, INIT), (0, ask()), (3, answer("r1", "tidy")), author=Echo(asking))
    assert said[2:] == ["assistant_message_complete tidy", "exit 0"]


def test_answers_that_nobody_asked_for_and_second_answers_have_no_effect() -> None:
    said = words(
        (0, INIT),
        (0, answer("r1", "too early")),
        (0, ask()),
        (1, answer("r2", "unknown")),
        (2, answer("r1", "tidy")),
        (3, answer("r1", "again")),
        author=Echo(asking),
    )
    assert said[2:] == ["assistant_message_complete tidy", "exit 0"]


def test_an_answer_of_the_wrong_type_has_no_effect() -> None:
    wrong = line({"type": "room_action_response", "request_id": "r1", "success": True, "message": ""})
    assert words((0, INIT), (0, ask()), (1, wrong), author=Echo(asking))[2:] == ["exit 0"]


def test_the_end_of_input_ends_a_script_that_waits_for_an_answer() -> None:
    assert talk((0, INIT), (1, ask()), author=Echo(asking))[-1] == (1, "exit 0")


def test_each_turn_can_be_ended_on_request() -> None:
    said = words((0, INIT), (0, ask("a")), (0, ask("b")), end_each_turn=True)
    assert said.count("session_ended success") == 2
    assert said[0:1] + said[-2:] == ["session_started", "session_ended success", "exit 0"]


def test_a_turn_that_has_ended_itself_is_not_ended_twice() -> None:
    def ends(text: str) -> Script:
        yield emit({"type": "session_ended", "reason": "error_max_turns"})

    said = words((0, INIT), (0, ask()), author=Echo(ends), end_each_turn=True)
    assert said == ["session_started", "session_ended error_max_turns", "exit 0"]


def test_the_mode_is_noted() -> None:
    session = Session(Echo())
    assert session.mode == "auto"
    play(session, [(0, line({"type": "mode_change", "mode": "plan"}))], close=False)
    assert session.mode == "plan"


def test_a_background_track_may_speak_after_its_turn() -> None:
    def spawning(text: str) -> Script:
        yield Fork(Echo()._echo("late"))
        yield emit({"type": "assistant_message_complete", "content": "done"})

    said = talk((0, INIT), (1, ask()), (1.5, ask()), author=Echo(spawning))
    assert (1.5, "assistant_message_complete done") in said
    assert said[-1] == (3.5, "exit 0")


def test_a_script_that_exits_ends_the_session_as_it_says() -> None:
    def dies(text: str) -> Script:
        yield Exit(137, 9)

    session = Session(Echo(dies))
    assert play(session, [(0, INIT), (0, ask())])[-1] == (0, Exit(137, 9))
    assert session.finished


def test_a_file_that_turns_out_to_be_unusable_ends_the_session_with_its_code() -> None:
    def broken(text: str) -> Script:
        yield emit({"type": "assistant_text_delta", "content": "x"})
        raise BrokenLineError("x.jsonl", 7, "expected this, found that")

    said = [action for _, action in play(Session(Echo(broken)), [(0, INIT), (0, ask())])]
    note, error, end = said[-3:]
    assert note == Note("x.jsonl:7: expected this, found that", "error")
    assert isinstance(error, Emit)
    assert error.message is not None
    assert (error.message["code"], error.message["recoverable"]) == ("SDK_ERROR", False)
    assert end == Exit(3)


def test_the_state_follows_the_life_cycle() -> None:
    session = Session(Echo())
    session.handle(WOKEN, 0)
    seen = [session.state]
    for event, at in ((ask(), 0), (INIT, 0), (ask("a"), 0), (WOKEN, SECOND), (WOKEN, 2 * SECOND), (CLOSED, 2 * SECOND)):
        session.handle(event, at)
        seen.append(session.state)
    assert seen == [State.FRESH, State.FRESH, State.IDLE, State.BUSY, State.BUSY, State.IDLE, State.OVER]


class Claiming(Echo):
    """An author that makes the same claim for every line."""

    def __init__(self, claim: Claim) -> None:
        super().__init__(lambda text: iter_script({"type": "assistant_text_delta", "content": text}))
        self.claim = claim

    def claims(self, incoming: Incoming) -> Claim:
        return self.claim


def test_a_line_that_the_author_answers_gets_no_other_answer() -> None:
    assert words((0, Received(b"{")), (0, CANCEL), (0, ask()), (0, PING), author=Claiming(Claim.ANSWERED)) == [
        "pong",
        "exit 0",
    ]


def test_an_opening_that_the_author_claims_needs_no_init() -> None:
    assert words((0, ask("a")), author=Claiming(Claim.OPENS)) == ["assistant_text_delta a", "exit 0"]


def test_a_claimed_line_reaches_the_script_that_awaits_it() -> None:
    def listening() -> Script:
        incoming = yield Await("line")
        yield emit({"type": "assistant_text_delta", "content": incoming.kind})

    author = Claiming(Claim.AWAITED)
    author._prologue = listening()
    assert words((0, CANCEL), author=author) == ["assistant_text_delta cancel", "exit 0"]


def test_no_author_has_a_say_in_what_the_auth_option_refuses() -> None:
    said = words((0, INIT), (0, ask()), author=Claiming(Claim.OPENS), auth=Auth.REQUIRED)
    assert said == ["auth_status", "error NOT_AUTHENTICATED", "exit 0"]


def test_an_author_may_go_on_after_a_cancel() -> None:
    class Unbroken(Echo):
        def cancelled(self) -> Script | None:
            return iter_script({"type": "assistant_text_delta", "content": "on"})

    said = words((0, INIT), (0, ask()), (0.5, CANCEL), author=Unbroken())
    assert said[-3:] == ["session_ended cancelled", "assistant_text_delta on", "exit 0"]


def test_a_frontend_that_is_gone_without_a_word_gets_none() -> None:
    author = Echo()
    session = Session(author)
    play(session, [(0, INIT), (0, ask())], close=False, until=0)
    assert session.leave() == [Exit(0)]
    assert author.gone
    assert session.finished
    assert session.leave() == []


def test_a_turn_in_the_middle_of_which_a_message_was_said_is_not_ended_there() -> None:
    def cut(text: str) -> Script:
        if text == "text":
            return iter_script({"type": "assistant_text_delta", "content": "x"})
        return iter_script({"type": "tool_start", "id": "t", "tool": "Bash", "input": {}})

    assert "session_ended success" not in words(
        (0, INIT), (0, ask("text")), (1, ask("tool")), author=Echo(cut), end_each_turn=True
    )


# What a script commands


def test_a_queued_script_runs_as_a_turn_of_its_own() -> None:
    def turn(text: str) -> Script:
        yield Queue(iter_script({"type": "assistant_message_complete", "content": "later"}))
        yield emit({"type": "assistant_message_complete", "content": text})

    said = words((0, INIT), (0, ask("now")), author=Echo(turn), end_each_turn=True)
    assert said[1:] == [
        "assistant_message_complete now",
        "session_ended success",
        "assistant_message_complete later",
        "session_ended success",
        "exit 0",
    ]


def test_a_script_that_stops_is_closed_like_a_cancelled_one() -> None:
    def turn(text: str) -> Script:
        yield emit({"type": "tool_start", "id": "t", "tool": "Bash", "input": {}})
        yield Stop(closing=text == "close")
        raise AssertionError("nothing follows")

    assert words((0, INIT), (0, ask("close")), author=Echo(turn))[1:] == [
        "tool_start t",
        "tool_end t",
        "session_ended cancelled",
        "exit 0",
    ]
    assert words((0, INIT), (0, ask("leave open")), author=Echo(turn))[1:] == [
        "tool_start t",
        "session_ended cancelled",
        "exit 0",
    ]


def test_a_script_that_hangs_hears_everything_later() -> None:
    def turn(text: str) -> Script:
        yield Freeze(2 * SECOND)
        yield emit({"type": "assistant_message_complete", "content": text})

    said = play(Session(Echo(turn)), [(0, INIT), (0, ask("back")), (SECOND, PING)])
    assert digest(said)[1:] == [(2.0, "pong"), (2.0, "assistant_message_complete back"), (2.0, "exit 0")]


def test_a_script_that_hangs_for_good_ends_with_the_input() -> None:
    def turn(text: str) -> Script:
        yield Freeze()
        yield emit({"type": "assistant_message_complete", "content": text})

    assert words((0, INIT), (0, ask()), (1, PING), (2, SHUTDOWN), author=Echo(turn))[1:] == ["exit 0"]


def test_a_script_that_crashes_after_hanging_says_nothing_more() -> None:
    def turn(text: str) -> Script:
        yield Freeze(SECOND)
        yield Exit(3)

    session = Session(Echo(turn))
    play(session, [(0, INIT), (0, ask()), (SECOND // 2, SHUTDOWN)], close=False)
    assert session.finished


def test_a_script_holds_until_it_is_released() -> None:
    def turn(text: str) -> Script:
        yield Hold("spinner")
        yield emit({"type": "assistant_message_complete", "content": text})

    session = Session(Echo(turn))
    assert words_of(play(session, [(0, INIT), (0, ask())], close=False)) == ["session_started"]
    assert session.deadline is None
    assert session.release("another", SECOND) == []
    assert words_of([(0, action) for action in session.release("spinner", SECOND)]) == ["assistant_message_complete hi"]


def test_a_broken_script_ends_its_exchange_and_the_session_lives_on() -> None:
    def turn(text: str) -> Script:
        yield emit({"type": "tool_start", "id": "t", "tool": "Bash", "input": {}})
        if text == "break":
            raise ScriptError("it broke", b"Traceback: here\n")
        yield emit({"type": "tool_end", "id": "t", "output": "", "success": True})

    session = Session(Echo(turn))
    said = words_of(play(session, [(0, INIT), (0, ask("break")), (0, ask("break")), (0, ask("fine"))]))
    broken = ["tool_start t", "tool_end t", "note it broke", "stderr", "error SDK_ERROR"]
    assert said[1:] == [*broken, *broken, "tool_start t", "tool_end t", "exit 0"]


def test_broken_scripts_that_wait_behind_a_broken_one_break_one_after_another() -> None:
    def turn(text: str) -> Script:
        if text == "one":
            yield Wait(SECOND)
        raise ScriptError(text)

    session = Session(Echo(turn))
    said = words_of(play(session, [(0, INIT), (0, ask("one")), (0, ask("two"))]))
    assert [word for word in said if word.startswith("note")] == ["note one", "note two"]


def test_an_author_may_spoil_a_cancel() -> None:
    class Slow(Echo):
        def cancelling(self) -> Script | None:
            return stop_later()

    def stop_later() -> Script:
        yield Wait(SECOND)
        yield Stop()

    said = play(Session(Slow()), [(0, INIT), (0, ask("a")), (int(0.5 * SECOND), CANCEL)])
    assert digest(said)[1:] == [
        (0.0, "assistant_text_delta a"),
        (1.0, "assistant_text_delta a"),
        (1.5, "session_ended cancelled"),
        (1.5, "exit 0"),
    ]


def test_an_exchange_is_not_over_before_its_spoilt_cancel_is() -> None:
    class Slow(Echo):
        def cancelling(self) -> Script | None:
            return iter_wait()

    def iter_wait() -> Script:
        yield Wait(5 * SECOND)

    said = play(Session(Slow()), [(0, INIT), (0, ask("a")), (0, CANCEL), (0, ask("b"))])
    assert (5.0, "assistant_text_delta b") in digest(said)
