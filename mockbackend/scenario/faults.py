"""Damage that a scenario does to its own next line, on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mockbackend.engine.steps import Emit

if TYPE_CHECKING:
    from collections.abc import Iterator


class Fault(NamedTuple):
    """What happens to the next line.

    Attributes:
        truncate: Only this share of it is sent, then the newline.
        duplicate: It is sent twice.
        drop: It is not sent at all.
        garbage: This comes in a line of its own before it.
    """

    truncate: float | None = None
    duplicate: bool = False
    drop: bool = False
    garbage: str | None = None


def damaged(line: Emit, fault: Fault | None) -> Iterator[Emit]:
    """Yield what is sent in place of *line*."""
    if fault is None:
        yield line
        return
    if fault.garbage is not None:
        yield Emit(f"{fault.garbage}\n".encode(errors="replace"))
    if fault.drop:
        return
    if fault.truncate is not None:
        content = line.data.removesuffix(b"\n")
        line = Emit(content[: int(len(content) * fault.truncate)] + b"\n")
    yield line
    if fault.duplicate:
        yield line
