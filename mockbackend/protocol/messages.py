"""Every message of the protocol as a model: one discriminated union each way.

Strict: nothing is coerced. Unknown fields are kept, because newer peers may send them. An optional field may
be null, which is how a Rust peer writes what it leaves out. The models judge files and make schemas; the wire
has `protocol.fields`, which starts faster and accepts the same. Nothing here is imported before the first reply.

The file is as long as the protocol is: one class a message.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

NoteColor: TypeAlias = Literal["yellow", "pink", "blue", "green"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True, frozen=True, defer_build=True)


# Frontend → backend


class Init(_Model):
    """Start a new session or resume an existing one."""

    type: Literal["init"]
    version: Any  # Anything that is there: the session judges it, with PROTOCOL_MISMATCH.
    working_dir: str
    api_key: str | None = None
    resume_session_id: str | None = None
    resume: str | None = None
    initial_prompt: str | None = None
    config: dict[str, Any] | None = None


class Attachment(_Model):
    """A file that goes with a user's message, by its path."""

    type: Literal["image", "file"]
    path: str
    mime: str | None = None


class UserMessage(_Model):
    """What the user said."""

    type: Literal["user_message"]
    content: str
    attachments: list[Attachment] | None = None


class Cancel(_Model):
    """Stop the current generation."""

    type: Literal["cancel"]


class Ping(_Model):
    """Are you there?"""

    type: Literal["ping"]


class ModeChange(_Model):
    """Switch between auto and plan mode."""

    type: Literal["mode_change"]
    mode: Literal["auto", "plan"]


class RoomQueryResponse(_Model):
    """What the room looks like."""

    type: Literal["room_query_response"]
    request_id: str
    description: str


class RoomActionResponse(_Model):
    """Whether an action in the room succeeded."""

    type: Literal["room_action_response"]
    request_id: str
    success: bool
    message: str


class Shutdown(_Model):
    """Exit, please."""

    type: Literal["shutdown"]


FrontendMessage: TypeAlias = Annotated[
    Init | UserMessage | Cancel | Ping | ModeChange | RoomQueryResponse | RoomActionResponse | Shutdown,
    Field(discriminator="type"),
]

# Backend → frontend


class SessionStarted(_Model):
    """The session is ready."""

    type: Literal["session_started"]
    session_id: str
    model: str | None = None
    tools: list[str] | None = None


class AssistantTextDelta(_Model):
    """A fragment of what the assistant says."""

    type: Literal["assistant_text_delta"]
    content: str


class AssistantMessageComplete(_Model):
    """All of what the assistant said."""

    type: Literal["assistant_message_complete"]
    content: str


class ToolStart(_Model):
    """A tool begins to run."""

    type: Literal["tool_start"]
    id: str
    tool: str
    input: dict[str, Any]


class ToolEnd(_Model):
    """A tool has run; `output` may be anything, but has to be there."""

    type: Literal["tool_end"]
    id: str
    output: Any
    success: bool


class SubagentSpawn(_Model):
    """A subagent begins to work."""

    type: Literal["subagent_spawn"]
    id: str
    task: str


class SubagentMessage(_Model):
    """What a subagent says."""

    type: Literal["subagent_message"]
    id: str
    content: str


class SubagentEnd(_Model):
    """A subagent is done."""

    type: Literal["subagent_end"]
    id: str
    success: bool


class CreateNote(_Model):
    """Put a note on a surface."""

    type: Literal["create_note"]
    title: str
    content: str
    surface: str
    color: NoteColor | None = None


class RemoveNote(_Model):
    """Take a note away."""

    type: Literal["remove_note"]
    title: str
    surface: str


class MoveNote(_Model):
    """Move a note to another surface."""

    type: Literal["move_note"]
    title: str
    from_surface: str
    to_surface: str


class ClearRoom(_Model):
    """Take all notes away."""

    type: Literal["clear_room"]


Action: TypeAlias = Annotated[CreateNote | RemoveNote | MoveNote | ClearRoom, Field(discriminator="type")]


class RoomAction(_Model):
    """The agent changes the room; its schema forgets the `request_id` that the response needs."""

    type: Literal["room_action"]
    action: Action
    request_id: str | None = None


class RoomQuery(_Model):
    """The agent asks what the room looks like."""

    type: Literal["room_query"]
    request_id: str
    query: Literal["describe", "examine"]
    target: str | None = None


class SessionEnded(_Model):
    """The session, or what ran in it, is over."""

    type: Literal["session_ended"]
    reason: Literal["success", "error_max_turns", "error_during_execution", "error_max_budget_usd", "cancelled"]


class CompactionOccurred(_Model):
    """The conversation was compacted."""

    type: Literal["compaction_occurred"]
    old_session_id: str
    new_session_id: str
    trigger: Literal["manual", "auto"]


class Pong(_Model):
    """Yes, I am."""

    type: Literal["pong"]


class Error(_Model):
    """Something went wrong; the codes are in `protocol.catalogue.ERROR_CODES`."""

    type: Literal["error"]
    code: str
    message: str
    recoverable: bool


class AuthStatus(_Model):
    """Whether the user is authenticated."""

    type: Literal["auth_status"]
    authenticated: bool
    error: str | None = None


BackendMessage: TypeAlias = Annotated[
    SessionStarted
    | AssistantTextDelta
    | AssistantMessageComplete
    | ToolStart
    | ToolEnd
    | SubagentSpawn
    | SubagentMessage
    | SubagentEnd
    | RoomAction
    | RoomQuery
    | SessionEnded
    | CompactionOccurred
    | Pong
    | Error
    | AuthStatus,
    Field(discriminator="type"),
]


@cache
def _frontend() -> TypeAdapter[FrontendMessage]:
    return TypeAdapter(FrontendMessage)


@cache
def _backend() -> TypeAdapter[BackendMessage]:
    return TypeAdapter(BackendMessage)


def parse_frontend(value: object) -> FrontendMessage:
    """Return the frontend's message that *value* (decoded JSON) is; raise pydantic's `ValidationError` if none."""
    return _frontend().validate_python(value)


def parse_backend(value: object) -> BackendMessage:
    """Return the backend's message that *value* (decoded JSON) is; raise pydantic's `ValidationError` if none."""
    return _backend().validate_python(value)


def explain(error: ValidationError) -> list[str]:
    """Return what is wrong, a line per field: its path, and what pydantic says of it."""
    return [f"{_path(problem['loc'])}: {problem['msg']}" for problem in error.errors(include_url=False)]


def _path(location: tuple[int | str, ...]) -> str:
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return path.removeprefix(".") or "message"
