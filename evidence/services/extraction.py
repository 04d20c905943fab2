"""The one door for evidence: browser, JSON and import offer drafts, the gate decides what is stored."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db import transaction

from evidence.gate import Refusal, digest_of
from evidence.models import Evidence, Relation, Review
from evidence.schemas import EvidenceDraft
from evidence.services.weighing import Scales, Weighed
from evidence.services.words import set_relation
from shoebox.models import Shoebox
from shoebox.services.rules import require_open
from yoimemory.access.models import Actor
from yoimemory.access.services import may_review, role_in
from yoimemory.errors import Forbidden
from yoimemory.journal.models import Event
from yoimemory.journal.services import record_change, record_event

CAPTURED = "Captured and accepted in one step."


@dataclass(frozen=True, slots=True)
class Came:
    """How a draft came here other than by hand: out of an import, from the passage finder, from a script."""

    imported: dict[str, Any] | None = None
    found: dict[str, Any] | None = None
    to_review: bool = False

    @property
    def by_hand(self) -> bool:
        return not (self.imported or self.found or self.to_review)


class NoRole(Forbidden):
    """Only people with a role in the workspace, and its own Workers, may offer evidence."""


@dataclass(slots=True)
class Extraction:
    """What became of a set of drafts. `related` are those of `stored` that existed and only gained a relation."""

    stored: list[Evidence] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    related: list[Evidence] = field(default_factory=list)


def extract_evidence(
    shoebox: Shoebox,
    drafts: Sequence[EvidenceDraft],
    *,
    actor: Actor,
    now: datetime,
    imported: Sequence[dict[str, Any]] = (),
    to_review: bool = False,
    found: Sequence[dict[str, Any]] = (),
    finder: Actor | None = None,
) -> Extraction:
    """Store what passes the gate; report the rest, each with its code, a sentence and the nearest text.

    A reviewer's own capture with a *why* is accepted at once and says so, without one it is a draft;
    a member's or a Worker's is suggested. Quoting the same words again adds a new relation for a
    reviewer, and is a duplicate for everyone else: an agent cannot change what was accepted.
    One bad draft never fails the rest. `imported` says of each draft where it came from; what is
    imported is suggested, whoever imports it, and keeps its origin in its provenance. So is all that
    is sent `to_review`: in a person's name, but not by their own hand. `found` says of each draft for
    what a `finder` proposes it; the finder is its extractor then.

    Raises NoRole, or ShoeboxNotOpen.
    """
    if not role_in(actor, shoebox.workspace):
        raise NoRole(f"{actor} has no role in the workspace {shoebox.workspace}.", hint="Ask an owner to be let in.")
    require_open(shoebox)
    scales, outcome = Scales(shoebox), Extraction()
    weighed = [scales.weigh(draft) for draft in drafts]
    with transaction.atomic():
        require_open(shoebox)  # reading the sources took its time
        for index, (draft, one) in enumerate(zip(drafts, weighed, strict=True)):
            came = Came(
                imported=imported[index] if imported else None, found=found[index] if found else None,
                to_review=to_review,
            )  # fmt: skip
            result = one if isinstance(one, Refusal) else _settle(one, shoebox, finder or actor, now, came)
            if isinstance(result, Refusal):
                outcome.refused.append(replace(result, index=index))
                _note_refusal(result, draft, shoebox, finder or actor, now)
                continue
            evidence, new = result
            outcome.stored.append(evidence)
            if not new:
                outcome.related.append(evidence)
    if outcome.stored:
        record_event(
            Event.Kind.EVIDENCE_EXTRACTED, workspace=shoebox.workspace, actor=actor, now=now,
            subjects=[evidence.ref for evidence in outcome.stored], detail={"shoebox": str(shoebox.ref)},
        )  # fmt: skip
    return outcome


def _settle(
    weighed: Weighed, shoebox: Shoebox, actor: Actor, now: datetime, came: Came
) -> tuple[Evidence, bool] | Refusal:
    """Store one weighed draft, or join it to what is there, or refuse it for what was there before."""
    same = _same_words(weighed, shoebox)
    standing = same.current().first()
    if standing:
        return _join(standing, weighed, actor, now, adds=may_review(actor, shoebox.workspace) and came.by_hand)
    rejected = same.filter(state=Evidence.State.REJECTED).order_by("-pk").prefetch_related("relations")
    wanted = set(weighed.relations)
    earlier = ""
    for evidence in rejected:
        had = {(relation.target, relation.relation) for relation in evidence.relations.all()}
        if not (had & wanted or had == wanted):
            continue
        if evidence.text_digest == weighed.document.digest:
            return Refusal(
                "rejected_before",
                f"The same words of the same state were rejected before: {evidence.state_reason}",
                hint=f"See {evidence.ref}. If the rejection was wrong, a reviewer takes it back there.",
                nearest=evidence.quote,
                nearest_ref=str(evidence.ref),
            )
        earlier = earlier or str(evidence.ref)
    return _store(weighed, shoebox, actor, now, earlier=earlier, came=came), True


def _same_words(weighed: Weighed, shoebox: Shoebox) -> Any:
    """Evidence of this shoebox that says the same from the same place, whatever its state."""
    same = Evidence.objects.in_shoebox(shoebox).filter(place=str(weighed.document.ref), kind=weighed.draft.kind)
    if weighed.anchor is None:
        return same.filter(summary=weighed.draft.summary.strip(), start_line=weighed.lines and weighed.lines[0])
    return same.filter(quote_digest=weighed.anchor.quote_digest, occurrence=weighed.anchor.occurrence)


def _join(
    evidence: Evidence, weighed: Weighed, actor: Actor, now: datetime, *, adds: bool
) -> tuple[Evidence, bool] | Refusal:
    """Add what is new to evidence that stands: for a reviewer the relations, for anyone else nothing."""
    had = {relation.target: relation.relation for relation in evidence.relations.all()}
    new = [(target, relation) for target, relation in weighed.relations if target not in had]
    if not new or not adds:
        return Refusal(
            "duplicate",
            f"These words are already quoted in this shoebox ({evidence.state}).",
            hint=f"See {evidence.ref}; its relations are changed there.",
            nearest=evidence.quote,
            nearest_ref=str(evidence.ref),
        )
    for target, relation in new:
        set_relation(evidence, target=target, relation=relation, actor=actor, now=now)
    return evidence, False


def _store(
    weighed: Weighed,
    shoebox: Shoebox,
    actor: Actor,
    now: datetime,
    *,
    earlier: str,
    came: Came,
) -> Evidence:
    state = _first_state(weighed.draft, actor, shoebox) if came.by_hand else Evidence.State.SUGGESTED
    evidence = Evidence.objects.create(
        workspace=shoebox.workspace,
        shoebox=shoebox,
        kind=weighed.draft.kind,
        **_place_fields(weighed),
        **(_anchor_fields(weighed) if weighed.anchor else _line_fields(weighed)),
        **_word_fields(weighed, earlier, came),
        observed=weighed.observed,
        made_by=actor,
        made_at=now,
        state=state,
        state_by=actor,
        state_at=now,
    )
    Relation.objects.bulk_create(
        Relation(evidence=evidence, target=target, relation=relation, made_by=actor, made_at=now)
        for target, relation in weighed.relations
    )
    if state == Evidence.State.ACCEPTED:
        Review.objects.create(
            evidence=evidence, verdict=Review.Verdict.ACCEPT, reason=CAPTURED, before=Evidence.State.SUGGESTED,
            by=actor, at=now,
        )  # fmt: skip
    record_change(
        evidence.ref, verb="evidence-extracted", actor=actor, workspace=shoebox.workspace, now=now,
        after={"state": state, "ref": str(evidence.address), "relations": dict(weighed.relations)},
    )  # fmt: skip
    return evidence


def _first_state(draft: EvidenceDraft, actor: Actor, shoebox: Shoebox) -> str:
    if not actor.is_person:
        return Evidence.State.SUGGESTED
    if not draft.why.strip():
        return Evidence.State.DRAFT
    return Evidence.State.ACCEPTED if may_review(actor, shoebox.workspace) else Evidence.State.SUGGESTED


def _place_fields(weighed: Weighed) -> dict[str, Any]:
    document, passage = weighed.document, weighed.passage
    return {
        "place": str(document.ref),
        "source": str(document.ref.source),
        "revision": document.revision,
        "title": document.title,
        "authority": document.authority,
        "hint": _hint(weighed)[:300],
        "speaker": passage.speaker if passage else "",
        "said_by": ((passage and passage.author) or document.author)[:200],
        "said_at": (passage and passage.at) or document.at,
        "text_digest": document.digest,
        "uncommitted": document.uncommitted,
    }


def _hint(weighed: Weighed) -> str:
    """What a person would call the place within its source: an event or entry, a heading, a symbol."""
    passage = weighed.passage
    if passage is None:
        return ""
    if passage.fragment.startswith(("event-", "entry-")):
        return f"{passage.fragment} {passage.heading}".strip()
    return passage.heading or passage.fragment


def _anchor_fields(weighed: Weighed) -> dict[str, Any]:
    assert weighed.anchor is not None  # noqa: S101  (for the type checker; the caller asked)
    fields = asdict(weighed.anchor)
    # A lone surrogate stands for a byte that is no text; the database holds text.
    fields["prefix"], fields["suffix"] = (
        fields[name].encode("utf-8", "replace").decode() for name in ("prefix", "suffix")
    )
    if weighed.bytes_at:
        fields["byte_start"], fields["byte_end"] = weighed.bytes_at
    return fields


def _line_fields(weighed: Weighed) -> dict[str, Any]:
    first, last = weighed.lines or (None, None)
    return {"start_line": first, "end_line": last}


def _word_fields(weighed: Weighed, earlier: str, came: Came) -> dict[str, Any]:
    draft = weighed.draft
    recalled = weighed.document.authority == "memory"
    provenance: dict[str, Any] = {"ref": draft.ref}
    if draft.confidence is not None:
        provenance["confidence"] = draft.confidence
    if weighed.anchor and weighed.anchor.quote != draft.quote.strip():
        provenance["sent"] = draft.quote
    if recalled and draft.basis != "recalled":
        provenance["basis"] = draft.basis
    if earlier:
        provenance["rejected_before"] = earlier
    if came.imported:
        provenance["imported"] = came.imported
    if came.found:
        provenance["suggested"] = came.found
    return {
        "summary": draft.summary.strip(),
        "inference": draft.inference.strip(),
        "why": draft.why.strip(),
        "scope": draft.scope,
        "basis": Evidence.Basis.RECALLED if recalled else draft.basis,
        "provenance": provenance,
    }


def _note_refusal(refusal: Refusal, draft: EvidenceDraft, shoebox: Shoebox, actor: Actor, now: datetime) -> None:
    """Refused attempts are remembered too: a Worker that keeps misquoting is seen."""
    record_change(
        shoebox.ref, verb="evidence-refused", actor=actor, workspace=shoebox.workspace, now=now,
        after={
            "code": refusal.code, "ref": draft.ref[:2_100], "quote": draft.quote[:200],
            "quote_digest": digest_of(draft.quote),
        },
        reason=refusal.message,
    )  # fmt: skip
