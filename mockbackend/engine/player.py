"""Play scripts: the one interpreter behind replay and behind scenarios.

A player runs any number of *tracks*, each a script with a clock of its own, and merges what they say by
(time, track number): equal inputs give equal outputs. It never sleeps and reads no clock; `advance` is told
the time, and `deadline` says when it next wants to be called. Deadlines are absolute: a track's clock moves
by what its script waits for, never by how late the player was called, so that lateness does not add up.

A track that awaits a topic is parked under it. What is delivered wakes it, and its clock goes on from the
moment of the delivery. A delivery that nobody awaits yet can be kept until somebody does.
"""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from mockbackend.engine.steps import Await, Emit, Exit, Fork, Freeze, Hold, Join, Note, Queue, Stderr, Stop, Wait
from mockbackend.errors import ScriptError

if TYPE_CHECKING:
    from mockbackend.engine.steps import Script, Step, Topic


HOLD = "hold"
"""A track that holds is parked under the topic (HOLD, name)."""


class _Track:
    """One running script."""

    __slots__ = ("clock", "number", "reply", "script", "ticket", "topic")

    def __init__(self, number: int, script: Script, clock: int) -> None:
        self.number = number
        self.script = script
        self.clock = clock
        self.reply: Any = None
        # What it is parked under, and the number of its entry in the queue that is still good.
        self.topic: Topic | None = None
        self.ticket = 0


class Player:
    """Run tracks in logical time.

    `ended` collects the numbers of the tracks that have ended, for the owner to look at and to clear.
    """

    def __init__(self) -> None:
        self.ended: list[int] = []
        self._queue: list[tuple[int, int, int, _Track]] = []
        self._parked: dict[Topic, deque[_Track]] = {}
        self._kept: dict[Topic, deque[Any]] = {}
        self._running: dict[int, _Track] = {}
        self._next_number = 0

    @property
    def deadline(self) -> int | None:
        """When to call `advance` next, in microseconds; None: only after a `start` or a `deliver`."""
        while self._queue:
            clock, _, ticket, track = self._queue[0]
            if ticket == track.ticket:
                return clock
            heappop(self._queue)
        return None

    def start(self, script: Script, now: int) -> int:
        """Put *script* on a new track that begins at *now*; return the track's number."""
        track = _Track(self._next_number, script, now)
        self._next_number += 1
        self._running[track.number] = track
        self._enqueue(track, now)
        return track.number

    def deliver(self, topic: Topic, value: Any, now: int, *, keep: bool = False) -> bool:
        """Hand *value* to the first track that awaits *topic*, at *now*.

        Returns whether there was one. If there is none and *keep* is true, the value waits for its track.
        """
        parked = self._parked.get(topic)
        if not parked:
            if keep:
                self._kept.setdefault(topic, deque()).append(value)
            return False
        track = parked.popleft()
        if not parked:
            del self._parked[topic]
        track.topic = None
        track.reply = value
        track.clock = max(track.clock, now)
        self._enqueue(track, track.clock)
        return True

    def stop(self) -> None:
        """End every track at once and forget what was kept; scripts get their `finally`."""
        tracks = list(self._running.values())
        self._running.clear()
        self._queue.clear()
        self._parked.clear()
        self._kept.clear()
        for track in tracks:
            track.script.close()

    def advance(self, now: int, out: list[Any], budget: int) -> None:
        """Append to *out* the actions and commands that are due by *now*, in order, until *budget* is spent.

        A step costs one, and what is said as many as it has bytes, so that little is in hand at any time.
        When the budget is spent, `deadline` is not later than *now*: call again. So a script that never lets
        time pass cannot keep its player from listening.
        """
        while budget > 0 and (due := self.deadline) is not None and due <= now:
            _, _, _, track = heappop(self._queue)
            track.clock = due
            if track.topic is not None:  # Its answer did not come in time.
                self._unpark(track)
            budget = self._run(track, now, out, budget)

    def _run(self, track: _Track, now: int, out: list[Any], budget: int) -> int:
        """Run *track* until it has to wait for time, for others, or for a new budget."""
        send = track.script.send
        reply, track.reply = track.reply, None
        try:
            while budget > 0:
                step = send(reply)
                reply = None
                budget -= 1
                kind = step.__class__
                if kind is Emit:
                    budget -= len(step.data)  # type: ignore[union-attr]
                    out.append(step)  # `match` here would halve the rate
                elif kind is Wait:
                    track.clock += step.us  # type: ignore[union-attr, operator]
                    if track.clock > now or self._others_first(track):
                        break
                elif self._parks(track, step, out):
                    return budget
                else:
                    reply, track.reply = track.reply, None
        except StopIteration:
            self._end(track)
            return budget
        self._enqueue(track, track.clock)
        return budget

    def _parks(self, track: _Track, step: Step, out: list[Any]) -> bool:
        """Do one of the rarer steps; return whether *track* has to stop for it."""
        match step:
            case Stderr() | Note() | Queue():
                out.append(step)
            case Exit() | Stop():
                out.append(step)
                self.stop()
                return True
            case Freeze(us):
                out.append(step)
                if us is not None:  # Else it is never heard of again.
                    track.clock += us
                    self._enqueue(track, track.clock)
                return True
            case Hold(name):
                return self._park(track, (HOLD, name), None)
            case Fork(script):
                track.reply = self.start(script, track.clock)
            case Await(topic, timeout_us):
                return not self._take_kept(track, topic) and self._park(track, topic, timeout_us)
            case Join(number):
                return number in self._running and self._park(track, ("ended", number), None)
            case _:
                raise ScriptError(f"a script may yield steps only, not {step!r}")
        return False

    def _others_first(self, track: _Track) -> bool:
        due = self.deadline
        return due is not None and self._queue[0][:2] < (track.clock, track.number)

    def _take_kept(self, track: _Track, topic: Topic) -> bool:
        kept = self._kept.get(topic)
        if not kept:
            return False
        track.reply = kept.popleft()
        if not kept:
            del self._kept[topic]
        return True

    def _park(self, track: _Track, topic: Topic, timeout_us: int | None) -> bool:
        track.topic = topic
        self._parked.setdefault(topic, deque()).append(track)
        if timeout_us is not None:
            self._enqueue(track, track.clock + timeout_us)
        return True

    def _unpark(self, track: _Track) -> None:
        parked = self._parked[track.topic]
        parked.remove(track)
        if not parked:
            del self._parked[track.topic]
        track.topic = None

    def _enqueue(self, track: _Track, clock: int) -> None:
        track.ticket += 1
        heappush(self._queue, (clock, track.number, track.ticket, track))

    def _end(self, track: _Track) -> None:
        del self._running[track.number]
        self.ended.append(track.number)
        while self.deliver(("ended", track.number), None, track.clock):
            pass
