"""What was written into a workspace, with the bytes from before, and what was taken in from elsewhere."""

from typing import Self

from django.db import models
from django.db.models import Q

from shoebox.models import Shoebox
from yoimemory.access.models import Actor
from yoimemory.access.reach import readable_by
from yoimemory.products.models.proposals import Proposal
from yoimemory.refs import new_id
from yoimemory.sources.models import Workspace


class Batch(models.Model):
    """Some files that a person had written into the workspace after seeing them: all of them or none."""

    class State(models.TextChoices):
        PREPARED = "prepared"
        WRITTEN = "written"
        ABANDONED = "abandoned"
        UNDONE = "undone"

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    folder = models.CharField(max_length=1_000, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.PREPARED)
    by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True, blank=True, help_text="Since when nothing of it stands any more.")

    class Meta:
        abstract = True


class ExportQuerySet(models.QuerySet["Export"]):
    def readable_by(self, actor: Actor) -> Self:
        return self.filter(readable_by(actor, "shoebox__workspace"))


class Export(Batch):
    """A shoebox with its evidence and hypotheses, written as an artifact of a ticket or a resource of an objective."""

    shoebox = models.ForeignKey(Shoebox, models.PROTECT, related_name="exports")
    digest = models.CharField(max_length=80, help_text="The digest that the artifact says of itself.")

    objects = ExportQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.shoebox} in {self.folder}"


class InstallationQuerySet(models.QuerySet["Installation"]):
    def readable_by(self, actor: Actor) -> Self:
        return self.filter(readable_by(actor))


class Installation(Batch):
    """Our skills, written into a folder where the workspace's agents look for skills."""

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="installations")

    objects = InstallationQuerySet.as_manager()

    def __str__(self) -> str:
        return f"skills in {self.folder}"


class ImportQuerySet(models.QuerySet["Import"]):
    def readable_by(self, actor: Actor) -> Self:
        return self.filter(readable_by(actor, "shoebox__workspace"))

    def finished(self) -> Self:
        return self.filter(finished_at__isnull=False)


class Import(models.Model):
    """An artifact that was made elsewhere and read in here: the records it became, and the file as it came.

    What was judged there does not bind anybody here: its evidence is suggested, its hypotheses
    are proposed, and the file keeps what was said, by whom.
    """

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    shoebox = models.ForeignKey(Shoebox, models.PROTECT, related_name="imports")
    digest = models.CharField(max_length=80, help_text="The digest that the artifact says of itself.")
    origin = models.CharField(max_length=200, help_text="The shoebox ref there.")
    origin_workspace = models.CharField(max_length=200, blank=True)
    foreign = models.BooleanField(default=True, help_text="Made for another workspace than this one.")
    content = models.TextField(help_text="The artifact as it came.")
    refused = models.JSONField(default=list, help_text="What did not pass, each with its reason.")
    by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ImportQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.origin} into {self.shoebox}"


class WritingQuerySet(models.QuerySet["Writing"]):
    def unsettled(self) -> Self:
        """Begun and neither finished nor given up: after a crash, nobody knows yet what the file holds."""
        return self.filter(state__in=[Writing.State.PREPARED, Writing.State.UNDOING])


class Writing(models.Model):
    """One file that we wrote (or are about to write) into a workspace, with the bytes from before.

    `prepared` (or `undoing`) is committed before the file changes; at start every such row is
    finished or rolled back by comparing digests. It stays in that state until what it was done for
    is recorded too, in the same transaction. So every writing can be undone, and a crash
    leaves either the old file or the new one, never a guess.
    """

    class State(models.TextChoices):
        PREPARED = "prepared"
        WRITTEN = "written"
        ABANDONED = "abandoned"
        UNDOING = "undoing"
        UNDONE = "undone"

    NOTE_MAX = 300

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="writings")
    proposal = models.ForeignKey(Proposal, models.PROTECT, null=True, blank=True, related_name="writings")
    export = models.ForeignKey(Export, models.PROTECT, null=True, blank=True, related_name="writings")
    installation = models.ForeignKey(Installation, models.PROTECT, null=True, blank=True, related_name="writings")
    path = models.CharField(max_length=1_000)
    before = models.BinaryField(null=True, help_text="The old bytes; null when the file was new.")
    before_digest = models.CharField(max_length=64, blank=True)
    after_digest = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State, default=State.PREPARED)
    note = models.CharField(max_length=NOTE_MAX, blank=True, help_text="Why it was undone, or what became of it.")
    by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    at = models.DateTimeField()
    undone_by = models.ForeignKey("access.Actor", models.PROTECT, null=True, blank=True, related_name="+")
    undone_at = models.DateTimeField(null=True, blank=True)

    objects = WritingQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(proposal__isnull=False, export__isnull=True, installation__isnull=True)
                | Q(proposal__isnull=True, export__isnull=False, installation__isnull=True)
                | Q(proposal__isnull=True, export__isnull=True, installation__isnull=False),
                name="writing_has_one_cause",
            ),
            models.CheckConstraint(
                condition=Q(before__isnull=True, before_digest="") | Q(before__isnull=False, before_digest__gt=""),
                name="writing_keeps_what_was_there",
            ),
            models.UniqueConstraint(
                fields=["proposal"], condition=Q(state__in=["prepared", "undoing"]), name="writing_one_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.state}: {self.path}"
