"""The part of a decision threshold that a machine can check. The words of the threshold are for people."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from evidence.models import Placement
from hypotheses.attempts import attempts_of
from hypotheses.basis import Basis, Cited, marker_is_by_worker
from hypotheses.models import Hypothesis
from yoimemory.markers.models import Marker


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the checklist: whether it is met, and a sentence that says so or says what is missing."""

    key: str
    met: bool
    sentence: str

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def threshold_checks(hypothesis: Hypothesis, basis: Basis) -> list[Check]:
    """The checklist of a hypothesis, always in this order."""
    return [
        _enough(hypothesis, basis),
        _refuting_tried(hypothesis, basis),
        _nothing_contradicted(basis),
        _nothing_drifted(basis),
    ]


def unmet(checks: Iterable[Check]) -> list[Check]:
    return [check for check in checks if not check.met]


def _enough(hypothesis: Hypothesis, basis: Basis) -> Check:
    wanted, held = hypothesis.minimum_evidence, sum(cited.accepted for cited in basis.supporting)
    said = f"{held} accepted {_pieces(held)} of evidence supporting it; the threshold asks for {wanted}."
    later = sum(cited.later for cited in basis.supporting)
    waiting = len(basis.supporting) - held - later
    if held < wanted and waiting:
        said += f" {waiting} more {'waits' if waiting == 1 else 'wait'} for review."
    if later:
        said += f" {later} later than the as-of {'is' if later == 1 else 'are'} not counted."
    return Check("evidence", held >= wanted, said)


def _refuting_tried(hypothesis: Hypothesis, basis: Basis) -> Check:
    against = [one for one in basis.cited if one.against]
    attempts = attempts_of(hypothesis)
    if against:
        said = f"An attempt to refute it is recorded: {len(against)} {_pieces(len(against))} of evidence against it."
    elif attempts:
        queries = sum(attempt.queries for attempt in attempts)
        aims = dict.fromkeys(attempt.aim for attempt in attempts)
        said = f"An attempt to refute it is recorded: {queries} disconfirming {'query' if queries == 1 else 'queries'}"
        said += f" for {' and '.join(aims)}."
    else:
        said = "No attempt to refute it is recorded: seek contrary evidence, or set evidence against it."
    return Check("refutation", bool(against or attempts), said)


def _nothing_contradicted(basis: Basis) -> Check:
    """What speaks against the claim may well be contradicted: that is how a stale passage loses to later ones."""
    marked = [
        (cited, marker)
        for cited in basis.cited
        if cited.counts and not cited.against
        for marker in cited.markers
        if marker.state == Marker.State.CONTRADICTED
    ]
    if not marked and not any(marker.state == Marker.State.CONTRADICTED for marker in basis.markers):
        return Check("contradiction", True, "No unresolved contradiction stands on what it rests on.")
    names = sorted({cited.label for cited, _ in marked}) or ["the hypothesis itself"]
    asked = any(marker_is_by_worker(marker) for _, marker in marked)
    said = f"Marked contradicted and not resolved: {', '.join(names)}."
    return Check("contradiction", False, said + (" A Worker proposed it; no person has looked yet." if asked else ""))


def _nothing_drifted(basis: Basis) -> Check:
    broken = [cited for cited in basis.cited if cited.counts and cited.standing.state in Placement.LOST]
    if not broken:
        return Check("drift", True, "No cited quote is orphaned or reworded in meaning.")
    return Check("drift", False, f"Re-attach or retire first: {', '.join(map(_state, broken))}.")


def _state(cited: Cited) -> str:
    return f"{cited.label} is {cited.standing.state.replace('-', ', ')}"


def _pieces(count: int) -> str:
    return "piece" if count == 1 else "pieces"
