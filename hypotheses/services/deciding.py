"""Decide a hypothesis: the one way in which a status changes."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F

from hypotheses.basis import bases_of
from hypotheses.models import Decision, Hypothesis
from hypotheses.services.finding import hypothesis_named
from hypotheses.threshold import Check, threshold_checks, unmet
from yoimemory.access.models import Actor
from yoimemory.access.services import require_reviewer, reviewers_of, settle_own
from yoimemory.errors import BadInput, Refused
from yoimemory.journal.services import record_change
from yoimemory.journal.stale import stale_version
from yoimemory.markers.models import SecondLook
from yoimemory.markers.services import look_apart, settle_conflict, withdraw_look

BY = " by "
"""Between a status and the ref of what takes the place, in the answer of one of two people."""


class NotATransition(Refused):
    """The status cannot go there from where it is."""


class NoReason(BadInput):
    """A decision without a reason is not written down."""


class ThresholdNotMet(Refused):
    """The machine-checked part of the threshold stands against accepting."""


class SupersessionCycle(Refused):
    """Following what supersedes what would lead back to the start."""


@dataclass(frozen=True, slots=True)
class Intended:
    """A decision that nothing stands against, before it is written."""

    after: str
    reason: str
    superseded_by: Hypothesis | None
    checks: list[Check]
    overridden: bool
    one_reviewer: bool

    @property
    def answer(self) -> str:
        """What two people are compared by who decide apart."""
        return f"{self.after}{BY}{self.superseded_by.ref}" if self.superseded_by else self.after


def decide_hypothesis(
    hypothesis: Hypothesis,
    *,
    after: str,
    reason: str,
    actor: Actor,
    now: datetime,
    confirmed: bool = False,
    override: bool = False,
    superseded_by: Hypothesis | None = None,
    version: int | None = None,
) -> Decision | None:
    """Change the status of a hypothesis, as a person with the reviewer role, for a reason that is kept.

    Accepting asks the threshold's checklist; `override` accepts against it, and the reason then
    stays visible beside the status. Superseding names the other hypothesis and is told in the
    history of both. The checklist as it stood is kept with the decision.

    Where two people may decide, both do, apart (2.9). Then the first answer is noted and shows
    nowhere, and None comes back; so it does when the second answer differs and a conflict stands.

    Raises NotAReviewer, NotATransition, NoReason, OwnProposal or NeedsConfirmation (2.9),
    ThresholdNotMet, SupersessionCycle, StaleVersion, AlreadyLooked, Disagreement.
    """
    intended = _intend(
        hypothesis, after=after, reason=reason, actor=actor, confirmed=confirmed, override=override,
        superseded_by=superseded_by,
    )  # fmt: skip
    with transaction.atomic():  # under the write lock, so that two supersessions cannot close a circle unseen
        _check_supersession(hypothesis, after, superseded_by)
        read = hypothesis.version if version is None else version
        if decided_apart(hypothesis) and not _answered_alike(hypothesis, intended, read=read, actor=actor, now=now):
            hypothesis.refresh_from_db()
            return None
        decision = _write(hypothesis, intended, read=read, actor=actor, now=now)
    hypothesis.refresh_from_db()
    return decision


def settle_decision(
    hypothesis: Hypothesis,
    *,
    answer: str,
    reason: str,
    actor: Actor,
    now: datetime,
    confirmed: bool = False,
    override: bool = False,
) -> Decision:
    """End a disagreement about a hypothesis with one of the two answers and a reason, and act on it.

    Raises what `decide_hypothesis` raises, NotTheOneToSettle, or Refused where nothing is in conflict.
    """
    second = (
        SecondLook.objects.in_conflict().filter(workspace=hypothesis.workspace, subject=str(hypothesis.ref)).first()
    )
    if second is None:
        raise Refused(f"Nobody disagrees about {hypothesis.ref}.", hint="Decide it on its page.")
    after, _, by = answer.partition(BY)
    superseded_by = hypothesis_named(by, hypothesis.workspace) if by else None
    intended = _intend(
        hypothesis, after=after, reason=reason, actor=actor, confirmed=confirmed, override=override,
        superseded_by=superseded_by,
    )  # fmt: skip
    with transaction.atomic():
        settle_conflict(second, answer=answer, reason=reason, actor=actor, now=now)
        _check_supersession(hypothesis, after, superseded_by)
        decision = _write(hypothesis, intended, read=hypothesis.version, actor=actor, now=now)
    hypothesis.refresh_from_db()
    return decision


def withdraw_decision(hypothesis: Hypothesis, *, actor: Actor, now: datetime) -> None:
    """Take one's own answer back while the other person has not given theirs. Raises Refused where there is none."""
    withdraw_look(hypothesis.ref, workspace=hypothesis.workspace, actor=actor, now=now)


def decided_apart(hypothesis: Hypothesis) -> bool:
    """Whether two people decide it: there are two who may review and did not claim it themselves."""
    maker = hypothesis.made_by.user_id or 0
    return reviewers_of(hypothesis.workspace).exclude(pk=maker).count() > 1


def second_look_of(hypothesis: Hypothesis) -> SecondLook | None:
    """The question to two people about this hypothesis that is not answered, or not settled, yet."""
    looks = SecondLook.objects.unsettled().filter(workspace=hypothesis.workspace, subject=str(hypothesis.ref))
    return looks.prefetch_related("looks__by").first()


def _intend(
    hypothesis: Hypothesis, *, after: str, reason: str, actor: Actor, confirmed: bool, override: bool,
    superseded_by: Hypothesis | None,
) -> Intended:  # fmt: skip
    """Ask every rule but those of the moment of writing."""
    require_reviewer(actor, hypothesis.workspace, to="decide hypotheses")
    _check_transition(hypothesis, after)
    if not reason.strip():
        raise NoReason("Say why: a decision is read long after it was made.", fields={"reason": "required"})
    checks = threshold_checks(hypothesis, bases_of([hypothesis])[hypothesis.pk])
    overridden = _check_threshold(checks, after, override)
    one_reviewer = settle_own(actor, hypothesis.made_by, hypothesis.workspace, confirmed=confirmed, what="hypothesis")
    return Intended(after, reason.strip(), superseded_by, checks, overridden, one_reviewer)


def _answered_alike(hypothesis: Hypothesis, intended: Intended, *, read: int, actor: Actor, now: datetime) -> bool:
    """Whether this is the second answer and says what the first one said. A conflict is told on the record."""
    if not Hypothesis.objects.filter(pk=hypothesis.pk, version=read, status=hypothesis.status).exists():
        raise stale_version(hypothesis.ref, workspace=hypothesis.workspace, version=read)
    second = look_apart(
        hypothesis.ref, about=SecondLook.About.DECISION, answer=intended.answer, reason=intended.reason,
        workspace=hypothesis.workspace, actor=actor, now=now,
    )  # fmt: skip
    if second.outcome == SecondLook.Outcome.CONFLICT:
        # From here on both answers are in the open: who read the record before has read an older one.
        Hypothesis.objects.filter(pk=hypothesis.pk).update(version=F("version") + 1)
        record_change(
            hypothesis.ref, verb="reviewers-disagree", actor=actor, workspace=hypothesis.workspace, now=now,
            after={"second_look": second.ref},
        )  # fmt: skip
    return second.outcome == SecondLook.Outcome.AGREED


def _write(hypothesis: Hypothesis, intended: Intended, *, read: int, actor: Actor, now: datetime) -> Decision:
    before = Hypothesis.Status(hypothesis.status)
    mine = Hypothesis.objects.filter(pk=hypothesis.pk, version=read, status=before)
    if not mine.update(version=F("version") + 1, status=intended.after, superseded_by=intended.superseded_by):
        raise stale_version(hypothesis.ref, workspace=hypothesis.workspace, version=read)
    decision = Decision.objects.create(
        hypothesis=hypothesis, before=before, after=intended.after, reason=intended.reason,
        checks=[check.as_json() for check in intended.checks], overridden=intended.overridden,
        one_reviewer=intended.one_reviewer, by=actor, at=now,
    )  # fmt: skip
    _tell(hypothesis, decision, intended.superseded_by)
    return decision


def _check_transition(hypothesis: Hypothesis, after: str) -> None:
    allowed = Hypothesis.TRANSITIONS[Hypothesis.Status(hypothesis.status)]
    if after not in allowed:
        ways = ", ".join(sorted(allowed)) or "nothing: a superseded hypothesis stays as it is"
        raise NotATransition(
            f"H{hypothesis.number} is {hypothesis.status} and cannot become {after or 'nothing'}.",
            hint=f"From {hypothesis.status} it can become {ways}.",
            fields={"after": "not from here"},
        )


def _check_supersession(hypothesis: Hypothesis, after: str, by: Hypothesis | None) -> None:
    if after != Hypothesis.Status.SUPERSEDED:
        if by is not None:
            raise BadInput("Only a superseded hypothesis names what supersedes it.", fields={"superseded_by": "extra"})
        return
    if by is None:
        raise BadInput("Name the hypothesis that takes its place.", fields={"superseded_by": "required"})
    if by.workspace_id != hypothesis.workspace_id:
        raise BadInput("Both hypotheses must be of one workspace.", fields={"superseded_by": "other workspace"})
    chain: Hypothesis | None = Hypothesis.objects.get(pk=by.pk)
    while chain is not None:
        if chain.pk == hypothesis.pk:
            raise SupersessionCycle(
                f"H{hypothesis.number} cannot be superseded by {by.ref}: that one is superseded by it, or is itself.",
                hint="Follow the chain on both pages; the newest claim supersedes the older ones.",
                fields={"superseded_by": "cycle"},
            )
        chain = chain.superseded_by


def _check_threshold(checks: list[Check], after: str, override: bool) -> bool:
    """Whether the decision goes against the threshold. Raises ThresholdNotMet without an override."""
    missing = unmet(checks)
    if after != Hypothesis.Status.ACCEPTED or not missing:
        return False
    if not override:
        raise ThresholdNotMet(
            "The threshold is not met: " + " ".join(check.sentence for check in missing),
            hint="Meet it, or accept against it: your reason then stays visible beside the status.",
            fields={check.key: check.sentence for check in missing},
        )
    return True


def _tell(hypothesis: Hypothesis, decision: Decision, superseded_by: Hypothesis | None) -> None:
    """Write history: on the hypothesis, and for a supersession on the one that takes its place."""
    after: dict[str, object] = {"status": decision.after}
    after |= {"overridden": True} if decision.overridden else {}
    after |= {"one_reviewer": True} if decision.one_reviewer else {}
    if superseded_by:
        after["superseded_by"] = str(superseded_by.ref)
        record_change(
            superseded_by.ref, verb="hypothesis-supersedes", actor=decision.by, workspace=hypothesis.workspace,
            now=decision.at, after={"supersedes": str(hypothesis.ref)}, reason=decision.reason,
        )  # fmt: skip
    record_change(
        hypothesis.ref, verb="hypothesis-decided", actor=decision.by, workspace=hypothesis.workspace,
        now=decision.at, before={"status": decision.before}, after=after, reason=decision.reason,
    )  # fmt: skip
