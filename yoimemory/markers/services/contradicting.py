"""Contradictions: noted by anyone with a role, resolved by people, by two of them apart where there are two."""

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F, Q

from yoimemory.access.models import Actor
from yoimemory.access.reach import require_records
from yoimemory.access.services import require_reviewer, role_in
from yoimemory.errors import BadInput, Forbidden, Refused
from yoimemory.journal.services import record_change
from yoimemory.journal.stale import stale_version
from yoimemory.markers.models import Contradiction, SecondLook
from yoimemory.markers.schemas import ContradictionDraft
from yoimemory.markers.services.looking import look_apart, needs_second
from yoimemory.refs import SourceRef

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace

Status = Contradiction.Status
DECLINE = "declined"


class SameContradiction(Refused):
    """The two sides stand against each other already, on the same thing."""


class ContradictionClosed(Refused):
    """It was resolved or declined before."""


@transaction.atomic
def note_contradiction(
    draft: ContradictionDraft, *, workspace: "Workspace", actor: Actor, now: datetime, to_review: bool = False
) -> Contradiction:
    """Let two refs stand against each other until a person resolves it. A Worker's is proposed.

    Raises Forbidden without a role, BadInput for two sides that are one, NoSuchRecord, SameContradiction.
    """
    if not role_in(actor, workspace):
        raise Forbidden(f"{actor} has no role in {workspace}.", hint="An owner of the workspace can give one.")
    left, right = SourceRef.parse(draft.left), SourceRef.parse(draft.right)
    if str(left) == str(right):
        raise BadInput("A ref does not contradict itself; name the two places.", fields={"right": "same as left"})
    require_records(workspace, left, right)
    sides = Q(left=str(left), right=str(right)) | Q(left=str(right), right=str(left))
    standing = Contradiction.objects.open().filter(sides, workspace=workspace).first()
    if standing is not None:
        raise SameContradiction(
            f"These two already stand against each other: {standing.about}",
            hint=f"See {standing.ref}; resolve it first, or add to it there.",
        )
    waits = not actor.is_person or to_review
    row = Contradiction.objects.create(
        workspace=workspace,
        left=str(left), left_source=str(left.bare), left_at=draft.left_at, left_scope=draft.left_scope,
        right=str(right), right_source=str(right.bare), right_at=draft.right_at, right_scope=draft.right_scope,
        about=draft.about, status=Status.PROPOSED if waits else Status.OPEN, made_by=actor, made_at=now,
    )  # fmt: skip
    for subject, other in ((left, right), (right, left), (row.ref, None)):
        record_change(
            subject, verb="contradiction-noted", actor=actor, workspace=workspace, now=now,
            after={"contradiction": row.ref, **({"other": str(other)} if other else {})}, reason=draft.about,
        )  # fmt: skip
    return row


@transaction.atomic
def take_over_contradiction(row: Contradiction, *, actor: Actor, now: datetime) -> Contradiction:
    """Let a proposed contradiction stand, as a reviewer. Raises NotAReviewer or ContradictionClosed."""
    require_reviewer(actor, row.workspace, to="let a proposed contradiction stand")
    waiting = Contradiction.objects.filter(pk=row.pk, status=Status.PROPOSED)
    if not waiting.update(status=Status.OPEN, version=F("version") + 1):
        raise ContradictionClosed(f"It is {row.status}; nothing waits to be taken over.")
    record_change(
        row.ref, verb="contradiction-taken-over", actor=actor, workspace=row.workspace, now=now,
        before={"status": "proposed"}, after={"status": "open"},
    )  # fmt: skip
    row.refresh_from_db()
    return row


@transaction.atomic
def resolve_contradiction(
    row: Contradiction,
    *,
    holds: str,
    resolution: str,
    actor: Actor,
    now: datetime,
    version: int | None = None,
    settled: SecondLook | None = None,
) -> Contradiction:
    """Say which side holds and why, or decline it, as a person with the reviewer role.

    Where a second reviewer exists they are asked too, without seeing the first answer: it is
    resolved once both say the same. `settled` hands in a disagreement that was settled.

    Raises NotAReviewer, BadInput, ContradictionClosed, StaleVersion, AlreadyLooked or Disagreement.
    """
    require_reviewer(actor, row.workspace, to="resolve contradictions")
    if holds not in {*Contradiction.Holds.values, DECLINE}:
        raise BadInput(
            f"There is no answer {holds!r}.", hint="Say left, right, both, neither, or declined.",
            fields={"holds": "unknown"},
        )  # fmt: skip
    if not resolution.strip():
        raise BadInput("Say why: the resolution is read long after.", fields={"resolution": "required"})
    if not row.is_open:
        raise ContradictionClosed(f"It was {row.status} before.", hint="Note it anew if it stands again.")
    if version is not None and version != row.version:
        raise stale_version(row.ref, workspace=row.workspace, version=version)
    apart = needs_second(row.workspace) and holds != DECLINE
    if apart and settled is None:
        second = look_apart(
            row.ref, about=SecondLook.About.CONTRADICTION, answer=holds, reason=resolution,
            workspace=row.workspace, actor=actor, now=now,
        )  # fmt: skip
        if second.outcome != SecondLook.Outcome.AGREED:
            return row
    _close(row, holds=holds, resolution=resolution.strip(), actor=actor, now=now, alone=not apart)
    return row


def _close(row: Contradiction, *, holds: str, resolution: str, actor: Actor, now: datetime, alone: bool) -> None:
    declined = holds == DECLINE
    status = Status.DECLINED if declined else Status.RESOLVED
    changed = Contradiction.objects.open().filter(pk=row.pk, version=row.version).update(
        status=status, holds="" if declined else holds, resolution=resolution, resolved_by=actor, resolved_at=now,
        one_reviewer=alone and not declined, version=F("version") + 1,
    )  # fmt: skip
    if not changed:
        raise stale_version(row.ref, workspace=row.workspace, version=row.version)
    for subject in (row.ref, SourceRef.parse(row.left), SourceRef.parse(row.right)):
        record_change(
            subject, verb=f"contradiction-{status}", actor=actor, workspace=row.workspace, now=now,
            before={"status": row.status}, after={"status": status, "holds": holds, "contradiction": row.ref},
            reason=resolution,
        )  # fmt: skip
    row.refresh_from_db()
