"""Markers that follow from what happened: a record was replaced, a cited line changed, a scope or a date ran out.

Each says what it was derived from. A derived marker ends by itself when its cause is gone; one that a
person declined is not derived again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from evidence.models import Evidence, Placement
from evidence.services.scoping import Scopes
from evidence.standing import standings
from yoimemory.access.models import Actor
from yoimemory.access.services import system_actor
from yoimemory.errors import DomainError
from yoimemory.markers.models import Marker
from yoimemory.markers.schemas import MarkerDraft
from yoimemory.markers.services import mark_staleness, resolve_derived
from yoimemory.refs import BadRef, SourceRef
from yoimemory.search.models import Document, Link
from yoimemory.sources.models import Workspace

UPKEEP = "upkeep"
DERIVED_MAX = 500
"""So many new markers in one run: a workspace that replaces more at once is imported, not kept up."""
REPLACES = ("supersedes", "replaced_by")
GONE = "What it was derived from is no longer so."


@dataclass(frozen=True, slots=True)
class Cause:
    """What a marker follows from: target, state and cause make it the same one at each run."""

    target: str
    state: str
    reason: str
    by_ref: str = ""
    evidence: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str, str]:
        return self.target, self.state, self.by_ref


def derive_markers(workspace: Workspace, *, now: datetime) -> list[Marker]:
    """Set the markers that follow from the index, the placements and the calendar; end those whose cause is gone.

    Returns the new ones. What a person closed stays closed.
    """
    causes = {cause.key: cause for find in (_replaced, _changed, _out_of_scope) for cause in find(workspace, now)}
    causes |= {cause.key: cause for cause in _due(workspace, now) if cause.key not in causes}
    upkeep = system_actor(UPKEEP)
    known = Marker.objects.filter(workspace=workspace, origin=Marker.Origin.DERIVED).select_related("workspace")
    before = {(one.target, one.state, one.by_ref): one for one in known.order_by("pk")}
    gone = [one for key, one in before.items() if key not in causes and not one.resolved_at]
    resolve_derived(gone, actor=upkeep, resolution=GONE, now=now)
    found: list[Marker] = []
    for key, cause in causes.items():
        earlier = before.get(key)
        if earlier is not None and not (earlier.resolved_at and earlier.resolution == GONE):
            continue
        if len(found) >= DERIVED_MAX:
            break
        marker = _mark(cause, workspace, upkeep, now)
        if marker is not None:
            found.append(marker)
    return found


def _mark(cause: Cause, workspace: Workspace, upkeep: Actor, now: datetime) -> Marker | None:
    draft = MarkerDraft(
        target=cause.target, state=cause.state, reason=cause.reason[: Marker.REASON_MAX], by_ref=cause.by_ref,
        evidence=list(cause.evidence),
    )  # fmt: skip
    try:
        return mark_staleness(draft, workspace=workspace, actor=upkeep, now=now, derived=True)
    except DomainError:  # somebody said it before, or two records say that they replace each other
        return None


def _replaced(workspace: Workspace, now: datetime) -> Iterator[Cause]:
    """Records that say of themselves that they were replaced, or that another says it replaces."""
    links = Link.objects.filter(document__workspace=workspace.public_id, kind__in=REPLACES).select_related("document")
    rows = list(links.order_by("pk")[: DERIVED_MAX * 2])
    named = {one.target for one in rows} | {one.target_source for one in rows}
    here = set(Document.objects.filter(workspace=workspace.public_id, ref__in=named).values_list("ref", flat=True))
    for link in rows:
        if link.target not in here and link.target_source not in here:
            continue
        says = link.document.ref
        where = _part(says, link.where)
        whole = SourceRef.parse(says)
        record = str(whole.source) if whole.kind == "ticket" else says
        older, newer = (record, link.target) if link.kind == "replaced_by" else (link.target, record)
        if SourceRef.parse(older).source == SourceRef.parse(newer).source:
            continue
        yield Cause(
            older, Marker.State.SUPERSEDED, f"{record} says so: {link.kind.replace('_', ' ')} {link.target}.", newer,
            (where,),
        )  # fmt: skip


def _part(ref: str, fragment: str) -> str:
    """The ref with the place where it says so, as far as that is one."""
    try:
        return str(SourceRef.parse(f"{ref}#{fragment}")) if fragment else ref
    except BadRef:
        return ref


def _changed(workspace: Workspace, now: datetime) -> Iterator[Cause]:
    """Accepted quotes whose very line was removed or now says something else."""
    counted = Evidence.objects.in_workspace(workspace).accepted().with_anchor_state()
    rows = list(counted.filter(Q(("anchor_state__in", Placement.LOST))))
    standing = standings(rows)
    for row in rows:
        told = standing[row.pk].note or "the words no longer stand there"
        yield Cause(str(row.ref), Marker.State.STALE, f"The quoted line changed: {told}", evidence=(str(row.address),))


def _out_of_scope(workspace: Workspace, now: datetime) -> Iterator[Cause]:
    """Accepted evidence that says where or until when it holds, when that is over or gone."""
    scopes = Scopes(workspace, now)
    for row in Evidence.objects.in_workspace(workspace).accepted().exclude(scope={}):
        mismatch = scopes.mismatch(row.scope)
        if mismatch:
            yield Cause(str(row.ref), Marker.State.NEEDS_REVIEW, mismatch, evidence=(str(row.address),))


def _due(workspace: Workspace, now: datetime) -> Iterator[Cause]:
    """What somebody wanted looked at again by a day that has passed."""
    for marker in Marker.objects.standing().filter(workspace=workspace, review_at__lte=now):
        if marker.review_at and marker.state != Marker.State.NEEDS_REVIEW:
            yield Cause(
                marker.target, Marker.State.NEEDS_REVIEW,
                f"Its review date, {marker.review_at:%Y-%m-%d}, has passed; it was marked {marker.state}: "
                f"{marker.reason}",
            )  # fmt: skip
