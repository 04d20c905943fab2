"""Propose a hypothesis, and change the words about it."""

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Max
from pydantic import ValidationError

from evidence.models import Evidence
from evidence.services import EvidenceEnded
from evidence.services.words import set_relation
from hypotheses.models import Hypothesis
from hypotheses.schemas import HypothesisDraft, HypothesisEdit
from hypotheses.services.finding import evidences_named, require_arguable, shoebox_named
from hypotheses.services.rights import may_edit, require_role
from yoimemory.access.models import Actor
from yoimemory.errors import BadInput, Forbidden, Refused
from yoimemory.journal.services import record_change
from yoimemory.journal.stale import stale_version
from yoimemory.sources.models import Workspace

DECIDED = {"claim": "claim", "threshold": "threshold", "minimum_evidence": "least number of accepted evidence"}
"""What a decision was made on, as it is called in a sentence."""


class NotYours(Forbidden):
    """The words about a hypothesis are changed by who proposed it, until a person decides, and by reviewers."""


class NumberTaken(Refused):
    """Two hypotheses of one shoebox were proposed at the same moment."""


def propose_hypothesis(draft: HypothesisDraft, *, workspace: Workspace, actor: Actor, now: datetime) -> Hypothesis:
    """Put one interpretation beside the others of its shoebox; Workers may.

    It starts as *proposed* whoever says it: only `decide_hypothesis` changes that. The evidence
    named in `relations` is set for or against it in the same step, all or nothing.
    Raises Forbidden without a role, NotFound or BadInput for refs that lead nowhere, ShoeboxEnded.
    """
    require_role(actor, workspace, to="propose hypotheses")
    shoebox = shoebox_named(draft.shoebox, workspace)
    named = evidences_named([each.evidence for each in draft.relations], workspace)
    related = [(one, each.relation) for one, each in zip(named, draft.relations, strict=True)]
    for evidence, _ in related:
        _check_stands(evidence)
    try:
        with transaction.atomic():
            require_arguable(shoebox)
            last = shoebox.hypotheses.aggregate(last=Max("number"))["last"] or 0
            hypothesis = Hypothesis.objects.create(
                workspace=workspace,
                shoebox=shoebox,
                number=last + 1,
                made_by=actor,
                made_at=now,
                **draft.model_dump(exclude={"shoebox", "relations"}),
            )
            record_change(
                hypothesis.ref,
                verb="hypothesis-proposed",
                actor=actor,
                workspace=workspace,
                now=now,
                after={
                    "claim": hypothesis.claim,
                    "shoebox": str(shoebox.ref),
                    "alternatives": hypothesis.alternatives,
                },
            )
            for evidence, relation in related:
                _relate(evidence, hypothesis, relation)
    except IntegrityError as error:
        raise NumberTaken(
            "Another hypothesis was proposed in this shoebox at the same moment.", hint="Send it again."
        ) from error
    return hypothesis


def edit_hypothesis(hypothesis: Hypothesis, *, version: int, actor: Actor, now: datetime, **fields: Any) -> Hypothesis:
    """Change the words about a hypothesis: questions, alternatives, threshold, what happened, what would change minds.

    Whoever proposed it may until a person has decided; a reviewer may always. The claim and what was
    asked of it change only while it is proposed: afterwards people have decided on these very words,
    and another claim is another hypothesis. Raises StaleVersion with what was changed in between,
    NotYours, Refused for what is decided, BadInput for fields that do not exist or do not fit.
    """
    require_role(actor, hypothesis.workspace, to="edit hypotheses")
    edit = _read_edit(fields)
    if not may_edit(hypothesis, actor):
        raise NotYours(
            f"{actor} may not edit {hypothesis.ref}: whoever proposed it may until a person decides, and a reviewer.",
            hint="Set evidence for or against it, or propose a hypothesis of your own.",
        )
    new = edit.model_dump(exclude_unset=True, exclude_none=True)
    _check_decided(hypothesis, new)
    with transaction.atomic():
        before = {name: getattr(hypothesis, name) for name in new}
        mine = Hypothesis.objects.filter(pk=hypothesis.pk, version=version)
        if not mine.update(version=F("version") + 1, **new):
            raise stale_version(hypothesis.ref, workspace=hypothesis.workspace, version=version)
        record_change(
            hypothesis.ref,
            verb="hypothesis-edited",
            actor=actor,
            workspace=hypothesis.workspace,
            now=now,
            before=before,
            after=new,
        )
    hypothesis.refresh_from_db()
    return hypothesis


def _check_decided(hypothesis: Hypothesis, new: dict[str, Any]) -> None:
    if hypothesis.status == Hypothesis.Status.PROPOSED:
        return
    changed = [name for name in DECIDED if name in new and new[name] != getattr(hypothesis, name)]
    if changed:
        raise Refused(
            f"H{hypothesis.number} is {hypothesis.status}; its {DECIDED[changed[0]]} stands as it was decided.",
            hint="Propose the new claim, then supersede this one with it.",
            fields=dict.fromkeys(changed, "decided"),
        )


def _check_stands(evidence: Evidence) -> None:
    if evidence.has_ended:
        raise EvidenceEnded(
            f"{evidence.ref} is {evidence.state} and counts for nothing any more.",
            hint="Quote the words again if they still count.",
        )


def _relate(evidence: Evidence, hypothesis: Hypothesis, relation: str) -> None:
    """Set evidence for or against a claim of one's own: whoever proposes may say what it rests on."""
    set_relation(
        evidence, target=str(hypothesis.ref), relation=relation, actor=hypothesis.made_by, now=hypothesis.made_at
    )


def _read_edit(fields: dict[str, Any]) -> HypothesisEdit:
    try:
        edit = HypothesisEdit.model_validate(fields)
    except ValidationError as error:
        wrong = {".".join(map(str, one["loc"])): one["msg"] for one in error.errors()}
        raise BadInput(f"This cannot be written down: {', '.join(wrong)}.", fields=wrong) from error
    if not edit.model_fields_set:
        raise BadInput("Name at least one field to change.", hint=f"Fields: {', '.join(HypothesisEdit.model_fields)}.")
    return edit
