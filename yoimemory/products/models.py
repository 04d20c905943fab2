"""The way out: proposals that a person approves, what applying them wrote, and exported artifacts."""

from typing import Self

from django.db import models
from django.db.models import Q

from shoebox.models import Shoebox
from yoimemory.refs import SourceRef, new_id
from yoimemory.sources.models import Workspace


class ProposalQuerySet(models.QuerySet["Proposal"]):
    def in_workspace(self, workspace: Workspace) -> Self:
        return self.filter(workspace=workspace)

    def waiting(self) -> Self:
        return self.filter(state__in=[Proposal.State.PROPOSED, Proposal.State.CONFLICT])


class Proposal(models.Model):
    """The exact new content of one file, against the state it was written for."""

    CONTENT_MAX = 1_000_000

    class Target(models.TextChoices):
        TICKET_COMMENT = "ticket_comment"
        TICKET_DECISION = "ticket_decision"
        TICKET_REPORT = "ticket_report"
        TICKET_REVIEW = "ticket_review"
        VALIDATION = "validation"
        TICKET_ARTIFACT = "ticket_artifact"
        OBJECTIVE_RESOURCE = "objective_resource"
        DOC = "doc"
        SKILL = "skill"
        MEMORY = "memory"
        MARKER = "marker"
        DECISION_RECORD = "decision_record"

    class State(models.TextChoices):
        PROPOSED = "proposed"
        NEEDS_CHANGE = "needs_change"
        APPROVED = "approved"
        REJECTED = "rejected"
        APPLIED = "applied"
        CONFLICT = "conflict"
        WITHDRAWN = "withdrawn"
        REVERTED = "reverted"

    TRANSITIONS = {
        State.PROPOSED: {State.APPROVED, State.REJECTED, State.NEEDS_CHANGE, State.WITHDRAWN},
        State.NEEDS_CHANGE: {State.PROPOSED, State.WITHDRAWN},
        State.APPROVED: {State.APPLIED, State.CONFLICT, State.WITHDRAWN},
        State.CONFLICT: {State.PROPOSED, State.WITHDRAWN},
        State.APPLIED: {State.REVERTED},
        State.REJECTED: set(),
        State.WITHDRAWN: set(),
        State.REVERTED: set(),
    }

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="proposals")
    shoebox = models.ForeignKey(Shoebox, models.PROTECT, null=True, blank=True, related_name="proposals")
    target = models.CharField(max_length=20, choices=Target)
    path = models.CharField(max_length=1_000, help_text="Relative to the workspace, POSIX.")
    title = models.CharField(max_length=300)
    content = models.TextField(help_text="The whole new content of the file.")
    base_content = models.TextField(blank=True, help_text="What the file held when this was proposed.")
    base_digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the bytes; empty for a new file.")
    rationale = models.TextField()
    evidence = models.JSONField(default=list, blank=True)
    state = models.CharField(max_length=12, choices=State, default=State.PROPOSED)
    state_reason = models.TextField(blank=True)
    state_by = models.ForeignKey("access.Actor", models.PROTECT, null=True, related_name="+")
    state_at = models.DateTimeField()
    one_reviewer = models.BooleanField(default=False)
    revision = models.PositiveIntegerField(default=1)
    made_by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    version = models.PositiveIntegerField(default=1)

    objects = ProposalQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(rationale__gt=""), name="proposal_has_rationale"),
            models.CheckConstraint(
                condition=~Q(state__in=["rejected", "needs_change"]) | Q(state_reason__gt=""),
                name="proposal_verdict_has_reason",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def ref(self) -> SourceRef:
        return SourceRef("proposal", self.public_id)


class Writing(models.Model):
    """One file that we wrote (or are about to write) into a workspace: the journal of 6-reliability 5.4.

    `prepared` is committed before the file changes; at start every prepared row is finished or
    rolled back by comparing digests. The old bytes are kept, so every writing can be undone.
    """

    class State(models.TextChoices):
        PREPARED = "prepared"
        WRITTEN = "written"
        ABANDONED = "abandoned"
        UNDONE = "undone"

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="writings")
    proposal = models.ForeignKey(Proposal, models.PROTECT, null=True, blank=True, related_name="writings")
    export = models.ForeignKey("Export", models.PROTECT, null=True, blank=True, related_name="writings")
    path = models.CharField(max_length=1_000)
    before = models.BinaryField(null=True, help_text="The old bytes; null when the file was new.")
    before_digest = models.CharField(max_length=64, blank=True)
    after_digest = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State, default=State.PREPARED)
    by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.state}: {self.path}"


class Export(models.Model):
    """A shoebox with its evidence and hypotheses, written as an artifact of a ticket or a resource of an objective."""

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    shoebox = models.ForeignKey(Shoebox, models.PROTECT, related_name="exports")
    folder = models.CharField(max_length=1_000)
    by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.shoebox} in {self.folder}"
