"""What we say: competing claims over evidence, their decisions, and representations that make reasoning cheaper."""

from typing import Self

from django.db import models
from django.db.models import Q

from evidence.models import Evidence
from shoebox.models import Shoebox
from yoimemory.access.models import Actor
from yoimemory.access.reach import readable_by
from yoimemory.refs import SourceRef, new_id
from yoimemory.sources.models import Workspace


class HypothesisQuerySet(models.QuerySet["Hypothesis"]):
    def readable_by(self, actor: Actor) -> Self:
        return self.filter(readable_by(actor))

    def in_workspace(self, workspace: Workspace) -> Self:
        return self.filter(workspace=workspace)

    def in_shoebox(self, shoebox: Shoebox) -> Self:
        return self.filter(shoebox=shoebox)

    def live(self) -> Self:
        return self.filter(status__in=[Hypothesis.Status.PROPOSED, Hypothesis.Status.ACCEPTED])

    def in_board_order(self) -> Self:
        """By status in the order in which they ask for a person, the newest first."""
        place = models.Case(
            *(models.When(status=status, then=models.Value(index)) for index, status in enumerate(Hypothesis.BOARD)),
            default=models.Value(len(Hypothesis.BOARD)),
        )
        return self.order_by(place, "-pk")

    def with_people(self) -> Self:
        """Everything that a card, a page or an Out shows of a hypothesis, in a fixed number of queries."""
        return self.select_related("workspace", "shoebox", "superseded_by", "made_by").prefetch_related(
            models.Prefetch("decisions", Decision.objects.select_related("by").order_by("pk")), "supersedes"
        )


class Hypothesis(models.Model):
    """One interpretation among competing ones."""

    CLAIM_MAX = 1_000
    WORDS_MAX = 2_000
    LIST_MAX = 50

    class Status(models.TextChoices):
        PROPOSED = "proposed"
        ACCEPTED = "accepted"
        REJECTED = "rejected"
        STALE = "stale"
        SUPERSEDED = "superseded"

    class Confidence(models.TextChoices):
        LOW = "low"
        MODERATE = "moderate"
        HIGH = "high"

    BOARD = (Status.PROPOSED, Status.ACCEPTED, Status.STALE, Status.REJECTED, Status.SUPERSEDED)
    """Statuses in the order in which they ask for a person."""

    TRANSITIONS = {
        Status.PROPOSED: {Status.ACCEPTED, Status.REJECTED, Status.SUPERSEDED},
        Status.ACCEPTED: {Status.STALE, Status.SUPERSEDED, Status.REJECTED},
        Status.REJECTED: {Status.PROPOSED},
        Status.STALE: {Status.PROPOSED},
        Status.SUPERSEDED: set(),
    }

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="hypotheses")
    shoebox = models.ForeignKey(Shoebox, models.PROTECT, related_name="hypotheses")
    number = models.PositiveIntegerField(help_text="H1, H2, ... within its shoebox.")
    claim = models.CharField(max_length=CLAIM_MAX)
    open_questions = models.JSONField(default=list, blank=True)
    alternatives = models.JSONField(default=list, blank=True, help_text="Rejected alternatives: option and reason.")
    threshold = models.TextField(blank=True, help_text="Decision threshold in words.")
    minimum_evidence = models.PositiveIntegerField(default=1)
    would_change = models.TextField(blank=True, help_text="What would change our mind.")
    what_happened = models.TextField(blank=True)
    confidence = models.CharField(max_length=10, choices=Confidence, blank=True)
    sought = models.JSONField(
        default=list, blank=True, help_text="Each search for contrary evidence, and what it found."
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.PROPOSED)
    superseded_by = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="supersedes")
    made_by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    version = models.PositiveIntegerField(default=1)

    objects = HypothesisQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "hypotheses"
        constraints = [
            models.UniqueConstraint(fields=["shoebox", "number"], name="hypothesis_number_once"),
            models.CheckConstraint(condition=Q(claim__gt=""), name="hypothesis_has_claim"),
            models.CheckConstraint(
                condition=~Q(status="superseded") | Q(superseded_by__isnull=False),
                name="hypothesis_superseded_names_by",
            ),
        ]

    def __str__(self) -> str:
        return f"H{self.number} {self.claim}"

    @property
    def ref(self) -> SourceRef:
        return SourceRef("hypothesis", self.public_id)


class Decision(models.Model):
    """One change of a hypothesis's status: by whom, when, why. A rejected hypothesis stays readable."""

    hypothesis = models.ForeignKey(Hypothesis, models.CASCADE, related_name="decisions")
    before = models.CharField(max_length=10)
    after = models.CharField(max_length=10)
    reason = models.TextField()
    checks = models.JSONField(default=list, help_text="The threshold's machine-checked part, as it stood.")
    overridden = models.BooleanField(default=False)
    one_reviewer = models.BooleanField(default=False)
    by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(reason__gt=""), name="decision_has_reason")]

    def __str__(self) -> str:
        return f"{self.before} -> {self.after} by {self.by}"


class Rating(models.Model):
    """What one rater says of one piece of evidence against one claim. It is kept, and marked, when either changes."""

    NOTE_MAX = 400

    class Value(models.TextChoices):
        STRONGLY_INCONSISTENT = "II"
        INCONSISTENT = "I"
        NEUTRAL = "N"
        CONSISTENT = "C"
        STRONGLY_CONSISTENT = "CC"
        NOT_APPLICABLE = "NA"

    evidence = models.ForeignKey(Evidence, models.PROTECT, related_name="ratings")
    hypothesis = models.ForeignKey(Hypothesis, models.CASCADE, related_name="ratings")
    rater = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    value = models.CharField(max_length=2, choices=Value)
    note = models.CharField(max_length=NOTE_MAX, blank=True)
    words_digest = models.CharField(max_length=64, help_text="Of the evidence's quote and words as they were rated.")
    claim_digest = models.CharField(max_length=64, help_text="Of the claim as it was rated.")
    anchor_state = models.CharField(max_length=18, help_text="Where the quote stood when it was rated.")
    rated_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["evidence", "hypothesis", "rater"], name="rating_once")]

    def __str__(self) -> str:
        return f"{self.rater}: {self.value}"


class RepresentationQuerySet(models.QuerySet["Representation"]):
    def readable_by(self, actor: Actor) -> Self:
        return self.filter(readable_by(actor))

    def in_workspace(self, workspace: Workspace) -> Self:
        return self.filter(workspace=workspace)

    def in_shoebox(self, shoebox: Shoebox) -> Self:
        return self.filter(shoebox=shoebox)


class Representation(models.Model):
    """Evidence brought into a form that is cheaper to reason over; every row cites refs."""

    class Kind(models.TextChoices):
        TIMELINE = "timeline", "Timeline"
        DEPENDENCY_GRAPH = "dependency_graph", "Dependency graph"
        CONTRADICTION_REPORT = "contradiction_report", "Contradiction and staleness report"
        HYPOTHESIS_TABLE = "hypothesis_table", "Hypothesis table"
        ALTERNATIVES = "alternatives", "Rejected alternatives"
        DECISION_TABLE = "decision_table", "Decision table"
        AUTHORITY_MAP = "authority_map", "Authority boundary map"
        SUBSYSTEM_MAP = "subsystem_map", "Subsystem map"
        INVARIANTS = "invariants", "Invariant list"
        RISKS = "risks", "Risk list"
        REVIEW_CHECKLIST = "review_checklist", "Review checklist"

    TITLE_MAX = 300

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="representations")
    shoebox = models.ForeignKey(Shoebox, models.PROTECT, related_name="representations")
    kind = models.CharField(max_length=30, choices=Kind)
    title = models.CharField(max_length=TITLE_MAX)
    body = models.JSONField()
    cites = models.JSONField(default=list, help_text="Every ref in the body, with the anchor state it had.")
    built = models.BooleanField(default=False, help_text="Made by a deterministic builder.")
    edited = models.BooleanField(default=False, help_text="Rows were changed by hand since it was built.")
    selected = models.JSONField(
        default=list, blank=True, help_text="Refs of the evidence chosen for it; empty: all of the shoebox's."
    )
    made_by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    version = models.PositiveIntegerField(default=1)

    objects = RepresentationQuerySet.as_manager()

    def __str__(self) -> str:
        return self.title

    @property
    def ref(self) -> SourceRef:
        return SourceRef("representation", self.public_id)
