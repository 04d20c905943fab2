"""Verbs of markers: mark a ref, resolve markers with a reason."""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction

from yoimemory.access.models import Actor
from yoimemory.access.reach import require_records
from yoimemory.access.services import require_reviewer, role_in
from yoimemory.errors import BadInput, Forbidden, Refused
from yoimemory.journal.models import Event
from yoimemory.journal.services import record_change, record_event
from yoimemory.markers.models import Marker
from yoimemory.markers.schemas import MarkerDraft
from yoimemory.refs import SourceRef

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace


class AlreadyMarked(Refused):
    """The same ref already carries a standing marker of this state and cause."""


class AlreadyResolved(Refused):
    """The marker was resolved or declined before."""


class SupersessionCycle(Refused):
    """Following what supersedes what would lead back to the start."""


def mark_staleness(
    draft: MarkerDraft,
    *,
    workspace: "Workspace",
    actor: Actor,
    now: datetime,
    derived: bool = False,
    to_review: bool = False,
) -> Marker:
    """Put a marker on a ref. A person's stands at once, a Worker's is proposed until a person takes it over.

    So is one that is sent `to_review`: in a person's name, but not by their own hand. Nothing is
    hidden or deleted by it. Raises BadInput if a superseding or contradicting ref is missing,
    NoSuchRecord for a record of ours that is not here, AlreadyMarked if the same marker stands.
    """
    target, by_ref, evidence = _refs_of(draft)
    if not derived and not role_in(actor, workspace):
        raise Forbidden(f"{actor} has no role in {workspace}.", hint="An owner of the workspace can give one.")
    require_records(workspace, *(ref for ref in (target, by_ref, *evidence) if ref))
    cause = str(by_ref or "")
    origin = Marker.Origin.DERIVED if derived else Marker.Origin(actor.kind)
    waits = origin == Marker.Origin.WORKER or to_review
    with transaction.atomic():  # under the write lock, so that two callers cannot both find nothing
        if draft.state == "superseded" and by_ref:
            _refuse_cycle(target, by_ref, workspace)
        same = Marker.objects.open().filter(workspace=workspace, target=str(target), state=draft.state, by_ref=cause)
        if same.exists():
            raise AlreadyMarked(f"{target} is already marked {draft.state}.", hint="Resolve that marker first.")
        marker = Marker.objects.create(
            workspace=workspace,
            target=str(target),
            target_source=str(target.bare),
            state=draft.state,
            by_ref=cause,
            reason=draft.reason,
            evidence=[str(ref) for ref in evidence],
            origin=origin,
            status=Marker.Status.PROPOSED if waits else Marker.Status.STANDING,
            review_at=draft.review_at,
            made_by=actor,
            made_at=now,
        )
        record_change(
            target, verb="staleness-marked", actor=actor, workspace=workspace, now=now,
            after={"state": marker.state, "status": marker.status, "by": cause}, reason=draft.reason,
        )  # fmt: skip
    record_event(Event.Kind.STALE_MARKED, workspace=workspace, actor=actor, now=now, subjects=[target])
    return marker


def _refs_of(draft: MarkerDraft) -> tuple[SourceRef, SourceRef | None, list[SourceRef]]:
    """What is marked, what supersedes or contradicts it, and what shows it. Raises BadRef or BadInput."""
    target = SourceRef.parse(draft.target)
    if draft.state in {"superseded", "contradicted"} and not draft.by_ref:
        raise BadInput(f"A marker {draft.state} names by what.", fields={"by_ref": "required"})
    by_ref = SourceRef.parse(draft.by_ref) if draft.by_ref else None
    if by_ref and by_ref.bare == target.bare and not target.fragment:
        raise BadInput("A ref cannot supersede or contradict itself.", fields={"by_ref": "same as target"})
    return target, by_ref, [SourceRef.parse(ref) for ref in draft.evidence]


def _refuse_cycle(target: SourceRef, by_ref: SourceRef, workspace: "Workspace") -> None:
    """Raise SupersessionCycle where the chain of what supersedes `by_ref` comes back to the target."""
    rows = Marker.objects.open().filter(workspace=workspace, state=Marker.State.SUPERSEDED)
    nexts: dict[str, list[str]] = {}
    for marked, by in rows.values_list("target", "by_ref"):
        nexts.setdefault(str(SourceRef.parse(marked).at("")), []).append(str(SourceRef.parse(by).at("")))
    start, seen, waiting = str(target.at("")), set[str](), [str(by_ref.at(""))]
    while waiting:
        at = waiting.pop()
        if at == start:
            raise SupersessionCycle(
                f"{target} cannot be superseded by {by_ref}: following the markers, that one is superseded by it.",
                hint="Resolve the older marker first; the newest supersedes the older ones.",
                fields={"by_ref": "cycle"},
            )
        if at not in seen:
            seen.add(at)
            waiting += nexts.get(at, [])


@transaction.atomic
def resolve_derived(markers: Iterable[Marker], *, actor: Actor, resolution: str, now: datetime) -> int:
    """End derived markers whose cause is gone; return how many. What a person or Worker set is left as it is."""
    count = 0
    for marker in markers:
        rows = Marker.objects.open().filter(pk=marker.pk, origin=Marker.Origin.DERIVED)
        if rows.update(status=Marker.Status.RESOLVED, resolved_by=actor, resolved_at=now, resolution=resolution):
            record_change(
                marker.target, verb="marker-resolved", actor=actor, workspace=marker.workspace, now=now,
                before={"status": marker.status}, after={"status": Marker.Status.RESOLVED}, reason=resolution,
            )  # fmt: skip
            count += 1
    return count


@transaction.atomic
def resolve_markers(
    markers: Iterable[Marker], *, actor: Actor, resolution: str, now: datetime, decline: bool = False
) -> int:
    """Resolve (or decline) open markers with one reason; return how many.

    Raises NotAReviewer, BadInput without a reason, AlreadyResolved if one is no longer open.
    """
    if not resolution.strip():
        raise BadInput("Say why the marker no longer holds.", fields={"resolution": "required"})
    count = 0
    for marker in markers:
        require_reviewer(actor, marker.workspace, to="resolve markers")
        status = Marker.Status.DECLINED if decline else Marker.Status.RESOLVED
        changed = (
            Marker.objects.open()
            .filter(pk=marker.pk)
            .update(status=status, resolved_by=actor, resolved_at=now, resolution=resolution.strip())
        )
        if not changed:
            raise AlreadyResolved(f"The marker on {marker.target} is no longer open.")
        record_change(
            marker.target, verb=f"marker-{status}", actor=actor, workspace=marker.workspace, now=now,
            before={"status": marker.status}, after={"status": status}, reason=resolution.strip(),
        )  # fmt: skip
        count += 1
    return count


@transaction.atomic
def take_over_markers(markers: Iterable[Marker], *, actor: Actor, now: datetime) -> int:
    """Let proposed markers stand, as a reviewer; return how many. Raises NotAReviewer."""
    count = 0
    for marker in markers:
        require_reviewer(actor, marker.workspace, to="let a proposed marker stand")
        waiting = Marker.objects.filter(pk=marker.pk, status=Marker.Status.PROPOSED)
        if waiting.update(status=Marker.Status.STANDING):
            record_change(
                marker.target, verb="marker-taken-over", actor=actor, workspace=marker.workspace, now=now,
                before={"status": "proposed"}, after={"status": "standing"},
            )  # fmt: skip
            count += 1
    return count
