"""Whose records they are: the ones of the workspaces in which an actor has a role."""

from django.db.models import Q

from yoimemory.access.models import Actor


def readable_by(actor: Actor, through: str) -> Q:
    """Records of the workspaces in which this actor has a role."""
    if actor.token_id:
        return Q(**{f"{through}__tokens": actor.token_id})
    if actor.user is None or not actor.user.is_active:
        return Q(pk__in=[])
    return Q() if actor.user.is_superuser else Q(**{f"{through}__memberships__user": actor.user})
