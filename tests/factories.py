"""Typed makers of the least that is valid. They go through the models, not the verbs: verbs are what is tested."""

from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User

from evidence.models import Evidence, Relation
from hypotheses.models import Hypothesis
from shoebox.models import Item, Shoebox
from yoimemory.access.models import Actor, Membership, Token
from yoimemory.access.services import actor_for_token, actor_for_user, issue_token, system_actor
from yoimemory.refs import SourceRef, new_id
from yoimemory.sources.models import Workspace

NOON = datetime(2026, 7, 16, 12, 0, tzinfo=UTC)


def make_workspace(root: Path | str = "/nowhere", **kwargs: Any) -> Workspace:
    slug = kwargs.pop("slug", f"w{new_id()[-8:].lower()}")
    kwargs.setdefault("identity", f"{root}#{slug}")
    return Workspace.objects.create(slug=slug, name=slug, root=str(root), created_at=NOON, **kwargs)


def make_user(name: str = "", *, superuser: bool = False) -> User:
    return User.objects.create_user(
        username=name or f"u{new_id()[-8:].lower()}", is_superuser=superuser, is_staff=superuser
    )


def make_person(workspace: Workspace, role: str = "reviewer", name: str = "") -> Actor:
    """A person with a role in the workspace."""
    user = make_user(name)
    Membership.objects.create(workspace=workspace, user=user, role=role)
    return actor_for_user(user)


def make_owner(name: str = "") -> Actor:
    return actor_for_user(make_user(name, superuser=True))


def make_token(workspace: Workspace, scope: str = "propose", name: str = "orchestrator") -> tuple[Token, str]:
    return issue_token(workspace=workspace, name=name, scope=scope, now=datetime.now(UTC), role="orchestrator")


def make_worker(workspace: Workspace, scope: str = "propose", name: str = "orchestrator") -> Actor:
    return actor_for_token(make_token(workspace, scope, name)[0], run="run-1")


def make_system() -> Actor:
    return system_actor("test")


def make_shoebox(workspace: Workspace | None = None, **kwargs: Any) -> Shoebox:
    workspace = workspace or make_workspace()
    kwargs.setdefault("question", "May it start now?")
    kwargs.setdefault("opened_by", make_system())
    return Shoebox.objects.create(workspace=workspace, opened_at=NOON, **kwargs)


def make_item(shoebox: Shoebox | None = None, ref: str = "doc:docs/guide.md@" + "a" * 40, **kwargs: Any) -> Item:
    shoebox = shoebox or make_shoebox()
    address = SourceRef.parse(ref)
    kwargs.setdefault("rationale", "It names the rule.")
    kwargs.setdefault("came", Item.Came.LINKED)
    kwargs.setdefault("position", shoebox.items.count() + 1)
    kwargs.setdefault("added_by", make_system())
    return Item.objects.create(
        shoebox=shoebox, ref=ref, place=str(address.at("")), source=str(address.source), kind=address.kind,
        added_at=NOON, **kwargs,
    )  # fmt: skip


def make_evidence(shoebox: Shoebox | None = None, **kwargs: Any) -> Evidence:
    shoebox = shoebox or make_shoebox()
    place = SourceRef.parse(kwargs.pop("place", "doc:docs/guide.md"))
    quote = kwargs.setdefault("quote", "Unresolved dependencies block the start.")
    kwargs.setdefault("kind", Evidence.Kind.QUOTE)
    kwargs.setdefault("state", Evidence.State.SUGGESTED)
    kwargs.setdefault("made_by", make_system())
    kwargs.setdefault("why", "It is the rule in question.")
    kwargs.setdefault("start", 0)
    kwargs.setdefault("end", len(quote))
    kwargs.setdefault("start_line", 1)
    kwargs.setdefault("end_line", 1)
    kwargs.setdefault("text_digest", sha256(str(place).encode()).hexdigest())
    kwargs.setdefault("revision", "a" * 40)
    kwargs.setdefault("match", Evidence.Match.EXACT)
    return Evidence.objects.create(
        workspace=shoebox.workspace, shoebox=shoebox, place=str(place), source=str(place.source),
        made_at=NOON, state_at=NOON, **kwargs,
    )  # fmt: skip


def make_hypothesis(shoebox: Shoebox | None = None, **kwargs: Any) -> Hypothesis:
    shoebox = shoebox or make_shoebox()
    kwargs.setdefault("claim", "It may start now.")
    kwargs.setdefault("number", shoebox.hypotheses.count() + 1)
    kwargs.setdefault("made_by", make_system())
    return Hypothesis.objects.create(workspace=shoebox.workspace, shoebox=shoebox, made_at=NOON, **kwargs)


def make_relation(evidence: Evidence, target: SourceRef, relation: str = "supports") -> Relation:
    return Relation.objects.create(
        evidence=evidence, target=str(target), relation=relation, made_by=evidence.made_by, made_at=NOON
    )
