"""What limits trust in the records of one workspace: each check is one question to the databases, with its remedy."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from evidence.models import Evidence, Placement, Relation
from evidence.standing import latest_placements
from hypotheses.basis import bases_of
from hypotheses.models import Decision, Hypothesis
from hypotheses.threshold import threshold_checks, unmet
from shoebox.models import Item, Shoebox
from yoimemory.access.models import Token
from yoimemory.desk.findings import Finding
from yoimemory.desk.needs import WEIGHED_MAX, drifted
from yoimemory.markers.models import Contradiction, Marker
from yoimemory.products.files import exists
from yoimemory.products.impact import unused_shoeboxes, without_product
from yoimemory.products.models import Writing
from yoimemory.refs import SourceRef
from yoimemory.search.models import Document, Link
from yoimemory.sources.models import Workspace
from yoimemory.sources.opener import OutsideRoot, Unopenable
from yoimemory.sources.places import place_of

SHOWN = 5
LOOKED_AT = 300
"""So many places of one kind are looked at on disk in one examination."""
TOKEN_IDLE = timedelta(days=30)
TOKEN_NEW = timedelta(days=14)
IN_THE_INDEX = ("doc", "code", "ticket", "objective", "memory", "skill", "session", "commit")


def upkeep(workspace: Workspace, *, now: datetime) -> Iterator[Finding]:
    """Everything about the records of a workspace that a person should look at, worst first."""
    yield from _unsettled(workspace, now)
    yield from _orphaned(workspace)
    yield from _contradictions(workspace)
    yield from _against_threshold(workspace)
    yield from _broken_refs(workspace)
    yield from _broken_links(workspace)
    yield from _duplicates(workspace)
    yield from _low_value(workspace, now)
    yield from _tokens(workspace, now)


def _unsettled(workspace: Workspace, now: datetime) -> Iterator[Finding]:
    rows = Writing.objects.unsettled().filter(workspace=workspace, at__lt=now - timedelta(minutes=1))
    paths = list(rows.order_by("pk").values_list("path", flat=True)[: SHOWN + 1])
    if paths:
        yield Finding(
            "finding", "unfinished writing", f"{_many(rows.count(), 'file')} was being written when something ended.",
            "Start the server again: it finishes what was written and rolls back what was not.", tuple(paths[:SHOWN]),
        )  # fmt: skip


def _orphaned(workspace: Workspace) -> Iterator[Finding]:
    """Quotes that count and whose words are gone, or say something else by now."""
    rows = list(drifted(workspace).order_by("pk"))
    latest = latest_placements(rows)
    for states, check, said in (
        (Placement.LOST, "orphaned anchors", "no longer found where they stood, or saying something else"),
        ((Placement.State.COULD_NOT_CHECK,), "anchors not checked", "in sources that could not be read"),
    ):
        hit = [row for row in rows if latest[row.pk].state in states]
        if hit:
            yield Finding(
                "finding", check, f"{_many(len(hit), 'accepted quote')} {said}.",
                "Attach each again, retire it, or keep it with the caveat.", _refs(hit), reverse("desk:inbox"),
            )  # fmt: skip


def _contradictions(workspace: Workspace) -> Iterator[Finding]:
    open_ones = list(Contradiction.objects.open().filter(workspace=workspace).order_by("pk"))
    marked = list(Marker.objects.standing().filter(workspace=workspace, state=Marker.State.CONTRADICTED).order_by("pk"))
    told = [f"{one.left} against {one.right}" for one in open_ones]
    told += [f"{one.target} against {one.by_ref}" for one in marked]
    if told:
        yield Finding(
            "finding", "contradictions", f"{_many(len(told), 'contradiction')} not resolved yet.",
            "A reviewer resolves each with a reason: which side holds, and where.", tuple(told[:SHOWN]),
            reverse("desk:inbox"),
        )  # fmt: skip


def _against_threshold(workspace: Workspace) -> Iterator[Finding]:
    """Claims that were accepted although their own threshold was not met, and still stand."""
    last = Decision.objects.filter(hypothesis=OuterRef("pk"), after=Hypothesis.Status.ACCEPTED, overridden=True)
    accepted = Hypothesis.objects.in_workspace(workspace).filter(status=Hypothesis.Status.ACCEPTED)
    rows = list(accepted.filter(Exists(last)).with_people().order_by("pk")[:WEIGHED_MAX])
    bases = bases_of(rows) if rows else {}
    still = [row for row in rows if unmet(threshold_checks(row, bases[row.pk]))]
    if still:
        yield Finding(
            "finding", "accepted against the threshold",
            f"{_many(len(still), 'accepted hypothesis', 'accepted hypotheses')} against "
            f"{'its' if len(still) == 1 else 'their'} own threshold, which is not met today either.",
            "Gather what is missing, change the threshold with a reason, or decide anew.", _refs(still),
            reverse("hypotheses:list"),
        )  # fmt: skip


def _broken_refs(workspace: Workspace) -> Iterator[Finding]:
    """Items that point at what no commit and no file holds, relations and markers on records that are not here."""
    here = Document.objects.filter(workspace=workspace.public_id)
    if not here.exists():
        return  # before the first reading everything would be broken
    items = Item.objects.filter(shoebox__workspace=workspace, shoebox__state=Shoebox.State.OPEN, kind__in=IN_THE_INDEX)
    sources = sorted(set(items.values_list("source", flat=True)))
    known = set(here.filter(source__in=sources).values_list("source", flat=True))
    gone = items.filter(source__in=set(sources) - known).order_by("pk")
    broken = [item.ref for item in gone if not _is_in_a_commit(item.ref)]
    broken += _nameless(workspace)
    if broken:
        yield Finding(
            "finding", "broken refs", f"Our records name {_many(len(broken), 'ref')} of what is not here.",
            "Set the item aside with a reason, or add the source again.", tuple(dict.fromkeys(broken))[:SHOWN],
            reverse("shoebox:list"),
        )  # fmt: skip


def _is_in_a_commit(ref: str) -> bool:
    revision = SourceRef.parse(ref).revision
    return bool(revision) and not revision.startswith("sha256:")


def _nameless(workspace: Workspace) -> list[str]:
    """Refs of ours, named by relations and markers, that no record of this workspace has."""
    named = set(Relation.objects.filter(evidence__workspace=workspace).values_list("target", flat=True))
    named |= set(Marker.objects.open().filter(workspace=workspace).values_list("target_source", flat=True))
    models = {"shoebox": Shoebox, "hypothesis": Hypothesis, "evidence": Evidence}
    missing: list[str] = []
    for kind, model in models.items():
        ids = {name.partition(":")[2] for name in named if name.startswith(f"{kind}:")}
        rows = model._default_manager.filter(workspace=workspace, public_id__in=ids)
        missing += [f"{kind}:{one}" for one in sorted(ids - set(rows.values_list("public_id", flat=True)))]
    return missing


def _broken_links(workspace: Workspace) -> Iterator[Finding]:
    """Links of documents to files that are not there, and ids of tickets that never were."""
    there = Document.objects.filter(workspace=workspace.public_id, source=OuterRef("target_source"))
    links = Link.objects.filter(~Exists(there), document__workspace=workspace.public_id).select_related("document")
    broken: dict[str, None] = {}
    for link in links.filter(kind="links").order_by("pk")[:LOOKED_AT]:
        if not _on_disk(workspace, link.target_source):
            broken[f"{link.document.ref}{f'#{link.where}' if link.where else ''} to {link.target}"] = None
    for link in _mentions(links)[:LOOKED_AT]:
        broken[f"{link.document.ref} to {link.target}"] = None
    if broken:
        yield Finding(
            "note", "broken links", f"The sources hold {_many(len(broken), 'link')} to what is not here.",
            "Mend the document, or propose the change from here.", tuple(broken)[:SHOWN], reverse("products:propose"),
        )  # fmt: skip


def _mentions(links: "QuerySet[Link]") -> "QuerySet[Link]":
    """Tickets by id, from sources that are maintained: a log quotes ids of anywhere."""
    return links.filter(
        Q(kind="mentions", target_source__startswith="ticket:") & ~Q(document__kind="session")
    ).order_by("pk")  # fmt: skip


def _on_disk(workspace: Workspace, target: str) -> bool:
    """Whether a file stands there that is none of the kinds we read, such as a picture."""
    ref = SourceRef.parse(target)
    path = ref.locator if place_of(ref.locator).ref.source == ref.source else ""
    try:
        return bool(path) and exists(workspace, path)
    except (OutsideRoot, Unopenable):
        return True  # something is there that we do not open


def _duplicates(workspace: Workspace) -> Iterator[Finding]:
    """The same words of the same source, kept more than once in one shoebox: they would count twice."""
    counted = Evidence.objects.in_workspace(workspace).exclude(state__in=Evidence.ENDED).exclude(quote="")
    twice = counted.values("shoebox", "source", "quote").annotate(held=Count("pk")).filter(held__gt=1)
    groups = list(twice.order_by("source")[:SHOWN])
    if groups:
        first = [counted.filter(**{key: one[key] for key in ("shoebox", "source", "quote")}) for one in groups]
        refs = tuple(" and ".join(str(row.ref) for row in rows.order_by("pk")) for rows in first)
        yield Finding(
            "finding", "duplicate evidence", f"{_many(twice.count(), 'quote')} kept more than once in one shoebox.",
            "Let one supersede the other, so that the words count once.", refs, reverse("evidence:list"),
        )  # fmt: skip


def _low_value(workspace: Workspace, now: datetime) -> Iterator[Finding]:
    unused = unused_shoeboxes(workspace, now)
    if unused:
        yield Finding(
            "note", "unused shoeboxes",
            f"{_many(len(unused), 'shoebox', 'shoeboxes')} older than three weeks led to nothing yet.",
            "Close what is settled, or bring it into the work.", tuple(box.ref for box in unused[:SHOWN]),
            reverse("products:impact"),
        )  # fmt: skip
    loose = Evidence.objects.in_workspace(workspace).accepted().filter(relations__isnull=True).order_by("pk")
    if loose.exists():
        yield Finding(
            "note", "loose evidence", f"{_many(loose.count(), 'accepted piece')} of evidence bears on nothing.",
            "Relate it to a hypothesis or to its question, or retire it.", _refs(loose[:SHOWN]),
            reverse("evidence:list"),
        )  # fmt: skip
    idle = without_product(workspace).order_by("pk")
    if idle.exists():
        yield Finding(
            "note", "accepted without a product",
            f"{_many(idle.count(), 'accepted hypothesis', 'accepted hypotheses')} of which nothing went into the work.",
            "Propose the change that follows, or export the shoebox.", _refs(idle[:SHOWN]), reverse("desk:inbox"),
        )  # fmt: skip


def _tokens(workspace: Workspace, now: datetime) -> Iterator[Finding]:
    usable = Token.objects.usable(now).filter(workspace=workspace)
    never = Q(used_at__isnull=True, created_at__lt=now - TOKEN_NEW)
    idle = list(usable.filter(never | Q(used_at__lt=now - TOKEN_IDLE)).order_by("pk"))
    if idle:
        yield Finding(
            "note", "unused tokens", f"{_many(len(idle), 'token')} not used for weeks.",
            "Revoke what nobody needs: a key that is not there cannot be lost.",
            tuple(f"{token.name} ({token.hint}…)" for token in idle[:SHOWN]), reverse("access:workers"),
        )  # fmt: skip


def _many(count: int, one: str, more: str = "") -> str:
    return f"{count} {one if count == 1 else more or one + 's'}"


def _refs(
    rows: "Sequence[Evidence] | Sequence[Hypothesis] | QuerySet[Evidence] | QuerySet[Hypothesis]",
) -> tuple[str, ...]:
    return tuple(str(row.ref) for row in rows[:SHOWN])
