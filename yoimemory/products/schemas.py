"""Proposals and exports as they are offered and as every machine reads them."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from yoimemory.products.models import Proposal

Target = Literal[
    "ticket_comment", "ticket_decision", "ticket_report", "ticket_review", "validation", "ticket_artifact",
    "objective_resource", "doc", "skill", "memory", "marker", "decision_record",
]  # fmt: skip


class ProposalDraft(BaseModel):
    """What a caller says when proposing a product.

    `path` is relative to the workspace; `content` is the whole new text of that file;
    `base_digest` is the SHA-256 of the bytes it was written against (empty: the file as it stands).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: Target
    path: str = Field(min_length=1, max_length=1_000)
    title: str = Field("", max_length=300)
    content: str = Field(max_length=Proposal.CONTENT_MAX)
    base_digest: str = Field("", max_length=64)
    rationale: str = Field(min_length=1, max_length=10_000)
    evidence: list[str] = Field(default_factory=list, max_length=200)
    shoebox: str = Field("", max_length=200)


class ProposalOut(BaseModel):
    """A proposal as every machine reads it."""

    id: str
    ref: str
    target: str
    path: str
    title: str
    content: str
    diff: str
    base_digest: str
    rationale: str
    evidence: list[str]
    shoebox: str
    state: str
    state_reason: str
    state_by: str | None
    state_at: datetime
    one_reviewer: bool
    revision: int
    made_by: str
    made_at: datetime
    version: int


class PlannedFile(BaseModel):
    """One file that an export would write: exact path, whole text, and what stands there now."""

    path: str
    content: str
    exists: bool
    same: bool
