"""Where quotes stand, as every machine reads it, and what a person says of it."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from evidence.models import Evidence, Placement


class ChangeOut(BaseModel):
    """A word that bears on meaning: what it was, and what stands there; either may be empty."""

    kind: str
    before: str
    after: str


class PlacementOut(BaseModel):
    """One check of one quote: the state, how it was found, and what stands there. Source text is untrusted."""

    state: str
    label: str
    method: str
    ref: str
    revision: str
    start_line: int | None
    end_line: int | None
    start: int | None
    end: int | None
    similarity: float | None
    words: str
    changes: list[ChangeOut]
    rebased: bool
    note: str
    at: datetime
    by: str | None


class Reattachment(BaseModel):
    """The words of a source as it stands now that a quote is attached to; `line` and `column` from 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ref: str = Field(min_length=3, max_length=2_100)
    quote: str = Field(min_length=1, max_length=20_000)
    line: int | None = Field(None, ge=1)
    column: int | None = Field(None, ge=1)
    reason: str = Field("", max_length=Evidence.WORDS_MAX)


class Confirmation(BaseModel):
    """The evidence (refs or ids) whose quotes stand as they were found. A change of meaning comes alone."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    evidence: list[str] = Field(min_length=1, max_length=100)
    reason: str = Field("", max_length=Evidence.WORDS_MAX)


def placement_out(placement: Placement) -> PlacementOut:
    """One placement as every machine reads it."""
    same = {name: getattr(placement, name) for name in PlacementOut.model_fields if name not in {"ref", "by", "label"}}
    ref = placement.place or placement.evidence.place
    return PlacementOut(ref=ref, by=str(placement.by) if placement.by else None, label=placement.label, **same)
