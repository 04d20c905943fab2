"""Evidence as it is offered and as every machine reads it: quote, summary and inference in fields of their own."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from evidence.models import Evidence

RelationKind = Literal["supports", "refutes", "contextualizes"]


class RelationDraft(BaseModel):
    """How the evidence bears on a hypothesis or on the shoebox."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: str = Field(max_length=200)
    relation: RelationKind


class EvidenceDraft(BaseModel):
    """What a caller says when offering one piece of evidence.

    `relation` without `target` means the shoebox; `relations` may name several targets. `quote`
    are the exact words; `line` and `column` (from 1) say which occurrence was meant.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ref: str = Field(min_length=3, max_length=2_100)
    kind: Literal["quote", "summary", "observation"] = "quote"
    quote: str = Field("", max_length=20_000)
    line: int | None = Field(None, ge=1)
    column: int | None = Field(None, ge=1)
    relation: RelationKind | None = None
    target: str = Field("", max_length=200)
    relations: list[RelationDraft] = Field(default_factory=list, max_length=20)
    why: str = Field("", max_length=Evidence.WORDS_MAX)
    summary: str = Field("", max_length=Evidence.WORDS_MAX)
    inference: str = Field("", max_length=Evidence.WORDS_MAX)
    scope: dict[str, Any] = Field(default_factory=dict)
    basis: Literal["witnessed", "deduced", "induced", "told", "recalled", "cannot be judged"] = "cannot be judged"
    confidence: float | None = Field(None, description="Kept in provenance; never shown as a grade.")


class RelationOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    target: str
    relation: str


class AnchorOut(BaseModel):
    """Where the quote stood when it was taken. Never rewritten."""

    ref: str
    revision: str
    start_line: int | None
    start_column: int | None
    end_line: int | None
    end_column: int | None
    start: int | None
    end: int | None
    byte_start: int | None
    byte_end: int | None
    occurrence: int
    occurrences: int
    prefix: str
    suffix: str
    hint: str
    quote_digest: str
    text_digest: str
    uncommitted: bool
    match: str


class EvidenceOut(BaseModel):
    """A piece of evidence as every machine reads it: API, MCP and export alike."""

    id: str
    ref: str
    shoebox: str
    kind: str
    source_ref: str
    title: str
    authority: str
    speaker: str
    said_by: str
    said_at: datetime | None
    quote: str
    summary: str
    inference: str
    why: str
    relations: list[RelationOut]
    scope: dict[str, Any]
    basis: str
    anchor: AnchorOut
    anchor_state: str
    anchor_note: str
    caveats: list[str]
    trust: Literal["untrusted"] = "untrusted"
    made_by: str
    made_at: datetime
    state: str
    state_reason: str
    state_by: str | None
    state_at: datetime
    superseded_by: str | None
    version: int


class RefusedOut(BaseModel):
    """A draft that did not pass the gate: the code, a sentence, and the nearest text with its place."""

    index: int
    code: str
    message: str
    hint: str = ""
    nearest: str = ""
    nearest_ref: str = ""
    places: list[str] = []


class ExtractionOut(BaseModel):
    """What became of a set of drafts."""

    stored: list[EvidenceOut]
    refused: list[RefusedOut]


class EvidenceDrafts(BaseModel):
    """A set of drafts for one shoebox (its ref or id). One bad draft never fails the rest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    shoebox: str = Field(min_length=1, max_length=200)
    drafts: list[EvidenceDraft] = Field(min_length=1, max_length=100)


class ReviewDraft(BaseModel):
    """A verdict of a person. Rejecting, asking for a change and retiring need a reason."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Literal["accept", "reject", "needs_change", "not_sure", "retire"]
    reason: str = Field("", max_length=Evidence.WORDS_MAX)


class RelationSet(BaseModel):
    """How the evidence bears on a target; an empty relation takes it back."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: str = Field(min_length=3, max_length=200)
    relation: Literal["", "supports", "refutes", "contextualizes"]
