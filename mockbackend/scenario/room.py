"""The room: surfaces with notes on them, as the frontend keeps it and as an agent remembers it.

The same model serves both sides. A frontend that has a room *judges* an action (`perform`): titles are unique on
a surface, a surface holds so many notes, and nothing is taken from where it does not lie. An agent *believes*
what the frontend answered (`believe`): an action that succeeded has happened, whatever the agent thought of it,
and one that did not has changed nothing.

Source: the protocol document, `room_action` and `room_query`. Capacities and surfaces are the demo's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mockbackend.protocol.catalogue import NOTE_COLORS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mockbackend.scenario.chance import Rng

    Action = Mapping[str, Any]

SURFACES: Mapping[str, int] = {"desk": 6, "wall": 8, "shelf": 4, "whiteboard": 10}
"""The surfaces of the built-in room, and how many notes each holds."""

_UNKNOWN_CAPACITY = 8


class Note(NamedTuple):
    """A note: its words, and its color."""

    title: str
    content: str
    color: str = NOTE_COLORS[0]


class Verdict(NamedTuple):
    """Whether an action succeeded, and what the frontend says about it."""

    success: bool
    message: str


class Room:
    """Surfaces by their ids; each a dict of notes by title, in the order in which they were put there."""

    def __init__(self, surfaces: Mapping[str, int] = SURFACES) -> None:
        """Begin with empty *surfaces* and their capacities."""
        self.capacity = dict(surfaces)
        self.surfaces: dict[str, dict[str, Note]] = {surface: {} for surface in surfaces}

    def notes(self) -> Iterator[tuple[str, Note]]:
        """Yield each note with the surface on which it lies."""
        for surface, notes in self.surfaces.items():
            for note in notes.values():
                yield surface, note

    def perform(self, action: Action) -> Verdict:
        """Do *action* if it can be done; say so, or why not."""
        if (why := self._objection(action)) is not None:
            return Verdict(False, why)
        self.believe(action)
        return Verdict(True, _done(action))

    def believe(self, action: Action) -> None:
        """Take it that *action* has happened."""
        match action:
            case {"type": "create_note", "title": title, "content": content, "surface": surface}:
                note = Note(title, content, action.get("color") or NOTE_COLORS[0])
                self._surface(surface)[title] = note
            case {"type": "remove_note", "title": title, "surface": surface}:
                self._surface(surface).pop(title, None)
            case {"type": "move_note", "title": title, "from_surface": origin, "to_surface": target}:
                moved = self._surface(origin).pop(title, None)
                self._surface(target)[title] = moved or Note(title, "")
            case {"type": "clear_room"}:
                for notes in self.surfaces.values():
                    notes.clear()
            case _:
                raise ValueError(f"not an action of the room: {action!r}")

    def describe(self, target: str | None = None) -> str:
        """Say what is in the room, or on the surface *target* (Protocol: `room_query`, "describe")."""
        if target is None:
            return " ".join(self._describe(surface) for surface in self.surfaces)
        if target not in self.surfaces:
            return f"There is no surface {target!r} here. There are: {', '.join(self.surfaces)}."
        return self._describe(target)

    def examine(self, title: str) -> str:
        """Say what the note *title* says, its color and its place (Protocol: `room_query`, "examine")."""
        for surface, note in self.notes():
            if note.title == title:
                return f"{title!r} is a {note.color} note on the {surface}. It says: {note.content}"
        return f"There is no note {title!r} in the room."

    def has_space(self) -> list[str]:
        """Return the surfaces on which a note can still be put."""
        return [surface for surface, notes in self.surfaces.items() if len(notes) < self.capacity[surface]]

    def suggest(self, rng: Rng, note: Note) -> dict[str, Any]:
        """Return an action that this room can take: something about *note*, or about what lies here already."""
        lying = list(self.notes())
        free = [surface for surface in self.has_space() if note.title not in self.surfaces[surface]]
        kinds = [("create", 5.0 if free else 0.0), ("move", 2.0 if lying and free else 0.0)]
        kinds += [("remove", 2.0 if lying else 0.0), ("clear", 0.2 if len(lying) > 2 or not free else 0.01)]  # noqa: PLR2004  # seldom
        kind = rng.choices([name for name, _ in kinds], [weight for _, weight in kinds])[0]
        if kind == "create":
            put = {"title": note.title, "content": note.content, "surface": rng.choice(free), "color": note.color}
            return {"type": "create_note", **put}
        if kind == "clear":
            return {"type": "clear_room"}
        surface, old = rng.choice(lying)
        if kind == "remove":
            return {"type": "remove_note", "title": old.title, "surface": surface}
        others = [other for other in self.has_space() if old.title not in self.surfaces[other] and other != surface]
        if not others:
            return {"type": "remove_note", "title": old.title, "surface": surface}
        return {"type": "move_note", "title": old.title, "from_surface": surface, "to_surface": rng.choice(others)}

    def _surface(self, name: str) -> dict[str, Note]:
        """Return the notes on *name*; a surface that was never heard of is one, too."""
        self.capacity.setdefault(name, _UNKNOWN_CAPACITY)
        return self.surfaces.setdefault(name, {})

    def _objection(self, action: Action) -> str | None:
        """Return why *action* cannot be done, or None."""
        match action:
            case {"type": "create_note", "title": title, "surface": surface}:
                return self._no_surface(surface) or self._no_place(title, surface)
            case {"type": "remove_note", "title": title, "surface": surface}:
                return self._no_surface(surface) or self._no_note(title, surface)
            case {"type": "move_note", "title": title, "from_surface": origin, "to_surface": target}:
                gone = self._no_surface(origin) or self._no_surface(target) or self._no_note(title, origin)
                return gone or (None if origin == target else self._no_place(title, target))
            case {"type": "clear_room"}:
                return None
            case _:
                return f"This is no action of the room: {action.get('type')!r}."

    def _no_surface(self, name: str) -> str | None:
        return (
            None if name in self.surfaces else f"There is no surface {name!r}. There are: {', '.join(self.surfaces)}."
        )

    def _no_note(self, title: str, surface: str) -> str | None:
        return None if title in self.surfaces[surface] else f"There is no note {title!r} on the {surface}."

    def _no_place(self, title: str, surface: str) -> str | None:
        notes = self.surfaces[surface]
        if title in notes:
            return f"There is a note {title!r} on the {surface} already."
        if len(notes) >= self.capacity[surface]:
            return f"The {surface} is full: it holds {self.capacity[surface]} notes."
        return None

    def _describe(self, surface: str) -> str:
        notes = self.surfaces[surface].values()
        if not notes:
            return f"The {surface} is empty."
        told = ", ".join(f"{note.title!r} ({note.color})" for note in notes)
        return f"On the {surface}: {told}."


def _done(action: Action) -> str:
    match action["type"]:
        case "create_note":
            return f"Put {action['title']!r} on the {action['surface']}."
        case "remove_note":
            return f"Took {action['title']!r} from the {action['surface']}."
        case "move_note":
            return f"Moved {action['title']!r} to the {action['to_surface']}."
        case _:
            return "Cleared the room."
