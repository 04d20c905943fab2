"""What was gathered for one question: a bounded working set that asserts nothing."""

from dataclasses import dataclass, replace
from typing import Self

from django.db import models
from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce

from yoimemory.access.models import Actor
from yoimemory.access.reach import readable_by
from yoimemory.refs import SourceRef, new_id
from yoimemory.sources.models import Workspace

SHA_SHOWN = 8


def shortened(ref: SourceRef) -> str:
    """A ref as a person reads it: of its revision, and of the id of a commit, only the beginning."""
    head, colon, digest = ref.revision.rpartition(":")
    locator = ref.locator
    if ref.kind in {"commit", "diff"}:
        sha, slash, path = locator.partition("/")
        locator = f"{sha[:SHA_SHOWN]}{slash}{path}"
    return str(replace(ref, locator=locator, revision=f"{head}{colon}{digest[:SHA_SHOWN]}"))


@dataclass(frozen=True, slots=True)
class Holdings:
    """How much a shoebox holds: items that are not set aside, those that are, those that likely contradict."""

    items: int
    aside: int
    against: int
    characters: int


class ShoeboxQuerySet(models.QuerySet["Shoebox"]):
    def readable_by(self, actor: Actor) -> Self:
        """Those of the workspaces in which this actor has a role: a Worker's own, a person's, an owner's all."""
        return self.filter(readable_by(actor))

    def in_workspace(self, workspace: Workspace) -> Self:
        return self.filter(workspace=workspace)

    def open(self) -> Self:
        return self.filter(state=Shoebox.State.OPEN)

    def with_holdings(self) -> Self:
        """With what each holds, so that a list of them needs no query per row (see `Shoebox.holdings`)."""
        shown = ~Q(items__screening=Item.Screening.SET_ASIDE)
        return self.annotate(
            held=Count("items", filter=shown),
            aside=Count("items", filter=~shown),
            against=Count("items", filter=shown & Q(items__leaning=Item.Leaning.CONTRADICTS)),
            held_characters=Coalesce(Sum("items__characters", filter=shown), 0),
        )


class Shoebox(models.Model):
    """A question, the task it serves, and the material that gathers round it. No field holds a conclusion."""

    QUESTION_MAX = 1_000
    PURPOSE_MAX = 2_000
    ITEMS_DEFAULT = 50
    CHARACTERS_DEFAULT = 60_000

    class State(models.TextChoices):
        OPEN = "open"
        CLOSED = "closed"
        ARCHIVED = "archived"
        DISCARDED = "discarded"

    TRANSITIONS = {
        State.OPEN: {State.CLOSED, State.ARCHIVED, State.DISCARDED},
        State.CLOSED: {State.OPEN, State.ARCHIVED, State.DISCARDED},
        State.ARCHIVED: {State.OPEN},
        State.DISCARDED: {State.OPEN},
    }

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="shoeboxes")
    question = models.CharField(max_length=QUESTION_MAX)
    task = models.CharField(max_length=2_100, blank=True, help_text="A ticket or objective ref, or empty.")
    task_kind = models.CharField(max_length=10, blank=True, help_text="For a free task: review, design or other.")
    task_title = models.CharField(max_length=300, blank=True)
    purpose = models.TextField(max_length=PURPOSE_MAX, blank=True)
    budget_items = models.PositiveIntegerField(default=ITEMS_DEFAULT)
    budget_characters = models.PositiveIntegerField(default=CHARACTERS_DEFAULT)
    as_of = models.DateTimeField(null=True, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    asked = models.JSONField(default=dict, blank=True, help_text="Refs, queries and kinds it was opened with.")
    sought = models.JSONField(default=dict, blank=True, help_text="What the last gathering looked for, and how.")
    gathered_at = models.DateTimeField(null=True, blank=True)
    opened_by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    opened_at = models.DateTimeField()
    version = models.PositiveIntegerField(default=1)

    objects = ShoeboxQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "shoeboxes"
        constraints = [models.CheckConstraint(condition=Q(question__gt=""), name="shoebox_has_question")]

    def __str__(self) -> str:
        return self.question

    @property
    def ref(self) -> SourceRef:
        return SourceRef("shoebox", self.public_id)

    @property
    def task_ref(self) -> SourceRef | None:
        return SourceRef.parse(self.task) if self.task else None

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN

    def brought_in_last(self, item: "Item") -> bool:
        """Whether the item came in when it was gathered again, and not since."""
        return bool(self.sought.get("earlier")) and item.added_at == self.gathered_at

    @property
    def holdings(self) -> Holdings:
        """Read from the row where `with_holdings` put it there, else counted now."""
        row = self if hasattr(self, "held") else Shoebox.objects.filter(pk=self.pk).with_holdings().get()
        return Holdings(row.held, row.aside, row.against, row.held_characters)  # type: ignore[attr-defined]


class ItemQuerySet(models.QuerySet["Item"]):
    def shown(self) -> Self:
        return self.exclude(screening=Item.Screening.SET_ASIDE)

    def set_aside(self) -> Self:
        return self.filter(screening=Item.Screening.SET_ASIDE)

    def against(self) -> Self:
        return self.filter(leaning=Item.Leaning.CONTRADICTS)

    def in_order(self) -> Self:
        return self.order_by("position", "pk")


class Item(models.Model):
    """One source ref in a shoebox, with the line that says why it is here."""

    RATIONALE_MAX = 400

    class Came(models.TextChoices):
        LINKED = "linked"
        SEARCHED = "searched"
        COUNTER_SEARCHED = "counter-searched"
        CITED = "cited"
        ADDED = "added by hand"
        PROPOSED = "proposed by a Worker"

    class Leaning(models.TextChoices):
        SUPPORTS = "likely supports"
        CONTRADICTS = "likely contradicts"
        UNCLEAR = "unclear"

    class Screening(models.TextChoices):
        UNDECIDED = "undecided"
        KEPT = "kept"
        SET_ASIDE = "set aside"

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    shoebox = models.ForeignKey(Shoebox, models.CASCADE, related_name="items")
    ref = models.CharField(max_length=2_100, help_text="With the revision or digest that was read.")
    place = models.CharField(max_length=2_100, editable=False, help_text="The ref without its revision.")
    source = models.CharField(max_length=2_100, editable=False)
    kind = models.CharField(max_length=12)
    title = models.TextField(blank=True)
    authority = models.CharField(max_length=10, blank=True)
    at = models.DateTimeField(null=True, blank=True)
    characters = models.PositiveIntegerField(default=0, help_text="Of the part that the ref names.")
    digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the whole text as read.")
    rationale = models.CharField(max_length=RATIONALE_MAX)
    caveat = models.CharField(max_length=RATIONALE_MAX, blank=True, help_text="Such as: later than the as-of.")
    changed = models.CharField(max_length=RATIONALE_MAX, blank=True, help_text="Set when the source moved on since.")
    came = models.CharField(max_length=20, choices=Came)
    leaning = models.CharField(max_length=20, choices=Leaning, default=Leaning.UNCLEAR)
    screening = models.CharField(max_length=10, choices=Screening, default=Screening.UNDECIDED)
    screening_reason = models.CharField(max_length=RATIONALE_MAX, blank=True)
    position = models.PositiveIntegerField()
    added_by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    added_at = models.DateTimeField()
    version = models.PositiveIntegerField(default=1)

    objects = ItemQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["shoebox", "place"], name="item_once"),
            models.CheckConstraint(condition=Q(rationale__gt=""), name="item_has_rationale"),
            models.CheckConstraint(
                condition=~Q(screening="set aside") | Q(screening_reason__gt=""),
                name="item_set_aside_has_reason",
            ),
        ]

    def __str__(self) -> str:
        return self.ref

    @property
    def address(self) -> SourceRef:
        return SourceRef.parse(self.ref)

    @property
    def short_ref(self) -> str:
        """The ref as a person reads it: with the beginning of its revision."""
        return shortened(self.address)

    @property
    def document(self) -> str:
        """The document it stands in, as it is: without revision and fragment."""
        return str(self.address.bare)

    @property
    def is_set_aside(self) -> bool:
        return self.screening == self.Screening.SET_ASIDE

    @property
    def caveats(self) -> list[str]:
        """Every sentence that limits this item, in the order in which they matter."""
        return [sentence for sentence in (self.caveat, self.changed) if sentence]
