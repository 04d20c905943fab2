"""Hypotheses and representations as they stand now: the Outs that API, MCP and exports share."""

from collections.abc import Sequence
from dataclasses import dataclass

from evidence.models import Evidence
from evidence.standing import standings
from hypotheses.attempts import Attempt, attempts_of
from hypotheses.basis import Basis, Cited, bases_of, labels_of
from hypotheses.confidence import confidence_of
from hypotheses.models import Hypothesis, Representation
from hypotheses.recheck import last_decision, recheck_reasons
from hypotheses.schemas import (
    Alternative,
    CheckOut,
    CitedEvidence,
    ConfidenceOut,
    DecisionOut,
    HypothesisOut,
    RepresentationOut,
    SoughtOut,
)
from hypotheses.threshold import threshold_checks
from yoimemory.refs import SourceRef

GONE = {
    Evidence.State.REJECTED: "was rejected since",
    Evidence.State.SUPERSEDED: "was superseded since",
    Evidence.State.RETIRED: "was retired since",
}


def hypothesis_out(hypothesis: Hypothesis, basis: Basis | None = None) -> HypothesisOut:
    """One hypothesis as every machine reads it."""
    basis = basis or bases_of([hypothesis])[hypothesis.pk]
    return HypothesisOut(
        id=hypothesis.public_id,
        ref=str(hypothesis.ref),
        shoebox=str(hypothesis.shoebox.ref),
        number=hypothesis.number,
        claim=hypothesis.claim,
        status=hypothesis.status,
        recheck=recheck_reasons(hypothesis, basis),
        contradicting=[_cited_out(one) for one in basis.cited if one.relation.relation == "refutes"],
        supporting=[_cited_out(one) for one in basis.cited if one.relation.relation == "supports"],
        contextual=[_cited_out(one) for one in basis.cited if one.relation.relation == "contextualizes"],
        open_questions=hypothesis.open_questions,
        alternatives=[Alternative.model_validate(one) for one in hypothesis.alternatives],
        threshold=hypothesis.threshold,
        minimum_evidence=hypothesis.minimum_evidence,
        checks=[CheckOut.model_validate(check) for check in threshold_checks(hypothesis, basis)],
        confidence=ConfidenceOut.model_validate(confidence_of(hypothesis, basis)),
        sought=[_sought_out(one) for one in attempts_of(hypothesis)],
        would_change=hypothesis.would_change,
        what_happened=hypothesis.what_happened,
        decisions=_decisions_out(hypothesis),
        override=override_reason(hypothesis),
        superseded_by=str(hypothesis.superseded_by.ref) if hypothesis.superseded_by else None,
        supersedes=[str(older.ref) for older in hypothesis.supersedes.all()],
        made_by=str(hypothesis.made_by),
        made_at=hypothesis.made_at,
        version=hypothesis.version,
    )


def hypotheses_out(hypotheses: Sequence[Hypothesis]) -> list[HypothesisOut]:
    """Many hypotheses, in a fixed number of queries."""
    bases = bases_of(hypotheses)
    return [hypothesis_out(hypothesis, bases[hypothesis.pk]) for hypothesis in hypotheses]


def override_reason(hypothesis: Hypothesis) -> str:
    """Why it was accepted against its threshold, for as long as it is accepted."""
    decision = last_decision(hypothesis)
    if decision is None or hypothesis.status != Hypothesis.Status.ACCEPTED or not decision.overridden:
        return ""
    return decision.reason


def representation_out(representation: Representation, behind: list[str] | None = None) -> RepresentationOut:
    """One representation as every machine reads it."""
    behind = behind_reasons([representation])[representation.pk] if behind is None else behind
    return RepresentationOut(
        id=representation.public_id,
        ref=str(representation.ref),
        shoebox=str(representation.shoebox.ref),
        kind=representation.kind,
        title=representation.title,
        body=representation.body,
        cites=representation.cites,
        built=representation.built,
        edited=representation.edited,
        state="behind" if behind else "current",
        behind=behind,
        made_by=str(representation.made_by),
        made_at=representation.made_at,
        version=representation.version,
    )


def representations_out(representations: Sequence[Representation]) -> list[RepresentationOut]:
    """Many representations, in a fixed number of queries."""
    behind = behind_reasons(representations)
    return [representation_out(one, behind[one.pk]) for one in representations]


@dataclass(frozen=True, slots=True)
class Moved:
    """One cited piece of evidence that is no longer as it was when it was cited."""

    label: str
    evidence: Evidence
    words: str

    def __str__(self) -> str:
        return f"{self.label} ({self.evidence.ref}) {self.words}."


def behind_reasons(representations: Sequence[Representation]) -> dict[int, list[str]]:
    """What each representation cites that has moved since it was made, one sentence each, by primary key."""
    return {key: [str(one) for one in moved] for key, moved in moved_since(representations).items()}


def moved_since(representations: Sequence[Representation]) -> dict[int, list[Moved]]:
    """What each representation cites that has moved since it was made, by primary key; a fixed number of queries."""
    cited = cited_evidence(representations)
    standing, labels = standings(list(cited.values())), labels_of(cited.values())
    moved: dict[int, list[Moved]] = {representation.pk: [] for representation in representations}
    for representation in representations:
        for cite in representation.cites:
            evidence = cited.get(cite["ref"])
            words = _moved(evidence, cite, standing[evidence.pk].state) if evidence else ""
            if evidence and words:
                moved[representation.pk].append(Moved(labels[evidence.pk], evidence, words))
    return moved


def cited_evidence(representations: Sequence[Representation]) -> dict[str, Evidence]:
    """The evidence that these representations cite, by ref."""
    refs = {cite["ref"] for representation in representations for cite in representation.cites}
    ids = [SourceRef.parse(ref).locator for ref in refs if ref.startswith("evidence:")]
    found = Evidence.objects.filter(public_id__in=ids, workspace__in={one.workspace_id for one in representations})
    return {str(evidence.ref): evidence for evidence in found.select_related("superseded_by")}


def _moved(evidence: Evidence, cite: dict[str, str], state: str) -> str:
    """How a cited piece differs from what it was when it was cited, or nothing."""
    if evidence.state in GONE and cite.get("state") != evidence.state:
        return GONE[Evidence.State(evidence.state)]
    before = cite.get("anchor_state", "")
    return f"was {before}, now {state}" if before and before != state else ""


def _cited_out(cited: Cited) -> CitedEvidence:
    return CitedEvidence(
        ref=str(cited.evidence.ref),
        label=cited.label,
        relation=cited.relation.relation,
        state=cited.evidence.state,
        anchor_state=cited.standing.state,
        caveats=cited.caveats,
    )


def _sought_out(attempt: Attempt) -> SoughtOut:
    return SoughtOut(
        aim=attempt.aim,
        at=attempt.at,
        by=attempt.by,
        query=attempt.query,
        queries=attempt.queries,
        matched=attempt.matched,
        commit=attempt.commit,
        covers=attempt.covers,
        refs=[hit["ref"] for hit in attempt.hits],
    )


def _decisions_out(hypothesis: Hypothesis) -> list[DecisionOut]:
    return [
        DecisionOut(
            before=decision.before,
            after=decision.after,
            reason=decision.reason,
            overridden=decision.overridden,
            one_reviewer=decision.one_reviewer,
            checks=[CheckOut.model_validate(check) for check in decision.checks],
            by=str(decision.by),
            at=decision.at,
        )
        for decision in sorted(hypothesis.decisions.all(), key=lambda decision: decision.pk)
    ]
