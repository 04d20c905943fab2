"""Proposals and exports as they are offered and as every machine reads them."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from evidence.schemas import EvidenceOut
from hypotheses.schemas import HypothesisOut, RepresentationOut
from shoebox.schemas import ItemOut
from yoimemory.products.models import Proposal

Target = Literal[
    "ticket_comment", "ticket_decision", "ticket_report", "ticket_review", "validation", "ticket_artifact",
    "objective_resource", "doc", "skill", "memory", "marker", "decision_record",
]  # fmt: skip
Refs = Annotated[list[str], Field(max_length=Proposal.REFS_MAX)]


class ProposalDraft(BaseModel):
    """What a caller says when proposing a product.

    `path` is relative to the workspace (for a comment, decision, report or review: the ticket's
    ref); `content` is the whole new text of that file, or `patch` a unified diff against it.
    `base_digest` is the SHA-256 of the bytes it was written against (empty: the file as it stands).
    `evidence` are the refs that it rests on, `contrary` those that speak against it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: Target
    path: str = Field(min_length=1, max_length=1_000)
    title: str = Field("", max_length=300)
    content: str = Field("", max_length=Proposal.CONTENT_MAX)
    patch: str = Field("", max_length=Proposal.CONTENT_MAX)
    base_digest: str = Field("", max_length=71, pattern=r"^(sha256:)?[0-9a-f]*$")
    rationale: str = Field(min_length=1, max_length=Proposal.RATIONALE_MAX)
    evidence: Refs = []
    contrary: Refs = []
    shoebox: str = Field("", max_length=200)

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if bool(self.content) == bool(self.patch):
            raise ValueError("give either content (the whole new text) or patch (a unified diff)")
        return self


class SessionRange(BaseModel):
    """Entries of a session segment that a memory record comes from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    segment_id: str = Field(min_length=1, max_length=80, pattern=r"^[A-Za-z0-9._-]+$")
    range: tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]


class MemoryDraft(BaseModel):
    """What a caller says when proposing a memory record; we write the file in its format."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    kind: Literal["summary", "decision", "request"]
    slug: str = Field("", max_length=64)
    body: str = Field(min_length=1, max_length=20_000)
    status: Literal["open", "resolved", "replaced"] = "open"
    replaces: str = Field("", max_length=64, description="The slug of an older decision that this one replaces.")
    sources: list[SessionRange] = Field(default_factory=list, max_length=100)
    rationale: str = Field(min_length=1, max_length=Proposal.RATIONALE_MAX)
    evidence: Refs = []
    contrary: Refs = []
    shoebox: str = Field("", max_length=200)


class RevisionDraft(BaseModel):
    """What a caller says when answering a reviewer with a new revision; what is left out stays as it was."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    content: str | None = Field(None, max_length=Proposal.CONTENT_MAX)
    title: str | None = Field(None, max_length=300)
    rationale: str | None = Field(None, min_length=1, max_length=Proposal.RATIONALE_MAX)
    evidence: list[str] | None = Field(None, max_length=Proposal.REFS_MAX)
    contrary: list[str] | None = Field(None, max_length=Proposal.REFS_MAX)
    note: str = Field("", max_length=2_000, description="What changed since the revision before.")


class ReviewDraft(BaseModel):
    """A reviewer's verdict on a proposal."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Literal["approve", "needs_change", "reject"]
    reason: str = Field("", max_length=4_000)
    confirmed: bool = Field(False, description="The one more confirmation that the single-reviewer rule asks for.")


class ApplyDraft(BaseModel):
    """How an approved proposal is carried into the work."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    way: Literal["", "written", "written as an artifact", "carried over by hand", "appended to the thread"] = ""
    review: Literal["", "approve", "request_changes"] = Field("", description="What an appended review says.")
    confirmed: bool = Field(False, description="The second confirmation that risky files ask for.")


class ReasonDraft(BaseModel):
    """A reason in words, for undoing and withdrawing."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: str = Field("", max_length=4_000)


class WritingOut(BaseModel):
    """One file that was written, with the digests from before and after."""

    model_config = ConfigDict(from_attributes=True)

    path: str
    state: str
    before_digest: str
    after_digest: str
    by: Annotated[str, BeforeValidator(str)]
    at: datetime
    undone_at: datetime | None


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
    base_state: str
    risk: str
    rationale: str
    evidence: list[str]
    contrary: list[str]
    caveats: list[str]
    shoebox: str
    state: str
    state_reason: str
    state_by: str | None
    state_at: datetime
    one_reviewer: bool
    way: str
    writings: list[WritingOut]
    revision: int
    made_by: str
    made_at: datetime
    version: int
    trust: Literal["untrusted"] = "untrusted"


class ImportDraft(BaseModel):
    """An artifact to take in: the JSON itself, or the path of its file in the workspace."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field("", max_length=1_000)
    artifact: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if bool(self.path) == (self.artifact is not None):
            raise ValueError("give either artifact (the JSON) or path (its file in the workspace)")
        return self


class RefusedPart(BaseModel):
    """One part of an artifact that was not taken in, and why."""

    what: str
    ref: str
    code: str
    message: str


class ImportOut(BaseModel):
    """What became of an artifact."""

    shoebox: str
    known: bool = Field(description="It was here before; nothing was added.")
    foreign: bool = Field(description="It was made for another workspace; everything in it waits for review.")
    refused: list[RefusedPart]


class PlannedFile(BaseModel):
    """One file that an export would write: exact path, whole text, and what stands there now.

    `digest` stands for both, what would be written and what it would replace: hand it back as
    seen, so that nothing is written that the person did not see.
    """

    path: str
    content: str
    exists: bool
    same: bool
    ours: bool = Field(True, description="What stands there is what we wrote last, or nothing stands there.")
    base_digest: str = ""
    digest: str


class ArtifactShoebox(BaseModel):
    """The question, what it served, and what was looked for."""

    ref: str
    question: str
    task: str
    task_kind: str
    task_title: str
    purpose: str
    as_of: datetime | None
    state: str
    sought: dict[str, Any]
    opened_by: str
    opened_at: datetime


class ArtifactItem(ItemOut):
    """An item as the artifact holds it; it can be read back from there."""

    id: str = Field(validation_alias=AliasChoices("public_id", "id"))


Part = Literal["dossier", "shoebox", "evidence", "hypotheses", "representations"]
"""What an artifact holds: everything, or one floor of it with what that floor rests on."""


class ArtifactOut(BaseModel):
    """A shoebox with everything that was gathered, quoted, drawn and argued in it, as one published record.

    `digest` is the SHA-256 of the rest, as JSON with sorted keys and without white space: a copy
    that was altered says so.
    """

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    format: Literal["yoimemory-artifact/1"] = Field("yoimemory-artifact/1", alias="schema")
    holds: Part = Field("dossier", description="Everything of the shoebox, or one part with what it rests on.")
    workspace: str
    workspace_id: str
    shoebox: ArtifactShoebox
    items: list[ArtifactItem]
    evidence: list[EvidenceOut]
    hypotheses: list[HypothesisOut]
    representations: list[RepresentationOut]
    digest: str = ""


ImpactKind = Literal[
    "cited", "changed_plan", "changed_review", "changed_requirement", "caused_update", "invalidated_assumption",
    "avoided_duplicate", "reduced_time_to_evidence",
]  # fmt: skip


class ImpactDraft(BaseModel):
    """What a caller says of an effect on the work. A person's is recorded, a Worker's is claimed."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, extra="forbid")

    subjects: list[str] = Field(min_length=1, max_length=50, description="Refs of the records that had the effect.")
    product: str = Field(min_length=3, max_length=2_100, description="Ref of the product in which it shows.")
    kind: ImpactKind
    note: str = Field("", max_length=2_000)


class ImpactOut(BaseModel):
    """One effect as every machine reads it."""

    model_config = ConfigDict(from_attributes=True)

    id: str = Field(validation_alias=AliasChoices("public_id", "id"))
    kind: str
    known: str
    subjects: list[str]
    product: str
    note: str
    role: str
    actor: Annotated[str, BeforeValidator(lambda actor: str(actor) if actor else "")]
    at: datetime
    noted_at: datetime
