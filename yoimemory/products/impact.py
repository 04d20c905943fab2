"""What memory did to the work, counted from events: effects by how they are known, exposure apart, harm with them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from statistics import median

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet

from evidence.models import Evidence, Review
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox, ShoeboxQuerySet
from yoimemory.journal.models import Event
from yoimemory.markers.models import Marker
from yoimemory.products.funnel import funnel_of, opened_in
from yoimemory.products.models import Export, Impact, Proposal
from yoimemory.products.reports import (
    EffectOut,
    FirstEvidenceOut,
    HarmOut,
    IdleOut,
    ImpactReport,
    RoleOut,
    UnusedOut,
    WeekOut,
)
from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace

SPANS = (4, 12, 26, 52)
USUAL = 12
UNUSED_AFTER = timedelta(days=21)
EVENTS_MAX = 50_000
EXAMPLES = 5
EXPOSURE = (Event.Kind.RESIDENT_EXPOSURE, Event.Kind.QUERY, Event.Kind.SOURCE_OPENED)
ACTIVITY = (
    Event.Kind.SHOEBOX_CREATED, Event.Kind.EVIDENCE_EXTRACTED, Event.Kind.REPRESENTATION_CREATED,
    Event.Kind.STALE_MARKED,
)  # fmt: skip
SHOWN = 50


def impact_report(
    workspace: Workspace, *, now: datetime, weeks: int = USUAL, role: str = "", shown: int | None = SHOWN
) -> ImpactReport:
    """Count a span of weeks, for one role where one is named; single records are listed as far as `shown`."""
    since = now - timedelta(weeks=weeks)
    impacts = Impact.objects.in_workspace(workspace).filter(at__gte=since, at__lte=now)
    events = _events(workspace, since, now)
    if role:
        impacts = impacts.filter(role=role)
        events = [event for event in events if _role_of(event) == role]
    rows = list(impacts.order_by("pk"))
    boxes = opened_in(workspace, since, now, role)
    first = _first_evidence(boxes)
    return ImpactReport(
        since=since,
        until=now,
        weeks=weeks,
        role=role,
        exposure={str(kind): sum(event.kind == kind for event in events) for kind in EXPOSURE},
        activity=_activity(workspace, since, now, role),
        funnel=funnel_of(boxes),
        effects=_effects(rows),
        harm=[
            _reverted(workspace, rows, since, now),
            _stale_served(workspace, events),
            _refuted(workspace, since, now),
        ],
        by_week=_by_week(first, since, now),
        by_role=_by_role(rows, events, first),
        unused=unused_shoeboxes(workspace, now),
        idle=_idle(workspace, shown),
        first_evidence=first[:shown],
    )


def roles_of(workspace: Workspace) -> list[str]:
    """The roles that anything is known of."""
    told = Impact.objects.in_workspace(workspace).exclude(role="").values_list("role", flat=True).distinct()
    seen = Event.objects.filter(workspace=workspace).exclude(actor__role="").exclude(actor=None)
    opened = Shoebox.objects.in_workspace(workspace).values_list("opened_by__role", "opened_by__kind").distinct()
    return sorted(
        {*told, *seen.values_list("actor__role", flat=True).distinct(), *(role or kind for role, kind in opened)}
    )


def span_that_holds_something(workspace: Workspace, *, now: datetime) -> int:
    """The usual span; where everything is older, the shortest that reaches it, or the longest there is."""
    newest = [
        Impact.objects.in_workspace(workspace).aggregate(at=Max("at"))["at"],
        Shoebox.objects.in_workspace(workspace).aggregate(at=Max("opened_at"))["at"],
    ]
    latest = max((at for at in newest if at is not None), default=now)
    return next((span for span in SPANS if span >= USUAL and now - timedelta(weeks=span) <= latest), SPANS[-1])


def _events(workspace: Workspace, since: datetime, now: datetime) -> list[Event]:
    rows = Event.objects.filter(workspace=workspace, kind__in=EXPOSURE, at__gte=since, at__lte=now)
    return list(rows.select_related("actor").order_by("-pk")[:EVENTS_MAX])


def _activity(workspace: Workspace, since: datetime, now: datetime, role: str) -> dict[str, int]:
    """The other low-level events: what was made with memory. They are no effect on the work either."""
    rows = Event.objects.filter(workspace=workspace, kind__in=ACTIVITY, at__gte=since, at__lte=now)
    if role:
        rows = rows.filter(Q(actor__role=role) | Q(actor__role="", actor__kind=role))
    counts = dict(rows.values_list("kind").annotate(Count("pk")))
    return {str(kind): counts.get(kind, 0) for kind in ACTIVITY}


def _role_of(event: Event) -> str:
    return (event.actor.role or event.actor.kind) if event.actor else ""


def _effects(rows: Iterable[Impact]) -> list[EffectOut]:
    counts = Counter((row.kind, row.known) for row in rows)
    return [
        EffectOut(
            kind=str(kind),
            observed=counts[kind, Impact.Known.OBSERVED],
            recorded=counts[kind, Impact.Known.RECORDED],
            claimed=counts[kind, Impact.Known.CLAIMED],
        )
        for kind in Impact.EFFECTS
    ]


def _reverted(workspace: Workspace, rows: Iterable[Impact], since: datetime, now: datetime) -> HarmOut:
    """Products that were taken back: undone here, or put back by a commit."""
    undone = Proposal.objects.in_workspace(workspace).filter(
        state=Proposal.State.REVERTED, state_at__gte=since, state_at__lte=now
    )
    refs = [str(proposal.ref) for proposal in undone.order_by("-pk")]
    refs += [row.subjects[0] for row in rows if row.kind == Impact.Kind.PRODUCT_REVERTED]
    refs = list(dict.fromkeys(refs))
    return HarmOut(kind="product_reverted", count=len(refs), refs=refs[:EXAMPLES])


def _stale_served(workspace: Workspace, events: Iterable[Event]) -> HarmOut:
    """Sources that were handed out while a marker stood on them, each counted once an event."""
    standing: dict[str, list[Marker]] = defaultdict(list)
    for marker in Marker.objects.filter(workspace=workspace).exclude(status=Marker.Status.PROPOSED):
        standing[marker.target_source].append(marker)
    if not standing:
        return HarmOut(kind="stale_served", count=0, refs=[])
    served: list[str] = []
    for event in events:
        for subject in event.subjects:
            ref = SourceRef.parse(subject)
            marks = [*standing.get(str(ref.bare), []), *standing.get(str(ref.source), [])]
            if any(_stood(marker, event.at) for marker in marks):
                served.append(str(ref.bare))
    return HarmOut(kind="stale_served", count=len(served), refs=list(dict.fromkeys(served))[:EXAMPLES])


def _stood(marker: Marker, at: datetime) -> bool:
    return marker.made_at <= at and (marker.resolved_at is None or marker.resolved_at > at)


def _refuted(workspace: Workspace, since: datetime, now: datetime) -> HarmOut:
    """Evidence that was accepted and had to be rejected or retired since."""
    reviews = Review.objects.filter(
        evidence__workspace=workspace, before=Evidence.State.ACCEPTED, undone_at__isnull=True, at__gte=since,
        at__lte=now, verdict__in=[Review.Verdict.REJECT, Review.Verdict.RETIRE],
    )  # fmt: skip
    refs = [f"evidence:{one}" for one in reviews.order_by("-pk").values_list("evidence__public_id", flat=True)]
    return HarmOut(kind="accepted_then_refuted", count=len(refs), refs=refs[:EXAMPLES])


def _first_evidence(boxes: ShoeboxQuerySet) -> list[FirstEvidenceOut]:
    """From opening a shoebox to its first accepted quote, newest first."""
    opened = (
        boxes.annotate(first=Min("evidence__made_at", filter=Q(evidence__state=Evidence.State.ACCEPTED)))
        .order_by("-opened_at", "-pk")
        .values_list("public_id", "question", "opened_by__role", "opened_by__kind", "opened_at", "first")
    )
    return [
        FirstEvidenceOut(
            ref=f"shoebox:{public_id}",
            question=question,
            role=role or kind,
            opened_at=opened_at,
            minutes=max((first - opened_at).total_seconds() / 60, 0.0) if first else None,
        )
        for public_id, question, role, kind, opened_at, first in opened
    ]


def _by_week(first: Iterable[FirstEvidenceOut], since: datetime, now: datetime) -> list[WeekOut]:
    """The same, week by week of the opening."""
    taken: dict[str, list[FirstEvidenceOut]] = {week: [] for week in _weeks(since, now)}
    for one in first:
        taken.setdefault(_week(one.opened_at), []).append(one)
    return [
        WeekOut(
            week=week,
            shoeboxes=len(ones),
            with_evidence=sum(one.minutes is not None for one in ones),
            median_minutes=_middle(ones),
        )
        for week, ones in sorted(taken.items())
    ]


def _middle(first: Iterable[FirstEvidenceOut]) -> float | None:
    known = [one.minutes for one in first if one.minutes is not None]
    return round(median(known), 1) if known else None


def _weeks(since: datetime, now: datetime) -> Iterable[str]:
    at = since
    while at <= now:
        yield _week(at)
        at += timedelta(weeks=1)
    yield _week(now)


def _week(at: datetime) -> str:
    year, week, _ = at.astimezone(UTC).isocalendar()
    return f"{year}-w{week:02}"


def _by_role(rows: Iterable[Impact], events: Iterable[Event], first: Sequence[FirstEvidenceOut]) -> list[RoleOut]:
    """What each role opened, how soon it had evidence, and what of its material was observed in the work."""
    opened = Counter(_role_of(event) for event in events if event.kind == Event.Kind.SOURCE_OPENED)
    observed = [row for row in rows if row.known == Impact.Known.OBSERVED]
    cited = Counter(row.role for row in observed if row.kind == Impact.Kind.CITED)
    changed = Counter(row.role for row in observed if row.kind in Impact.CHANGED)
    boxes = Counter(one.role for one in first)
    roles = sorted({*opened, *cited, *changed, *boxes} - {""}, key=lambda role: (-cited[role], -opened[role], role))
    return [
        RoleOut(
            role=role, opened=opened[role], cited=cited[role], changed=changed[role], shoeboxes=boxes[role],
            median_minutes=_middle(one for one in first if one.role == role),
        )
        for role in roles
    ]  # fmt: skip


def unused_shoeboxes(workspace: Workspace, now: datetime) -> list[UnusedOut]:
    """Shoeboxes that stand for weeks and of which nothing went into the work."""
    used: set[str] = set()
    for subjects in Impact.objects.in_workspace(workspace).values_list("subjects", flat=True):
        used.update(subjects)
    idle = (
        Shoebox.objects.in_workspace(workspace)
        .filter(state__in=[Shoebox.State.OPEN, Shoebox.State.CLOSED], opened_at__lte=now - UNUSED_AFTER)
        .filter(proposals__isnull=True, exports__isnull=True)
        .select_related("opened_by")
        .prefetch_related("evidence", "hypotheses", "items")
        .order_by("opened_at")
    )
    return [
        UnusedOut(
            ref=str(box.ref), question=box.question, opened_by=str(box.opened_by), opened_at=box.opened_at,
            items=len(box.items.all()),
        )
        for box in idle
        if not used & {str(box.ref), *(str(one.ref) for one in [*box.evidence.all(), *box.hypotheses.all()])}
    ]  # fmt: skip


def without_product(workspace: Workspace) -> QuerySet[Hypothesis]:
    """Accepted hypotheses of which nothing has gone back into the work: no live proposal, no export that stands."""
    ended = [Proposal.State.REJECTED, Proposal.State.WITHDRAWN, Proposal.State.REVERTED]
    live = Proposal.objects.filter(shoebox=OuterRef("shoebox")).exclude(state__in=ended)
    exported = Export.objects.filter(shoebox=OuterRef("shoebox"), undone_at__isnull=True)
    accepted = Hypothesis.objects.in_workspace(workspace).filter(status=Hypothesis.Status.ACCEPTED)
    return accepted.filter(~Exists(live), ~Exists(exported))


def _idle(workspace: Workspace, shown: int | None) -> list[IdleOut]:
    rows = without_product(workspace).select_related("shoebox").order_by("pk")[:shown]
    return [IdleOut(ref=str(row.ref), claim=row.claim, shoebox=str(row.shoebox.ref)) for row in rows]
