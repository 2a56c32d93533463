"""Whom a session lets in."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockbackend.engine.steps import Message


class Auth(Enum):
    """Everybody, whoever has a key, or nobody for one of two reasons."""

    OK = "ok"
    REQUIRED = "required"
    INVALID = "invalid"
    EXPIRED = "expired"

    def accepts(self, init: Message) -> bool:
        """Say whether this `init` gets in."""
        return self is Auth.OK or (self is Auth.REQUIRED and bool(init.get("api_key")))
