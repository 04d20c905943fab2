"""Verbs of access: issue and revoke tokens, start links, and the rules who may do what."""

import getpass
import hashlib
import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AbstractUser, User
from django.db import transaction
from django.db.models import F, Q, QuerySet

from yoimemory.access.models import Actor, Membership, StartLink, Token
from yoimemory.errors import BadInput, Forbidden, Refused
from yoimemory.journal.services import record_change

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace


class NotAReviewer(Forbidden):
    """Only a person with the reviewer role may decide this, never a Worker."""


class NotAnOwner(Forbidden):
    """Only an owner of the workspace may do this."""


class OwnProposal(Forbidden):
    """Where a workspace has two or more reviewers, nobody approves what they proposed themselves."""


class TooManyRuns(Refused):
    """A token has named more runs than it may: one that names a new one for every call would fill the database."""


class NeedsConfirmation(Forbidden):
    """With a single reviewer, an own proposal asks for one more confirmation."""

    status = 409


@transaction.atomic
def issue_token(
    *,
    workspace: "Workspace",
    name: str,
    scope: str,
    now: datetime,
    role: str = "",
    days: int = Token.DAYS_MAX,
    actor: Actor | None = None,
) -> tuple[Token, str]:
    """Make a Worker's token for one workspace; return it with its secret, which is never shown again.

    Raises BadInput if the name is empty or the scope unknown.
    """
    if not name.strip() or len(name) > Token.NAME_MAX:
        raise BadInput(f"A token needs a name of 1 to {Token.NAME_MAX} characters.", fields={"name": "required"})
    if scope not in Token.Scope.values:
        raise BadInput(
            f"There is no scope {scope!r}.", hint="Scopes are read and propose.", fields={"scope": "unknown"}
        )
    secret = Token.PREFIX + secrets.token_urlsafe(32)
    token = Token.objects.create(
        workspace=workspace,
        name=name.strip(),
        role=role,
        scope=scope,
        digest=digest_of(secret),
        hint=secret[: len(Token.PREFIX) + 4],
        created_at=now,
        expires_at=now + timedelta(days=min(days, Token.DAYS_MAX)),
    )
    if actor is not None:
        record_change(
            f"token:{token.public_id}", verb="token-issued", actor=actor, workspace=workspace, now=now,
            after={"name": token.name, "scope": token.scope},
        )  # fmt: skip
    return token, secret


@transaction.atomic
def revoke_tokens(tokens: QuerySet[Token], *, now: datetime, actor: Actor | None = None) -> int:
    """End these tokens at once; return how many were still in use."""
    usable = list(tokens.filter(revoked_at__isnull=True).select_related("workspace"))
    for token in usable:
        if actor is not None:
            record_change(
                f"token:{token.public_id}", verb="token-revoked", actor=actor, workspace=token.workspace, now=now,
                before={"name": token.name, "scope": token.scope},
            )  # fmt: skip
    return Token.objects.filter(pk__in=[token.pk for token in usable], revoked_at__isnull=True).update(revoked_at=now)


def authenticate_token(secret: str, *, now: datetime) -> Token | None:
    """The usable token with this secret, its last use noted, or None."""
    token = Token.objects.usable(now).select_related("workspace").filter(digest=digest_of(secret)).first()
    if token:
        _note_use(token, now)
    return token


def worker_with(secret: str, *, now: datetime, run: str = "", model: str = "", on_behalf_of: str = "") -> Actor | None:
    """The Worker that calls with this secret in this run, its token and workspace read with it; None if not usable.

    Raises TooManyRuns for one more run than a token may name.
    """
    usable = Token.objects.usable(now).filter(digest=digest_of(secret))
    known = Actor.objects.filter(
        token__in=usable, kind=Actor.Kind.WORKER, name=F("token__name"), role=F("token__role"), model=model[:120],
        run=run[:120], on_behalf_of=on_behalf_of[:150],
    )  # fmt: skip
    actor = known.select_related("token__workspace").order_by("pk").first()
    if actor is None:  # nobody's token, or a run that it did not name before
        token = usable.select_related("workspace").first()
        actor = actor_for_token(token, run=run, model=model, on_behalf_of=on_behalf_of) if token else None
    if actor is not None and actor.token is not None:
        _note_use(actor.token, now)
    return actor


def _note_use(token: Token, now: datetime) -> None:
    # Once a minute is enough to see that a token is alive; a write per read is not.
    if token.used_at is None or now - token.used_at > timedelta(minutes=1):
        Token.objects.filter(pk=token.pk).update(used_at=now)


def actor_for_user(user: AbstractUser) -> Actor:
    """The actor of a person who is logged in."""
    return _actor_once(kind=Actor.Kind.PERSON, name=user.get_username(), user_id=user.pk)


def actor_for_token(token: Token, *, run: str = "", model: str = "", on_behalf_of: str = "") -> Actor:
    """The actor of a Worker in one run. Raises TooManyRuns for one more than a token may name."""
    return _actor_once(
        most=Token.RUNS_MAX,
        kind=Actor.Kind.WORKER,
        name=token.name,
        token=token,
        role=token.role,
        model=model[:120],
        run=run[:120],
        on_behalf_of=on_behalf_of[:150],
    )


def system_actor(name: str) -> Actor:
    """The actor of a part of the app itself, such as a builder or the indexer."""
    return _actor_once(kind=Actor.Kind.SYSTEM, name=name)


def _actor_once(*, most: int = 0, **fields: Any) -> Actor:
    """The one actor of this description; of `most` of one token, where that is given.

    Looked for again under the write lock before it is made: SQLite takes two rows with a NULL for
    different ones, so no constraint keeps two first requests at once from making two.
    """
    rows = Actor.objects.filter(**fields).order_by("pk")
    found = rows.first()
    if found is None:
        with transaction.atomic():
            found = rows.first()
            if found is None:
                if most and Actor.objects.filter(token=fields["token"]).count() >= most:
                    raise TooManyRuns(
                        f"The token of {fields['name']} has named {most:,} runs and models; it may name no more.",
                        hint="Name one run for a whole task, or ask for a new token.",
                    )
                found = Actor.objects.create(**fields)
    return found


def ensure_owner() -> User:
    """The first owner, made on first start under the name of the person who runs us."""
    owner = User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    if owner:
        return owner
    try:
        name = getpass.getuser()
    except (OSError, KeyError):  # no such user in this container
        name = "owner"
    return User.objects.create_superuser(username=name or "owner", password=None)


@transaction.atomic
def issue_start_link(*, user: User, now: datetime) -> str:
    """A secret that can be exchanged once for this person's session; earlier unused ones end."""
    StartLink.objects.filter(used_at__isnull=True).delete()
    secret = secrets.token_urlsafe(32)
    StartLink.objects.create(digest=digest_of(secret), user=user, created_at=now)
    return secret


def redeem_start_link(secret: str, *, now: datetime) -> User | None:
    """Exchange a start link for its person, once and within its time; None if it is used up, too old or unknown."""
    link = StartLink.objects.select_related("user").filter(digest=digest_of(secret)).first()
    fresh = Q(used_at__isnull=True, created_at__gt=now - timedelta(minutes=StartLink.MINUTES))
    if link is None or not StartLink.objects.filter(fresh, pk=link.pk).update(used_at=now):
        return None
    return link.user


def role_in(actor: Actor, workspace: "Workspace") -> str:
    """`owner`, `reviewer`, `member`, `worker` or nothing at all."""
    if actor.kind == Actor.Kind.WORKER:
        token = actor.token
        return "worker" if token is not None and token.workspace_id == workspace.pk else ""
    if actor.user is None or not actor.user.is_active:
        return ""
    if actor.user.is_superuser:
        return "owner"
    membership = Membership.objects.filter(workspace=workspace, user=actor.user).first()
    return membership.role if membership else ""


def may_review(actor: Actor, workspace: "Workspace") -> bool:
    """Whether this actor may accept, decide, approve and resolve here."""
    return actor.is_person and role_in(actor, workspace) in {"owner", "reviewer"}


def require_reviewer(actor: Actor, workspace: "Workspace", *, to: str) -> None:
    """Raise NotAReviewer unless this actor may review; `to` completes "may not …"."""
    if not may_review(actor, workspace):
        raise NotAReviewer(
            f"{actor} may not {to}: only a person with the reviewer role may.",
            hint="Propose it instead; a reviewer decides.",
        )


def require_owner(actor: Actor, workspace: "Workspace", *, to: str) -> None:
    """Raise NotAnOwner unless this actor owns the workspace; `to` completes "may not …"."""
    if not actor.is_person or role_in(actor, workspace) != "owner":
        raise NotAnOwner(f"{actor} may not {to}: only an owner may.", hint="Ask an owner of this workspace.")


def reviewers_of(workspace: "Workspace") -> QuerySet[User]:
    """The active people who may review in this workspace."""
    roles = [Membership.Role.OWNER, Membership.Role.REVIEWER]
    return (
        User.objects.filter(is_active=True)
        .filter(Q(is_superuser=True) | Q(memberships__workspace=workspace, memberships__role__in=roles))
        .distinct()
    )


def settle_own(actor: Actor, maker: Actor, workspace: "Workspace", *, confirmed: bool, what: str) -> bool:
    """Apply the single-reviewer rule to a decision on one's own work; say whether the record must read *one reviewer*.

    Raises OwnProposal where there is another reviewer to ask, NeedsConfirmation where there is
    none and the person has not confirmed once more.
    """
    if not maker.is_person or maker.user is None or maker.user_id != actor.user_id:
        return False
    if reviewers_of(workspace).exclude(pk=maker.user.pk).exists():
        raise OwnProposal(
            f"You made this {what} yourself; another reviewer must decide it.",
            hint="It waits in the inbox of the other reviewers; ask one of them to look.",
        )
    if not confirmed:
        raise NeedsConfirmation(
            f"You made this {what} yourself and are the only reviewer here.",
            hint="Confirm once more; the record will say that one reviewer decided.",
            fields={"confirmed": "required"},
        )
    return True


def digest_of(secret: str) -> str:
    """What is stored of a secret of 256 random bits."""
    return hashlib.sha256(secret.encode()).hexdigest()
