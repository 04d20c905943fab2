"""Contradictions: two refs that cannot both hold, as a record that stands until a person resolves it."""

from collections.abc import Collection, Iterable
from typing import Self

from django.db import models
from django.db.models import F, Q

from yoimemory.markers.models.markers import stands_on
from yoimemory.refs import SourceRef, new_id


class ContradictionQuerySet(models.QuerySet["Contradiction"]):
    def open(self) -> Self:
        """Open, or proposed and waiting for a person."""
        return self.filter(status__in=[Contradiction.Status.PROPOSED, Contradiction.Status.OPEN])

    def with_people(self) -> Self:
        return self.select_related("workspace", "made_by", "resolved_by")

    def on(self, refs: Iterable[SourceRef]) -> Self:
        """Those with a side in one of these sources, or in a part of one."""
        names = {str(ref.bare) for ref in refs} | {str(ref.source) for ref in refs}
        return self.filter(Q(left_source__in=names) | Q(right_source__in=names))


class Contradiction(models.Model):
    """Two sides with their dates and scopes, and what they disagree on. Seen from both; resolved with a reason."""

    WORDS_MAX = 2_000

    class Status(models.TextChoices):
        PROPOSED = "proposed"  # a Worker's, until a person takes it over
        OPEN = "open"
        RESOLVED = "resolved"
        DECLINED = "declined"

    class Holds(models.TextChoices):
        LEFT = "left", "the first holds"
        RIGHT = "right", "the second holds"
        BOTH = "both", "both hold, each in its scope"
        NEITHER = "neither", "neither holds"

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey("sources.Workspace", models.PROTECT, related_name="contradictions")
    left = models.CharField(max_length=2_100)
    left_source = models.CharField(max_length=2_100, db_index=True, editable=False)
    left_at = models.DateTimeField(null=True, blank=True, help_text="When the first side was said.")
    left_scope = models.CharField(max_length=400, blank=True)
    right = models.CharField(max_length=2_100)
    right_source = models.CharField(max_length=2_100, db_index=True, editable=False)
    right_at = models.DateTimeField(null=True, blank=True, help_text="When the second side was said.")
    right_scope = models.CharField(max_length=400, blank=True)
    about = models.TextField(max_length=WORDS_MAX, help_text="What they disagree on.")
    status = models.CharField(max_length=10, choices=Status)
    made_by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    holds = models.CharField(max_length=8, choices=Holds, blank=True)
    resolution = models.TextField(max_length=WORDS_MAX, blank=True)
    resolved_by = models.ForeignKey("access.Actor", models.PROTECT, null=True, blank=True, related_name="+")
    resolved_at = models.DateTimeField(null=True, blank=True)
    one_reviewer = models.BooleanField(default=False, help_text="Resolved where nobody else could look.")
    version = models.PositiveIntegerField(default=1)

    objects = ContradictionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(about__gt=""), name="contradiction_says_on_what"),
            models.CheckConstraint(condition=~Q(left=F("right")), name="contradiction_has_two_sides"),
            models.CheckConstraint(
                condition=Q(status__in=["proposed", "open"], resolved_at__isnull=True, resolution="")
                | Q(status__in=["resolved", "declined"], resolved_at__isnull=False, resolution__gt=""),
                name="contradiction_resolved_has_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"contradiction:{self.public_id}"

    @property
    def ref(self) -> str:
        """Its name in the history and in answers."""
        return f"contradiction:{self.public_id}"

    @property
    def is_open(self) -> bool:
        return self.status in {self.Status.PROPOSED, self.Status.OPEN}

    def concerns(
        self, place: str, *, also: Collection[str] = (), lines: tuple[int, int] | None = None, part: str = ""
    ) -> bool:
        """Whether one of its sides is these words, or the whole that they are a part of."""
        sides = (SourceRef.parse(self.left), SourceRef.parse(self.right))
        return any(stands_on(side, place, also=also, lines=lines, part=part) for side in sides)

    def names(self, ref: SourceRef) -> bool:
        """Whether one of its sides is this record."""
        return str(ref.bare) in {self.left_source, self.right_source}

    def other_than(self, ref: SourceRef) -> str:
        """The side that is not of this ref's source; the second where both are."""
        return self.left if self.right_source in {str(ref.bare), str(ref.source)} else self.right

    def caveat_for(self, ref: SourceRef) -> str:
        """The contradiction as a sentence beside one of its sides."""
        asked = " (proposed, not yet reviewed)" if self.status == self.Status.PROPOSED else ""
        return f"Contradicted by {self.other_than(ref)} since {self.made_at:%Y-%m-%d}{asked}: {self.about}"
