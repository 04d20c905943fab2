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


class ObservedDraft(BaseModel):
    """How an observation was made: a pattern that is absent, a state that was derived, or what a command put out."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    form: Literal["absence", "state", "output"]
    pattern: str = Field("", max_length=400, description="The exact words that do not stand in the text.")
    command: str = Field("", max_length=1_000, description="The command that showed it. It is never run here.")
    output: str = Field("", max_length=20_000, description="What it put out; kept in part, with its digest.")
    output_digest: str = Field("", pattern=r"^([0-9a-f]{64})?$", description="SHA-256 of an output not sent along.")


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
    offset: int | None = Field(None, ge=0, description="Code points from the start of the text, instead of a line.")
    relation: RelationKind | None = None
    target: str = Field("", max_length=200)
    relations: list[RelationDraft] = Field(default_factory=list, max_length=20)
    why: str = Field("", max_length=Evidence.WORDS_MAX)
    summary: str = Field("", max_length=Evidence.WORDS_MAX)
    inference: str = Field("", max_length=Evidence.WORDS_MAX)
    scope: dict[str, Any] = Field(default_factory=dict)
    observed: ObservedDraft | None = Field(None, description="Of an observation: how it was made.")
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


class ExtractorOut(BaseModel):
    """Who took it out of its source: a person, a Worker in one run and on whose behalf, or a part of the app."""

    kind: str = ""
    name: str = ""
    role: str = ""
    model: str = ""
    run: str = ""
    on_behalf_of: str = ""


class CorroborationOut(BaseModel):
    """How many pieces say the same of one target, and from how many lineages: ten quotes of one page are one."""

    target: str
    relation: str
    pieces: int
    lineages: int


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
    supersedes: list[str] = []
    observed: dict[str, Any] = {}
    extractor: ExtractorOut = ExtractorOut()
    summary_by: str = ""
    inference_by: str = ""
    why_by: str = ""
    source_reliability: str = "cannot be judged"
    source_reliability_reason: str = ""
    source_reliability_by: str = ""
    lineage: str = ""
    corroboration: list[CorroborationOut] = []
    contradictions: list[str] = []
    conflict: str = ""
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
    """A set of drafts for one shoebox (its ref or id), or `suggest`. One bad draft never fails the rest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    shoebox: str = Field(min_length=1, max_length=200)
    drafts: list[EvidenceDraft] = Field(default_factory=list, max_length=100)
    suggest: bool = Field(False, description="Propose passages of the shoebox's items, without a model.")
    limit: int = Field(10, ge=1, le=30, description="How many passages are proposed at most.")


class ReviewDraft(BaseModel):
    """A verdict of a person. Rejecting, asking for a change and retiring need a reason."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Literal["accept", "reject", "needs_change", "not_sure", "retire"]
    reason: str = Field("", max_length=Evidence.WORDS_MAX)
    fix: "Fix | None" = Field(None, description="Words and a relation that are set right in the same step.")


class Fix(BaseModel):
    """What is set right before a verdict. The quote never is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    why: str | None = Field(None, max_length=Evidence.WORDS_MAX)
    summary: str | None = Field(None, max_length=Evidence.WORDS_MAX)
    inference: str | None = Field(None, max_length=Evidence.WORDS_MAX)
    scope: dict[str, Any] | None = None
    basis: str | None = None
    relation: Literal["", "supports", "refutes", "contextualizes"] = ""
    target: str = Field("", max_length=200)

    @property
    def words(self) -> dict[str, Any]:
        """What `explain_evidence` takes."""
        return self.model_dump(exclude={"relation", "target"})


class ShownVersion(BaseModel):
    """One piece of a batch, at the version that was looked at."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(max_length=40)
    version: int = Field(ge=1)


class BatchDraft(BaseModel):
    """Quotes of one source to accept in one step, or to take back."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pieces: list[ShownVersion] = Field(min_length=1, max_length=20)


class Settlement(BaseModel):
    """How a conflict of two reviewers is settled: one of their answers, and what decided it."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    answer: str = Field(min_length=1, max_length=200)
    reason: str = Field(min_length=1, max_length=Evidence.WORDS_MAX)


class AnnotationsIn(BaseModel):
    """Web annotations to take in: one, a list, or a page or collection of them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    shoebox: str = Field(min_length=1, max_length=200)
    annotations: Any


class RelationSet(BaseModel):
    """How the evidence bears on a target; an empty relation takes it back."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: str = Field(min_length=3, max_length=200)
    relation: Literal["", "supports", "refutes", "contextualizes"]
