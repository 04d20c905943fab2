"""Hypotheses and representations as they are offered and as every machine reads them."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from hypotheses.models import Hypothesis


class Alternative(BaseModel):
    """An option that was turned down, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    option: str = Field(min_length=1, max_length=500)
    reason: str = Field(min_length=1, max_length=1_000)


class EvidenceRelation(BaseModel):
    """A relation from existing evidence to the hypothesis."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    evidence: str = Field(max_length=200)
    relation: Literal["supports", "refutes", "contextualizes"]


class HypothesisDraft(BaseModel):
    """What a caller says when proposing a hypothesis."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    shoebox: str = Field(max_length=200)
    claim: str = Field(min_length=3, max_length=Hypothesis.CLAIM_MAX)
    open_questions: list[str] = Field(default_factory=list, max_length=50)
    alternatives: list[Alternative] = Field(default_factory=list, max_length=50)
    threshold: str = Field("", max_length=2_000)
    minimum_evidence: int = Field(1, ge=0, le=100)
    would_change: str = Field("", max_length=2_000)
    relations: list[EvidenceRelation] = Field(default_factory=list, max_length=200)


class DecisionOut(BaseModel):
    before: str
    after: str
    reason: str
    overridden: bool
    one_reviewer: bool
    by: str
    at: datetime


class CitedEvidence(BaseModel):
    """Evidence as a hypothesis lists it: the ref, its relation and whether its quote still stands."""

    ref: str
    relation: str
    state: str
    anchor_state: str


class HypothesisOut(BaseModel):
    """A hypothesis as every machine reads it."""

    id: str
    ref: str
    shoebox: str
    number: int
    claim: str
    status: str
    recheck: list[str]
    supporting: list[CitedEvidence]
    contradicting: list[CitedEvidence]
    contextual: list[CitedEvidence]
    open_questions: list[str]
    alternatives: list[Alternative]
    threshold: str
    would_change: str
    what_happened: str
    decisions: list[DecisionOut]
    superseded_by: str | None
    made_by: str
    made_at: datetime
    version: int


class TimelineRow(BaseModel):
    """One dated thing: when, what was said or done, in which lane, and the refs it rests on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: datetime
    lane: str = Field(max_length=40)
    label: str = Field(min_length=1, max_length=400)
    relation: Literal["", "supports", "refutes", "contextualizes"] = ""
    refs: list[str] = Field(min_length=1, max_length=20)
    later: bool = False


class Timeline(BaseModel):
    """A timeline: rows in order of time, and the instant it is read as of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    as_of: datetime | None = None
    rows: list[TimelineRow]
    undated: list[str] = Field(default_factory=list, description="Refs of evidence without a date.")


BODIES: dict[str, type[BaseModel]] = {"timeline": Timeline}
"""The typed body of each kind of representation."""


class RepresentationDraft(BaseModel):
    """What a caller says when making a representation: a body, or `build` to have it built from evidence."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    kind: Literal["timeline"]
    shoebox: str = Field(max_length=200)
    title: str = Field("", max_length=300)
    evidence: list[str] = Field(default_factory=list, max_length=500)
    build: bool = True
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
    state: Literal["current", "behind"]
    behind: list[str]
    made_by: str
    made_at: datetime
    version: int
