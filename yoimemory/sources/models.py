"""Workspaces and the further folders they read. What is read from them lives in the index, not here."""

from pathlib import Path

from django.db import models

from yoimemory.refs import new_id


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
