"""What a check comes to: the placement of one quote in one state of its source. Nothing is stored here."""

from dataclasses import dataclass
from datetime import datetime

from evidence import gate
from evidence.again import Again, Outcome, Sought, find_again, find_without, same_words
from evidence.meaning import Change, told
from evidence.models import Evidence, Placement
from evidence.shift import Shift
from yoimemory.sources.reading import Document

State = Placement.State

WORDS_MAX = 4_000
LAYOUT = "layout"
CONFIRMED, REATTACHED, TAKEN_BACK = "confirmed", "re-attached", "taken back"
"""Methods of placements that a person made."""
BY_PEOPLE = frozenset({CONFIRMED, REATTACHED})


@dataclass(frozen=True, slots=True)
class Base:
    """The last state in which the words surely stood: the one quoted, or one placed since."""

    place: str
    revision: str
    digest: str
    start: int
    end: int
    words: str
    accepted: bool = False
    """Whether a person said that these words stand for the quote, though they are not the quote's."""

    @classmethod
    def of(cls, evidence: Evidence, placement: Placement | None) -> "Base":
        if placement is None or placement.start is None or placement.end is None:
            return cls(
                evidence.place, evidence.revision, evidence.text_digest, evidence.start or 0, evidence.end or 0,
                evidence.quote,
            )  # fmt: skip
        words = placement.words or evidence.quote
        return cls(
            placement.place or evidence.place, placement.revision, placement.text_digest, placement.start,
            placement.end, words, accepted=not same_words(words, evidence.quote),
        )  # fmt: skip


def place_quote(
    evidence: Evidence, base: Base, document: Document, shift: Shift | None, *, now: datetime, renamed: bool = False
) -> Placement:
    """Look for a quote in a document. `shift` is from the base's text to this one, where that text is at hand."""
    placement = Placement(
        evidence=evidence, at=now, revision=document.revision, text_digest=document.digest,
        place=str(document.ref) if str(document.ref) != evidence.place else "",
    )  # fmt: skip
    if document.digest == base.digest:
        again = Again(Outcome.EXACT, "same text", gate.Found(base.start, base.end, Evidence.Match.EXACT), 1)
    else:
        again = _found(evidence, base, document, shift)
    _say(placement, evidence, base, document, again)
    if renamed:
        placement.method = f"rename, {placement.method}"[:40]
    return placement


def gone(evidence: Evidence, *, at: str, now: datetime) -> Placement:
    """The source is not there any more, under no name that is known."""
    what = "transcript" if evidence.place.startswith("session:") else "source"
    return Placement(
        evidence=evidence, state=State.ORPHANED, method="source gone", revision=at, at=now,
        note=f"The {what} is gone; its words and their surroundings are kept here.",
    )  # fmt: skip


def unreadable(evidence: Evidence, why: str, *, at: str, now: datetime) -> Placement:
    return Placement(
        evidence=evidence,
        state=State.COULD_NOT_CHECK,
        method="unreadable",
        revision=at,
        at=now,
        note=why[:400],
    )


def _found(evidence: Evidence, base: Base, document: Document, shift: Shift | None) -> Again:
    """Words that a person accepted have other surroundings now; the line diff alone can carry those along."""
    sought = Sought.of(evidence, exact_only=evidence.uncommitted and ":" in base.revision and not document.uncommitted)
    if base.words != evidence.quote:
        sought = Sought(base.words, "", "", 1, sought.code, sought.exact_only)
        if shift is not None:
            before, after = shift.old[: base.start], shift.old[base.end :]
            sought = Sought(
                base.words, before[-Evidence.CONTEXT :], after[: Evidence.CONTEXT], shift.old.count(base.words),
                sought.code, sought.exact_only,
            )  # fmt: skip
    if shift is None:
        return find_without(sought, document.text)
    return find_again(sought, shift, base.start, base.end)


def _say(placement: Placement, evidence: Evidence, base: Base, document: Document, again: Again) -> None:
    """The state with its span, and a sentence where it needs one."""
    placement.method = again.method[:40]
    placement.similarity = again.similarity
    if again.found is None or again.outcome == Outcome.AMBIGUOUS:
        placement.state = State.AMBIGUOUS if again.outcome == Outcome.AMBIGUOUS else State.ORPHANED
        placement.note = _lost_note(evidence, document, again)
        return
    starts = gate.line_starts(document.text)
    placement.start, placement.end = again.found.start, again.found.end
    placement.start_line = gate.place_of(starts, again.found.start)[0]
    placement.end_line = gate.place_of(starts, max(again.found.end - 1, again.found.start))[0]
    words = document.text[again.found.start : again.found.end]
    placement.words = words[:WORDS_MAX] if words != evidence.quote else ""
    placement.changes = [change.as_json() for change in again.changes]
    if again.outcome == Outcome.TO_CONFIRM:
        placement.state = State.MOVED_TO_CONFIRM
        placement.note = _confirm_note(placement, again.changes)
    elif again.outcome in {Outcome.REWORDED, Outcome.MEANING}:
        placement.state = State.REWORDED if again.outcome == Outcome.REWORDED else State.REWORDED_MEANING
        placement.note = _reworded_note(placement, again.changes)
    elif base.accepted:
        placement.state, placement.method = State.MOVED, f"{CONFIRMED} before, {again.method}"[:40]
        placement.note = "A person accepted the words that stand there for the quoted ones."
    else:
        _say_firm(placement, evidence, document, again)


def _say_firm(placement: Placement, evidence: Evidence, document: Document, again: Again) -> None:
    """The words stand: where they were, elsewhere, or laid out anew."""
    stayed = placement.start_line == evidence.start_line and not placement.place
    placement.state = State.VERIFIED if stayed else State.MOVED
    if placement.words and again.method != "same text":
        placement.state, placement.method = State.VERIFIED, LAYOUT
        line = "" if stayed else f" They begin on line {placement.start_line} now."
        placement.note = f"Only the layout differs: white space, line ends, quotation marks or dashes.{line}"
    elif placement.words:
        placement.state, placement.method = State.VERIFIED, LAYOUT
        placement.note = "Only the layout differs: white space, line ends, quotation marks or dashes."
    elif evidence.uncommitted and not document.uncommitted:
        placement.note = f"Quoted before it was committed; the same words stand in commit {document.revision[:8]}."


def _lost_note(evidence: Evidence, document: Document, again: Again) -> str:
    if again.outcome == Outcome.AMBIGUOUS:
        many = f"{again.times:,} times" if again.times > 1 else "in a place that fits no better than others"
        return f"These words stand {many} in the source now; which of them was quoted cannot be told."
    if evidence.uncommitted and not document.uncommitted:
        return "These words were never committed, and the change that held them was discarded."
    if again.times:
        many = "the same words stand" if again.times == 1 else f"the same words stand {again.times:,} times"
        return f"The quoted words are gone; {many} elsewhere in the source, where they stood before."
    return "These words no longer stand in the source."


def _confirm_note(placement: Placement, changes: list[Change] | tuple[Change, ...] | object) -> str:
    if placement.changes:
        named = told([Change(**change) for change in placement.changes])
        return f"The words stand on line {placement.start_line}, and the line round them changed: {named}."
    return f"The same words stand on line {placement.start_line} now, in another place than the one quoted."


def _reworded_note(placement: Placement, changes: object) -> str:
    named = told([Change(**change) for change in placement.changes])
    where = f"Line {placement.start_line} reads differently now"
    return f"{where}: {named}."[:400] if named else f"{where}; none of the signs that its meaning changed was found."
