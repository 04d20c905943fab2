"""Searching for the question, and against it: the same subject with the signs of the contrary."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from shoebox.fitting import Candidate, in_turn
from shoebox.material import Found, changed_later, later_than
from shoebox.models import Item
from shoebox.subject import Subject
from shoebox.threads import CONTRARY
from yoimemory.access.models import Actor
from yoimemory.markers.models import Marker
from yoimemory.refs import SourceRef
from yoimemory.search.contrary import WORDS
from yoimemory.search.lookup import find_documents, last_document, links_to
from yoimemory.search.models import Passage
from yoimemory.search.schemas import Hit, SearchQuery
from yoimemory.search.services import search_sources
from yoimemory.search.snippets import find_spans

FOR_MAX, AGAINST_MAX = 15, 20
PATHS_MAX = 8
CONTRARY_STATES = (Marker.State.STALE, Marker.State.SUPERSEDED, Marker.State.CONTRADICTED)


SHELVES: tuple[tuple[str, ...], ...] = (
    ("ticket", "objective", "session", "message", "record"),
    ("doc", "skill", "memory"),
    ("commit", "diff", "code", "branch", "worktree"),
)
"""Kinds that are searched apart, so that many tickets cannot push the one doc with the rule off the list."""

RULES = {
    "depends_on": "depends_on dependency unresolved blocks",
    "blocks": "blocks blocked unresolved dependency",
    "supersedes": "supersedes superseded replaced",
    "replaced_by": "replaced_by superseded replaced",
    "duplicate_of": "duplicate_of duplicate",
}
"""For each deciding relation of the task: the words in which docs and procedures say what it means."""

SHORT = 4
ALWAYS, NEAR_BEST = 5, 0.4
"""The first hits of a query are always looked at; of the others those that score at least this part of the best."""


@dataclass(slots=True)
class Query:
    """One thing that was looked for: its words, for or against, how much was read, and how much got a place."""

    text: str
    stance: str
    kinds: tuple[str, ...] = ()
    whole_task: bool = False
    matched: int = 0
    read: int = 0
    kept: int = 0

    def as_json(self) -> dict[str, Any]:
        told = {"text": self.text, "stance": self.stance, "kinds": list(self.kinds)}
        return {**told, "matched": self.matched, "read": self.read, "kept": self.kept}


@dataclass
class Search:
    """The queries of one gathering, asked one after another."""

    subject: Subject
    actor: Actor | None
    now: datetime
    queries: list[Query] = field(default_factory=list)
    upto: int = field(default_factory=last_document)
    """The last document that the index held when this began."""

    def seek(self, stance: str, *, rules: Sequence[str] = (), exclude: Sequence[str] = ()) -> Iterator[Candidate]:
        """Ask for the question and each further query, shelf by shelf, then for the task's whole text.

        What the queries find is taken in turn, one of each, so that no query and no kind crowds out the rest.
        """
        wanted = self.subject.kinds
        shelves = [tuple(kind for kind in shelf if not wanted or kind in wanted) for shelf in SHELVES]
        asked = [Query(RULES[kind], stance, shelves[1]) for kind in rules]
        for text in dict.fromkeys([self.subject.question, *self.subject.queries]):
            asked += [Query(text, stance, shelf) for shelf in shelves if shelf]
        if self.subject.text:
            asked.append(Query(f"the text of {self.subject.task}", stance, wanted, whole_task=True))
        first = len(self.queries)
        self.queries += asked
        found = [
            self._candidate(hit, query, place)
            for place, query in enumerate(asked, start=first)
            for hit in self._ask(query, exclude)
        ]
        yield from in_turn(found, key=lambda candidate: str(candidate.queries))

    def places_of(self, texts: Sequence[str]) -> set[int]:
        """Where the queries with these words stand among those that were asked."""
        wanted = {text.strip() for text in texts}
        return {place for place, query in enumerate(self.queries) if query.text in wanted}

    def _ask(self, query: Query, exclude: Sequence[str]) -> list[Hit]:
        words = (
            {"text": f"{self.subject.question}\n\n{self.subject.text}"} if query.whole_task else {"query": query.text}
        )
        against = query.stance == "disconfirming"
        answer = search_sources(
            SearchQuery(
                **words,
                kinds=list(query.kinds),
                stance="disconfirming" if against else "any",
                as_of=self.subject.as_of,
                exclude=list(exclude)[:500],
                limit=AGAINST_MAX if against else FOR_MAX,
            ),
            workspace=self.subject.workspace,
            actor=self.actor,
            now=self.now,
            by_hand=False,
        )
        query.matched, query.read = answer.total, len(answer.items)
        least = NEAR_BEST * max((hit.score for hit in answer.items), default=0.0)
        return [
            hit
            for place, hit in enumerate(answer.items)
            if (place < ALWAYS or hit.score >= least) and _bears_on(hit, query)
        ]

    def _candidate(self, hit: Hit, query: Query, place: int) -> Candidate:
        against = query.stance == "disconfirming"
        step = "counter" if against else "searched"
        return Candidate(_found(hit, self.subject, against=against), step, (place,))


def older_on_same_paths(subject: Subject) -> Iterator[Candidate]:
    """Earlier records that name or touched the paths which the task names: what was decided there before."""
    paths = [link for link in subject.links_out if SourceRef.parse(link.target).kind in {"doc", "code"}]
    targets = list(dict.fromkeys(SourceRef.parse(link.target).source for link in paths))[:PATHS_MAX]
    for target in targets:
        for link in links_to(subject.workspace, target):
            document = link.document
            if document.kind not in {"ticket", "memory", "objective"} or document.source == str(subject.task):
                continue
            passage = Passage.objects.filter(document=document, fragment=link.where).first() if link.where else None
            signals = frozenset(passage.signals.split()) & CONTRARY if passage else frozenset()
            if not signals and document.kind != "memory":
                continue
            found = subject.found(
                document,
                rationale=f"Older record on {target.locator}: {_signs(signals) or document.title}",
                came=Item.Came.COUNTER_SEARCHED,
                leaning=Item.Leaning.CONTRADICTS if signals else Item.Leaning.UNCLEAR,
                passage=passage,
            )
            yield Candidate(found, "counter")


def marked_memory(subject: Subject) -> Iterator[Candidate]:
    """Memory records that carry a marker and that the question may touch: they are old news that is still told."""
    markers = Marker.objects.open().filter(workspace=subject.workspace, target__startswith="memory:")
    by_source: dict[str, Marker] = {str(marker.ref.source): marker for marker in markers.order_by("-pk")}
    documents = find_documents(subject.workspace, by_source)
    passages = Passage.objects.filter(document__in=documents).select_related("document").order_by("document", "ordinal")
    seen: set[int] = set()
    for passage in passages:
        document = passage.document
        if document.pk in seen or not subject.shares_words(f"{document.title} {passage.text}"):
            continue
        seen.add(document.pk)
        marker = by_source[document.source]
        found = subject.found(
            document,
            rationale=f"Memory with a marker: {marker.state}, {marker.reason}",
            came=Item.Came.COUNTER_SEARCHED,
            leaning=Item.Leaning.CONTRADICTS if marker.state in CONTRARY_STATES else Item.Leaning.UNCLEAR,
            caveat=marker.caveat,
        )
        yield Candidate(found, "counter")


def _bears_on(hit: Hit, query: Query) -> bool:
    """Whether a hit says more than one word of a long question; one word alone is no reason to bring a source in."""
    words = {hit.snippet[begin:end].lower() for begin, end in hit.marks}
    refuses = query.stance == "disconfirming" and CONTRARY & set(hit.signals)
    return len(words) > (0 if refuses or len(query.text.split()) <= SHORT else 1)


def _found(hit: Hit, subject: Subject, *, against: bool) -> Found:
    ref = SourceRef.parse(hit.ref)
    signals = frozenset(hit.signals) & CONTRARY
    refusals = list(dict.fromkeys(word for _, _, word in find_spans(hit.snippet, WORDS))) if against else []
    is_dated = ref.kind == "commit" or ref.event or ref.entries
    later = (later_than if is_dated else changed_later)(hit.date, subject.as_of)
    found = Found(
        ref=ref,
        title=hit.title,
        authority=hit.authority,
        at=hit.date,
        characters=len(hit.snippet),
        digest="",
        rationale=_rationale(hit, signals, refusals, against=against),
        came=Item.Came.COUNTER_SEARCHED if against else Item.Came.SEARCHED,
        leaning=Item.Leaning.CONTRADICTS if signals or (against and refusals) else Item.Leaning.UNCLEAR,
    )
    # Lateness is told in our own words; what a signal says stands in the rationale.
    kept = [each for each in hit.caveats if not each.startswith(("Later than", "Mind that", "Undated"))]
    return found.limited_by(*kept, later)


def _rationale(hit: Hit, signals: Iterable[str], refusals: Sequence[str], *, against: bool) -> str:
    matched = [hit.snippet[begin:end].strip() for begin, end in hit.marks]
    words = list({word.lower(): word for word in reversed(matched)}.values())[::-1]
    named = _quoted([word for word in words if word.lower() not in refusals])
    under = f" under “{hit.heading[:80]}”" if hit.heading else ""
    signs = _signs(signals) or (f"says {_quoted(refusals)}" if refusals else "")
    said = (f"{'beside' if signs else 'names'} {named}" if named else "fits as a whole") + under
    told = f"{signs} {said}" if signs and named else "; ".join(part for part in (signs, said) if part)
    return f"Sought against the question: {told}" if against else told[:1].upper() + told[1:]


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in words[:5])


def _signs(signals: Iterable[str]) -> str:
    return ", ".join(sorted(signal.replace("_", " ") for signal in signals))
