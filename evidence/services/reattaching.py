"""Writing down that a quote stands at other words, which a person chose; and that choice as an answer given apart."""

import re
from dataclasses import dataclass
from datetime import datetime

from evidence import gate
from evidence.fuzzy import alikeness
from evidence.gate import Found
from evidence.meaning import changes_of_meaning, told
from evidence.models import Evidence, Placement
from evidence.placing import REATTACHED, WORDS_MAX
from evidence.services.changing import change_evidence
from evidence.standing import latest_placements
from yoimemory.access.models import Actor
from yoimemory.errors import BadInput, Refused
from yoimemory.journal.services import record_change
from yoimemory.refs import SourceRef
from yoimemory.sources.read import read_document
from yoimemory.sources.reading import Document

ATTACH = "attach to "
"""How the answer begins, where two people are asked apart."""
ANSWER_MAX = 200
_ANSWER = re.compile(rf"{ATTACH}(\d+)-(\d+) of (\S+) as of ([0-9a-f]{{16}})")


class NotThere(Refused):
    """The words do not stand in the source as it is now."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words that a quote is attached to: where they stand, and why they stand for it."""

    ref: SourceRef
    quote: str
    line: int | None = None
    column: int | None = None
    reason: str = ""


def find_words(evidence: Evidence, words: Words) -> tuple[Document, Found]:
    """Where the chosen words stand now. Raises BadInput, NotThere, and what `read_document` raises."""
    document = read_document(evidence.workspace, words.ref.at("").part(""))
    refusal = gate.measure(words.quote)
    if refusal:
        raise BadInput(refusal.message, hint=refusal.hint, fields={"quote": refusal.code})
    starts = gate.line_starts(document.text)
    found = gate.locate(document.text, words.quote, near=gate.offset_of(starts, words.line, words.column))
    if found is None:
        _, near = gate.missing(document.text, words.quote, starts=starts)
        raise NotThere(
            f"These words do not stand in {document.ref} as it is now.",
            hint=f"Nearest, on line {near.first_line}: {near.text[:200]}"
            if near
            else "Select them in the source anew.",
        )
    return document, found


def answer_of(document: Document, found: Found) -> str:
    """The choice of these words as an answer: two people agree where they chose the same ones of the same text."""
    answer = f"{ATTACH}{found.start}-{found.end} of {document.ref} as of {document.digest[:16]}"
    if len(answer) > ANSWER_MAX:
        raise BadInput(
            "The address of this source is too long for an answer that two people give apart.",
            hint="Retire the evidence, and quote the words as new evidence that supersedes it.",
        )
    return answer


def write_answered(evidence: Evidence, answer: str, *, reason: str, actor: Actor, now: datetime) -> Placement:
    """Do what two people agreed on, or what settled their conflict. Raises NotThere where the text has changed."""
    told_of = _ANSWER.fullmatch(answer)
    document = read_document(evidence.workspace, SourceRef.parse(told_of[3])) if told_of else None
    if told_of is None or document is None or document.digest[:16] != told_of[4]:
        raise NotThere(
            "The source changed since these words were chosen, so they cannot be attached to.",
            hint="Take the answers back, and select the words anew.",
        )
    return write_attachment(
        evidence, document, Found(int(told_of[1]), int(told_of[2]), ""), reason=reason, actor=actor, now=now
    )


def write_attachment(
    evidence: Evidence,
    document: Document,
    found: Found,
    *,
    reason: str,
    actor: Actor,
    now: datetime,
    version: int | None = None,
) -> Placement:
    """Add the placement at the chosen words, with what it changes. Call it in a transaction, after the rules."""
    before = latest_placements([evidence]).get(evidence.pk)
    placement = _placement(evidence, document, found, reason=reason.strip(), actor=actor, now=now)
    change_evidence(evidence, version=version)
    placement.save()
    record_change(
        evidence.ref, verb="anchor-reattached", actor=actor, workspace=evidence.workspace, now=now,
        before={"state": before.state if before else Placement.State.VERIFIED},
        after={"place": str(document.ref), "line": placement.start_line, "words": placement.words[:200]},
        reason=reason.strip(),
    )  # fmt: skip
    return placement


def _placement(
    evidence: Evidence, document: Document, found: Found, *, reason: str, actor: Actor, now: datetime
) -> Placement:
    starts, now_there = gate.line_starts(document.text), document.text[found.start : found.end]
    changes = changes_of_meaning(evidence.quote, now_there, code=evidence.place.startswith("code:"))
    note = f"Attached anew by {actor}." + (f" {reason}" if reason else "")
    note += f" Against the quote: {told(changes)}." if changes else ""
    return Placement(
        evidence=evidence, state=Placement.State.MOVED, method=REATTACHED, by=actor, at=now,
        revision=document.revision, text_digest=document.digest,
        place=str(document.ref) if str(document.ref) != evidence.place else "", start=found.start, end=found.end,
        start_line=gate.place_of(starts, found.start)[0], end_line=gate.place_of(starts, found.end - 1)[0],
        words="" if now_there == evidence.quote else now_there[:WORDS_MAX],
        changes=[change.as_json() for change in changes], similarity=alikeness(evidence.quote, now_there),
        note=note[:400],
    )  # fmt: skip
