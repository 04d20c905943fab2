"""Hypotheses and representations as they are offered and as every machine reads them."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from hypotheses.models import Hypothesis, Rating, Representation

RelationKind = Literal["supports", "refutes", "contextualizes"]
Status = Literal["proposed", "accepted", "rejected", "stale", "superseded"]
Question = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
Words = Annotated[str, StringConstraints(strip_whitespace=True, max_length=Hypothesis.WORDS_MAX)]


class Alternative(BaseModel):
    """An option that was turned down, and why."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    option: str = Field(min_length=1, max_length=500)
    reason: str = Field(min_length=1, max_length=1_000)


class EvidenceRelation(BaseModel):
    """A relation from existing evidence to the hypothesis."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    evidence: str = Field(max_length=200)
    relation: RelationKind


class HypothesisDraft(BaseModel):
    """What a caller says when proposing a hypothesis."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    shoebox: str = Field(max_length=200)
    claim: str = Field(min_length=3, max_length=Hypothesis.CLAIM_MAX)
    open_questions: list[Question] = Field(default_factory=list, max_length=Hypothesis.LIST_MAX)
    alternatives: list[Alternative] = Field(default_factory=list, max_length=Hypothesis.LIST_MAX)
    threshold: Words = ""
    minimum_evidence: int = Field(1, ge=0, le=100)
    would_change: Words = ""
    relations: list[EvidenceRelation] = Field(default_factory=list, max_length=200)


class HypothesisEdit(BaseModel):
    """New words of a hypothesis. What is not named stays as it is."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    claim: str | None = Field(None, min_length=3, max_length=Hypothesis.CLAIM_MAX)
    open_questions: list[Question] | None = Field(None, max_length=Hypothesis.LIST_MAX)
    alternatives: list[Alternative] | None = Field(None, max_length=Hypothesis.LIST_MAX)
    threshold: Words | None = None
    minimum_evidence: int | None = Field(None, ge=0, le=100)
    would_change: Words | None = None
    what_happened: Words | None = None
    confidence: Literal["", "low", "moderate", "high"] | None = None


class DecisionDraft(BaseModel):
    """What a person says when changing the status of a hypothesis.

    `override` accepts against the threshold; the reason then stays visible. `confirmed` is the
    one more confirmation that a single reviewer gives on a hypothesis of their own.
    """

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    after: Status
    reason: str = Field(max_length=Hypothesis.WORDS_MAX)
    confirmed: bool = False
    override: bool = False
    superseded_by: str = Field("", max_length=200, description="Ref of the hypothesis that takes its place.")
    version: int | None = Field(None, description="The version the caller read; If-Match says the same.")


class SettlementDraft(BaseModel):
    """How a disagreement of two reviewers ends: one of the two answers, as it was given, and what decides it."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    answer: str = Field(max_length=200)
    reason: str = Field(max_length=Hypothesis.WORDS_MAX)
    confirmed: bool = False
    override: bool = False


class CheckOut(BaseModel):
    """One machine-checked line of the threshold."""

    model_config = ConfigDict(from_attributes=True)

    key: str
    met: bool
    sentence: str


class DecisionOut(BaseModel):
    before: str
    after: str
    reason: str
    overridden: bool
    one_reviewer: bool
    checks: list[CheckOut]
    by: str
    at: datetime


class CitedEvidence(BaseModel):
    """Evidence as a hypothesis lists it: the ref, its relation and whether its quote still stands."""

    ref: str
    label: str
    relation: str
    state: str
    anchor_state: str
    caveats: list[str]


class ConfidenceOut(BaseModel):
    """Analytic confidence: a person's word, the most that the reasons allow, and the reasons."""

    model_config = ConfigDict(from_attributes=True)

    word: str
    at_most: Literal["low", "moderate", "high"]
    reasons: list[str]


class SoughtOut(BaseModel):
    """One search for what would refute the claim, whether it found something or not, with what it covered."""

    aim: str = Field(description="Sought for its claim, or by gathering for the question of its shoebox.")
    at: datetime | None
    by: str
    query: str
    queries: int = Field(description="How many searches it was: gathering asks by kind and by the task's text.")
    matched: int
    commit: str = Field(description="Where the index stood.")
    covers: str = Field(description="Which sources were read for which signs, in a sentence.")
    refs: list[str]


class HypothesisOut(BaseModel):
    """A hypothesis as every machine reads it."""

    id: str
    ref: str
    shoebox: str
    number: int
    claim: str
    status: str
    recheck: list[str]
    contradicting: list[CitedEvidence]
    supporting: list[CitedEvidence]
    contextual: list[CitedEvidence]
    open_questions: list[str]
    alternatives: list[Alternative]
    threshold: str
    minimum_evidence: int
    checks: list[CheckOut] = Field(description="The threshold's machine-checked part as it stands now.")
    confidence: ConfidenceOut
    sought: list[SoughtOut]
    would_change: str
    what_happened: str
    decisions: list[DecisionOut]
    override: str = Field("", description="Why it was accepted against its threshold, while it is.")
    superseded_by: str | None
    supersedes: list[str]
    made_by: str
    made_at: datetime
    version: int


Value = Literal["II", "I", "N", "C", "CC", "NA"]


class OneRating(BaseModel):
    """One cell: `II, I, N, C, CC` or `NA`; empty takes one's own rating back."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    hypothesis: str = Field(max_length=200)
    value: Value | Literal[""]
    note: str = Field("", max_length=Rating.NOTE_MAX)


class RatingDraft(BaseModel):
    """One piece of evidence rated across the hypotheses of its shoebox."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    evidence: str = Field(max_length=200)
    ratings: list[OneRating] = Field(min_length=1, max_length=50)


class SuggestDraft(BaseModel):
    """Which passages of the last counter-search to suggest as evidence; none named means all."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    refs: list[str] = Field(default_factory=list, max_length=50)


class RatingOut(BaseModel):
    """A rating as every machine reads it. `recheck` says what has changed since; empty while nothing has."""

    rater: str
    worker: bool
    value: str
    note: str
    rated_at: datetime
    recheck: list[str]


class CellOut(BaseModel):
    hypothesis: str
    evidence: str
    disputed: bool
    ratings: list[RatingOut]


class ScoreOut(BaseModel):
    """How much speaks against a claim; a range where raters differ. The lowest leads, and it is not the answer."""

    hypothesis: str
    name: str
    claim: str
    status: str
    low: int
    high: int
    strong: int
    some: int
    disputed: int
    unrated: int
    sources: tuple[int, int]
    leads: Literal["surely", "possibly", "no"]


class ColumnOut(BaseModel):
    evidence: str
    label: str
    source: str
    anchor_state: str
    later: bool
    diagnosticity: str


class WithoutOut(BaseModel):
    label: str
    evidence: list[str]
    scores: dict[str, str]
    leads: list[str]
    possibly: list[str]
    changes: bool


class BreakingOut(BaseModel):
    hypothesis: str
    sets: list[list[str]]
    more: bool
    smallest: bool


class SensitivityOut(BaseModel):
    """How firmly the lead stands, in words and sets."""

    linchpins: list[str]
    reversals: list[str]
    without: list[WithoutOut]
    breaking: list[BreakingOut]
    next: list[str] = Field(description="Evidence not yet rated for one of the two front runners.")


class MatrixOut(BaseModel):
    """The matrix of a shoebox as every machine reads it."""

    shoebox: str
    workers_counted: bool
    hypotheses: list[ScoreOut]
    evidence: list[ColumnOut]
    cells: list[CellOut]
    sensitivity: SensitivityOut


RepresentationKind = Literal[
    "timeline", "subsystem_map", "authority_map", "invariants", "risks", "decision_table", "hypothesis_table",
    "alternatives", "contradiction_report", "review_checklist", "dependency_graph",
]  # fmt: skip


class RepresentationDraft(BaseModel):
    """What a caller says when making a representation: a body, or `build` to have it built from evidence."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    kind: RepresentationKind
    shoebox: str = Field(max_length=200)
    title: str = Field("", max_length=Representation.TITLE_MAX)
    evidence: list[str] = Field(default_factory=list, max_length=500)
    build: bool = True
    body: dict[str, Any] | None = None


class RepresentationEdit(BaseModel):
    """Another title, or the whole body with some rows changed."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    title: str | None = Field(None, min_length=1, max_length=Representation.TITLE_MAX)
    body: dict[str, Any] | None = None


class RepresentationOut(BaseModel):
    """A representation as every machine reads it."""

    id: str
    ref: str
    shoebox: str
    kind: str
    title: str
    body: dict[str, Any]
    cites: list[dict[str, str]]
    built: bool
    edited: bool
    state: Literal["current", "behind"]
    behind: list[str]
    made_by: str
    made_at: datetime
    version: int
