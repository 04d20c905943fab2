"""What the world says: passages quoted with proof, their relations, where they stand today, and who judged them."""

from typing import Self

from django.db import models
from django.db.models import Case, Exists, F, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce

from shoebox.models import Shoebox
from yoimemory.access.models import Actor
from yoimemory.access.reach import readable_by
from yoimemory.refs import SourceRef, lines_fragment, new_id
from yoimemory.sources.models import Workspace


class EvidenceQuerySet(models.QuerySet["Evidence"]):
    """Questions the house asks of its evidence, in the words of the domain."""

    def readable_by(self, actor: Actor) -> Self:
        """That of the workspaces in which this actor has a role: a Worker's own, a person's, an owner's all."""
        return self.filter(readable_by(actor))

    def in_workspace(self, workspace: Workspace) -> Self:
        return self.filter(workspace=workspace)

    def in_shoebox(self, shoebox: Shoebox) -> Self:
        return self.filter(shoebox=shoebox)

    def with_people(self) -> Self:
        """With everything that a row shows, so that a list needs no query per row.

        What a shoebox sought is long and no row shows it.
        """
        people = self.select_related("workspace", "shoebox", "made_by", "state_by", "superseded_by")
        return people.defer("shoebox__sought", "shoebox__asked").prefetch_related("relations")

    def with_anchor_state(self) -> Self:
        """With what the latest check found (`anchor_state`); a quote that was never checked again is verified."""
        latest = Placement.objects.filter(evidence=OuterRef("pk")).order_by("-pk").values("state")[:1]
        first = Case(
            When(kind=Evidence.Kind.QUOTE, then=Value(Placement.State.VERIFIED)), default=Value(Placement.State.UNBOUND)
        )
        return self.annotate(anchor_state=Coalesce(Subquery(latest), first))

    def in_anchor_state(self, state: str) -> Self:
        return self.with_anchor_state().filter(Q(("anchor_state", state)))

    def in_review_order(self) -> Self:
        """What speaks against something first, then what supports, then the rest; newest first in each."""
        relations = Relation.objects.filter(evidence=OuterRef("pk"))
        weight = Case(
            When(Exists(relations.filter(relation=Relation.Kind.REFUTES)), then=Value(0)),
            When(Exists(relations.filter(relation=Relation.Kind.SUPPORTS)), then=Value(1)),
            default=Value(2),
        )
        return self.annotate(weight=weight).order_by(F("weight"), "-pk")

    def current(self) -> Self:
        """Neither rejected nor replaced nor retired."""
        return self.exclude(state__in=Evidence.ENDED)

    def accepted(self) -> Self:
        return self.filter(state=Evidence.State.ACCEPTED)

    def to_review(self) -> Self:
        """What waits for a person: for a verdict, for its why, or for the change that was asked for."""
        return self.filter(state__in=Evidence.WAITING)

    def with_relation(self, target: SourceRef, relation: str) -> Self:
        return self.filter(relations__target=str(target), relations__relation=relation)


class Evidence(models.Model):
    """One observation from one place. The anchor (words, place, revision, digests) is never rewritten."""

    QUOTE_MIN, QUOTE_MAX = 12, 1_500
    EXACT_BELOW = 32
    CONTEXT = 64
    WORDS_MAX = 4_000

    class Kind(models.TextChoices):
        QUOTE = "quote"
        SUMMARY = "summary"
        OBSERVATION = "observation"

    class Match(models.TextChoices):
        EXACT = "exact"
        NORMALISED = "normalised"
        NONE = "none"

    class Basis(models.TextChoices):
        WITNESSED = "witnessed"
        DEDUCED = "deduced"
        INDUCED = "induced"
        TOLD = "told"
        RECALLED = "recalled"
        CANNOT_BE_JUDGED = "cannot be judged"

    class State(models.TextChoices):
        DRAFT = "draft"
        SUGGESTED = "suggested"
        ACCEPTED = "accepted"
        REJECTED = "rejected"
        NEEDS_CHANGE = "needs_change"
        SUPERSEDED = "superseded"
        RETIRED = "retired"

    WAITING = (State.DRAFT, State.SUGGESTED, State.NEEDS_CHANGE)
    """Not settled: it waits for a person."""
    ENDED = (State.REJECTED, State.SUPERSEDED, State.RETIRED)
    """Kept and readable, and counts for nothing any more."""

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="evidence")
    shoebox = models.ForeignKey(Shoebox, models.PROTECT, related_name="evidence")
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.QUOTE)

    # The anchor: immutable.
    place = models.CharField(max_length=2_100, help_text="Ref of the document, without revision and fragment.")
    source = models.CharField(max_length=2_100, db_index=True)
    revision = models.CharField(max_length=80, blank=True)
    title = models.TextField(blank=True)
    authority = models.CharField(max_length=10, blank=True)
    quote = models.TextField(max_length=QUOTE_MAX, blank=True)
    quote_digest = models.CharField(max_length=64, blank=True)
    prefix = models.CharField(max_length=CONTEXT, blank=True)
    suffix = models.CharField(max_length=CONTEXT, blank=True)
    start = models.PositiveIntegerField(null=True, help_text="Code points from the start of the text.")
    end = models.PositiveIntegerField(null=True, help_text="Exclusive.")
    start_line = models.PositiveIntegerField(null=True)
    start_column = models.PositiveIntegerField(null=True, help_text="From 1, in code points.")
    end_line = models.PositiveIntegerField(null=True)
    end_column = models.PositiveIntegerField(null=True, help_text="The column after the last character.")
    byte_start = models.PositiveIntegerField(null=True)
    byte_end = models.PositiveIntegerField(null=True)
    occurrence = models.PositiveIntegerField(default=1)
    occurrences = models.PositiveIntegerField(default=1)
    hint = models.CharField(max_length=300, blank=True, help_text="Fragment or heading of the passage it stands in.")
    speaker = models.CharField(max_length=10, blank=True)
    said_by = models.CharField(max_length=200, blank=True, help_text="Author of the passage.")
    said_at = models.DateTimeField(null=True, help_text="When the passage was written, by its source.")
    text_digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the text as observed.")
    uncommitted = models.BooleanField(default=False)
    match = models.CharField(max_length=10, choices=Match, default=Match.NONE)

    # The words about it: each with its author, never mixed with the quote.
    summary = models.TextField(max_length=WORDS_MAX, blank=True)
    inference = models.TextField(max_length=WORDS_MAX, blank=True)
    why = models.TextField(max_length=WORDS_MAX, blank=True)
    scope = models.JSONField(default=dict, blank=True)
    basis = models.CharField(max_length=16, choices=Basis, default=Basis.CANNOT_BE_JUDGED)
    observed = models.JSONField(
        default=dict, blank=True, help_text="How an observation was made: what is absent, derived, or was put out."
    )
    provenance = models.JSONField(default=dict, blank=True)

    made_by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    state = models.CharField(max_length=12, choices=State)
    state_reason = models.TextField(blank=True)
    state_by = models.ForeignKey("access.Actor", models.PROTECT, null=True, related_name="+")
    state_at = models.DateTimeField()
    superseded_by = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="supersedes")
    version = models.PositiveIntegerField(default=1)

    objects = EvidenceQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "evidence"
        indexes = [models.Index(fields=["workspace", "place"], name="evidence_place")]
        constraints = [
            models.CheckConstraint(
                condition=~Q(kind="quote") | Q(quote__gt="", start__isnull=False, text_digest__gt=""),
                name="evidence_quote_has_anchor",
            ),
            models.CheckConstraint(condition=~Q(kind="summary") | Q(summary__gt=""), name="evidence_summary_has_words"),
            models.CheckConstraint(
                condition=~Q(state__in=["rejected", "needs_change", "retired"]) | Q(state_reason__gt=""),
                name="evidence_verdict_has_reason",
            ),
            models.CheckConstraint(
                condition=Q(state="superseded", superseded_by__isnull=False)
                | (~Q(state="superseded") & Q(superseded_by__isnull=True)),
                name="evidence_superseded_names_by",
            ),
            models.CheckConstraint(condition=~Q(state="accepted") | Q(why__gt=""), name="evidence_accepted_has_why"),
        ]

    def __str__(self) -> str:
        return f"{self.ref} in {self.place}"

    @property
    def ref(self) -> SourceRef:
        return SourceRef("evidence", self.public_id)

    @property
    def address(self) -> SourceRef:
        """The place as it was quoted: revision and lines. A commit is its own revision, and named once."""
        fragment = lines_fragment(self.start_line, self.end_line or self.start_line) if self.start_line else ""
        place = SourceRef.parse(self.place)
        return place.at("" if place.locator == self.revision else self.revision).part(fragment)

    @property
    def has_ended(self) -> bool:
        return self.state in self.ENDED

    @property
    def characters(self) -> int:
        return len(self.quote)

    @property
    def why_is_folded(self) -> bool:
        """Whether a Worker's reason waits until a person has looked at the words themselves."""
        return self.made_by.is_worker and self.state == self.State.SUGGESTED and "why_by" not in self.provenance

    @property
    def headline(self) -> str:
        """What a page of it is headed by: what was said about it, else where it stands."""
        why = "" if self.why_is_folded else self.why
        place = f"{self.title or self.place}, line {self.start_line}" if self.start_line else self.title or self.place
        return self.summary or why or place


class Relation(models.Model):
    """How one piece of evidence bears on something: a hypothesis, or the question of the shoebox."""

    class Kind(models.TextChoices):
        SUPPORTS = "supports"
        REFUTES = "refutes"
        CONTEXTUALIZES = "contextualizes"

    evidence = models.ForeignKey(Evidence, models.CASCADE, related_name="relations")
    target = models.CharField(max_length=200, db_index=True, help_text="A hypothesis or shoebox ref.")
    relation = models.CharField(max_length=14, choices=Kind)
    made_by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["evidence", "target"], name="relation_once")]

    def __str__(self) -> str:
        return f"{self.evidence_id} {self.relation} {self.target}"


class Placement(models.Model):
    """Where a quote was found (or not) in one later state of its source. Append-only."""

    class State(models.TextChoices):
        VERIFIED = "verified"
        MOVED = "moved"
        MOVED_TO_CONFIRM = "moved-to-confirm"
        REWORDED = "reworded"
        REWORDED_MEANING = "reworded-meaning"
        AMBIGUOUS = "ambiguous"
        ORPHANED = "orphaned"
        UNBOUND = "unbound"
        COULD_NOT_CHECK = "could-not-check"

    FIRM = (State.VERIFIED, State.MOVED, State.UNBOUND)
    """The words stand as they were quoted, or nothing was quoted."""
    LOST = (State.REWORDED_MEANING, State.ORPHANED)
    """The words no longer stand, or they mean something else: nothing is accepted on them."""
    UNDERMINED = (*LOST, State.AMBIGUOUS)
    """These ask about everything that rests on the quote; the other drifted ones only limit it."""
    DRIFTED = (*UNDERMINED, State.REWORDED, State.MOVED_TO_CONFIRM, State.COULD_NOT_CHECK)
    """A person must look before the words count as they were quoted; what bears on meaning comes first."""

    evidence = models.ForeignKey(Evidence, models.CASCADE, related_name="placements")
    state = models.CharField(max_length=18, choices=State)
    method = models.CharField(max_length=40)
    revision = models.CharField(max_length=80, blank=True)
    text_digest = models.CharField(max_length=64, blank=True)
    place = models.CharField(max_length=2_100, blank=True, help_text="Differs from the anchor's after a rename.")
    start_line = models.PositiveIntegerField(null=True)
    end_line = models.PositiveIntegerField(null=True)
    start = models.PositiveIntegerField(null=True)
    end = models.PositiveIntegerField(null=True)
    similarity = models.FloatField(null=True)
    words = models.TextField(blank=True, help_text="What stands there, where it is not the quote letter by letter.")
    changes = models.JSONField(
        default=list, blank=True, help_text="The words that bear on meaning: kind, before, after."
    )
    rebased = models.BooleanField(default=False, help_text="The commit quoted at is no longer part of the history.")
    note = models.CharField(max_length=400, blank=True)
    at = models.DateTimeField()
    by = models.ForeignKey("access.Actor", models.PROTECT, null=True, related_name="+")
    takes_back = models.OneToOneField("self", models.CASCADE, null=True, related_name="taken_back_by")

    class Meta:
        indexes = [models.Index(fields=["evidence", "-id"], name="placement_latest")]

    def __str__(self) -> str:
        return f"{self.evidence_id} {self.state}"

    @property
    def label(self) -> str:
        """The state in a word or two, with how it came about where that matters to a reader."""
        if self.state == self.State.VERIFIED and self.method.endswith("layout"):
            return "verified (layout)"
        if self.state == self.State.MOVED:
            told = ("confirmed", "re-attached")
            named = next((word for word in told if self.method.startswith(word)), "")
            return f"moved ({named})" if named else "moved"
        return self.State(self.state).value


class Review(models.Model):
    """One person's verdict on one piece of evidence. Kept when the person leaves."""

    class Verdict(models.TextChoices):
        ACCEPT = "accept"
        REJECT = "reject"
        NEEDS_CHANGE = "needs_change"
        NOT_SURE = "not_sure"
        RETIRE = "retire"

    evidence = models.ForeignKey(Evidence, models.CASCADE, related_name="reviews")
    verdict = models.CharField(max_length=14, choices=Verdict)
    reason = models.TextField(blank=True)
    before = models.CharField(max_length=12, help_text="The state it was in, so that the verdict can be undone.")
    undone_at = models.DateTimeField(null=True, blank=True)
    by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.by} {self.verdict} {self.evidence_id}"
