"""Workspaces, what they read beside their repository, and the records and messages kept for them.

What is read from sources lives in the index, not here.
"""

from pathlib import Path
from typing import Self

from django.db import models

from yoimemory.refs import SourceRef, new_id


class Workspace(models.Model):
    """One repository with all its work trees, or a plain folder.

    Its identity is the git common directory (for a plain folder, the folder). We never write
    below `root` unless a person applied or exported something.
    """

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    root = models.CharField(max_length=1_000, help_text="Absolute path of the main work tree.")
    common_dir = models.CharField(
        max_length=1_000, blank=True, help_text="The git common directory; empty without git."
    )
    identity = models.CharField(max_length=1_000, unique=True, editable=False)
    workspace_id = models.CharField(max_length=60, blank=True, help_text="From .yoi/workspace.toml where there is one.")
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.slug

    @property
    def path(self) -> Path:
        return Path(self.root)

    @property
    def has_git(self) -> bool:
        return bool(self.common_dir)


class AddedSource(models.Model):
    """A file or folder outside the repository that a person chose to have read, such as session logs."""

    class Kind(models.TextChoices):
        SESSION = "session"
        RECORD = "record"
        MEMORY = "memory"
        SKILL = "skill"
        TICKET = "ticket"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="added_sources")
    path = models.CharField(max_length=1_000, help_text="Absolute path.")
    kind = models.CharField(max_length=10, choices=Kind)
    format = models.CharField(max_length=40, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "path", "kind"], name="source_added_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.path}"


class SnapshotQuerySet(models.QuerySet["Snapshot"]):
    """Questions about records as they were observed."""

    def of(self, workspace: Workspace, locator: str = "") -> Self:
        """The snapshots of a workspace, or of one record of it, the latest observation first."""
        own = self.filter(workspace=workspace).select_related("recorded_by")
        return (own.filter(locator=locator) if locator else own).order_by("-taken_at", "-pk")


class Snapshot(models.Model):
    """A record of the runtime or the Workspace as it was at one instant. Never changed: a newer one stands beside it.

    `locator` is `<system>/<id>`, `body` JSON with a line for every value and secrets masked.
    """

    LOCATOR_MAX = 400
    BODY_MAX = 1_000_000
    ORIGIN_MAX = 300

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="snapshots")
    locator = models.CharField(max_length=LOCATOR_MAX)
    body = models.TextField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of the body; it is the revision of the record.")
    masked = models.JSONField(default=dict, blank=True)
    taken_at = models.DateTimeField(help_text="When the record stood so.")
    origin = models.CharField(max_length=ORIGIN_MAX, blank=True, help_text="Where it comes from, in words.")
    mark = models.CharField(max_length=200, blank=True, help_text="Of an imported file, how it was told apart.")
    recorded_by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    objects = SnapshotQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["workspace", "locator", "-taken_at"], name="snapshot_latest")]

    def __str__(self) -> str:
        return f"record:{self.locator} of {self.taken_at:%Y-%m-%d %H:%M}"

    @property
    def ref(self) -> SourceRef:
        """The address of the record as it was then."""
        return SourceRef("record", self.locator, f"sha256:{self.digest}")


class Message(models.Model):
    """An explicit instruction of a user, in their words. Never changed and never deleted; secrets in it are masked."""

    TEXT_MAX = 100_000
    NAME_MAX = 150
    ORIGIN_MAX = 300

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="captured_messages")
    text = models.TextField()
    digest = models.CharField(max_length=64)
    masked = models.JSONField(default=dict, blank=True)
    said_by = models.CharField(max_length=NAME_MAX, help_text="Whose words they are.")
    said_at = models.DateTimeField()
    origin = models.CharField(max_length=ORIGIN_MAX, blank=True, help_text="Where they were said, in words.")
    relayed = models.BooleanField(default=False, help_text="A Worker or a script passed it on; no person wrote it.")
    captured_by = models.ForeignKey("access.Actor", models.PROTECT, related_name="+")
    captured_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["workspace", "said_at"], name="message_said")]

    def __str__(self) -> str:
        return str(self.ref)

    @property
    def ref(self) -> SourceRef:
        """The address of the message; it has one text for ever, so it needs no revision."""
        return SourceRef("message", self.public_id)
