"""Seek what speaks against a hypothesis: a counter-search for its claim, recorded whether it finds something or not."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from evidence.models import Evidence
from evidence.schemas import EvidenceDraft
from evidence.services import Extraction, extract_evidence
from hypotheses.models import Hypothesis
from hypotheses.services.rights import require_role
from yoimemory.access.models import Actor
from yoimemory.errors import NotFound
from yoimemory.journal.services import record_change
from yoimemory.journal.stale import stale_version
from yoimemory.search.coverage import counter_search
from yoimemory.search.schemas import Hit, SearchQuery
from yoimemory.search.services import search_sources

HITS_MAX = 10
SNIPPET_MAX = Evidence.QUOTE_MAX
KEPT_MAX = 20
"""So many searches are remembered with the hypothesis; older ones stay in its history."""


class NothingSought(NotFound):
    """The passage is none of those that the last counter-search found."""


def seek_contrary(hypothesis: Hypothesis, *, actor: Actor, now: datetime, question: str = "") -> dict[str, Any]:
    """Search the workspace for what would refute the claim, and write down what was looked for and found.

    Nothing becomes evidence by it: a person or Worker reads the passages and quotes them, or has
    them suggested as they stand. With a `question` that line joins the open questions. Raises Forbidden without a role.
    """
    require_role(actor, hypothesis.workspace, to="seek contrary evidence")
    query = SearchQuery(
        text=hypothesis.claim, stance="disconfirming", as_of=hypothesis.shoebox.as_of, limit=HITS_MAX, per_source=2
    )
    answer = search_sources(query, workspace=hypothesis.workspace, actor=actor, now=now, by_hand=False)
    found = {
        **counter_search(answer, query, workspace=hypothesis.workspace, by=str(actor), now=now),
        "hits": [_hit(hit) for hit in answer.items],
    }
    questions = hypothesis.open_questions
    if question and question not in questions:
        questions = [*questions, question]
    with transaction.atomic():
        mine = Hypothesis.objects.filter(pk=hypothesis.pk, version=hypothesis.version)
        sought = [*hypothesis.sought, found][-KEPT_MAX:]
        if not mine.update(sought=sought, open_questions=questions, version=hypothesis.version + 1):
            raise stale_version(hypothesis.ref, workspace=hypothesis.workspace, version=hypothesis.version)
        record_change(
            hypothesis.ref, verb="contrary-sought", actor=actor, workspace=hypothesis.workspace, now=now,
            after={"query": hypothesis.claim, "matched": answer.total, "refs": [hit.ref for hit in answer.items]},
        )  # fmt: skip
    hypothesis.refresh_from_db()
    return found


def suggest_found(hypothesis: Hypothesis, refs: Sequence[str], *, actor: Actor, now: datetime) -> Extraction:
    """Offer passages of the last counter-search as evidence of the shoebox: their exact words, for a reviewer to judge.

    Without `refs` all of them. The words come from a search and nobody has read them yet, so they
    are suggested whoever asks, and bear on nothing until a person says how. What the gate
    refuses is reported. Raises Forbidden without a role, NothingSought for a passage that was not found.
    """
    require_role(actor, hypothesis.workspace, to="suggest what was found")
    hits = _found(hypothesis, refs)
    drafts = [EvidenceDraft(ref=hit["ref"], quote=hit["snippet"], line=hit["line"]) for hit in hits]
    outcome = extract_evidence(hypothesis.shoebox, drafts, actor=actor, now=now, to_review=True)
    if outcome.stored:
        record_change(
            hypothesis.ref, verb="contrary-suggested", actor=actor, workspace=hypothesis.workspace, now=now,
            after={"evidence": [str(one.ref) for one in outcome.stored]},
        )  # fmt: skip
    return outcome


def _found(hypothesis: Hypothesis, refs: Sequence[str]) -> list[dict[str, Any]]:
    hits = {hit["ref"]: hit for hit in hypothesis.sought[-1]["hits"]} if hypothesis.sought else {}
    if not hits:
        raise NothingSought("No passage was found against it.", hint="Seek contrary evidence first.")
    missing = [ref for ref in refs if ref not in hits]
    if missing:
        raise NothingSought(
            f"{missing[0][:200]!r} is not among what the last counter-search found.",
            hint="Name one of its refs, or quote the passage yourself.",
        )
    return [hits[ref] for ref in dict.fromkeys(refs)] if refs else list(hits.values())


def _hit(hit: Hit) -> dict[str, Any]:
    snippet = hit.snippet if len(hit.snippet) <= SNIPPET_MAX else hit.snippet[: SNIPPET_MAX - 1] + "…"
    return {
        "ref": hit.ref,
        "title": hit.title,
        "snippet": snippet,
        "line": hit.first_line,
        "why": hit.why,
        "caveats": hit.caveats,
    }
