"""Who may say something on this floor. Deciding has its own, stricter rule in `access`."""

from yoimemory.access.models import Actor
from yoimemory.access.services import role_in
from yoimemory.errors import Forbidden
from yoimemory.sources.models import Workspace


def require_role(actor: Actor, workspace: Workspace, *, to: str) -> None:
    """Raise Forbidden unless the actor has a role here; `to` completes "may not …".

    A Worker needs the scope *propose*; `actor` without token or user (a builder of ours) may write
    nothing by itself: a person or Worker stands behind every record.
    """
    token = actor.token if actor.is_worker else None
    if role_in(actor, workspace) and (token is None or token.may_propose):
        return
    raise Forbidden(
        f"{actor} may not {to} in {workspace}.",
        hint="A token needs the scope propose." if actor.is_worker else "Ask an owner for a role in this workspace.",
    )
