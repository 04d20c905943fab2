"""What the pages of impact and evaluation count, as every machine reads it."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

HOUR, DAY = 60, 24 * 60


def lasted(minutes: float | None) -> str:
    """A span of time in the unit that a person would use."""
    if minutes is None:
        return "–"
    if minutes < 2 * HOUR:
        return f"{minutes:.0f} min"
    return f"{minutes / HOUR:.1f} h" if minutes < 2 * DAY else f"{minutes / DAY:.1f} days"


class EffectOut(BaseModel):
    """How often one kind of effect was known in each of the three ways. They are never added together."""

    kind: str
    observed: int
    recorded: int
    claimed: int

    @property
    def label(self) -> str:
        return self.kind.replace("_", " ")


class HarmOut(BaseModel):
    """One kind of harm: how often, and where it can be looked at."""

    kind: str
    count: int
    refs: list[str]


class WeekOut(BaseModel):
    """One week: how many shoeboxes were opened, and how long the first accepted quote took, in the middle."""

    week: str
    shoeboxes: int
    with_evidence: int
    median_minutes: float | None


class StageOut(BaseModel):
    """One stage of the way into the work: how many shoeboxes of the span reached it, with how many records."""

    stage: str
    shoeboxes: int
    records: int


class RoleOut(BaseModel):
    """What one role opened, and what of its material was observed in the work; how soon its shoeboxes had evidence."""

    role: str
    opened: int
    cited: int
    changed: int
    shoeboxes: int
    median_minutes: float | None

    @property
    def evidence_after(self) -> str:
        return lasted(self.median_minutes)


class UnusedOut(BaseModel):
    """A shoebox of which nothing was ever cited, exported or proposed."""

    ref: str
    question: str
    opened_by: str
    opened_at: datetime
    items: int


class FirstEvidenceOut(BaseModel):
    """How long one shoebox went without a quote that counts; no minutes where it has none yet."""

    ref: str
    question: str
    role: str
    opened_at: datetime
    minutes: float | None


class IdleOut(BaseModel):
    """An accepted hypothesis of which nothing went into the work."""

    ref: str
    claim: str
    shoebox: str


class ImpactReport(BaseModel):
    """What memory did to the work in a span of weeks. Exposure stands apart and is no success."""

    since: datetime
    until: datetime
    weeks: int
    role: str
    exposure: dict[str, int]
    activity: dict[str, int]
    funnel: list[StageOut]
    effects: list[EffectOut]
    harm: list[HarmOut]
    by_week: list[WeekOut]
    by_role: list[RoleOut]
    unused: list[UnusedOut]
    idle: list[IdleOut]
    first_evidence: list[FirstEvidenceOut]


class TrialDraft(BaseModel):
    """Puts a task into the comparison. Without an arm it is drawn."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    task: str = Field(min_length=3, max_length=300, description="Ref of a ticket or an objective.")
    kind: str = Field("", max_length=80, description="What kind of task; only like is compared with like.")
    arm: Literal["", "with", "without"] = ""


class TrialOut(BaseModel):
    """One task of the comparison, with what came of it so far."""

    id: str
    task: str
    title: str
    state: str
    kind: str
    arm: str
    at: datetime
    ended: bool
    reason: str
    minutes: float | None
    evidence: int
    contrary: int
    reviews: list[str]
    reopened: int


class ArmOut(BaseModel):
    """One arm: figures that are read from events, each with how many tasks stand behind it."""

    arm: str
    tasks: int
    with_evidence: int
    median_minutes: float | None
    fastest_minutes: float | None
    slowest_minutes: float | None
    evidence: int
    contrary: int
    tasks_with_contrary: int
    reviewed: int
    approved_first: int
    changes_requested: int
    reopened: int


class EvaluationOut(BaseModel):
    """The arms beside one another. `enough` says whether there are tasks enough to look at them at all."""

    kind: str
    kinds: list[str]
    until: datetime
    enough: bool
    arms: list[ArmOut]
    tasks: list[TrialOut]
