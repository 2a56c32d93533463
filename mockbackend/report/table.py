"""A plain table, as wide as its content on a pipe and as the screen on a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

_ENDLESS = 10_000
"""Columns of a pipe: whoever reads it will cut lines as he likes."""


def console() -> Console:
    """Return a console on stdout; what is not a terminal gets plain text, and lines as long as they are."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _ENDLESS
    return Console(highlight=False, markup=False, emoji=False, width=width, soft_wrap=not sys.stdout.isatty())


def show_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print *rows* under *header*, columns aligned by what a terminal makes of their characters."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for index, name in enumerate(header):
        last = index == len(header) - 1
        table.add_column(name, no_wrap=not last, overflow="fold" if last else "ellipsis")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    screen = console()
    if screen.is_terminal:
        screen.print(table)
        return
    # A column's padding is nothing to whoever reads a pipe.
    with screen.capture() as captured:
        screen.print(table)
    for line in captured.get().splitlines():
        screen.print(line.rstrip())
