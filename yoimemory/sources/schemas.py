"""Records and messages as they are sent and as every machine reads them."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from yoimemory.instants import Instant
from yoimemory.sources.models import Message, Snapshot


class RecordDraft(BaseModel):
    """A record of the runtime or the Workspace as it stands at one instant."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    system: str = Field(
        min_length=1, max_length=60, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="Such as runtime."
    )
    id: str = Field(min_length=1, max_length=300, description="The record's own id there; steps are parted by /.")
    body: JsonValue = Field(description="The record itself, any JSON.")
    taken_at: Instant | None = Field(None, description="When it stood so; now, where it is left out.")
    origin: str = Field("", max_length=Snapshot.ORIGIN_MAX, description="Where it comes from, in words.")


class RecordOut(BaseModel):
    """One snapshot of a record. `ref` names it for good; without the revision it names the record as it stands."""

    id: str
    ref: str
    record: str
    revision: str
    taken_at: datetime
    origin: str
    recorded_by: str
    recorded_at: datetime
    masked: dict[str, int] = Field(description="How many secrets of which kind were masked.")
    unchanged: bool = Field(False, description="The latest snapshot said the same, so none was added.")
    body: Any = None

    @classmethod
    def of(cls, snapshot: Snapshot, *, unchanged: bool = False) -> "RecordOut":
        return cls(
            id=snapshot.public_id, ref=str(snapshot.ref), record=str(snapshot.ref.bare),
            revision=snapshot.ref.revision, taken_at=snapshot.taken_at, origin=snapshot.origin,
            recorded_by=str(snapshot.recorded_by), recorded_at=snapshot.recorded_at, masked=snapshot.masked,
            unchanged=unchanged,
        )  # fmt: skip


class MessageDraft(BaseModel):
    """An explicit instruction of a user, in their own words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = Field(min_length=1, max_length=Message.TEXT_MAX, description="The words, verbatim.")
    said_by: str = Field("", max_length=Message.NAME_MAX, description="Whose words they are; the caller's, if empty.")
    said_at: Instant | None = Field(None, description="When they were said; now, where it is left out.")
    origin: str = Field("", max_length=Message.ORIGIN_MAX, description="Where they were said, such as a chat.")


class MessageOut(BaseModel):
    """A message as it is kept. `relayed` says that a Worker passed it on and no person wrote it down."""

    id: str
    ref: str
    text: str
    said_by: str
    said_at: datetime
    origin: str
    captured_by: str
    captured_at: datetime
    relayed: bool
    masked: dict[str, int]

    @classmethod
    def of(cls, message: Message) -> "MessageOut":
        return cls(
            id=message.public_id, ref=str(message.ref), text=message.text, said_by=message.said_by,
            said_at=message.said_at, origin=message.origin, captured_by=str(message.captured_by),
            captured_at=message.captured_at, relayed=message.relayed, masked=message.masked,
        )  # fmt: skip
