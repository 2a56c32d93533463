"""Compare what came with what was expected, and explain a miss.

A miss is explained by its nearest candidate: what came, what was expected, and which fields differ. What
differs from machine to machine (`VOLATILE`) does not count, and a secret that was taken out of the recording
stands for any text. What came is shown without its secrets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mockbackend.redaction.placeholders import fits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mockbackend.engine.steps import Message

VOLATILE = frozenset({"working_dir", "api_key", "attachments[].path"})
"""Paths of fields that may differ from the recorded ones."""

_MISSING = object()


class Difference(NamedTuple):
    """One field that differs: its *path*, and both values as JSON texts, or "nothing"."""

    path: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.path}: expected {self.expected}, found {self.found}"


def differences(expected: Message, found: Message, ignored: frozenset[str] = VOLATILE) -> list[Difference]:
    """Return the fields in which two messages differ, in the order of the expected one."""
    return list(_compare(expected, found, "", ignored))


def _compare(expected: Any, found: Any, path: str, ignored: frozenset[str]) -> Iterator[Difference]:
    if path in ignored:
        return
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in [*expected, *(key for key in found if key not in expected)]:
            inner = f"{path}.{key}" if path else str(key)
            yield from _compare(expected.get(key, _MISSING), found.get(key, _MISSING), inner, ignored)
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for one, other in zip(expected, found, strict=True):
            yield from _compare(one, other, f"{path}[]", ignored)
    elif not _same(expected, found):
        yield Difference(path, shown(expected), shown(found))


def _same(expected: Any, found: Any) -> bool:
    """JSON equality: 1 and true are different, 1 and 1.0 are the same."""
    if isinstance(expected, str) and isinstance(found, str):
        return fits(expected, found)
    return isinstance(expected, bool) == isinstance(found, bool) and bool(expected == found)


def shown(value: Any) -> str:
    """Return *value* as a short JSON text."""
    if value is _MISSING:
        return "nothing"
    import json  # only for somebody who reads

    from mockbackend.redaction.redactor import Redactor  # likewise

    text = Redactor().line("frontend", json.dumps(value, ensure_ascii=False).encode(errors="surrogatepass")).decode()
    return text if len(text) <= 80 else f"{text[:79]}…"  # noqa: PLR2004  # a line of a terminal


def nearest(text: str, candidates: Iterable[str]) -> int | None:
    """Return the index of the candidate that is most like *text*; None when there is none."""
    from difflib import SequenceMatcher  # slow, and rarely needed

    best, best_ratio = None, -1.0
    matcher = SequenceMatcher(b=text, autojunk=False)
    for index, candidate in enumerate(candidates):
        matcher.set_seq1(candidate)
        if matcher.real_quick_ratio() > best_ratio and matcher.quick_ratio() > best_ratio:
            ratio = matcher.ratio()
            if ratio > best_ratio:
                best, best_ratio = index, ratio
    return best
