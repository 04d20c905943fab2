"""What came of the answers: an effect that a person tells of, one that a Worker claims, a product taken back."""

from django.db import transaction

from evidence.models import Evidence
from shoebox.models import Shoebox
from yoimemory.demo.cast import Cast, at
from yoimemory.demo.history import AGAIN, CHECK
from yoimemory.demo.summer import QUESTION
from yoimemory.products.models import Impact, Proposal
from yoimemory.products.schemas import ImpactDraft, ProposalDraft
from yoimemory.products.services import (
    apply_proposal,
    propose_candidate,
    record_impact,
    revert_proposal,
    review_proposal,
)

_ALARM = "docs/guide/clock-alarm.md"
_ALARM_TEXT = "# When a tablet shows the wrong time\n\nSwitch it off and on again, then look at the clock.\n"


def tell_effects(cast: Cast) -> None:
    """Tell of two effects, and take one product back. What was played before is not played again."""
    shoebox = Shoebox.objects.get(workspace=cast.workspace, question=QUESTION)
    quote = Evidence.objects.in_shoebox(shoebox).accepted().order_by("pk")[0]
    told = Impact.objects.in_workspace(cast.workspace).exclude(known=Impact.Known.OBSERVED)
    if not told.exists():
        with transaction.atomic():
            _tell(cast, quote)
    proposal = Proposal.objects.in_workspace(cast.workspace).filter(path=_ALARM).first()
    if proposal is None:
        with transaction.atomic():
            proposal = _propose(cast, shoebox, quote)
    if proposal.state == Proposal.State.APPROVED:
        apply_proposal(proposal, actor=cast.owner, now=at("07-05T02:10"))
    if proposal.state == Proposal.State.APPLIED:
        revert_proposal(
            proposal, reason="A tablet that is switched off starts its clock at 2020-01-01: the advice makes it worse.",
            actor=cast.owner, now=at("07-06T01:00"),
        )  # fmt: skip


def _tell(cast: Cast, quote: Evidence) -> None:
    for actor, kind, product, note, when in (
        (cast.owner, "changed_plan", f"ticket:{AGAIN}", "The plan waits for what the clock check says.", "07-03T02:00"),
        (cast.orchestrator, "avoided_duplicate", f"ticket:{CHECK}", "The check was there already.", "07-04T01:00"),
    ):
        draft = ImpactDraft.model_validate(
            {"subjects": [str(quote.ref)], "product": product, "kind": kind, "note": note}
        )  # fmt: skip
        record_impact(draft, workspace=cast.workspace, actor=actor, now=at(when))


def _propose(cast: Cast, shoebox: Shoebox, quote: Evidence) -> Proposal:
    """A page of advice that stood for one day: switching off is what starts the clock at 2020."""
    proposal = propose_candidate(
        ProposalDraft(
            target="doc", path=_ALARM, title="Say what to do when a tablet shows the wrong time", content=_ALARM_TEXT,
            rationale="The shop asked what to do.", evidence=[str(quote.ref)], shoebox=str(shoebox.ref),
        ),
        workspace=cast.workspace, actor=cast.reviewer, now=at("07-05T01:00"),
    )  # fmt: skip
    return review_proposal(
        proposal, verdict="approve", reason="Short and clear.", actor=cast.owner, now=at("07-05T02:00")
    )  # fmt: skip
