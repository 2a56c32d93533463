"""The life cycle: the table is whole, and says what the document says."""

from __future__ import annotations

from mockbackend.protocol.catalogue import BACKEND_TYPES, FRONTEND_TYPES
from mockbackend.protocol.rules import LIFE_CYCLE, MAY_COME, PAIRS, Input, Reaction, State


def test_every_state_but_the_last_knows_every_input() -> None:
    for state in State:
        assert set(LIFE_CYCLE[state]) == (set() if state is State.OVER else set(Input))


def test_every_reaction_is_somebody_s() -> None:
    assert {reaction for rows in LIFE_CYCLE.values() for _, reaction in rows.values()} == set(Reaction)


def test_every_state_can_be_reached_and_left() -> None:
    reached = {State.FRESH}
    for _ in State:
        reached |= {after for state in reached for after, _ in LIFE_CYCLE[state].values()}
    assert reached == set(State)
    for state in State:
        if state is not State.OVER:
            assert LIFE_CYCLE[state][Input.SHUTDOWN] == (State.OVER, Reaction.EXIT)
            assert LIFE_CYCLE[state][Input.INIT] == (State.BUSY, Reaction.BEGIN)
            assert LIFE_CYCLE[state][Input.PING] == (state, Reaction.PONG)


def test_a_message_opens_a_turn_only_when_somebody_is_there_to_answer() -> None:
    reactions = {state: rows[Input.USER_MESSAGE][1] for state, rows in LIFE_CYCLE.items() if rows}
    assert reactions == {
        State.FRESH: Reaction.REFUSE_MESSAGE,
        State.MISMATCHED: Reaction.REFUSE_MESSAGE,
        State.LOCKED: Reaction.REFUSE_MESSAGE,
        State.IDLE: Reaction.OPEN,
        State.BUSY: Reaction.QUEUE,
    }


def test_every_message_of_the_backend_has_its_states() -> None:
    assert tuple(MAY_COME) == BACKEND_TYPES
    assert all(states and State.OVER not in states for states in MAY_COME.values())


def test_pairs_are_of_known_messages() -> None:
    known = {*FRONTEND_TYPES, *BACKEND_TYPES}
    for pair in PAIRS:
        assert {pair.first, pair.last} <= known
        assert (pair.last in BACKEND_TYPES) is (pair.owed_by == "backend")
