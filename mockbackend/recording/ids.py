"""New ids for a replay, so that two replays of one recording do not collide in the frontend.

Each recorded id becomes another of the same shape: digits stay digits, letters letters, hexadecimal stays
hexadecimal. Which one follows from the seed and the recorded id alone, so that a session keeps its id over a
crash and a resume under the same seed.

Only the line's bytes of an id change, wherever the id stands: in the fields that hold ids, and in any other
text when it is long enough to be no chance word.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mockbackend.recording.model import Event

_FIELDS = ("session_id", "old_session_id", "new_session_id", "id", "request_id")
_UNMISTAKABLE = 12
"""Characters from which on an id is replaced within other text, too."""
_WORD = re.compile(r"[0-9a-zA-Z]+")
_HEX = re.compile(r"[0-9a-f]+")


class FreshIds:
    """Replaces ids; the same one always by the same."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._known: dict[str, str] = {}

    def new(self, old: str) -> str:
        """Return what *old* is replaced by."""
        if old not in self._known:
            digest = blake2b(f"{self._seed}:{old}".encode(errors="surrogatepass"), digest_size=64).hexdigest()
            self._known[old] = _reshape(old, int(digest, 16))
        return self._known[old]

    def renew(self, event: Event) -> Event:
        """Return *event* with its ids replaced, in the decoded message and in its bytes."""
        message = event.message
        if message is None:
            return event
        for field in _FIELDS:
            if isinstance(old := message.get(field), str) and old:
                self.new(old)
        text = event.data.decode()
        changed = dict(message)
        for field in _FIELDS:
            if isinstance(old := message.get(field), str) and old:
                changed[field] = self.new(old)
                text = _replace_field(text, field, old, self.new(old))
        for old, new in self._known.items():
            if len(old) >= _UNMISTAKABLE:
                text = text.replace(old, new)
        return event._replace(data=text.encode(), message=changed)


def _replace_field(text: str, field: str, old: str, new: str) -> str:
    """Replace the value of *field* in a JSON text where it is written as it is."""
    pattern = rf'("{field}"\s*:\s*"){re.escape(old)}"'
    return re.sub(pattern, lambda found: f'{found[1]}{new}"', text, count=1)


def _reshape(old: str, number: int) -> str:
    """Return an id of the shape of *old*, made of the digits of *number*."""

    def word(found: re.Match[str]) -> str:
        nonlocal number
        text = found[0]
        # "toolu" and the like are a name, and not what makes the id unique.
        if not any(map(str.isdecimal, text)):
            return text
        digits = "0123456789abcdef" if _HEX.fullmatch(text) and not text.isdecimal() else "0123456789"
        made = ""
        for character in text:
            if character not in digits:
                made += character
                continue
            number, digit = divmod(number, len(digits))
            made += digits[digit]
        return made

    if len(old) < _UNMISTAKABLE:  # Too few digits to be sure that no two ids become the same.
        return f"{old}-{number & 0xFFFFFF:06x}"
    return _WORD.sub(word, old)


def fresh(ids: FreshIds | None, old: Any) -> Any:
    """Return *old* or what it was replaced by."""
    return ids.new(old) if ids is not None and isinstance(old, str) else old
