"""Staleness markers on any ref. A marker deletes and hides nothing; it is a caveat that stays until resolved."""

from collections.abc import Collection, Iterable
from typing import Self

from django.db import models
from django.db.models import Q

from yoimemory.refs import SourceRef, new_id


class MarkerQuerySet(models.QuerySet["Marker"]):
    def standing(self) -> Self:
        return self.filter(status=Marker.Status.STANDING)

    def open(self) -> Self:
        """Standing, or proposed and waiting for a person."""
        return self.filter(status__in=[Marker.Status.STANDING, Marker.Status.PROPOSED])

    def without_drift(self) -> Self:
        """Without those derived from a changed quote: where its anchor state is told, they say it twice."""
        return self.exclude(origin=Marker.Origin.DERIVED, state=Marker.State.STALE, target__startswith="evidence:")

    def on(self, refs: Iterable[SourceRef]) -> Self:
        """Markers whose target is one of these sources (or a part of one)."""
        return self.filter(target_source__in={str(ref.bare) for ref in refs} | {str(ref.source) for ref in refs})

    def named_by(self, refs: Iterable[SourceRef]) -> Self:
        """Markers that say that one of these refs, or a part of it, supersedes or contradicts something."""
        asked = Q(pk__in=[])
        for ref in refs:
            bare = str(ref.bare)
            asked |= Q(by_ref=bare) | Q(by_ref__startswith=f"{bare}#") | Q(by_ref__startswith=f"{bare}@")
        return self.filter(asked)


class Marker(models.Model):
    """A caveat on a source, a line of it, or one of our own records."""

    REASON_MAX = 2_000

    class State(models.TextChoices):
        STALE = "stale"
        SUPERSEDED = "superseded"
        CONTRADICTED = "contradicted"
        NEEDS_REVIEW = "needs-review"

    class Origin(models.TextChoices):
        PERSON = "person"
        WORKER = "worker"
        DERIVED = "derived"

    class Status(models.TextChoices):
        PROPOSED = "proposed"  # a Worker's, until a person takes it over
        STANDING = "standing"
        RESOLVED = "resolved"
        DECLINED = "declined"

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey("sources.Workspace", models.PROTECT, related_name="markers")
    target = models.CharField(max_length=2_100)
    target_source = models.CharField(max_length=2_100, db_index=True, editable=False)
    state = models.CharField(max_length=14, choices=State)
    by_ref = models.CharField(max_length=2_100, blank=True)
    reason = models.TextField(max_length=REASON_MAX)
    evidence = models.JSONField(default=list, blank=True)
    origin = models.CharField(max_length=10, choices=Origin)
    status = models.CharField(max_length=10, choices=Status)
    review_at = models.DateTimeField(null=True, blank=True)
    made_by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    resolved_by = models.ForeignKey("access.Actor", models.PROTECT, null=True, blank=True, related_name="+")
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolution = models.TextField(max_length=REASON_MAX, blank=True)

    objects = MarkerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(reason__gt=""), name="marker_has_reason"),
            models.CheckConstraint(
                condition=~Q(state__in=["superseded", "contradicted"]) | Q(by_ref__gt=""),
                name="marker_superseded_names_by",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["proposed", "standing"], resolved_at__isnull=True, resolution="")
                | Q(status__in=["resolved", "declined"], resolved_at__isnull=False, resolution__gt=""),
                name="marker_resolved_has_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.state}: {self.target}"

    @property
    def ref(self) -> SourceRef:
        return SourceRef.parse(self.target)

    def concerns(
        self, place: str, *, also: Collection[str] = (), lines: tuple[int, int] | None = None, part: str = ""
    ) -> bool:
        """Whether it says something of words that stand in this place; `also` names what they are of as a whole.

        A marker on other lines, another event or another entry of the same place says nothing of
        these words. Where `lines` or `part` (the fragment of the passage) are not known, or a heading
        or symbol is marked whose lines nobody can tell, it does: a caveat too many is the smaller harm.
        """
        return stands_on(self.ref, place, also=also, lines=lines, part=part)

    @property
    def caveat(self) -> str:
        """The marker as a sentence beside what it limits."""
        head = f"Marked {self.state}" + (f" by {self.by_ref}" if self.by_ref else "")
        asked = " (proposed, not yet reviewed)" if self.status == self.Status.PROPOSED else ""
        return f"{head} on {self.made_at:%Y-%m-%d}{asked}: {self.reason}"

    @property
    def told_of_cause(self) -> str:
        """The marker as a sentence beside what supersedes or contradicts: supersession is seen from both ends."""
        verb = "Supersedes" if self.state == self.State.SUPERSEDED else "Contradicts"
        return f"{verb} {self.target} since {self.made_at:%Y-%m-%d}: {self.reason}"


def stands_on(
    target: SourceRef, place: str, *, also: Collection[str], lines: tuple[int, int] | None, part: str
) -> bool:
    """Whether what stands on this ref says something of words that stand in this place; see `Marker.concerns`."""
    if not target.fragment:
        return str(target.bare) == place or str(target.bare) in also
    if str(target.bare) != place:
        return False
    if target.lines:
        return lines is None or (target.lines[0] <= lines[1] and lines[0] <= target.lines[1])
    if target.entries and part.startswith("entry-"):
        entries = target.part(part).entries
        return entries is not None and target.entries[0] <= entries[0] <= target.entries[1]
    return not part or target.named is not None or part == target.fragment
