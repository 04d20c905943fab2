"""Who may say something on this floor. Deciding has its own, stricter rule in `access`."""

from hypotheses.models import Hypothesis
from yoimemory.access.models import Actor
from yoimemory.access.services import may_review, role_in
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


def may_edit(hypothesis: Hypothesis, actor: Actor) -> bool:
    """Whether this actor may change the words about it: reviewers always, who proposed it until a person decides."""
    if may_review(actor, hypothesis.workspace):
        return True
    maker = hypothesis.made_by
    own = maker.token_id == actor.token_id if actor.is_worker else maker.is_person and maker.user_id == actor.user_id
    return own and hypothesis.status == Hypothesis.Status.PROPOSED and not hypothesis.decisions.exists()
