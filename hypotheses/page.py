"""What the pages of hypotheses show, computed before any template runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from evidence.models import Evidence
from hypotheses.attempts import Attempt, attempts_of
from hypotheses.basis import Basis, bases_of, labels_of
from hypotheses.confidence import Confidence, confidence_of
from hypotheses.models import Decision, Hypothesis
from hypotheses.recheck import Note, recheck_notes
from hypotheses.services import decided_apart, second_look_of
from hypotheses.services.rights import may_edit
from hypotheses.standing import override_reason
from hypotheses.threshold import Check, threshold_checks, unmet
from yoimemory.access.models import Actor
from yoimemory.access.services import may_review, reviewers_of
from yoimemory.markers.models import SecondLook
from yoimemory.sources.models import Workspace

VERBS = {
    Hypothesis.Status.ACCEPTED: "Accept",
    Hypothesis.Status.REJECTED: "Reject",
    Hypothesis.Status.STALE: "Call it stale",
    Hypothesis.Status.SUPERSEDED: "Supersede",
    Hypothesis.Status.PROPOSED: "Propose again",
}
CHOICE_MAX = 90


@dataclass(frozen=True, slots=True)
class Row:
    """A hypothesis on the board."""

    hypothesis: Hypothesis
    basis: Basis
    recheck: list[Note]
    unmet: list[Check]
    override: str
    decision: Decision | None

    @property
    def ready(self) -> bool:
        """Proposed, with nothing of the threshold missing."""
        return self.hypothesis.status == Hypothesis.Status.PROPOSED and not self.unmet


@dataclass(frozen=True, slots=True)
class Choice:
    """One piece of evidence that could be set for or against."""

    ref: str
    label: str


@dataclass(frozen=True, slots=True)
class Case:
    """One hypothesis with everything its page shows."""

    basis: Basis
    checks: list[Check]
    recheck: list[Note]
    override: str
    decisions: list[Decision]
    ways: list[tuple[str, str]]
    may_decide: bool
    may_edit: bool
    own: bool
    other_reviewers: bool
    rivals: list[Hypothesis]
    choices: list[Choice]
    attempts: list[Attempt]
    confidence: Confidence
    apart: bool
    answered: bool
    conflict: SecondLook | None

    @property
    def unmet(self) -> list[Check]:
        return unmet(self.checks)

    @property
    def can_be_accepted(self) -> bool:
        return any(status == Hypothesis.Status.ACCEPTED for status, _ in self.ways)

    @property
    def can_be_superseded(self) -> bool:
        return any(status == Hypothesis.Status.SUPERSEDED for status, _ in self.ways)


def rows_of(hypotheses: Sequence[Hypothesis]) -> list[Row]:
    """The rows of a board, in a fixed number of queries."""
    bases = bases_of(hypotheses)
    return [
        Row(
            hypothesis=hypothesis,
            basis=bases[hypothesis.pk],
            recheck=recheck_notes(hypothesis, bases[hypothesis.pk]),
            unmet=unmet(threshold_checks(hypothesis, bases[hypothesis.pk])),
            override=override_reason(hypothesis),
            decision=next(reversed(hypothesis.decisions.all()), None),
        )
        for hypothesis in hypotheses
    ]


def case_of(hypothesis: Hypothesis, actor: Actor) -> Case:
    """Everything about one hypothesis, as this person may see and do it."""
    basis = bases_of([hypothesis])[hypothesis.pk]
    allowed = Hypothesis.TRANSITIONS[Hypothesis.Status(hypothesis.status)]
    own = hypothesis.made_by.user_id is not None and hypothesis.made_by.user_id == actor.user_id
    second = second_look_of(hypothesis)
    answered = second is not None and any(look.by.user_id == actor.user_id for look in second.looks.all())
    disputed = second is not None and second.outcome == SecondLook.Outcome.CONFLICT
    rivals = Hypothesis.objects.in_shoebox(hypothesis.shoebox).exclude(pk=hypothesis.pk).order_by("number")
    return Case(
        basis=basis,
        checks=threshold_checks(hypothesis, basis),
        recheck=recheck_notes(hypothesis, basis),
        override=override_reason(hypothesis),
        decisions=list(reversed(hypothesis.decisions.all())),
        ways=[(status.value, verb) for status, verb in VERBS.items() if status in allowed],
        may_decide=may_review(actor, hypothesis.workspace),
        may_edit=may_edit(hypothesis, actor),
        own=own,
        other_reviewers=own and _others_review(hypothesis.workspace, actor),
        rivals=list(rivals),
        choices=_choices(hypothesis, basis),
        attempts=attempts_of(hypothesis),
        confidence=confidence_of(hypothesis, basis),
        apart=decided_apart(hypothesis),
        answered=answered and not disputed,
        conflict=second if disputed else None,
    )


def _others_review(workspace: Workspace, actor: Actor) -> bool:
    return reviewers_of(workspace).exclude(pk=actor.user_id or 0).exists()


def _choices(hypothesis: Hypothesis, basis: Basis) -> list[Choice]:
    """Evidence of the same shoebox that does not bear on the hypothesis yet."""
    taken = [cited.evidence.pk for cited in basis.cited]
    free = list(Evidence.objects.in_shoebox(hypothesis.shoebox).current().exclude(pk__in=taken).order_by("pk"))
    labels = labels_of(free)
    return [Choice(str(one.ref), f"{labels[one.pk]} {_start(one.quote or one.summary)}") for one in free]


def _start(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= CHOICE_MAX else line[: CHOICE_MAX - 1].rstrip() + "…"
