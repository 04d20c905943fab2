"""Rate one piece of evidence across the hypotheses of its shoebox."""

import hashlib
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from evidence.models import Evidence
from evidence.services import EvidenceEnded
from evidence.standing import standings
from hypotheses.models import Hypothesis, Rating
from hypotheses.schemas import OneRating, RatingDraft
from hypotheses.services.finding import evidence_named, hypothesis_named
from hypotheses.services.rights import require_role
from yoimemory.access.models import Actor
from yoimemory.errors import BadInput, Refused
from yoimemory.journal.services import record_change
from yoimemory.sources.models import Workspace


class NotComparable(Refused):
    """Evidence is rated against the hypotheses that compete in its shoebox."""


@transaction.atomic
def rate_evidence(draft: RatingDraft, *, workspace: Workspace, actor: Actor, now: datetime) -> list[Rating]:
    """Say how consistent one piece of evidence is with each claim; a rater's earlier rating is replaced.

    What was rated is remembered by digest, so that a later change of the words, the quote or the
    claim asks for the rating again. Raises EvidenceEnded, NotComparable, NotFound, Forbidden.
    """
    require_role(actor, workspace, to="rate evidence")
    evidence = evidence_named(draft.evidence, workspace)
    if evidence.has_ended:
        raise EvidenceEnded(
            f"{evidence.ref} is {evidence.state} and counts for nothing any more.", hint="Rate what took its place."
        )
    named = [(hypothesis_named(each.hypothesis, workspace), each) for each in draft.ratings]
    _check_comparable(evidence, [hypothesis for hypothesis, _ in named])
    own = ratings_by(actor).filter(evidence=evidence)
    before = {f"H{one.hypothesis.number}": one.value for one in own.select_related("hypothesis")}
    state = standings([evidence])[evidence.pk].state
    kept = [_rate(evidence, hypothesis, each, actor, state, now) for hypothesis, each in named]
    record_change(
        evidence.ref, verb="evidence-rated", actor=actor, workspace=workspace, now=now,
        before=before, after={f"H{hypothesis.number}": each.value for hypothesis, each in named},
    )  # fmt: skip
    return [rating for rating in kept if rating]


def ratings_by(actor: Actor) -> QuerySet[Rating]:
    """The ratings of one rater: a person in any session, a Worker in any run of its token."""
    if actor.token_id:
        return Rating.objects.filter(rater__token=actor.token_id)
    return Rating.objects.filter(Q(rater=actor) | Q(rater__user=actor.user_id, rater__user__isnull=False))


def words_digest(evidence: Evidence) -> str:
    """What a rating of this evidence was about: the quote and the words beside it."""
    return _digest(evidence.quote, evidence.summary, evidence.inference)


def claim_digest(hypothesis: Hypothesis) -> str:
    return _digest(hypothesis.claim)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _check_comparable(evidence: Evidence, hypotheses: list[Hypothesis]) -> None:
    for hypothesis in hypotheses:
        if hypothesis.shoebox_id != evidence.shoebox_id:
            raise NotComparable(
                f"H{hypothesis.number} belongs to another shoebox than {evidence.ref}.",
                hint="Quote the passage in that shoebox too.",
                fields={"hypothesis": "other shoebox"},
            )
        if hypothesis.status == Hypothesis.Status.SUPERSEDED:
            raise NotComparable(
                f"H{hypothesis.number} was superseded.", hint="Rate the hypothesis that took its place."
            )
    if len({hypothesis.pk for hypothesis in hypotheses}) < len(hypotheses):
        raise BadInput("One hypothesis is rated twice.", fields={"ratings": "twice"})


def _rate(
    evidence: Evidence, hypothesis: Hypothesis, said: OneRating, actor: Actor, anchor_state: str, now: datetime
) -> Rating | None:
    earlier = ratings_by(actor).filter(evidence=evidence, hypothesis=hypothesis)
    if not said.value:
        earlier.delete()
        return None
    rating = earlier.first() or Rating(evidence=evidence, hypothesis=hypothesis)
    rating.rater, rating.value, rating.note, rating.rated_at = actor, said.value, said.note, now
    rating.words_digest, rating.claim_digest = words_digest(evidence), claim_digest(hypothesis)
    rating.anchor_state = anchor_state
    rating.save()
    return rating
