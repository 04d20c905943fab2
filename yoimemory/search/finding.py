"""Asking the engine: what matches, in which order, brought into line with stance and as-of."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from yoimemory.refs import SourceRef
from yoimemory.search import contrary
from yoimemory.search.backends import engine, links
from yoimemory.search.backends.sqlite import TookTooLong, Whole
from yoimemory.search.counting import count
from yoimemory.search.matching import Match, match_text
from yoimemory.search.models import Document, Passage
from yoimemory.search.narrowing import Narrowing
from yoimemory.search.query import Typed
from yoimemory.search.ranking import Ranked, combine, rank_apart
from yoimemory.search.schemas import SearchQuery
from yoimemory.search.settling import settle
from yoimemory.search.votes import votes_for
from yoimemory.sources.beside import STATE as UNMERGED
from yoimemory.sources.gone import STATE as GONE
from yoimemory.sources.links import Linker, points

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace

PARTS = 300
WHOLES = 200
"""How many of the best passages and sources are ranked together; what comes after follows in their own order."""
SIGNALLED = 100
COMPARED = 400
FEW = 100
"""Where the filters leave fewer sources than this, the common words of a query find too."""
TOGETHER, ALL_WORDS = 1.0, 0.3
"""What a passage with every word adds to a score (of at most 2), and what a source does that holds them apart."""
NAMED = 0.4
"""What the text adds to a source by naming its path or its id among its words."""
VOTE_WORDS = 3
VOTERS_ASKED = 40
WORTH_SAYING = 0.1
_NAMING = Linker((), lambda sha: "")
SOUGHT = (
    "Sought what speaks against it: reviews that ask for changes, rejections, reverts, reopened and superseded "
    "records, failures, and words of refusal in English and Japanese."
)


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
                _find_words(match, typed, query, narrowing, found)
            if match.literals or (not found.ranked and not match.expression):
                _find_literals(match, typed, narrowing, found)
            elif not found.ranked and len(typed.words) == 1 and not (query.text or typed.without or typed.phrases):
                _find_near(match, typed, query, narrowing, found)
    except TookTooLong:
        found.notes.append("The search was stopped after two seconds; narrow it by kind or path, or use rarer words.")
    return found


def _find_words(match: Match, typed: Typed, query: SearchQuery, narrowing: Narrowing, found: Found) -> None:
    store = engine()
    if match.literals:
        narrowing = replace(narrowing, literals=tuple(match.literals))
    whole = match.whole or match
    wholes = store.scan_wholes(whole.expression, narrowing, cjk=match.is_cjk, ordering=whole.ordering)
    if match.ordering and sum(whole.within for whole in wholes) < FEW:
        match.widen()
        wholes = store.scan_wholes(match.expression, narrowing, cjk=match.is_cjk)
    parts = store.find_parts(
        match.expression, _near(wholes, narrowing), limit=PARTS, cjk=match.is_cjk, ordering=match.ordering
    )
    if query.stance == "disconfirming":
        parts = _merge(
            parts,
            store.find_parts(match.expression, replace(narrowing, signals=True), limit=SIGNALLED),
            store.find_parts(f"({match.expression}) AND {contrary.expression()}", narrowing, limit=SIGNALLED),
        )
    found.passages, found.filtered, found.facets = count(match, narrowing, wholes)
    best = [(whole.pk, whole.score) for whole in wholes if whole.pk in found.passages][:WHOLES]
    gone = {whole.pk for whole in wholes if whole.state == UNMERGED or (whole.state == GONE and not query.as_of)}
    found.ranked = rank_apart(parts, best, gone)
    if match.strict and len(match.terms) > 1:
        _lift_whole_matches(match, narrowing, found)
    if match.is_text or len(match.terms) >= VOTE_WORDS:
        there = (whole for whole in wholes if whole.kind == "ticket" and whole.pk not in gone)
        tickets = [(whole.pk, whole.score) for whole in islice(there, VOTERS_ASKED)]
        _lift_by_votes(tickets, match, query, narrowing, found)
    _lift_named(query.text or typed.wanted, match, narrowing, found)
    found.ranked.sort(key=lambda each: (-each.score, each.whole))
    settle(found.ranked, query)
    if match.common and not match.is_text:
        said = ", ".join(f"“{word}”" for word in match.common[:6])
        found.notes.append(f"Found by the rarer words; what stands nearly everywhere only orders it: {said}.")
    if query.stance == "disconfirming":
        found.notes.append(SOUGHT)


def _near(wholes: list[Whole], narrowing: Narrowing) -> Narrowing:
    """Of very many sources only the passages of those that match best as a whole are compared."""
    within = [whole.pk for whole in wholes if whole.within]
    if narrowing.needs_passages or len(within) <= COMPARED or narrowing.wholes:
        return narrowing
    return replace(narrowing, wholes=tuple(within[:COMPARED]))


def _lift_whole_matches(match: Match, narrowing: Narrowing, found: Found) -> None:
    """Put what holds every word before what holds some: first in one passage, then in one source."""
    store = engine()
    rows = store.find_parts(match.strict, narrowing, limit=WHOLES, cjk=match.is_cjk)
    together = {row[2]: row for row in reversed(rows)}
    sources = store.match_wholes(match.strict, narrowing) & set(found.passages)
    found.all_words = len(sources | set(together))
    known = {each.whole: each for each in found.ranked}
    for whole, (pk, document, _, score) in together.items():
        each = known.get(whole)
        if each is None:
            each = known[whole] = Ranked(whole, 0.0)
            found.ranked.append(each)
        rest = [row for row in each.passages if row[0] != pk]
        each.passages = [(pk, document, max(score, rest[0][2] if rest else 0.0)), *rest]
        each.score += TOGETHER
        each.why.append("One passage holds every word.")
    for whole in sources - set(together):
        if whole in known:
            known[whole].score += ALL_WORDS
            known[whole].why.append("The source holds every word.")


def _lift_by_votes(
    tickets: list[tuple[int, float]], match: Match, query: SearchQuery, narrowing: Narrowing, found: Found
) -> None:
    """Add what similar older tickets point at, also where it shares no word with the query."""
    before = _known_by(query, narrowing)
    votes = votes_for(narrowing.workspace, tickets, before=before, exclude=narrowing.exclude)
    known = _with_new(votes, match, narrowing, found)
    for whole, vote in votes.items():
        if whole in known:
            known[whole].score += vote.weight
            if vote.weight >= WORTH_SAYING:
                known[whole].why.append(f"Similar older work, such as {vote.voter}, points at it.")


def _lift_named(text: str, match: Match, narrowing: Narrowing, found: Found) -> None:
    """Lift the files and records that the text itself names, also where it shares no other word with them."""
    named = {target.partition("#")[0] for _, target in _NAMING.targets(text)} if points(text) else set()
    named |= {f"objective:{name.partition(':')[2]}" for name in named if name.startswith("ticket:")}  # one id space
    wholes = {whole for _, whole in links.wholes_of(narrowing.workspace, sorted(named), column="source")}
    known = _with_new(wholes, match, narrowing, found)
    for whole in wholes & set(known):
        known[whole].score += NAMED
        known[whole].why.append("The text names it.")


def _with_new(wholes: Iterable[int], match: Match, narrowing: Narrowing, found: Found) -> dict[int, Ranked]:
    """What was found, by its document, with those of these sources that were not and that the filters leave.

    None is added where words are refused: what was not found may be what holds them.
    """
    known = {each.whole: each for each in found.ranked}
    new = [] if narrowing.needs_passages or match.refuses else [whole for whole in wholes if whole not in known]
    for whole in engine().wholes_within(new, narrowing):
        known[whole] = Ranked(whole, 0.0)
        found.ranked.append(known[whole])
        found.passages.setdefault(whole, 1)
    return known


def _known_by(query: SearchQuery, narrowing: Narrowing) -> datetime | None:
    """The instant from which later work is hindsight: the one asked about, or that of the task left out."""
    if query.as_of or len(narrowing.exclude) != 1:
        return query.as_of
    rows = Document.objects.filter(workspace=narrowing.workspace, ref=narrowing.exclude[0])
    return rows.values_list("at", flat=True).first()


def _find_literals(match: Match, typed: Typed, narrowing: Narrowing, found: Found) -> None:
    """What the words cannot answer (signs, hiragana, one character): a bounded scan for the text as it stands."""
    if not match.literals and not (typed.is_empty or match.expression):
        _list_all(narrowing, found)
        return
    if match.literals and not found.ranked:
        rows = engine().find_literal(match.literals, narrowing, limit=PARTS)
    else:
        return
    ranked = combine(rows, [])
    for each in ranked.values():
        found.passages[each.whole] = found.passages.get(each.whole, 0) + len(each.passages)
    order = list(dict.fromkeys(row[2] for row in rows))
    found.ranked = [ranked[whole] for whole in order]


def _list_all(narrowing: Narrowing, found: Found) -> None:
    """Only fields were typed: list every source that they leave, newest first, several passages of the newest."""
    ranked = combine(engine().find_literal([], narrowing, limit=PARTS), [])
    for whole, passages, first in engine().list_within(narrowing):
        found.passages[whole] = passages
        found.ranked.append(ranked.get(whole) or Ranked(whole, 0.0, [(first, whole, 0.0)]))


def _find_near(match: Match, typed: Typed, query: SearchQuery, narrowing: Narrowing, found: Found) -> None:
    """One word that stands nowhere: its text inside longer words, then its parts, and say so."""
    literal = engine().find_literal(typed.words, narrowing, limit=PARTS)
    if literal:
        _find_literals(Match(literals=typed.words), typed, narrowing, found)
        return
    loose = match_text(typed.words[0])
    if loose.expression:
        counted_before = found.filtered
        _find_words(replace(loose, strict=""), typed, query, narrowing, found)
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
    if document is None:
        return
    passages = Passage.objects.filter(document=document).order_by("pk")
    if narrowing != Narrowing(workspace=narrowing.workspace, upto_document=narrowing.upto_document):
        passages = passages.filter(pk__in=engine().passages_within(document.pk, narrowing))
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
