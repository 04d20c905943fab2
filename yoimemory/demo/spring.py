"""The first act, April: two orders vanished, the rule behind it is replaced, and a document is changed."""

from datetime import datetime

from django.db import transaction

from evidence.models import Evidence
from hypotheses.models import Hypothesis
from hypotheses.schemas import HypothesisDraft, RepresentationDraft
from hypotheses.services import create_representation, decide_hypothesis, propose_hypothesis
from shoebox.models import Shoebox
from shoebox.schemas import ShoeboxDraft
from shoebox.services import change_shoebox_state, create_shoebox
from yoimemory.access.models import Actor
from yoimemory.demo.cast import Cast, Line, at, keep, quote, set_aside
from yoimemory.demo.history import BY_CLOCK, BY_NUMBER, LOST, ORDERS
from yoimemory.demo.texts import text_of
from yoimemory.products.models import Proposal
from yoimemory.products.schemas import ProposalDraft
from yoimemory.products.services import (
    apply_proposal,
    export_artifact,
    plan_export,
    propose_candidate,
    review_proposal,
)

QUESTION = "Why did two Saturday orders vanish, and what may order edits instead?"
_RULE = f"ticket:{BY_CLOCK}"
_INCIDENT = f"ticket:{LOST}"
_REPORT = "doc:docs/report/2026-04-20-saturday-orders.md"
_SYNC = "docs/design/sync.md"


def play_spring(cast: Cast) -> None:
    """Gather, quote, decide, change the document, export. What was played before is not played again."""
    shoebox = Shoebox.objects.filter(workspace=cast.workspace, question=QUESTION).first()
    if shoebox is None:
        with transaction.atomic():
            shoebox = _argue(cast)
    proposal = shoebox.proposals.get()
    if proposal.state == Proposal.State.APPROVED:
        apply_proposal(proposal, actor=cast.owner, now=at("04-26T23:20"))
    if not shoebox.exports.exists():
        seen = {file.path: file.digest for file in plan_export(shoebox)}
        export_artifact(shoebox, seen=seen, actor=cast.owner, now=at("04-26T23:30"))
    if shoebox.state == Shoebox.State.OPEN:
        change_shoebox_state(
            shoebox, state="closed", reason="The rule is replaced and the document says so.",
            actor=cast.owner, now=at("04-27T02:10"),
        )  # fmt: skip


def _argue(cast: Cast) -> Shoebox:
    shoebox = create_shoebox(
        ShoeboxDraft(
            question=QUESTION,
            task=_INCIDENT,
            purpose="Settle the cause before the rule is replaced.",
            queries=["tablet time later wins", "厨房タブレットの時計"],
        ),
        workspace=cast.workspace, actor=cast.owner, now=at("04-24T08:20"),
    )  # fmt: skip
    keep(shoebox, [_INCIDENT, _RULE, _REPORT], actor=cast.owner, now=at("04-24T08:31"))
    set_aside(
        shoebox, f"ticket:{ORDERS}", "Says how an order is entered, nothing about two edits of it.",
        actor=cast.owner, now=at("04-24T08:33"),
    )  # fmt: skip
    clock, number, queue = _claims(cast, shoebox)
    evidence = _evidence(cast, shoebox, clock, number, queue)
    create_representation(
        RepresentationDraft(kind="timeline", shoebox=str(shoebox.ref), title="From the rule to the two lost orders"),
        workspace=cast.workspace, actor=cast.owner, now=at("04-24T09:20"),
    )  # fmt: skip
    _decide(cast.owner, clock, number, queue, now=at("04-24T09:30"))
    _propose(cast, shoebox, evidence)
    return shoebox


def _claims(cast: Cast, shoebox: Shoebox) -> tuple[Hypothesis, Hypothesis, Hypothesis]:
    clock = propose_hypothesis(
        HypothesisDraft(
            shoebox=str(shoebox.ref),
            claim="The later tablet time is the later edit.",
            threshold="It must hold for every merge in the log, not for most of them.",
            would_change="One merge in which the older edit won.",
        ),
        workspace=cast.workspace, actor=cast.owner, now=at("04-24T08:40"),
    )  # fmt: skip
    number = propose_hypothesis(
        HypothesisDraft(
            shoebox=str(shoebox.ref),
            claim="A tablet's time cannot order edits; only the number that the server gives can.",
            open_questions=["How often will the counter be asked which version to keep?"],
            threshold="The Saturday of 18 April, replayed, ends with two and four loaves.",
            minimum_evidence=2,
        ),
        workspace=cast.workspace, actor=cast.orchestrator, now=at("04-24T08:42"),
    )  # fmt: skip
    queue = propose_hypothesis(
        HypothesisDraft(
            shoebox=str(shoebox.ref),
            claim="The counter tablet lost its queue when it restarted.",
            would_change="A queue file that still holds both edits.",
        ),
        workspace=cast.workspace, actor=cast.orchestrator, now=at("04-24T08:43"),
    )  # fmt: skip
    return clock, number, queue


def _evidence(cast: Cast, shoebox: Shoebox, clock: Hypothesis, number: Hypothesis, queue: Hypothesis) -> list[Evidence]:
    return quote(
        shoebox,
        [
            Line(
                _REPORT, "In 9 of them the older edit won.", [("refutes", clock), ("supports", number)],
                "One counterexample was asked for; these are nine.", basis="witnessed",
            ),
            Line(
                f"{_INCIDENT}/thread", "厨房タブレットの時計は店の電波時計より 11 分進んでいた。",
                [("refutes", clock), ("supports", number)],
                "The clock itself was wrong, and nothing noticed.", basis="witnessed",
            ),
            Line(
                f"{_INCIDENT}/thread", "The queue file of the counter tablet is complete", [("refutes", queue)],
                "Both edits left the tablet.", basis="witnessed",
            ),
            Line(
                f"{_RULE}/thread", "nothing measures whether the two clocks really agree", [("refutes", clock)],
                "The reviewer said it on the first day.",
            ),
            Line(
                f"ticket:{BY_NUMBER}/thread",
                "A tablet's time is shown to people and is never used to\norder edits.", [("supports", number)],
                "The decision that replaces the one of 19 March.",
            ),
            Line(
                f"doc:{_SYNC}", "the edit with the later tablet time wins", [("contextualizes", number)],
                "The document still tells the old rule; the next person will read that.",
            ),
        ],
        actor=cast.owner, now=at("04-24T09:00"),
    )  # fmt: skip


def _decide(owner: Actor, clock: Hypothesis, number: Hypothesis, queue: Hypothesis, *, now: datetime) -> None:
    decide_hypothesis(
        queue, after="rejected", reason="The queue file is complete and the server answered both edits.",
        actor=owner, now=now,
    )  # fmt: skip
    decide_hypothesis(
        number, after="accepted", reason="Nine wrong merges in four weeks, and the replay ends as it should.",
        actor=owner, now=now,
    )  # fmt: skip
    decide_hypothesis(
        clock, after="superseded", superseded_by=number, confirmed=True,
        reason="It was the assumption of 19 March. It did not hold for nine of 61 merges.",
        actor=owner, now=now,
    )  # fmt: skip


def _propose(cast: Cast, shoebox: Shoebox, evidence: list[Evidence]) -> None:
    proposal = propose_candidate(
        ProposalDraft(
            target="doc",
            path=_SYNC,
            title="Describe merging by number in docs/design/sync.md",
            content=text_of(_SYNC, 2).decode(),
            rationale="The review of 24 April asks for it: the document still says that the later tablet time wins.",
            evidence=[str(evidence[0].ref), str(evidence[4].ref), str(evidence[5].ref)],
            shoebox=str(shoebox.ref),
        ),
        workspace=cast.workspace, actor=cast.reviewer, now=at("04-26T23:00"),
    )  # fmt: skip
    review_proposal(
        proposal, verdict="approve", reason="Says what the code does.", actor=cast.owner, now=at("04-26T23:15")
    )
