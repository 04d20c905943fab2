"""Which tasks were worked on with our skills and which without: said before the work begins, so that nobody picks."""

from typing import Self

from django.db import models

from yoimemory.access.models import Actor
from yoimemory.access.reach import readable_by
from yoimemory.refs import new_id
from yoimemory.sources.models import Workspace


class TrialQuerySet(models.QuerySet["Trial"]):
    def readable_by(self, actor: Actor) -> Self:
        return self.filter(readable_by(actor))

    def in_workspace(self, workspace: Workspace) -> Self:
        return self.filter(workspace=workspace)


class Trial(models.Model):
    """One task and how it is worked on. What came of it is read from events, never typed in here."""

    KIND_MAX = 80

    class Arm(models.TextChoices):
        WITH = "with"
        WITHOUT = "without"

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="trials")
    task = models.CharField(max_length=300, help_text="Ref of the ticket or objective.")
    kind = models.CharField(max_length=KIND_MAX, blank=True, help_text="Tasks are compared with their own kind.")
    arm = models.CharField(max_length=8, choices=Arm)
    by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    at = models.DateTimeField(help_text="When the work on it began; the clock starts here.")
    ended_at = models.DateTimeField(null=True, blank=True, help_text="Taken out of the comparison, and kept readable.")
    reason = models.CharField(max_length=300, blank=True)

    objects = TrialQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "task"], name="trial_once_a_task")]

    def __str__(self) -> str:
        return f"{self.task} {self.arm} skills"
