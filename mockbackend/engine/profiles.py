"""How long a coding agent takes: gaps for what has no time of its own, or is to have another.

The figures were measured on real sessions of coding agents (2025-06 to 2026-08; transcripts, stream logs and
runs of an agent against a local model server). Each is drawn from measured quantiles by linear interpolation:
plain arithmetic on one random number, hence the same on every machine.

A turn goes: the model thinks until its first token; tokens come in bursts, at a rate drawn once per message;
a tool's call is written out at such a rate, too; the tool runs; the model thinks again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockbackend.engine.pacing import DELTA, SYNC

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mockbackend.engine.pacing import Pace, Random, Timed

Quantiles = tuple[tuple[float, float], ...]
"""Pairs of (share, value), growing; between them is interpolated."""


def quantiles(p5: float, p25: float, p50: float, p75: float, p95: float, p99: float) -> Quantiles:
    """Return a distribution by its usual quantiles; nothing lies outside p5 and p99 by more than a little."""
    return ((0.0, p5 * 0.9), (0.05, p5), (0.25, p25), (0.5, p50), (0.75, p75), (0.95, p95), (0.99, p99), (1.0, p99))


def draw(distribution: Quantiles, rng: Random) -> float:
    """Return a value of *distribution*."""
    share = rng.random()
    low = distribution[0]
    for high in distribution[1:]:
        if share < high[0]:
            return low[1] + (high[1] - low[1]) * (share - low[0]) / (high[0] - low[0])
        low = high
    return low[1]


# Seconds, if not said otherwise.
FIRST_TOKEN = quantiles(2.22, 2.46, 3.07, 6.93, 19.39, 26.37)
SUBAGENT_MESSAGE = quantiles(1.19, 1.95, 3.24, 3.99, 23.52, 37.23)
TEXT_RATE = quantiles(84, 118, 162, 189, 433, 650)  # characters per second
INPUT_RATE = quantiles(124, 169, 218, 280, 445, 608)  # characters per second of a tool's input
BURST = ((0.0, 1.0), (0.55, 1.0), (0.75, 3.0), (1.0, 13.0))  # deltas
TOOL: Mapping[str, Quantiles] = {
    "Bash": quantiles(0.08, 0.75, 1.8, 7.81, 56.91, 182.61),
    "Read": quantiles(0.0, 0.0, 0.01, 0.02, 0.33, 0.68),
    "Edit": quantiles(0.05, 0.09, 0.21, 0.57, 2.39, 12.49),
    "Write": quantiles(0.02, 0.16, 0.45, 0.6, 1.06, 23.34),
    "Grep": quantiles(0.08, 0.17, 0.27, 0.47, 1.04, 2.04),
    "Glob": quantiles(0.2, 0.23, 0.35, 0.69, 0.9, 0.94),
}
OTHER_TOOL = TOOL["Edit"]
START_UP = quantiles(0.86, 0.95, 1.0, 1.1, 1.3, 1.48)  # init to the first message of the backend
COMPACTION = quantiles(8.6, 40.0, 71.0, 87.0, 105.0, 105.0)  # three automatic ones, one by hand
PROTOCOL = quantiles(0.004, 0.01, 0.02, 0.04, 0.094, 0.195)  # what the program itself takes


def realistic(rng: Random, factor: float = 1.0) -> Pace:
    """Return a pace that gives everything the time that a real agent takes, times *factor*."""

    def paced(items: Iterable[Timed]) -> Iterator[Timed]:
        agent = _Agent(rng)
        for _, kind, item in items:
            gap = agent.takes(kind, getattr(item, "message", None) or {})
            yield round(gap * factor * 1_000_000), kind, item

    return paced


def lifelike(rng: Random, factor: float = 1.0, *, longest_us: int | None = None, asked: bool = True) -> Pace:
    """Return a pace that keeps the gaps that are given and makes up the others as `realistic` does, times *factor*.

    What is made up is at most *longest_us*. If the model was just *asked*, it thinks before its first word.
    """

    def paced(items: Iterable[Timed]) -> Iterator[Timed]:
        agent = _Agent(rng, thinking=asked)
        for given, kind, item in items:
            drawn = agent.takes(kind, getattr(item, "message", None) or {}, given)
            gap = round(drawn * factor * 1_000_000)
            if given is None and longest_us is not None:
                gap = min(gap, longest_us)
            yield gap, kind, item

    return paced


class _Agent:
    """What is going on in a turn, as far as it decides how long the next thing takes. Seconds."""

    def __init__(self, rng: Random, *, thinking: bool = True) -> None:
        self._rng = rng
        self._clock = 0.0
        self._ends: dict[str, float] = {}  # When the tools that run will end, by id.
        self._thinking = thinking  # The model has said nothing yet since it was asked.
        self._rate = 0.0  # Of the message that is being said; 0: none is.
        self._burst = 0  # Deltas that are still to come in this burst.
        self._owed = 0.0  # What the deltas said so far would have taken at their rate.

    def takes(self, kind: str, message: Mapping[str, Any], given_us: int | None = None) -> float:
        """Return the seconds before a message of *kind*: what is *given*, or made up."""
        gap = self._delta(message) if kind == DELTA else self._other(kind, message)
        if given_us is not None:
            gap = given_us / 1_000_000
        self._clock += gap
        if kind == "tool_start":
            duration = draw(TOOL.get(str(message.get("tool")), OTHER_TOOL), self._rng)
            self._ends[str(message.get("id"))] = self._clock + duration
        self._thinking = kind in {SYNC, "tool_end", "session_started"}
        return gap

    def _delta(self, message: Mapping[str, Any]) -> float:
        gap = 0.0
        if not self._burst:
            gap, self._owed = self._owed, 0.0
            self._burst = int(draw(BURST, self._rng))
        if not self._rate:
            self._rate = draw(TEXT_RATE, self._rng)
            gap += self._first_token()
        self._burst -= 1
        self._owed += len(str(message.get("content", ""))) / self._rate
        return gap

    def _other(self, kind: str, message: Mapping[str, Any]) -> float:
        """Return the seconds before what is no delta, with what the last burst still takes."""
        gap, self._owed, self._rate, self._burst = self._owed, 0.0, 0.0, 0
        match kind:
            case "sync":
                return 0.0
            case "tool_start":
                written = len(str(message.get("input", ""))) / draw(INPUT_RATE, self._rng)
                return gap + self._first_token() + written
            case "tool_end":
                return max(gap, self._ends.pop(str(message.get("id")), self._clock) - self._clock)
            case "room_action" | "room_query":
                written = len(str(message.get("action", ""))) / draw(INPUT_RATE, self._rng)
                return gap + self._first_token() + written
            case "compaction_occurred":
                return gap + draw(COMPACTION, self._rng)
            case "auth_status":
                return gap + draw(START_UP, self._rng)
            case "subagent_message":
                return gap + draw(SUBAGENT_MESSAGE, self._rng)
            case _:
                return gap + draw(PROTOCOL, self._rng)

    def _first_token(self) -> float:
        return draw(FIRST_TOKEN, self._rng) if self._thinking else 0.0
