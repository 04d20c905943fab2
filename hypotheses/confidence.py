"""How much a claim may be trusted at most, and why. A word is never shown without its reasons."""

from dataclasses import dataclass

from evidence.models import Evidence, Placement
from hypotheses.basis import Basis
from hypotheses.models import Hypothesis
from hypotheses.threshold import threshold_checks
from yoimemory.markers.models import Marker

INDIRECT = frozenset(
    {Evidence.Basis.DEDUCED, Evidence.Basis.INDUCED, Evidence.Basis.RECALLED, Evidence.Basis.CANNOT_BE_JUDGED}
)
WORDS = (Hypothesis.Confidence.HIGH, Hypothesis.Confidence.MODERATE, Hypothesis.Confidence.LOW)


@dataclass(frozen=True, slots=True)
class Confidence:
    """A person's word, where one was given, and the most that the reasons allow."""

    word: str
    at_most: str
    reasons: list[str]

    @property
    def too_high(self) -> bool:
        """Whether the person's word is higher than what the reasons allow."""
        return bool(self.word) and WORDS.index(self.word) < WORDS.index(self.at_most)


def confidence_of(hypothesis: Hypothesis, basis: Basis) -> Confidence:
    """One reason holds it down to moderate, two or more to low."""
    reasons = downgrades(hypothesis, basis)
    return Confidence(hypothesis.confidence, str(WORDS[min(len(reasons), 2)]), reasons)


def downgrades(hypothesis: Hypothesis, basis: Basis) -> list[str]:
    """What holds the confidence down, one sentence each, always in this order."""
    supporting = [cited for cited in basis.supporting if not cited.later]
    if not supporting:
        return ["Nothing that counts supports it.", *_no_attempt(hypothesis, basis)]
    reasons = []
    if len({cited.lineage for cited in supporting}) == 1:
        reasons.append(f"Single lineage: all that supports it comes from {supporting[0].evidence.source}.")
    if all(cited.evidence.basis in INDIRECT for cited in supporting):
        reasons.append("Indirect: nothing that supports it was witnessed or told; its basis is inferred or unjudged.")
    if basis.contradicting or _marked(basis):
        reasons.append(f"Contradicted: {len(basis.contradicting)} against it, {_marked(basis)} marked contradicted.")
    drifted = [cited.label for cited in supporting if cited.standing.state in Placement.DRIFTED]
    if drifted:
        reasons.append(f"Rests on drifted evidence: {', '.join(drifted)}.")
    waiting = [cited.label for cited in supporting if not cited.accepted]
    if waiting:
        reasons.append(f"Rests on unreviewed evidence: {', '.join(waiting)}.")
    return reasons + _no_attempt(hypothesis, basis)


def _no_attempt(hypothesis: Hypothesis, basis: Basis) -> list[str]:
    met = next(check.met for check in threshold_checks(hypothesis, basis) if check.key == "refutation")
    return [] if met else ["No attempt to refute it is recorded."]


def _marked(basis: Basis) -> int:
    return sum(
        any(marker.state == Marker.State.CONTRADICTED for marker in cited.markers)
        for cited in basis.cited
        if cited.counts and not cited.against
    )
