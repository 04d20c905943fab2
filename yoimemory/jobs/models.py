"""Long work: what waits, what runs, how far it is."""

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q

from yoimemory.refs import new_id


class JobQuerySet(models.QuerySet["Job"]):
    def waiting(self) -> Self:
        return self.filter(state=Job.State.WAITING)

    def running(self) -> Self:
        return self.filter(state=Job.State.RUNNING)

    def open(self) -> Self:
        return self.filter(state__in=[Job.State.WAITING, Job.State.RUNNING])

    def claim(self, *, now: datetime, pid: int) -> "Job | None":
        """Take the oldest waiting job, or None. Two processes never take the same one."""
        for job in self.waiting().order_by("pk")[:1]:
            taken = (
                self.waiting()
                .filter(pk=job.pk)
                .update(
                    state=Job.State.RUNNING, started_at=now, beat_at=now, pid=pid, attempts=models.F("attempts") + 1
                )
            )
            if taken:
                job.refresh_from_db()
                return job
        return None


class Job(models.Model):
    """One piece of long work, with its progress. Kind names the verb that runs."""

    ATTEMPTS_MAX = 3

    class Kind(models.TextChoices):
        INDEX = "index"

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        STOPPED = "stopped"

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey("sources.Workspace", models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=20, choices=Kind)
    arguments = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    note = models.CharField(max_length=300, blank=True)
    pid = models.PositiveIntegerField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0, help_text="How often it was begun.")
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    beat_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    result = models.JSONField(default=dict, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        constraints = [
            # One waiting job of a kind says all that two would.
            models.UniqueConstraint(fields=["workspace", "kind"], condition=Q(state="waiting"), name="job_waits_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.workspace}, {self.state}"

    @property
    def is_open(self) -> bool:
        return self.state in {self.State.WAITING, self.State.RUNNING}

    @property
    def percent(self) -> int:
        return min(100, self.done * 100 // self.total) if self.total else 0
