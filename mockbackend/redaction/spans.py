r"""Find secrets in a text, and in the strings of a JSON text however deep they are wrapped.

Agents wrap JSON in JSON: the input of a tool is an object in a message, its output a string that holds an
object again. A secret in there is escaped as often as it is wrapped, `\n` before it looks like an `n`, and
what ends a string is told by its backslashes. So a string is unwrapped before it is looked at, and what is
found is led back to the characters that say it: the rest of a line keeps its own bytes.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

from mockbackend.redaction.placeholders import PLACEHOLDER
from mockbackend.redaction.rules import ENOUGH, may_be_secret

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mockbackend.redaction.rules import Rule

_STRING = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"([ \t\r\n]*+:)?', re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)",
    re.DOTALL,
)
_ODD_ESCAPE = re.compile(r"\\(?:u00[2-7]|/)")
"""What hides a letter or a slash from a quick look."""

_ESCAPED = re.compile(r'["\\/]|[^ -~]')
_ESCAPE_BEFORE = re.compile(
    r"(?:\\[nrtbf]|\\u[0-9a-fA-F]{4}"  # of JSON in a text
    r"|(?:\x1b|\\u001[bB]|\\x1[bB]|\\033|\\e)\[[0-9;]*m"  # of a terminal's colours
    r"|%[0-9a-fA-F]{2})\Z",  # of a URL
)
_SPACE = " \t\r\n"
_BEFORE_VALUE = " \t\r\n["

# Only whether it is JSON counts, so numbers stay texts: they may have any length.
_decoder = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)
_scan: Any = _decoder.scan_once  # type: ignore[attr-defined]  # what `decode` calls, since Python 2.6


class Found(NamedTuple):
    """A secret in a text: from *start* to *end*, and of which *kind*."""

    start: int
    end: int
    kind: str


class Cut(NamedTuple):
    """What to change in a text: put *put* in the place of what is from *start* to *end*."""

    start: int
    end: int
    put: str


class Scanner:
    """Looks for what *rules* describe, and for literal texts.

    Attributes:
        literals: Secrets that are known word by word, with their kinds.
    """

    def __init__(self, rules: Iterable[Rule], literals: Mapping[str, str]) -> None:
        self.literals = dict(literals)
        self._hinted: dict[str, list[Rule]] = {}
        self._unhinted: list[Rule] = []
        self.add(rules)

    def add(self, rules: Iterable[Rule]) -> None:
        """Look for what *rules* describe, too."""
        for rule in rules:
            for hint in rule.hints:
                self._hinted.setdefault(hint, []).append(rule)
            if not rule.hints:
                self._unhinted.append(rule)

    def may_find(self, text: str, *, more_comes: bool = False) -> bool:
        """Say whether a closer look at *text*, JSON or not, is worth it; quick."""
        if self._unhinted or _ODD_ESCAPE.search(text):
            return True
        folded = text.lower()
        # A list is made faster than a generator is asked; this is where most of the time goes.
        if [hint for hint in self._hinted if hint in folded]:
            return True
        if any(_plainest(literal) in text for literal in self.literals):
            return True
        return more_comes and bool(self._beginnings(text))

    def find(self, text: str, *, more_comes: bool = False) -> list[Found]:
        """Return the secrets in *text* in their order; they do not overlap.

        With *more_comes*, what stands at its end and may become a secret is one.
        """
        found = [
            Found(place, place + len(literal), kind)
            for literal, kind in self.literals.items()
            for place in _places(literal, text)
        ]
        folded = _fold(text)
        rules = self._unhinted
        if len(text) < ENOUGH:
            pass  # Most strings of most messages: types, ids.
        elif hits := [hint for hint in self._hinted if hint in folded]:
            rules = [*rules, *dict.fromkeys(rule for hint in hits for rule in self._hinted[hint])]
        for rule in rules:
            found += _matches(rule, rule.pattern, text, folded)
            if more_comes and rule.open:
                found += _matches(rule, rule.open, text, folded)
        if more_comes:
            found += self._beginnings(text)
        return _merge(found, text)

    def _beginnings(self, text: str) -> list[Found]:
        """Return the end of *text* where it is the beginning of a literal: half of it, at least."""
        found = []
        for literal, kind in self.literals.items():
            least = -(-len(literal) // 2)
            if literal[:least] not in text[-len(literal) :]:
                continue
            for length in range(min(len(literal) - 1, len(text)), least - 1, -1):
                if text.endswith(literal[:length]):
                    found.append(Found(len(text) - length, len(text), kind))
                    break
        return found


def find_in_json(text: str, look: Callable[[str, str], list[Cut]]) -> list[Cut]:
    """Return what to cut from *text*, which is JSON: what *look* says of each string in it, unwrapped.

    *look* is given the name that the string is a member under (or ""), and its value; names are looked at, too.
    """
    cuts: list[Cut] = []
    name, behind = "", -1
    for match in _STRING.finditer(text):
        raw, colon = match.groups()
        value = raw if "\\" not in raw else _unescaped(raw)
        member = name if behind >= 0 and not text[behind : match.start()].strip(_BEFORE_VALUE) else ""
        if colon:
            name, behind, member = value, match.end(), ""
        if found := look(member, value):
            cuts += _led_back(found, raw, match.start(1))
    return cuts


def is_json(text: str) -> bool:
    """Say whether *text* is a JSON object or array."""
    start = len(text) - len(text.lstrip(_SPACE))
    if text[start : start + 1] not in {"{", "["}:
        return False
    try:
        _, end = _scan(text, start)
    except (ValueError, StopIteration, RecursionError):
        return False
    return not text[end:].strip(_SPACE)


def cut(text: str, cuts: Iterable[Cut]) -> str:
    """Return *text* with *cuts* made, which are in order and do not overlap."""
    parts, done = [], 0
    for start, end, put in cuts:
        parts += [text[done:start], put]
        done = end
    return "".join([*parts, text[done:]])


def _unescaped(raw: str) -> str:
    value: str = _scan(f'"{raw}"', 0)[0]
    return value


def _led_back(cuts: list[Cut], raw: str, by: int) -> list[Cut]:
    """Return where in *raw*, the text of a JSON string that begins at *by*, the *cuts* of its value are."""
    # Behind each escape: its place in the value, and how many characters the escapes so far had more.
    places, shifts = [0], [0]
    for match in _ESCAPE.finditer(raw):
        places.append(match.start() - shifts[-1] + 1)
        shifts.append(shifts[-1] + len(match[0]) - 1)

    def back(place: int) -> int:
        return by + place + shifts[bisect_right(places, place) - 1]

    return [Cut(back(start), back(end), put) for start, end, put in cuts]


def _fold(text: str) -> str:
    """Return *text* in lower case, each character in its place."""
    folded = text.lower()
    if len(folded) != len(text):
        folded = "".join(char if len(char.lower()) > 1 else char.lower() for char in text)
    return folded


def _plainest(literal: str) -> str:
    """Return a part of *literal* that JSON does not escape."""
    return max(_ESCAPED.split(literal), key=len)


def _places(literal: str, text: str) -> Iterable[int]:
    place = text.find(literal)
    while place >= 0:
        yield place
        place = text.find(literal, place + len(literal))


def _matches(rule: Rule, shape: str, text: str, folded: str) -> Iterable[Found]:
    pattern = re.compile(shape)  # Which keeps what it has compiled.
    group = "secret" if "secret" in pattern.groupindex else 1 if pattern.groups else 0
    for match in pattern.finditer(folded if rule.folded else text):
        start, end = match.span(group)
        if start == end or (rule.word and not _begins_word(text, start)):
            continue
        if not rule.value or may_be_secret(text[start:end]):
            yield Found(start, end, rule.kind)


def _begins_word(text: str, start: int) -> bool:
    """Say whether the character before *start* belongs to no word, but ends an escape of some sort, for example."""
    before = text[max(0, start - 16) : start]
    return not before or not before[-1].isalnum() or _ESCAPE_BEFORE.search(before) is not None


def _merge(found: list[Found], text: str) -> list[Found]:
    """Return the spans in order, those that overlap as one; placeholders are left alone."""
    if not found:
        return found
    taken = [match.span() for match in PLACEHOLDER.finditer(text)]
    merged: list[Found] = []
    for span in sorted(found, key=lambda span: (span.start, -span.end)):
        if any(start <= span.start and span.end <= end for start, end in taken):
            continue
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = last._replace(end=max(last.end, span.end))
        else:
            merged.append(span)
    return merged
