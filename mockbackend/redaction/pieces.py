"""Find secrets in a text that comes in pieces: deltas, or the lines of a text.

Each piece is looked at together with the end of those before it. A piece that ends in what may become a secret
loses it at once, because a recording is written as things happen; what belongs to it in the pieces that follow
is taken out there. What has been written cannot be taken back: up to seven characters of a secret (half of one
that is known word by word), and what tells its kind, may stay at the end of a piece. Never all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from mockbackend.redaction.spans import Cut

if TYPE_CHECKING:
    from mockbackend.redaction.spans import Scanner

_KEPT = 256
"""Characters of the pieces before that are looked at again: a name, and the beginning of its value."""

_LONGEST = 65_536
"""Characters of a secret in pieces; no key is longer."""


class Naming(Protocol):
    """Gives the placeholder for a secret of a kind; *partial*: more of it may come."""

    def __call__(self, kind: str, secret: str, *, partial: bool = False) -> str: ...


class Pieces:
    """One text in pieces.

    Attributes:
        before: The end of what came so far. It begins with the secret that is still open, if one is.
        open: The placeholder that stands for that one.
    """

    def __init__(self) -> None:
        self.before = ""
        self.open = ""

    def pass_over(self, piece: str) -> None:
        """Take note of a piece that holds no secret, together with `before`."""
        self.before = (self.before + piece)[-_KEPT:]

    def feed(self, piece: str, scanner: Scanner, name: Naming) -> list[Cut]:
        """Return what to cut from *piece*."""
        begin = len(self.before)
        joined = self.before + piece
        cuts: list[Cut] = []
        opened, last = self.open, None
        self.open = ""
        for found in scanner.find(joined, more_comes=True):
            if found.end <= begin:
                continue
            announced = bool(opened) and found.start == 0
            secret = joined[found.start : found.end]
            put = opened if announced else name(found.kind, secret, partial=found.end == len(joined))
            cuts.append(Cut(max(found.start, begin) - begin, found.end - begin, "" if announced else put))
            last = (found, put)
        if last is not None and last[0].end == len(joined) and len(joined) - last[0].start <= _LONGEST:
            self.before, self.open = joined[last[0].start :], last[1]
        else:
            self.before = joined[-_KEPT:]
        return cuts
