"""The words and relations about a quote. They may change, each with its author; the quote itself never does."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from evidence.models import Evidence, Relation, Review
from evidence.services.changing import change_evidence
from evidence.services.weighing import target_of
from yoimemory.access.models import Actor
from yoimemory.access.services import may_review, role_in
from yoimemory.errors import BadInput, Forbidden, NotFound, Refused
from yoimemory.journal.services import record_change
from yoimemory.refs import SourceRef


class NotYours(Forbidden):
    """Words about evidence are changed by who made it while it waits, and by reviewers."""


class EvidenceEnded(Refused):
    """Rejected, superseded and retired evidence stays as it was."""


class NoRelation(NotFound):
    """The evidence does not bear on that."""


@transaction.atomic
def relate_evidence(
    evidence: Evidence, *, target: SourceRef, relation: str, actor: Actor, now: datetime, version: int | None = None
) -> Relation:
    """Say how the evidence bears on a hypothesis or on the question of its shoebox, or say it anew.

    Contrary relations need no more than supporting ones. Raises NotYours, EvidenceEnded,
    BadInput for an unknown relation, BadTarget, NoSuchRecord, or StaleVersion.
    """
    if relation not in Relation.Kind.values:
        raise BadInput(
            f"There is no relation {relation!r}.",
            hint="Relations are supports, refutes and contextualizes.",
            fields={"relation": "unknown"},
        )
    _require_word(evidence, actor)
    text = target_of(str(target), evidence.shoebox)
    return set_relation(evidence, target=text, relation=relation, actor=actor, now=now, version=version)


@transaction.atomic
def unrelate_evidence(
    evidence: Evidence, *, target: SourceRef, actor: Actor, now: datetime, version: int | None = None
) -> None:
    """Take a relation back; the history keeps it. Raises NotYours, EvidenceEnded, NoRelation or StaleVersion."""
    _require_word(evidence, actor)
    standing = evidence.relations.filter(target=str(target.bare)).first()
    if standing is None:
        raise NoRelation(f"{evidence.ref} does not bear on {target}.")
    change_evidence(evidence, version=version)
    standing.delete()
    record_change(
        evidence.ref, verb="evidence-unrelated", actor=actor, workspace=evidence.workspace, now=now,
        before={"target": standing.target, "relation": standing.relation},
    )  # fmt: skip


def set_relation(
    evidence: Evidence, *, target: str, relation: str, actor: Actor, now: datetime, version: int | None = None
) -> Relation:
    """Write one relation and its row of history. Call it in a transaction, after the rules were asked."""
    standing = evidence.relations.filter(target=target).first()
    if standing and standing.relation == relation:
        return standing
    change_evidence(evidence, version=version)
    row, _ = Relation.objects.update_or_create(
        evidence=evidence, target=target, defaults={"relation": relation, "made_by": actor, "made_at": now}
    )
    record_change(
        evidence.ref, verb="evidence-related", actor=actor, workspace=evidence.workspace, now=now,
        before={"target": target, "relation": standing.relation if standing else ""},
        after={"target": target, "relation": relation},
    )  # fmt: skip
    return row


@transaction.atomic
def explain_evidence(
    evidence: Evidence,
    *,
    actor: Actor,
    now: datetime,
    version: int | None = None,
    why: str | None = None,
    summary: str | None = None,
    inference: str | None = None,
    scope: Mapping[str, Any] | None = None,
    basis: str | None = None,
) -> Evidence:
    """Edit the words about a quote, never the quote. What is None stays as it is.

    A *why* ends a draft: a reviewer's own is accepted then, a member's is suggested. Evidence that
    needed a change is suggested again. Raises NotYours, EvidenceEnded, BadInput or StaleVersion.
    """
    _require_word(evidence, actor)
    words = {"why": why, "summary": summary, "inference": inference}
    fields: dict[str, Any] = {name: text.strip() for name, text in words.items() if text is not None}
    _check_words(evidence, fields, basis)
    if scope is not None:
        fields["scope"] = dict(scope)
    if basis is not None and evidence.authority != "memory":
        fields["basis"] = basis
    fields = {name: value for name, value in fields.items() if getattr(evidence, name) != value}
    if not fields:
        return evidence
    authors = {f"{name}_by": str(actor) for name in words if fields.get(name)}
    if authors:
        fields["provenance"] = {**evidence.provenance, **authors}
    fields.update(_state_after(evidence, fields, actor, now))
    before = change_evidence(evidence, version=version, **fields)
    if evidence.state == Evidence.State.ACCEPTED != before.get("state", evidence.state):
        Review.objects.create(
            evidence=evidence, verdict=Review.Verdict.ACCEPT, reason="Explained and accepted in one step.",
            before=Evidence.State.SUGGESTED, by=actor, at=now,
        )  # fmt: skip
    told = [name for name in fields if name not in {"provenance", "state_by_id", "state_at"}]
    record_change(
        evidence.ref, verb="evidence-explained", actor=actor, workspace=evidence.workspace, now=now,
        before={name: before[name] for name in told}, after={name: fields[name] for name in told},
    )  # fmt: skip
    return evidence


def _check_words(evidence: Evidence, fields: dict[str, Any], basis: str | None) -> None:
    long = {name: "too long" for name, text in fields.items() if len(text) > Evidence.WORDS_MAX}
    if long:
        raise BadInput(f"Words about evidence have at most {Evidence.WORDS_MAX:,} characters.", fields=long)
    if evidence.state == Evidence.State.ACCEPTED and not fields.get("why", evidence.why):
        raise BadInput("Accepted evidence says why it matters.", fields={"why": "required"})
    if evidence.kind == Evidence.Kind.SUMMARY and not fields.get("summary", evidence.summary):
        raise BadInput("A summary has words.", fields={"summary": "required"})
    if basis is not None and basis not in Evidence.Basis.values:
        raise BadInput(f"There is no basis {basis!r}.", fields={"basis": "unknown"})


def _state_after(evidence: Evidence, fields: dict[str, Any], actor: Actor, now: datetime) -> dict[str, Any]:
    """The state that new words bring about, if any."""
    state = ""
    if evidence.state == Evidence.State.NEEDS_CHANGE:
        state = Evidence.State.SUGGESTED
    elif evidence.state == Evidence.State.DRAFT and fields.get("why"):
        own = evidence.made_by_id == actor.pk and may_review(actor, evidence.workspace)
        state = Evidence.State.ACCEPTED if own else Evidence.State.SUGGESTED
    return {"state": state, "state_reason": "", "state_by_id": actor.pk, "state_at": now} if state else {}


def may_word(evidence: Evidence, actor: Actor) -> bool:
    """Whether this actor may change the words about it: reviewers always, who made it while it waits, nobody after."""
    if evidence.has_ended:
        return False
    if may_review(actor, evidence.workspace):
        return True
    own = evidence.made_by_id == actor.pk and evidence.state != Evidence.State.ACCEPTED
    return own and bool(role_in(actor, evidence.workspace))


def _require_word(evidence: Evidence, actor: Actor) -> None:
    if evidence.has_ended:
        raise EvidenceEnded(
            f"{evidence.ref} is {evidence.state} and stays as it was.",
            hint="Quote the words again if they still count.",
        )
    if not may_word(evidence, actor):
        raise NotYours(
            f"{actor} may not change the words about {evidence.ref}.",
            hint="Whoever offered it may while it waits for review; afterwards a reviewer may.",
        )
