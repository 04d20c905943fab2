"""Asking the engine: what matches, in which order, brought into line with stance and as-of."""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from yoimemory.refs import SourceRef
from yoimemory.search import contrary
from yoimemory.search.backends import engine
from yoimemory.search.backends.sqlite import TookTooLong
from yoimemory.search.matching import Match, match_text
from yoimemory.search.models import Document, Passage
from yoimemory.search.narrowing import Narrowing
from yoimemory.search.query import Typed
from yoimemory.search.ranking import Ranked, combine
from yoimemory.search.schemas import SearchQuery
from yoimemory.search.snippets import find_spans

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace

PARTS = 300
WHOLES = 200
"""How many of the best passages and sources are ranked together; what comes after follows in their own order."""
SIGNALLED = 100
LATER = 0.5
"""What remains of the score of a source of which only later passages match, when it was asked as of an instant."""


@dataclass(slots=True)
class Found:
    """What the engine found, before anything is loaded."""

    ranked: list[Ranked] = field(default_factory=list)
    passages: dict[int, int] = field(default_factory=dict)
    filtered: int = 0
    facets: dict[str, Counter[str]] = field(default_factory=dict)
    all_words: int | None = None
    notes: list[str] = field(default_factory=list)


def find(match: Match, typed: Typed, query: SearchQuery, narrowing: Narrowing) -> Found:
    """Ask the engine within its time limit; what it has not counted by then is said."""
    found = Found()
    store = engine()
    try:
        with store.bounded():
            if match.expression:
                _find_words(match, query, narrowing, found)
            if match.literals or (not found.ranked and not match.expression):
                _find_literals(match, typed, narrowing, found)
            elif not found.ranked and len(typed.words) == 1 and not query.text:
                _find_near(match, typed, query, narrowing, found)
    except TookTooLong:
        found.notes.append("The search was stopped after two seconds; narrow it by kind or path, or use rarer words.")
    return found


def _find_words(match: Match, query: SearchQuery, narrowing: Narrowing, found: Found) -> None:
    store = engine()
    if match.literals:
        narrowing = replace(narrowing, literals=tuple(match.literals))
    parts = store.find_parts(match.expression, narrowing, limit=PARTS)
    wholes = store.find_wholes(match.expression, narrowing, limit=WHOLES)
    if query.stance == "disconfirming":
        parts = _merge(
            parts,
            store.find_parts(match.expression, replace(narrowing, signals=True), limit=SIGNALLED),
            store.find_parts(f"({match.expression}) AND {contrary.expression()}", narrowing, limit=SIGNALLED),
        )
    ranked = combine(parts, wholes)
    if match.is_text and not narrowing.needs_passages:
        # Of a long text it is enough to know the sources: nobody reads how many thousand passages share a word.
        counted = store.count_wholes_matching(match.expression, narrowing)
    else:
        counted = store.count_parts(match.expression, narrowing)
    found.passages = {row[0]: row[2] for row in counted if row[2]}
    found.filtered = sum(1 for row in counted if not row[2])
    for name, column in (("kind", 3), ("authority", 4), ("language", 5), ("state", 6)):
        found.facets[name] = Counter(row[column] for row in counted if len(row) > column and row[column])
    if match.strict and len(match.terms) > 1:
        found.all_words = sum(1 for row in store.count_parts(match.strict, narrowing) if row[2])
    # A source counts only where one of its passages does: a filter on passages must hold for what is shown.
    kept = [each for each in ranked.values() if each.whole in found.passages]
    found.ranked = sorted(kept, key=lambda each: (-each.score, each.whole))
    _settle(found, query, match)


def _settle(found: Found, query: SearchQuery, match: Match) -> None:
    """Bring stance and as-of into the order."""
    if query.stance == "any" and not query.as_of:
        return
    pks = [pk for each in found.ranked for pk, _, _ in each.passages]
    facts = {
        pk: (at or document_at, signals)
        for start in range(0, len(pks), 900)
        for pk, at, document_at, signals in Passage.objects.filter(pk__in=pks[start : start + 900]).values_list(
            "pk", "at", "document__at", "signals"
        )
    }
    refusing = _refusing(match, pks) if query.stance == "disconfirming" else set()

    def rank(pk: int) -> tuple[int, bool]:
        at, signals = facts.get(pk, (None, ""))
        later = bool(query.as_of and at and at > query.as_of)
        if query.stance == "disconfirming":
            return (0 if signals else 1 if pk in refusing else 2), later
        return (1 if signals and query.stance == "supporting" else 0), later

    tiers: dict[int, int] = {}
    for each in found.ranked:
        each.passages.sort(key=lambda row: (*rank(row[0]), -row[2]))
        tier, later = rank(each.passages[0][0]) if each.passages else (2 if query.stance != "any" else 0, False)
        tiers[each.whole] = tier
        if later:
            each.score *= LATER
        if query.stance == "disconfirming" and each.passages and tier < 2:
            signals = facts.get(each.passages[0][0], (None, ""))[1]
            each.why += (
                [f"Ranked first because {reason}." for reason in contrary.reasons(signals)]
                if signals
                else ["It holds words of refusal or doubt beside what was asked."]
            )
    found.ranked.sort(key=lambda each: (tiers[each.whole], -each.score, each.whole))
    if query.stance == "disconfirming":
        found.notes.append(
            "Sought what speaks against it: reviews that ask for changes, rejections, reverts, reopened and superseded "
            "records, failures, and words of refusal in English and Japanese."
        )


def _refusing(match: Match, pks: list[int]) -> set[int]:
    refusing = set()
    for start in range(0, len(pks), 900):
        for pk, text in Passage.objects.filter(pk__in=pks[start : start + 900]).values_list("pk", "text"):
            if find_spans(text[:20_000], contrary.WORDS):
                refusing.add(pk)
    return refusing


def _find_literals(match: Match, typed: Typed, narrowing: Narrowing, found: Found) -> None:
    """What the words cannot answer (signs, hiragana, one character): a bounded scan for the text as it stands."""
    if not match.literals and not (typed.is_empty or match.expression):
        rows = engine().find_literal([], narrowing, limit=PARTS)  # only fields were typed: list what they leave
    elif match.literals and not found.ranked:
        rows = engine().find_literal(match.literals, narrowing, limit=PARTS)
    else:
        return
    ranked = combine(rows, [])
    for each in ranked.values():
        found.passages[each.whole] = found.passages.get(each.whole, 0) + len(each.passages)
    order = list(dict.fromkeys(row[2] for row in rows))
    found.ranked = [ranked[whole] for whole in order]


def _find_near(match: Match, typed: Typed, query: SearchQuery, narrowing: Narrowing, found: Found) -> None:
    """One word that stands nowhere: its text inside longer words, then its parts, and say so."""
    literal = engine().find_literal(typed.words, narrowing, limit=PARTS)
    if literal:
        _find_literals(Match(literals=typed.words), typed, narrowing, found)
        return
    loose = match_text(typed.words[0])
    if loose.expression:
        counted_before = found.filtered
        _find_words(replace(loose, strict=""), query, narrowing, found)
        if found.ranked:
            found.notes.append(f"Nothing holds “{typed.words[0]}” as it stands; these hold parts of it.")
        found.filtered = max(found.filtered, counted_before)
    match.marks = match.marks + loose.marks


def _merge(*lists: list[tuple[int, int, int, float]]) -> list[tuple[int, int, int, float]]:
    merged: dict[int, tuple[int, int, int, float]] = {}
    for rows in lists:
        for row in rows:
            if row[0] not in merged or merged[row[0]][3] < row[3]:
                merged[row[0]] = row
    return sorted(merged.values(), key=lambda row: (-row[3], row[0]))


def put_first(found: Found, direct: SourceRef, workspace: "Workspace", narrowing: Narrowing) -> None:
    """What the query names by its address comes first, if the filters leave it."""
    document = Document.objects.filter(workspace=workspace.public_id, ref=str(direct.bare)).first()
    if document is None or (narrowing.kinds and document.kind not in narrowing.kinds):
        return
    if str(direct.source) in narrowing.exclude:
        return
    passages = Passage.objects.filter(document=document).order_by("pk")
    lines = direct.lines
    passage = (
        (passages.filter(start_line__lte=lines[0], end_line__gte=lines[0]).first() if lines else None)
        or (passages.filter(fragment=direct.fragment).first() if direct.fragment else None)
        or passages.first()
    )
    if passage is None:
        return
    best = found.ranked[0].score if found.ranked else 0.0
    rest = [each for each in found.ranked if each.whole != document.whole]
    first = Ranked(document.whole, best + 1.0, [(passage.pk, document.pk, 1.0)], ["The query names it."])
    found.ranked = [first, *rest]
    found.passages.setdefault(document.whole, 1)
