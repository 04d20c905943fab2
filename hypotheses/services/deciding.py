"""Decide a hypothesis: the one way in which a status changes."""

from datetime import datetime

from django.db import transaction
from django.db.models import F

from hypotheses.basis import bases_of
from hypotheses.models import Decision, Hypothesis
from hypotheses.threshold import Check, threshold_checks, unmet
from yoimemory.access.models import Actor
from yoimemory.access.services import require_reviewer, settle_own
from yoimemory.errors import BadInput, Refused
from yoimemory.journal.services import record_change
from yoimemory.journal.stale import stale_version


class NotATransition(Refused):
    """The status cannot go there from where it is."""


class NoReason(BadInput):
    """A decision without a reason is not written down."""


class ThresholdNotMet(Refused):
    """The machine-checked part of the threshold stands against accepting."""


class SupersessionCycle(Refused):
    """Following what supersedes what would lead back to the start."""


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
) -> Decision:
    """Change the status of a hypothesis, as a person with the reviewer role, for a reason that is kept.

    Accepting asks the threshold's checklist; `override` accepts against it, and the reason then
    stays visible beside the status. Superseding names the other hypothesis and is told in the
    history of both. The checklist as it stood is kept with the decision.

    Raises NotAReviewer, NotATransition, NoReason, OwnProposal or NeedsConfirmation (2.9),
    ThresholdNotMet, SupersessionCycle, StaleVersion.
    """
    workspace = hypothesis.workspace
    require_reviewer(actor, workspace, to="decide hypotheses")
    before = Hypothesis.Status(hypothesis.status)
    _check_transition(hypothesis, after)
    if not reason.strip():
        raise NoReason("Say why: a decision is read long after it was made.", fields={"reason": "required"})
    checks = threshold_checks(hypothesis, bases_of([hypothesis])[hypothesis.pk])
    overridden = _check_threshold(checks, after, override)
    one_reviewer = settle_own(actor, hypothesis.made_by, workspace, confirmed=confirmed, what="hypothesis")
    with transaction.atomic():  # under the write lock, so that two supersessions cannot close a circle unseen
        _check_supersession(hypothesis, after, superseded_by)
        read = hypothesis.version if version is None else version
        mine = Hypothesis.objects.filter(pk=hypothesis.pk, version=read, status=before)
        if not mine.update(version=F("version") + 1, status=after, superseded_by=superseded_by):
            raise stale_version(hypothesis.ref, workspace=hypothesis.workspace, version=read)
        decision = Decision.objects.create(
            hypothesis=hypothesis, before=before, after=after, reason=reason.strip(),
            checks=[check.as_json() for check in checks], overridden=overridden, one_reviewer=one_reviewer,
            by=actor, at=now,
        )  # fmt: skip
        _tell(hypothesis, decision, superseded_by)
    hypothesis.refresh_from_db()
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
