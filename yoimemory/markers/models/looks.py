"""What two people must look at, each without the other's answer."""

from typing import Self

from django.db import models
from django.db.models import Q

from yoimemory.access.models import Actor
from yoimemory.refs import new_id


class SecondLookQuerySet(models.QuerySet["SecondLook"]):
    def asked(self) -> Self:
        """A second person has not answered yet."""
        return self.filter(outcome=SecondLook.Outcome.ASKED)

    def in_conflict(self) -> Self:
        """Two answers that differ, and nobody has settled it."""
        return self.filter(outcome=SecondLook.Outcome.CONFLICT)

    def unsettled(self) -> Self:
        return self.filter(outcome__in=[SecondLook.Outcome.ASKED, SecondLook.Outcome.CONFLICT])

    def waiting_for(self, actor: Actor) -> Self:
        """Those that this person has not answered; who has, answered, whatever the name they went by."""
        if actor.user_id is None:
            return self.none()
        answered = Look.objects.filter(by__user=actor.user_id).values("second_look")
        return self.asked().exclude(pk__in=answered)


class SecondLook(models.Model):
    """One question about one record, answered by two people apart.

    Until the second answer is in, nothing of the first one is written on the record itself: not its
    state, not its version, not its history. So no page, answer or count of it can tell.
    """

    class About(models.TextChoices):
        OVERTURN = "overturn", "whether something accepted still stands"
        DRIFT = "drift", "whether the words still mean what was quoted"
        CONTRADICTION = "contradiction", "how a contradiction is resolved"
        DECISION = "decision", "how a hypothesis is decided"

    class Outcome(models.TextChoices):
        ASKED = "asked"
        AGREED = "agreed"
        CONFLICT = "conflict"
        SETTLED = "settled"
        WITHDRAWN = "withdrawn"

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey("sources.Workspace", models.PROTECT, related_name="second_looks")
    subject = models.CharField(max_length=200, db_index=True)
    about = models.CharField(max_length=14, choices=About)
    outcome = models.CharField(max_length=10, choices=Outcome, default=Outcome.ASKED)
    answer = models.CharField(max_length=200, blank=True, help_text="What was agreed on, or settled.")
    reason = models.TextField(blank=True)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.ForeignKey("access.Actor", models.PROTECT, null=True, blank=True, related_name="+")

    objects = SecondLookQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "subject"], condition=Q(outcome__in=["asked", "conflict"]), name="second_look_once"
            ),
        ]

    def __str__(self) -> str:
        return f"second look at {self.subject}"

    @property
    def record_id(self) -> str:
        """The public id of the record that it is about."""
        return self.subject.partition(":")[2]

    @property
    def ref(self) -> str:
        """Its name in the history, which is not that of the record."""
        return f"second-look:{self.public_id}"


class Look(models.Model):
    """One person's answer. It stays when the person leaves."""

    second_look = models.ForeignKey(SecondLook, models.PROTECT, related_name="looks")
    answer = models.CharField(max_length=200)
    reason = models.TextField()
    by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["second_look", "by"], name="look_once")]

    def __str__(self) -> str:
        return f"{self.by} on {self.second_look_id}"
