"""A marker as it is asked for and as every machine reads it."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from yoimemory.instants import Instant
from yoimemory.markers.models import Contradiction, Marker, Reliability, SecondLook


class MarkerDraft(BaseModel):
    """What a caller says when marking a ref."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    target: str = Field(min_length=3, max_length=2_100, description="The ref that the marker stands on.")
    state: Literal["stale", "superseded", "contradicted", "needs-review"]
    reason: str = Field(min_length=1, max_length=Marker.REASON_MAX)
    by_ref: str = Field("", max_length=2_100, description="What supersedes or contradicts it.")
    evidence: list[str] = Field(default_factory=list, max_length=50)
    review_at: Instant | None = None


class MarkerOut(BaseModel):
    """A marker as every machine reads it."""

    model_config = ConfigDict(from_attributes=True)

    id: str = Field(validation_alias="public_id")
    target: str
    state: str
    by_ref: str
    reason: str
    evidence: list[str]
    origin: str
    status: str
    review_at: datetime | None
    made_by: str
    made_at: datetime
    resolved_by: str | None
    resolved_at: datetime | None
    resolution: str

    @classmethod
    def of(cls, marker: Marker) -> "MarkerOut":
        return cls(
            public_id=marker.public_id, target=marker.target, state=marker.state, by_ref=marker.by_ref,
            reason=marker.reason, evidence=marker.evidence, origin=marker.origin, status=marker.status,
            review_at=marker.review_at, made_by=str(marker.made_by), made_at=marker.made_at,
            resolved_by=str(marker.resolved_by) if marker.resolved_by else None,
            resolved_at=marker.resolved_at, resolution=marker.resolution,
        )  # fmt: skip


class ContradictionDraft(BaseModel):
    """Two refs that cannot both hold, and on what they disagree; dates and scopes where they are known."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    left: str = Field(min_length=3, max_length=2_100, description="A ref, with lines where lines are meant.")
    right: str = Field(min_length=3, max_length=2_100)
    about: str = Field(min_length=1, max_length=Contradiction.WORDS_MAX, description="What they disagree on.")
    left_at: Instant | None = None
    left_scope: str = Field("", max_length=400)
    right_at: Instant | None = None
    right_scope: str = Field("", max_length=400)


class SideOut(BaseModel):
    """One side of a contradiction."""

    ref: str
    at: datetime | None
    scope: str


class ContradictionOut(BaseModel):
    """A contradiction as every machine reads it."""

    id: str
    ref: str
    left: SideOut
    right: SideOut
    about: str
    status: str
    holds: str
    resolution: str
    made_by: str
    made_at: datetime
    resolved_by: str | None
    resolved_at: datetime | None
    one_reviewer: bool
    version: int

    @classmethod
    def of(cls, row: Contradiction) -> "ContradictionOut":
        return cls(
            id=row.public_id, ref=row.ref, left=SideOut(ref=row.left, at=row.left_at, scope=row.left_scope),
            right=SideOut(ref=row.right, at=row.right_at, scope=row.right_scope), about=row.about, status=row.status,
            holds=row.holds, resolution=row.resolution, made_by=str(row.made_by), made_at=row.made_at,
            resolved_by=str(row.resolved_by) if row.resolved_by else None, resolved_at=row.resolved_at,
            one_reviewer=row.one_reviewer, version=row.version,
        )  # fmt: skip


class ReliabilityDraft(BaseModel):
    """How far people trust a source, and why."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    source: str = Field(min_length=3, max_length=2_100, description="A ref; the grade is that of its whole source.")
    grade: Literal["normative here", "usually right", "mixed", "unreliable", "cannot be judged"]
    reason: str = Field(min_length=1, max_length=Reliability.REASON_MAX)


class ReliabilityOut(BaseModel):
    """The grade of a source, with who gave it and why. Without one, it cannot be judged."""

    source: str
    grade: str
    reason: str = ""
    set_by: str | None = None
    set_at: datetime | None = None

    @classmethod
    def of(cls, row: Reliability) -> "ReliabilityOut":
        return cls(source=row.source, grade=row.grade, reason=row.reason, set_by=str(row.set_by), set_at=row.set_at)


class LookOut(BaseModel):
    """One of two answers; shown once both are in."""

    answer: str
    reason: str
    by: str
    at: datetime


class SecondLookOut(BaseModel):
    """A question that two people answer apart. While it is asked, it says nothing of an answer."""

    id: str
    subject: str
    about: str
    outcome: str
    answer: str
    reason: str
    looks: list[LookOut]

    @classmethod
    def of(cls, second: SecondLook) -> "SecondLookOut":
        open_to_all = second.outcome in {"agreed", "conflict", "settled"}
        looks = second.looks.select_related("by").order_by("pk") if open_to_all else []
        return cls(
            id=second.public_id, subject=second.subject, about=second.get_about_display(), outcome=second.outcome,
            answer=second.answer, reason=second.reason,
            looks=[LookOut(answer=one.answer, reason=one.reason, by=str(one.by), at=one.at) for one in looks],
        )  # fmt: skip
