"""Text as a model streams it: in deltas that begin where words begin.

Measured on real streams: 3 to 24 characters a delta, 6 in the middle (5 % below 4, 5 % above 20). A delta is at
least one word with the space before it, however long the word is; a word of more than 24 characters, or text
without spaces (Chinese, Japanese), is cut after 24. Joined, the deltas are the text, always.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mockbackend.engine.profiles import draw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockbackend.scenario.chance import Rng

LONGEST = 24
"""Characters of a delta, at most."""

_SIZES = ((0.0, 3.0), (0.05, 3.0), (0.25, 4.0), (0.5, 6.0), (0.75, 9.0), (0.95, 20.0), (1.0, 24.0))
_WORD = re.compile(rf"\s*\S{{1,{LONGEST}}}|\s+\Z")
_JOINERS = "\u200d\ufe0f\ufe0e"


def deltas(text: str, rng: Rng) -> Iterator[str]:
    """Yield *text* in pieces."""
    piece = ""
    wanted = draw(_SIZES, rng)
    for word in _words(text):
        if piece and (len(piece) >= wanted or len(piece) + len(word) > LONGEST):
            yield piece
            piece, wanted = "", draw(_SIZES, rng)
        piece += word
    if piece:
        yield piece


def _words(text: str) -> Iterator[str]:
    """Yield words with the space before them; none begins in the middle of what is seen as one character."""
    held = ""
    for found in _WORD.finditer(text):
        word = found[0]
        if held and (held[-1] == "\u200d" or not _may_begin(word[0])):
            held += word
            continue
        if held:
            yield held
        held = word
    if held:
        yield held


def _may_begin(character: str) -> bool:
    """Whether a piece may begin with *character*: not if it belongs to the one before it."""
    from unicodedata import combining

    return character not in _JOINERS and not combining(character)
