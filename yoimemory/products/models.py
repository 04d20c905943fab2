"""The way out: proposals that a person approves, what applying them wrote, and exported artifacts."""

from typing import Self

from django.db import models
from django.db.models import Q

from shoebox.models import Shoebox
from yoimemory.access.models import Actor
from yoimemory.refs import SourceRef, new_id
from yoimemory.sources.models import Workspace


def _readable_by(actor: Actor, through: str) -> Q:
    """Records of the workspaces in which this actor has a role."""
    if actor.token_id:
        return Q(**{f"{through}__tokens": actor.token_id})
    if actor.user is None or not actor.user.is_active:
        return Q(pk__in=[])
    return Q() if actor.user.is_superuser else Q(**{f"{through}__memberships__user": actor.user})


class ProposalQuerySet(models.QuerySet["Proposal"]):
    """Questions the house asks of its proposals."""

    def readable_by(self, actor: Actor) -> Self:
        return self.filter(_readable_by(actor, "workspace"))

    def in_workspace(self, workspace: Workspace) -> Self:
        return self.filter(workspace=workspace)

    def in_shoebox(self, shoebox: Shoebox) -> Self:
        return self.filter(shoebox=shoebox)

    def waiting(self) -> Self:
        """Waiting for a reviewer: to be judged, or to be rebased after a conflict."""
        return self.filter(state__in=[Proposal.State.PROPOSED, Proposal.State.CONFLICT])

    def to_apply(self) -> Self:
        return self.filter(state=Proposal.State.APPROVED)

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

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="proposals")
    shoebox = models.ForeignKey(Shoebox, models.PROTECT, null=True, blank=True, related_name="proposals")
    target = models.CharField(max_length=20, choices=Target)
    path = models.CharField(max_length=1_000, help_text="Relative to the workspace, POSIX.")
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


class Batch(models.Model):
    """Some files that a person had written into the workspace after seeing them: all of them or none."""

    class State(models.TextChoices):
        PREPARED = "prepared"
        WRITTEN = "written"
        ABANDONED = "abandoned"
        UNDONE = "undone"

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    folder = models.CharField(max_length=1_000, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.PREPARED)
    by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True, blank=True, help_text="Since when nothing of it stands any more.")

    class Meta:
        abstract = True


class ExportQuerySet(models.QuerySet["Export"]):
    def readable_by(self, actor: Actor) -> Self:
        return self.filter(_readable_by(actor, "shoebox__workspace"))


class Export(Batch):
    """A shoebox with its evidence and hypotheses, written as an artifact of a ticket or a resource of an objective."""

    shoebox = models.ForeignKey(Shoebox, models.PROTECT, related_name="exports")
    digest = models.CharField(max_length=80, help_text="The digest that the artifact says of itself.")

    objects = ExportQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.shoebox} in {self.folder}"


class InstallationQuerySet(models.QuerySet["Installation"]):
    def readable_by(self, actor: Actor) -> Self:
        return self.filter(_readable_by(actor, "workspace"))


class Installation(Batch):
    """Our skills, written into a folder where the workspace's agents look for skills."""

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="installations")

    objects = InstallationQuerySet.as_manager()

    def __str__(self) -> str:
        return f"skills in {self.folder}"


class ImportQuerySet(models.QuerySet["Import"]):
    def readable_by(self, actor: Actor) -> Self:
        return self.filter(_readable_by(actor, "shoebox__workspace"))

    def finished(self) -> Self:
        return self.filter(finished_at__isnull=False)


class Import(models.Model):
    """An artifact that was made elsewhere and read in here: the records it became, and the file as it came.

    What was judged there does not bind anybody here: its evidence is suggested, its hypotheses
    are proposed, and the file keeps what was said, by whom.
    """

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    shoebox = models.ForeignKey(Shoebox, models.PROTECT, related_name="imports")
    digest = models.CharField(max_length=80, help_text="The digest that the artifact says of itself.")
    origin = models.CharField(max_length=200, help_text="The shoebox ref there.")
    origin_workspace = models.CharField(max_length=200, blank=True)
    foreign = models.BooleanField(default=True, help_text="Made for another workspace than this one.")
    content = models.TextField(help_text="The artifact as it came.")
    refused = models.JSONField(default=list, help_text="What did not pass, each with its reason.")
    by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ImportQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.origin} into {self.shoebox}"


class WritingQuerySet(models.QuerySet["Writing"]):
    def unsettled(self) -> Self:
        """Begun and neither finished nor given up: after a crash, nobody knows yet what the file holds."""
        return self.filter(state__in=[Writing.State.PREPARED, Writing.State.UNDOING])


class Writing(models.Model):
    """One file that we wrote (or are about to write) into a workspace, with the bytes from before.

    `prepared` (or `undoing`) is committed before the file changes; at start every such row is
    finished or rolled back by comparing digests. So every writing can be undone, and a crash
    leaves either the old file or the new one, never a guess.
    """

    class State(models.TextChoices):
        PREPARED = "prepared"
        WRITTEN = "written"
        ABANDONED = "abandoned"
        UNDOING = "undoing"
        UNDONE = "undone"

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="writings")
    proposal = models.ForeignKey(Proposal, models.PROTECT, null=True, blank=True, related_name="writings")
    export = models.ForeignKey(Export, models.PROTECT, null=True, blank=True, related_name="writings")
    installation = models.ForeignKey(Installation, models.PROTECT, null=True, blank=True, related_name="writings")
    path = models.CharField(max_length=1_000)
    before = models.BinaryField(null=True, help_text="The old bytes; null when the file was new.")
    before_digest = models.CharField(max_length=64, blank=True)
    after_digest = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State, default=State.PREPARED)
    note = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True, blank=True)

    objects = WritingQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(proposal__isnull=False, export__isnull=True, installation__isnull=True)
                | Q(proposal__isnull=True, export__isnull=False, installation__isnull=True)
                | Q(proposal__isnull=True, export__isnull=True, installation__isnull=False),
                name="writing_has_one_cause",
            ),
            models.CheckConstraint(
                condition=Q(before__isnull=True, before_digest="") | Q(before__isnull=False, before_digest__gt=""),
                name="writing_keeps_what_was_there",
            ),
            models.UniqueConstraint(
                fields=["proposal"], condition=Q(state__in=["prepared", "undoing"]), name="writing_one_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.state}: {self.path}"
