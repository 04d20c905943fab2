"""Noting what memory did to the work: told by a person or a Worker, or found in the work itself."""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction

from evidence.models import Evidence
from hypotheses.models import Hypothesis, Representation
from shoebox.models import Shoebox
from yoimemory.access.models import Actor
from yoimemory.errors import DomainError, NotFound, Refused
from yoimemory.products.models import Batch, Impact, Proposal, Writing
from yoimemory.products.schemas import ImpactDraft
from yoimemory.products.services.rules import require_role
from yoimemory.refs import OWN_KINDS, SourceRef
from yoimemory.search.models import Link
from yoimemory.sources.models import Workspace
from yoimemory.sources.opener import Missing, digest_of
from yoimemory.sources.places import place_of
from yoimemory.sources.trees import open_tree

if TYPE_CHECKING:
    from django.db.models import Model, QuerySet

Kind, Known = Impact.Kind, Impact.Known
LOOKED_AT = 200
"""Applied proposals that are looked for in commits in one run, newest first."""


class AlreadyTold(Refused):
    """The same effect of the same records in the same product is known in the same way."""


def record_impact(draft: ImpactDraft, *, workspace: Workspace, actor: Actor, now: datetime) -> Impact:
    """Note an effect that somebody tells of: a person's is *recorded*, a Worker's *claimed*.

    The two stay apart from what is observed, for ever. Raises Forbidden without a role, BadRef,
    NotFound for a record of ours that is not here, AlreadyTold.
    """
    require_role(actor, workspace, to="tell of an effect")
    subjects = list(dict.fromkeys(str(SourceRef.parse(ref).bare) for ref in draft.subjects))
    product = str(SourceRef.parse(draft.product))
    known = _known_here(workspace, [*subjects, product])
    missing = [ref for ref in [*subjects, product] if _is_ours(ref) and ref not in known]
    if missing:
        raise NotFound(f"There is no {missing[0]} in {workspace}.", hint="Copy the ref from the record's page.")
    how = Known.CLAIMED if actor.is_worker else Known.RECORDED
    impact = Impact(
        workspace=workspace, kind=draft.kind, known=how, subjects=subjects, product=product, note=draft.note,
        role=actor.role or ("person" if actor.is_person else ""), actor=actor, at=now, noted_at=now,
    )  # fmt: skip
    impact.key = _key(impact)
    try:
        with transaction.atomic():
            impact.save(force_insert=True)
    except IntegrityError as error:
        raise AlreadyTold(
            "This effect was told before.", hint="Tell of another product, or of another kind."
        ) from error
    return impact


def observe_impact(workspace: Workspace, *, now: datetime) -> int:
    """Find in the indexed sources what cites our records, and applied proposals in commits; return how many are new.

    What we exported ourselves is passed by: an artifact that lists its own evidence cites nothing.
    Looking again finds nothing twice.
    """
    found = [*_citations(workspace, now), *_applied_in_commits(workspace, now)]
    fresh = {impact.key: impact for impact in found}
    old = set(Impact.objects.filter(key__in=list(fresh)).values_list("key", flat=True))
    new = [impact for key, impact in fresh.items() if key not in old]
    Impact.objects.bulk_create(new, ignore_conflicts=True)
    return len(new)


def _citations(workspace: Workspace, now: datetime) -> Iterator[Impact]:
    """Every place in commits, threads, docs and artifacts that names one of our refs."""
    links = _own_links(workspace)
    makers = _known_here(workspace, {link.target for link in links})
    exported = set(
        Writing.objects.filter(workspace=workspace, export__state=Batch.State.WRITTEN).values_list("path", flat=True)
    )
    for link in links:
        if link.target not in makers or link.document.path in exported:
            continue
        place = SourceRef.parse(link.document.ref)
        product = str(place.part(link.where) if link.where and place.kind != "commit" else place)
        at = link.at or link.document.at or now
        yield _observed(workspace, Kind.CITED, [link.target], product, at, makers[link.target], now)


def _own_links(workspace: Workspace) -> list[Link]:
    rows: list[Link] = []
    for kind in OWN_KINDS:
        # A range of the index instead of LIKE, which would read every link.
        named = Link.objects.filter(
            document__workspace=workspace.public_id, target_source__gte=f"{kind}:", target_source__lt=f"{kind};"
        )
        rows += named.select_related("document").order_by("pk")
    return rows


def _applied_in_commits(workspace: Workspace, now: datetime) -> Iterator[Impact]:
    """Applied proposals whose bytes stand in a later commit, and those that a later commit took back."""
    written = (
        Writing.objects.filter(workspace=workspace, state=Writing.State.WRITTEN, proposal__isnull=False)
        .select_related("proposal__made_by")
        .order_by("-pk")[:LOOKED_AT]
    )
    settled = _settled(workspace)
    for writing in written:
        proposal = writing.proposal
        if proposal is None or (Kind.PRODUCT_REVERTED, str(proposal.ref)) in settled:
            continue
        subjects = [str(proposal.ref), *proposal.evidence]
        role = proposal.made_by.role or proposal.made_by.kind
        arrived = (Kind.CAUSED_UPDATE, str(proposal.ref)) in settled
        for link in _commits_on(workspace, writing.path):
            at = link.document.at or now
            digest = _digest_in(workspace, link.document.ref, writing.path) if at >= writing.at else None
            if digest is None:
                continue
            if digest == writing.after_digest and not arrived:
                arrived = True
                yield _observed(workspace, Kind.CAUSED_UPDATE, subjects, link.document.ref, at, role, now)
            elif digest == writing.before_digest and arrived:
                yield _observed(workspace, Kind.PRODUCT_REVERTED, subjects, link.document.ref, at, role, now)
                break


def _settled(workspace: Workspace) -> set[tuple[str, str]]:
    """What is known already of which proposal, so that its file is not read from git in every run."""
    kinds = [Kind.CAUSED_UPDATE, Kind.PRODUCT_REVERTED]
    rows = Impact.objects.filter(workspace=workspace, known=Known.OBSERVED, kind__in=kinds)
    return {(kind, subjects[0]) for kind, subjects in rows.values_list("kind", "subjects")}


def _commits_on(workspace: Workspace, path: str) -> "QuerySet[Link]":
    target = place_of(path).ref.source
    return (
        Link.objects.filter(document__workspace=workspace.public_id, kind="touches", target_source=str(target))
        .filter(document__kind="commit")
        .select_related("document")
        .order_by("document__at", "pk")
    )


def _digest_in(workspace: Workspace, commit: str, path: str) -> str | None:
    """The digest of a file in one commit; empty where the commit has no such file, None where it cannot be read."""
    try:
        with open_tree(workspace, SourceRef.parse(commit).locator) as tree:
            return digest_of(tree.read(path))
    except Missing:
        return ""
    except DomainError:
        return None


def _observed(
    workspace: Workspace, kind: str, subjects: list[str], product: str, at: datetime, role: str, now: datetime
) -> Impact:
    impact = Impact(
        workspace=workspace, kind=kind, known=Known.OBSERVED, subjects=subjects, product=product, role=role, at=at,
        noted_at=now,
    )  # fmt: skip
    impact.key = _key(impact)
    return impact


def _key(impact: Impact) -> str:
    parts = [impact.workspace_id, impact.kind, impact.known, impact.product, *sorted(impact.subjects), impact.actor_id]
    return hashlib.sha256("\0".join(str(part) for part in parts).encode()).hexdigest()


def _known_here(workspace: Workspace, refs: Iterable[str]) -> dict[str, str]:
    """Those of the refs that name records of this workspace, with the role of who made each."""
    ids: dict[str, list[str]] = {}
    for ref in refs:
        if _is_ours(ref):
            parsed = SourceRef.parse(ref)
            ids.setdefault(parsed.kind, []).append(parsed.locator)
    known = {}
    for kind, wanted in ids.items():
        model, maker = _RECORDS[kind]
        rows = model._default_manager.filter(public_id__in=wanted, workspace=workspace)
        for public_id, role, sort in rows.values_list("public_id", f"{maker}__role", f"{maker}__kind"):
            known[f"{kind}:{public_id}"] = role or sort
    return known


def _is_ours(ref: str) -> bool:
    return ref.partition(":")[0] in OWN_KINDS


_RECORDS: "dict[str, tuple[type[Model], str]]" = {
    "shoebox": (Shoebox, "opened_by"),
    "evidence": (Evidence, "made_by"),
    "representation": (Representation, "made_by"),
    "hypothesis": (Hypothesis, "made_by"),
    "proposal": (Proposal, "made_by"),
}
