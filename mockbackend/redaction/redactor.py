"""Take secrets out of the lines of a session, in the order in which they come.

The same secret gets the same placeholder wherever it stands, `[REDACTED:github_token:1]`, so that a reader
still sees that two things are the same. A line keeps its shape and its other bytes: only characters inside its
strings change.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from mockbackend.redaction.pieces import Pieces
from mockbackend.redaction.placeholders import MARK, PLACEHOLDER, placeholder
from mockbackend.redaction.rules import ENOUGH, RULES, is_secret, path_rules
from mockbackend.redaction.spans import Cut, Scanner, cut, find_in_json, is_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

from mockbackend.redaction.rules import Rule

_DELTA = re.compile(
    rb'\{"type": ?"assistant_text_delta", ?"content": ?"([^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+)"\}'
)
_DELTAS = "deltas"
_DEEPEST = 8
"""Levels of JSON in JSON that are unwrapped."""


class Redactor:
    """Takes out what is secret, and counts it.

    Attributes:
        counts: How many places of each kind were taken out.
        learned: Rules for what the session itself has told.
    """

    def __init__(
        self,
        rules: Iterable[Rule] = RULES,
        literals: Mapping[str, str] | None = None,
        *,
        paths: bool = False,
        found: Callable[[str, str], None] = lambda _kind, _text: None,
    ) -> None:
        """Look for *rules*, and for *literals* (texts and their kinds); with *paths*, for each `working_dir`, too.

        *found* is told the kind and the text of each place.
        """
        self.counts: dict[str, int] = {}
        self.learned: list[Rule] = []
        self._scanner = Scanner(rules, literals or {})
        self._paths = paths
        self._found = found
        self._placeholders: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._partial: set[str] = set()
        self._texts: dict[str, Pieces] = {}

    @property
    def literals(self) -> Mapping[str, str]:
        """The texts that are known word by word to be secrets, with their kinds."""
        return self._scanner.literals

    def lines(self, sender: str, lines: Sequence[bytes]) -> Sequence[bytes]:
        """Return *lines*, which *sender* sent one after the other (without their newlines), redacted."""
        kept: list[bytes] = []
        deltas: list[bytes] = []  # The last ones of what has been kept, which nobody has looked at yet.
        said: list[bytes] = []
        for line in lines:
            delta = _DELTA.fullmatch(line) if sender == "backend" else None
            if delta is not None:
                deltas.append(line)
                said.append(delta[1])
                continue
            kept += self._run_of_deltas(sender, deltas, said)
            kept.append(self.line(sender, line))
            deltas, said = [], []
        return kept + self._run_of_deltas(sender, deltas, said)

    def _run_of_deltas(self, sender: str, lines: list[bytes], said: list[bytes]) -> list[bytes]:
        """Return *lines*, deltas that say *said*, redacted. Mostly there is nothing in them, and one look tells."""
        if not lines:
            return lines
        try:
            text = str(json.loads(b'"%s"' % b"".join(said)))
        except ValueError:
            return [self.line(sender, line) for line in lines]
        pieces = self._text(_DELTAS)
        if pieces.open or self._scanner.may_find(pieces.before + text, more_comes=True):
            return [self.line(sender, line) for line in lines]
        pieces.pass_over(text)
        return lines

    def line(self, sender: str, line: bytes) -> bytes:
        """Return one *line*, redacted."""
        text = line.decode(errors="surrogateescape")
        delta = sender == "backend" and '"assistant_text_delta"' in text
        if delta and is_json(text):
            cuts = find_in_json(text, self._look_at_delta)
        elif self._worth_it(sender, text):
            if MARK in text:
                self._reserve(text)
            if not is_json(text):
                cuts = self._text(sender).feed(text + "\n", self._scanner, self._name)
            else:
                if sender == "frontend" and '"init"' in text:
                    self._learn(text)
                cuts = find_in_json(text, self._look)
        else:
            cuts = []
        if '"assistant_message_complete"' in text:
            self._texts.pop(_DELTAS, None)
        return cut(text, cuts).encode(errors="surrogateescape") if cuts else line

    def member(self, name: str, value: str) -> str:
        """Return *value*, which is called *name* (or ""), redacted."""
        return cut(value, self._look(name, value))

    def beginning(self, head: bytes) -> bytes:
        """Return the beginning of a line that is not kept whole; nothing of it if it may hold part of a secret."""
        return b"" if self._scanner.may_find(head.decode(errors="replace"), more_comes=True) else head

    def _worth_it(self, sender: str, text: str) -> bool:
        return (
            self._scanner.may_find(text)
            or MARK in text
            or (sender == "frontend" and '"init"' in text)
            or bool(self._text(sender).open)
        )

    def _text(self, name: str) -> Pieces:
        return self._texts.setdefault(name, Pieces())

    def _look(self, member: str, value: str, depth: int = 0) -> list[Cut]:
        """Return what to cut from *value*, a string in a message, or in JSON in a string."""
        if depth < _DEEPEST and is_json(value):
            return find_in_json(value, lambda inner, text: self._look(inner, text, depth + 1))
        found = self._scanner.find(value)
        if member and is_secret(member, value) and not PLACEHOLDER.search(value):
            # What a shape tells about all of it says more than a name does.
            kind = found[0].kind if found and found[0][:2] == (0, len(value)) else "secret"
            return [Cut(0, len(value), self._name("api_key" if member == "api_key" else kind, value))]
        return [Cut(start, end, self._name(kind, value[start:end])) for start, end, kind in found]

    def _look_at_delta(self, member: str, value: str) -> list[Cut]:
        if member != "content":
            return self._look(member, value)
        return self._text(_DELTAS).feed(value, self._scanner, self._name)

    def _name(self, kind: str, secret: str, *, partial: bool = False) -> str:
        """Return the placeholder for *secret*, and count it; *partial*: more of it may come."""
        put = self._placeholders.get(secret) or self._related(secret, partial=partial)
        if put is None:
            kind = self._scanner.literals.get(secret, kind)
            self._numbers[kind] = self._numbers.get(kind, 0) + 1
            put = placeholder(kind, self._numbers[kind])
        self._placeholders[secret] = put
        if partial:
            self._partial.add(secret)
        kind = put.split(":")[1]
        self.counts[kind] = self.counts.get(kind, 0) + 1
        self._found(kind, secret)
        return put

    def _related(self, secret: str, *, partial: bool) -> str | None:
        """Return the placeholder of the secret that this one is the beginning of, or the other way round."""
        for known, put in self._placeholders.items():
            if (partial and known.startswith(secret)) or (known in self._partial and secret.startswith(known)):
                return put
        return None

    def _reserve(self, text: str) -> None:
        """Do not give the number of a placeholder that is there already to something else."""
        for kind, number in PLACEHOLDER.findall(text):
            self._numbers[kind] = max(self._numbers.get(kind, 0), int(number))

    def _learn(self, text: str) -> None:
        """Take note of what an `init` says: its key is a secret wherever it stands, its folder a path."""
        message = json.loads(text)
        key, folder = message.get("api_key"), message.get("working_dir")
        if isinstance(key, str) and len(key) >= ENOUGH and is_secret("api_key", key):
            self._scanner.literals.setdefault(key, "api_key")
        if self._paths and isinstance(folder, str):
            rules = path_rules([("project", folder)])
            self.learned += rules
            self._scanner.add(rules)
