"""What happened: an append-only history of changes, and low-level events that are counted, never taken for success."""

from typing import TYPE_CHECKING, Self

from django.db import models

from yoimemory.refs import new_id

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace


class ChangeQuerySet(models.QuerySet["Change"]):
    def of(self, subject: object, workspace: "Workspace") -> Self:
        """The history of one record, newest first. A subject is only a ref: another workspace may write it down too."""
        return self.filter(subject=str(subject), workspace=workspace).select_related("actor").order_by("-pk")


class Change(models.Model):
    """One change of one record: who, when, which verb, before and after. Never edited, never deleted."""

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey("sources.Workspace", models.PROTECT, null=True, blank=True, related_name="+")
    actor = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    at = models.DateTimeField(db_index=True)
    verb = models.CharField(max_length=60)
    subject = models.CharField(max_length=200, db_index=True)
    before = models.JSONField(default=dict, blank=True)
    after = models.JSONField(default=dict, blank=True)
    reason = models.TextField(blank=True)

    objects = ChangeQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.actor} {self.verb} {self.subject}"


class Event(models.Model):
    """Something low-level that was seen. Exposure is counted apart from impact."""

    class Kind(models.TextChoices):
        RESIDENT_EXPOSURE = "resident_exposure"
        QUERY = "query"
        SHOEBOX_CREATED = "shoebox_created"
        EVIDENCE_EXTRACTED = "evidence_extracted"
        REPRESENTATION_CREATED = "representation_created"
        SOURCE_OPENED = "source_opened"
        STALE_MARKED = "stale_marked"

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey("sources.Workspace", models.PROTECT, related_name="+")
    actor = models.ForeignKey("access.Actor", models.PROTECT, null=True, related_name="+")
    kind = models.CharField(max_length=30, choices=Kind)
    subjects = models.JSONField(default=list)
    detail = models.JSONField(default=dict)
    at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.kind}"
