"""Who acts: people with roles, Workers with tokens, and the record of an actor that other records point to."""

from datetime import datetime, timedelta
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from yoimemory.refs import new_id


class Membership(models.Model):
    """The role of one person in one workspace. A superuser is an owner everywhere."""

    class Role(models.TextChoices):
        OWNER = "owner"
        REVIEWER = "reviewer"
        MEMBER = "member"

    workspace = models.ForeignKey("sources.Workspace", models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "user"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.user}, {self.role}"


class TokenQuerySet(models.QuerySet["Token"]):
    def usable(self, now: datetime) -> Self:
        return self.filter(revoked_at__isnull=True, expires_at__gt=now)


class Token(models.Model):
    """A Worker's key to one workspace. Only a digest is stored; the secret is shown once."""

    NAME_MAX = 80
    PREFIX = "yoim_"
    DAYS_MAX = 90
    RUNS_MAX = 5_000

    class Scope(models.TextChoices):
        READ = "read"
        PROPOSE = "propose"  # includes read

    public_id = models.CharField(max_length=26, unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey("sources.Workspace", models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=NAME_MAX)
    role = models.CharField(max_length=NAME_MAX, blank=True)
    scope = models.CharField(max_length=10, choices=Scope)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(max_length=12, editable=False)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True)

    objects = TokenQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…, {self.scope})"

    @property
    def may_propose(self) -> bool:
        return self.scope == self.Scope.PROPOSE


class Call(models.Model):
    """One call of a Worker, for people who look after it. No history: only the last ones of each token are kept."""

    KEPT = 500
    CODE_MAX = 60

    class Surface(models.TextChoices):
        JSON = "json"
        MCP = "mcp"

    token = models.ForeignKey(Token, models.CASCADE, related_name="calls")
    surface = models.CharField(max_length=4, choices=Surface)
    operation = models.CharField(max_length=80)
    status = models.PositiveSmallIntegerField(help_text="As over HTTP: 400 and above is a refusal.")
    code = models.CharField(max_length=CODE_MAX, blank=True, help_text="Of the refusal.")
    run = models.CharField(max_length=120, blank=True)
    took_ms = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["token", "-at"], name="call_latest")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.operation}: {self.status}"

    @property
    def is_refusal(self) -> bool:
        return self.status >= 400


class Actor(models.Model):
    """Who did something: a person, a Worker in one run, or a part of the app itself.

    Other records point here, so that a name, role, model and run stay as they were at the time.
    """

    class Kind(models.TextChoices):
        PERSON = "person"
        WORKER = "worker"
        SYSTEM = "system"

    kind = models.CharField(max_length=10, choices=Kind)
    name = models.CharField(max_length=150)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    token = models.ForeignKey(Token, models.PROTECT, null=True, blank=True, related_name="+")
    role = models.CharField(max_length=80, blank=True)
    model = models.CharField(max_length=120, blank=True)
    run = models.CharField(max_length=120, blank=True)
    on_behalf_of = models.CharField(max_length=150, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "name", "user", "token", "role", "model", "run", "on_behalf_of"],
                name="actor_once",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=Q(kind="person", user__isnull=False, token__isnull=True)
                | Q(kind="worker", user__isnull=True)
                | Q(kind="system", user__isnull=True, token__isnull=True),
                name="actor_is_one_of_three",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} Worker" if self.is_worker else self.name

    @property
    def is_person(self) -> bool:
        return self.kind == self.Kind.PERSON

    @property
    def is_worker(self) -> bool:
        return self.kind == self.Kind.WORKER


class StartLink(models.Model):
    """A one-time link printed at start, exchanged once for an owner's session (only its digest is kept)."""

    MINUTES: ClassVar[int] = 60

    digest = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    created_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"start link of {self.created_at:%Y-%m-%d %H:%M}"


class Answer(models.Model):
    """What was answered to one intended change of one caller, so that a retry has one effect."""

    KEY_MAX = 200
    KEPT_FOR = timedelta(days=2)
    LOST_AFTER = timedelta(minutes=5)

    caller = models.CharField(max_length=40, help_text="token: or user: and its key.")
    key = models.CharField(max_length=KEY_MAX)
    digest = models.CharField(max_length=64, help_text="SHA-256 of method, path and body.")
    status = models.PositiveIntegerField(null=True, help_text="Empty while it runs.")
    body = models.TextField(blank=True)
    headers = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["caller", "key"], name="answer_once")]

    def __str__(self) -> str:
        return f"{self.caller} {self.key}: {self.status or 'running'}"
