"""What stands in the place of a secret: `[REDACTED:github_token:1]`, its kind and a number for each different one.

To a replay, a placeholder stands for any text, and the same one for the same text: so a recording without its
secrets still matches the frontend that sends them.
"""

from __future__ import annotations

import re

PLACEHOLDER = re.compile(r"\[REDACTED:([a-z0-9_.-]+):([0-9]+)\]")
MARK = "[REDACTED:"
"""How each begins."""


def placeholder(kind: str, number: int) -> str:
    """Return the placeholder for the secret *number* of its *kind*."""
    return f"{MARK}{kind}:{number}]"


def fits(recorded: str, live: str) -> bool:
    """Say whether *live* is what was *recorded*, with something in the place of each placeholder."""
    if MARK not in recorded:
        return recorded == live
    pattern, done, groups = "", 0, dict[str, str]()
    for match in PLACEHOLDER.finditer(recorded):
        pattern += re.escape(recorded[done : match.start()])
        known = groups.get(match[0])
        groups.setdefault(match[0], f"p{len(groups)}")
        pattern += f"(?P={known})" if known else f"(?P<{groups[match[0]]}>.+?)"
        done = match.end()
    return re.fullmatch(pattern + re.escape(recorded[done:]), live, re.DOTALL) is not None
