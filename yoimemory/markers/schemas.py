"""A marker as it is asked for and as every machine reads it."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from yoimemory.markers.models import Marker


class MarkerDraft(BaseModel):
    """What a caller says when marking a ref."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    target: str = Field(min_length=3, max_length=2_100, description="The ref that the marker stands on.")
    state: Literal["stale", "superseded", "contradicted", "needs-review"]
    reason: str = Field(min_length=1, max_length=Marker.REASON_MAX)
    by_ref: str = Field("", max_length=2_100, description="What supersedes or contradicts it.")
    evidence: list[str] = Field(default_factory=list, max_length=50)
    review_at: datetime | None = None


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
