"""What memory did to the work, and how that is known."""

from typing import Self

from django.db import models
from django.db.models import Q

from yoimemory.access.models import Actor
from yoimemory.access.reach import readable_by
from yoimemory.refs import new_id
from yoimemory.sources.models import Workspace


class ImpactQuerySet(models.QuerySet["Impact"]):
    def readable_by(self, actor: Actor) -> Self:
        return self.filter(readable_by(actor))

    def in_workspace(self, workspace: Workspace) -> Self:
        return self.filter(workspace=workspace)


class Impact(models.Model):
    """Something that memory did to the work: which records, in which product, and how that is known. Append-only.

    *Observed* was found in an authority record itself, *recorded* was said by a person, *claimed* by
    a Worker. The three are never added together, and none of them is a count of retrievals.
    """

    NOTE_MAX = 2_000

    class Kind(models.TextChoices):
        CITED = "cited"
        CHANGED_PLAN = "changed_plan"
        CHANGED_REVIEW = "changed_review"
        CHANGED_REQUIREMENT = "changed_requirement"
        CAUSED_UPDATE = "caused_update"
        INVALIDATED_ASSUMPTION = "invalidated_assumption"
        AVOIDED_DUPLICATE = "avoided_duplicate"
        REDUCED_TIME_TO_EVIDENCE = "reduced_time_to_evidence"
        PRODUCT_REVERTED = "product_reverted"  # harm: what was applied was taken back in a commit

    class Known(models.TextChoices):
        OBSERVED = "observed"
        RECORDED = "recorded"
        CLAIMED = "claimed"

    EFFECTS = (
        Kind.CITED, Kind.CHANGED_PLAN, Kind.CHANGED_REVIEW, Kind.CHANGED_REQUIREMENT, Kind.CAUSED_UPDATE,
        Kind.INVALIDATED_ASSUMPTION, Kind.AVOIDED_DUPLICATE, Kind.REDUCED_TIME_TO_EVIDENCE,
    )  # fmt: skip
    CHANGED = frozenset(EFFECTS) - {Kind.CITED}

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="impacts")
    kind = models.CharField(max_length=30, choices=Kind)
    known = models.CharField(max_length=10, choices=Known)
    subjects = models.JSONField(help_text="Refs of the records that had the effect.")
    product = models.CharField(max_length=2_100, help_text="Ref of the product in which it shows.")
    note = models.TextField(max_length=NOTE_MAX, blank=True)
    role = models.CharField(max_length=80, blank=True, help_text="Of who brought the records in, or who tells of it.")
    actor = models.ForeignKey("access.Actor", models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField(db_index=True, help_text="When the product came to be.")
    noted_at = models.DateTimeField()
    key = models.CharField(max_length=64, unique=True, editable=False)

    objects = ImpactQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(known="observed", actor__isnull=True) | (~Q(known="observed") & Q(actor__isnull=False)),
                name="impact_told_by_somebody",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.known} {self.kind} in {self.product}"

    @property
    def label(self) -> str:
        return self.kind.replace("_", " ")
