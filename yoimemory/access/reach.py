"""Whose records they are: those of a workspace, and of the workspaces in which an actor has a role."""

from typing import TYPE_CHECKING

from django.db.models import Q

from yoimemory.access.models import Actor
from yoimemory.errors import NotFound
from yoimemory.refs import OWN_KINDS, SourceRef

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace


class NoSuchRecord(NotFound):
    """A ref of our own kinds names no record of this workspace."""


def readable_by(actor: Actor, through: str = "workspace") -> Q:
    """Records of the workspaces in which this actor has a role: a Worker's own, a person's, an owner's all.

    `through` is the way from the record to its workspace.
    """
    if actor.token_id:
        return Q(**{f"{through}__tokens": actor.token_id})
    if actor.user is None or not actor.user.is_active:
        return Q(pk__in=[])
    return Q() if actor.user.is_superuser else Q(**{f"{through}__memberships__user": actor.user})


def require_records(workspace: "Workspace", *refs: SourceRef) -> None:
    """Raise NoSuchRecord for a ref of our own kinds that names nothing here; refs of sources pass.

    Lower floors point at records of higher ones by ref. Asking the model of the workspace for what
    belongs to it keeps them ignorant of those floors.
    """
    models = {one.related_model._meta.model_name: one for one in workspace._meta.related_objects}
    for ref in refs:
        if ref.kind not in OWN_KINDS:
            continue
        relation = models[ref.kind]
        rows = relation.related_model._default_manager.filter(**{relation.field.name: workspace})
        if not rows.filter(public_id=ref.locator).exists():
            raise NoSuchRecord(f"There is no {ref.bare} in {workspace}.", hint="Copy the ref from the record's page.")
