"""How the agent talks: short remarks that end in a colon, now and then a list, a fence, a table.

Remarks come from the vocabulary, by occasion, with the names of the project at hand in their slots. In another
locale they are that locale's sentences, made by Faker, around the same names: paths and symbols stay as they are.

Measured on real agents (935 texts): 53 % end in a colon, 25 % have inline code, 8 % bold words, 5 % bullets,
5 % numbers, 4 % headings, 2 % fences, 1 % tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mockbackend.scenario.chance import Rng
    from mockbackend.scenario.memory import Memory
    from mockbackend.scenario.project import Change, Project


class Prose:
    """The words of one session."""

    def __init__(self, session: Memory) -> None:
        self._session = session
        self._remarks: Mapping[str, Any] = session.world.vocabulary.read("remarks")

    def remark(self, occasion: str, rng: Rng, change: Change | None = None, **more: str) -> str:
        """Return something to say at *occasion* (a key of the vocabulary), about *change* if there is one."""
        line = str(rng.choice(self._remarks[occasion]))
        slots = {**self._slots(change or self._some_change(rng)), **more}
        for slot, value in slots.items():
            line = line.replace(f"{{{slot}}}", value)
        if self._session.world.locale is None:
            return line
        return self._foreign(line, rng)

    def text(self, rng: Rng, *, paragraphs: int = 1, markdown: bool = False) -> str:
        """Return *paragraphs* about the project; with *markdown*, each is another kind of block."""
        if not markdown:
            return "\n\n".join(self._paragraph(rng) for _ in range(paragraphs))
        kinds: list[Callable[[Rng], str]] = [self._paragraph, self._bullets, self._fence, self._table, self._numbers]
        return "\n\n".join(self._headed(kinds[index % len(kinds)], index, rng) for index in range(paragraphs))

    def _headed(self, block: Callable[[Rng], str], index: int, rng: Rng) -> str:
        heading = f"## {rng.choice(self._remarks['headings'])}\n\n" if index % 3 == 0 else ""
        return heading + block(rng)

    def _paragraph(self, rng: Rng) -> str:
        return " ".join(self.remark("prose", rng) for _ in range(rng.randint(2, 4)))

    def _bullets(self, rng: Rng) -> str:
        return "\n".join(f"- {self.remark('points', rng)}" for _ in range(rng.randint(3, 5)))

    def _numbers(self, rng: Rng) -> str:
        return "\n".join(f"{number}. {self.remark('points', rng)}" for number in range(1, rng.randint(4, 5)))

    def _fence(self, rng: Rng) -> str:
        change = self._some_change(rng)
        return f"```{self._project.language}\n{change.new}\n```"

    def _table(self, rng: Rng) -> str:
        rows = [f"| `{change.symbol}` | {change.file} | {change.title} |" for change in self._project.changes]
        return "\n".join(["| symbol | file | what |", "|---|---|---|", *rows])

    @property
    def _project(self) -> Project:
        return self._session.project

    def _some_change(self, rng: Rng) -> Change:
        return rng.choice(self._project.changes)

    def _slots(self, change: Change) -> dict[str, str]:
        others = [name for name in self._project.files if name != change.file]
        return {
            "file": change.file,
            "symbol": change.symbol,
            "title": change.title,
            "why": change.why,
            "test": change.test,
            "project": self._project.name,
            "other": others[len(change.title) % len(others)] if others else change.file,
        }

    def _foreign(self, line: str, rng: Rng) -> str:
        """Return a sentence of the locale in place of *line*, with its code, and its colon."""
        sentence = str(self._session.fake.sentence()).rstrip(".。")
        code = f" `{line.split('`')[1]}`" if line.count("`") > 1 else ""
        return f"{sentence}{code}{':' if line.endswith(':') else '.'}"
