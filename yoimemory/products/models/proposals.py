"""The exact new content of a file, what it said at each time, and what people judged of it."""

from typing import Self

from django.db import models
from django.db.models import Q

from shoebox.models import Shoebox
from yoimemory.access.models import Actor
from yoimemory.access.reach import readable_by
from yoimemory.refs import SourceRef, new_id
from yoimemory.sources.models import Workspace


class ProposalQuerySet(models.QuerySet["Proposal"]):
    """Questions the house asks of its proposals."""

    def readable_by(self, actor: Actor) -> Self:
        return self.filter(readable_by(actor))

    def in_workspace(self, workspace: Workspace) -> Self:
        return self.filter(workspace=workspace)

    def in_shoebox(self, shoebox: Shoebox) -> Self:
        return self.filter(shoebox=shoebox)

    def waiting(self) -> Self:
        """Waiting for a reviewer: to be judged, or to be rebased after a conflict."""
        return self.filter(state__in=[Proposal.State.PROPOSED, Proposal.State.CONFLICT])

    def open(self) -> Self:
        """Not at an end: something may still be written."""
        return self.filter(state__in=Proposal.OPEN)

    def with_people(self) -> Self:
        """Everything that a list, a page or an Out shows of a proposal, in a fixed number of queries."""
        return self.select_related("workspace", "shoebox", "made_by", "state_by")


class Proposal(models.Model):
    """The exact new content of one file, against the state it was written for.

    The four text targets (a comment, decision, report or review for a ticket's thread) have
    another writer: their content is offered for copying, or written as an artifact.
    """

    CONTENT_MAX = 1_000_000
    RATIONALE_MAX = 10_000
    REFS_MAX = 200

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

    TEXT_TARGETS = frozenset(
        {Target.TICKET_COMMENT, Target.TICKET_DECISION, Target.TICKET_REPORT, Target.TICKET_REVIEW}
    )

    class State(models.TextChoices):
        PROPOSED = "proposed"
        NEEDS_CHANGE = "needs_change"
        APPROVED = "approved"
        REJECTED = "rejected"
        APPLIED = "applied"
        CONFLICT = "conflict"
        WITHDRAWN = "withdrawn"
        REVERTED = "reverted"

    OPEN = frozenset({State.PROPOSED, State.NEEDS_CHANGE, State.APPROVED, State.CONFLICT})
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

    class Way(models.TextChoices):
        """How an approved proposal reached the work."""

        WRITTEN = "written"
        ARTIFACT = "written as an artifact"
        BY_HAND = "carried over by hand"
        APPENDED = "appended to the thread"
        MARKED = "set as a marker"

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="proposals")
    shoebox = models.ForeignKey(Shoebox, models.PROTECT, null=True, blank=True, related_name="proposals")
    target = models.CharField(max_length=20, choices=Target)
    path = models.CharField(
        max_length=1_000, help_text="Relative to the workspace, POSIX; for a marker the ref that it is set on."
    )
    title = models.CharField(max_length=300)
    content = models.TextField(help_text="The whole new content of the file.")
    base_content = models.TextField(blank=True, help_text="What the file held when this was proposed.")
    base_digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the bytes; empty for a new file.")
    rationale = models.TextField(max_length=RATIONALE_MAX)
    evidence = models.JSONField(default=list, blank=True, help_text="Refs that it rests on.")
    contrary = models.JSONField(default=list, blank=True, help_text="Refs that speak against it.")
    state = models.CharField(max_length=12, choices=State, default=State.PROPOSED)
    state_reason = models.TextField(blank=True)
    state_by = models.ForeignKey("access.Actor", models.PROTECT, null=True, related_name="+")
    state_at = models.DateTimeField()
    one_reviewer = models.BooleanField(default=False)
    way = models.CharField(max_length=24, choices=Way, blank=True)
    revision = models.PositiveIntegerField(default=1)
    made_by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    version = models.PositiveIntegerField(default=1)

    marker = models.ForeignKey(
        "markers.Marker", models.PROTECT, null=True, blank=True, related_name="+", help_text="What applying it set."
    )

    objects = ProposalQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(rationale__gt=""), name="proposal_has_rationale"),
            models.CheckConstraint(
                condition=~Q(state__in=["rejected", "needs_change"]) | Q(state_reason__gt=""),
                name="proposal_verdict_has_reason",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["applied", "reverted"]) | Q(way__gt=""), name="proposal_applied_says_how"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def ref(self) -> SourceRef:
        return SourceRef("proposal", self.public_id)

    @property
    def is_text(self) -> bool:
        """Whether this is text for a ticket's thread, which has another writer."""
        return self.target in self.TEXT_TARGETS

    @property
    def is_mark(self) -> bool:
        """Whether it sets a marker on a ref and writes no file."""
        return self.target == self.Target.MARKER

    @property
    def is_file(self) -> bool:
        """Whether applying it writes the file at its path."""
        return not self.is_text and not self.is_mark

    @property
    def is_new_file(self) -> bool:
        return not self.base_digest

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN

    @property
    def target_label(self) -> str:
        return self.target.replace("_", " ")

    @property
    def state_label(self) -> str:
        return self.state.replace("_", " ")


class Revision(models.Model):
    """What a proposal said at one time, by whom. Append-only, so that a verdict always has its text."""

    proposal = models.ForeignKey(Proposal, models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    content = models.TextField()
    base_content = models.TextField(blank=True)
    base_digest = models.CharField(max_length=64, blank=True)
    rationale = models.TextField()
    note = models.TextField(blank=True, help_text="What changed since the revision before.")
    mechanical = models.BooleanField(default=False, help_text="Carried over to a newer base without a new word.")
    by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["proposal", "number"], name="revision_once")]

    def __str__(self) -> str:
        return f"{self.proposal_id} revision {self.number}"


class Verdict(models.Model):
    """One person's judgement of one revision. Append-only."""

    class Kind(models.TextChoices):
        APPROVE = "approve"
        NEEDS_CHANGE = "needs_change"
        REJECT = "reject"

    proposal = models.ForeignKey(Proposal, models.CASCADE, related_name="verdicts")
    verdict = models.CharField(max_length=14, choices=Kind)
    reason = models.TextField(blank=True)
    revision = models.PositiveIntegerField()
    one_reviewer = models.BooleanField(default=False)
    by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.by} {self.verdict} {self.proposal_id}"
