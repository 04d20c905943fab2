"""Fix and judge in one step: the words about a quote, its relation, then the verdict. The quote is never fixed."""

from datetime import datetime
from typing import Any

from django.db import transaction

from evidence.models import Evidence
from evidence.services.reviews import review_evidence
from evidence.services.words import explain_evidence, relate_evidence
from yoimemory.access.models import Actor
from yoimemory.access.services import require_reviewer
from yoimemory.refs import SourceRef


@transaction.atomic
def fix_and_review(
    evidence: Evidence,
    *,
    words: dict[str, Any],
    relation: str = "",
    target: str = "",
    verdict: str,
    reason: str = "",
    actor: Actor,
    now: datetime,
    version: int | None = None,
) -> Evidence:
    """Change the words and say how it bears on something, then give the verdict; all of it or nothing.

    `words` are those of `explain_evidence`; a relation without a target means the shoebox.
    Raises what those verbs and `review_evidence` raise.
    """
    require_reviewer(actor, evidence.workspace, to="fix and judge evidence")
    explain_evidence(evidence, **words, actor=actor, now=now, version=version)
    if relation:
        on = SourceRef.parse(target) if target else evidence.shoebox.ref
        relate_evidence(evidence, target=on, relation=relation, actor=actor, now=now)
    if verdict == "accept" and evidence.state == Evidence.State.ACCEPTED:
        return evidence  # a draft of one's own was accepted with its why
    review_evidence(evidence, verdict=verdict, reason=reason, actor=actor, now=now)
    return evidence
