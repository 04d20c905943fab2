"""Where a proposal stands: its file today, the proof it rests on, what speaks against it. Read-only.

A fixed number of queries for any number of proposals; files are read only of those still open.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from evidence.models import Evidence, EvidenceQuerySet, Placement, Relation
from evidence.standing import Standing, caveats_of, standings
from hypotheses.basis import labels_of
from hypotheses.models import Hypothesis
from yoimemory.errors import DomainError
from yoimemory.products.diffs import patch_of
from yoimemory.products.files import bytes_now
from yoimemory.products.models import Proposal, Writing
from yoimemory.products.places import risk_of
from yoimemory.products.schemas import ProposalOut, WritingOut
from yoimemory.products.services.formats import lint_of
from yoimemory.products.texts import FileText, read_text
from yoimemory.products.visible import count_hidden, visible
from yoimemory.refs import SourceRef
from yoimemory.sources.opener import digest_of


@dataclass(frozen=True, slots=True)
class Base:
    """The file of a proposal as it is at this moment, against what the proposal was made for.

    `state` is current, moved, unreadable, or none (a text for a thread, or a proposal at its end).
    """

    state: str
    sentence: str = ""
    text: FileText | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """One piece of evidence beside a proposal: its short name, how it bears, where its quote stands."""

    evidence: Evidence
    label: str
    relation: str
    standing: Standing
    caveats: list[str]
    cited: bool = True

    @property
    def asks(self) -> bool:
        """Whether a person must look at it before it counts."""
        return self.standing.state in Placement.DRIFTED or self.evidence.has_ended


@dataclass(slots=True)
class Ground:
    """What a proposal stands on: proof, contrary proof, and refs that are no evidence of ours."""

    rests_on: list[Proof] = field(default_factory=list)
    against: list[Proof] = field(default_factory=list)
    other: list[str] = field(default_factory=list)

    @property
    def caveats(self) -> list[str]:
        """What limits the proof, as sentences."""
        return [_doubt(proof) for proof in [*self.rests_on, *self.against] if proof.asks]


def base_of(proposal: Proposal) -> Base:
    """Look at the proposal's file now."""
    if not proposal.is_file or not proposal.is_open:
        return Base("none")
    path = visible(proposal.path)
    try:
        data = bytes_now(proposal.workspace, proposal.path)
        text = None if data is None else read_text(data, path=proposal.path)
    except DomainError as error:
        return Base("unreadable", error.message)
    if (digest_of(data) if data is not None else "") == proposal.base_digest:
        return Base("current", "", text)
    if data is None:
        return Base("moved", f"{path} is no longer there.")
    if proposal.is_new_file:
        return Base("moved", f"{path} exists by now.", text)
    return Base("moved", f"{path} was changed since this was proposed.", text)


def grounds_of(proposals: Sequence[Proposal]) -> dict[int, Ground]:
    """What each proposal stands on, by primary key."""
    targets = _argued(proposals)
    cited = _cited(proposals)
    refuting = _refuting(targets)
    evidences = list({one.pk: one for one in [*cited.values(), *(found for found, _ in refuting)]}.values())
    standing = standings(evidences)
    caveats, labels = caveats_of(evidences, known=standing), labels_of(evidences)

    def proof(evidence: Evidence, relation: str, *, named: bool) -> Proof:
        key = evidence.pk
        return Proof(evidence, labels[key], relation, standing[key], caveats.get(key, []), named)

    grounds = {}
    for proposal in proposals:
        ground = Ground()
        for ref in proposal.evidence:
            found = cited.get((proposal.workspace_id, ref))
            if found is None:
                ground.other.append(ref)
            else:
                ground.rests_on.append(proof(found, _bearing(found, targets[proposal.pk]), named=True))
        for ref in proposal.contrary:
            found = cited.get((proposal.workspace_id, ref))
            if found is not None:
                ground.against.append(proof(found, "refutes", named=True))
        named = {one.evidence.pk for one in [*ground.rests_on, *ground.against]}
        for evidence, target in refuting:
            here = evidence.workspace_id == proposal.workspace_id and target in targets[proposal.pk]
            if here and evidence.pk not in named:
                named.add(evidence.pk)
                ground.against.append(proof(evidence, "refutes", named=False))
        grounds[proposal.pk] = ground
    return grounds


def proposal_out(proposal: Proposal) -> ProposalOut:
    """One proposal as every machine reads it."""
    out = proposal_outs([proposal])[0]
    return out.model_copy(update={"caveats": out.caveats + warnings_of(proposal)})


def proposal_outs(proposals: Sequence[Proposal]) -> list[ProposalOut]:
    """Several at once, with a fixed number of queries."""
    grounds = grounds_of(proposals)
    writings: dict[int, list[Writing]] = defaultdict(list)
    for writing in Writing.objects.filter(proposal__in=proposals).select_related("by").order_by("pk"):
        writings[writing.proposal_id or 0].append(writing)
    return [_out(proposal, grounds[proposal.pk], writings[proposal.pk]) for proposal in proposals]


def _out(proposal: Proposal, ground: Ground, writings: Iterable[Writing]) -> ProposalOut:
    base = base_of(proposal)
    hidden = count_hidden(proposal.content)
    caveats = [base.sentence] if base.sentence else []
    if hidden:
        caveats.append(f"The new content holds {hidden} character{'s' if hidden > 1 else ''} that a reader cannot see.")
    return ProposalOut(
        id=proposal.public_id,
        ref=str(proposal.ref),
        target=proposal.target,
        path=proposal.path,
        title=proposal.title,
        content=proposal.content,
        diff=diff_of(proposal),
        base_digest=proposal.base_digest,
        base_state=base.state,
        risk=risk_of(proposal.path, proposal.content),
        rationale=proposal.rationale,
        evidence=proposal.evidence,
        contrary=proposal.contrary,
        caveats=caveats + ground.caveats,
        shoebox=str(proposal.shoebox.ref) if proposal.shoebox else "",
        state=proposal.state,
        state_reason=proposal.state_reason,
        state_by=str(proposal.state_by) if proposal.state_by else None,
        state_at=proposal.state_at,
        one_reviewer=proposal.one_reviewer,
        way=proposal.way,
        writings=[WritingOut.model_validate(writing) for writing in writings],
        revision=proposal.revision,
        made_by=str(proposal.made_by),
        made_at=proposal.made_at,
        version=proposal.version,
    )


def warnings_of(proposal: Proposal) -> list[str]:
    """What a record of this form is better without, while the proposal is open."""
    if not proposal.is_open:
        return []
    return lint_of(proposal.workspace, proposal.target, proposal.path, proposal.content).warnings


def diff_of(proposal: Proposal) -> str:
    """The change as a unified diff; empty for a text that no file of ours takes."""
    if proposal.is_text:
        return ""
    return patch_of(None if proposal.is_new_file else proposal.base_content, proposal.content, proposal.path)


def _argued(proposals: Sequence[Proposal]) -> dict[int, set[str]]:
    """What each proposal argues from: its shoebox's question, the claims accepted there, the claims it cites."""
    boxes = {proposal.shoebox_id for proposal in proposals if proposal.shoebox_id}
    accepted: dict[int, set[str]] = defaultdict(set)
    if boxes:
        for hypothesis in Hypothesis.objects.filter(shoebox__in=boxes, status=Hypothesis.Status.ACCEPTED):
            accepted[hypothesis.shoebox_id].add(str(hypothesis.ref))
    argued = {}
    for proposal in proposals:
        argued[proposal.pk] = {ref for ref in proposal.evidence if ref.startswith("hypothesis:")}
        if proposal.shoebox is not None:
            argued[proposal.pk] |= {str(proposal.shoebox.ref)} | accepted[proposal.shoebox.pk]
    return argued


def _cited(proposals: Sequence[Proposal]) -> dict[tuple[int, str], Evidence]:
    refs = {ref for proposal in proposals for ref in [*proposal.evidence, *proposal.contrary]}
    ids = [SourceRef.parse(ref).locator for ref in refs if ref.startswith("evidence:")]
    if not ids:
        return {}
    found = _with_everything().filter(public_id__in=ids, workspace__in={one.workspace_id for one in proposals})
    return {(evidence.workspace_id, str(evidence.ref)): evidence for evidence in found}


def _refuting(targets: dict[int, set[str]]) -> list[tuple[Evidence, str]]:
    wanted = set().union(*targets.values()) if targets else set()
    if not wanted:
        return []
    rows = list(
        Relation.objects.filter(target__in=wanted, relation=Relation.Kind.REFUTES)
        .exclude(evidence__state__in=Evidence.ENDED)
        .order_by("evidence__pk")
        .values_list("evidence_id", "target")
    )
    found = {one.pk: one for one in _with_everything().filter(pk__in={key for key, _ in rows})} if rows else {}
    return [(found[key], target) for key, target in rows]


def _with_everything() -> EvidenceQuerySet:
    return Evidence.objects.select_related("workspace", "shoebox", "made_by", "state_by").prefetch_related("relations")


def _bearing(evidence: Evidence, targets: set[str]) -> str:
    """How a cited piece bears on what the proposal argues from; what refutes is told first."""
    kinds = {relation.relation for relation in evidence.relations.all() if relation.target in targets}
    return next((str(kind) for kind in ("refutes", "supports", "contextualizes") if kind in kinds), "")


def _doubt(proof: Proof) -> str:
    if proof.evidence.has_ended:
        return f"{proof.label} ({proof.evidence.ref}) was {proof.evidence.state} since."
    note = f": {proof.standing.note}" if proof.standing.note else "."
    return f"{proof.label} ({proof.evidence.ref}) is {proof.standing.state}; look at it again{note}"
