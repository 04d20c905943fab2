"""How far people trust a source as such. Agents never set it."""

from django.db import models
from django.db.models import Q


class Reliability(models.Model):
    """The grade of one source in one workspace, with its reason. Earlier grades stand in the history."""

    REASON_MAX = 400

    class Grade(models.TextChoices):
        NORMATIVE = "normative here"
        USUALLY_RIGHT = "usually right"
        MIXED = "mixed"
        UNRELIABLE = "unreliable"
        CANNOT_BE_JUDGED = "cannot be judged"

    workspace = models.ForeignKey("sources.Workspace", models.PROTECT, related_name="reliabilities")
    source = models.CharField(max_length=2_100, help_text="Ref of the whole source.")
    grade = models.CharField(max_length=16, choices=Grade)
    reason = models.CharField(max_length=REASON_MAX)
    set_by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    set_at = models.DateTimeField()
    version = models.PositiveIntegerField(default=1)

    class Meta:
        verbose_name_plural = "reliability of sources"
        constraints = [
            models.UniqueConstraint(fields=["workspace", "source"], name="reliability_once"),
            models.CheckConstraint(condition=Q(reason__gt=""), name="reliability_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.source}: {self.grade}"

    @property
    def is_doubted(self) -> bool:
        """Whether the grade limits what is quoted from it, so that it is said as a caveat."""
        return self.grade in {self.Grade.MIXED, self.Grade.UNRELIABLE}
