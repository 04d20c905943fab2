"""Round the tickets that a question names: what they say they follow, and what was done about the same thing later.

A question of what holds today often names the one record that somebody remembers. What led to it
stands in its own words, sometimes by a name that tickets had before they had ids; what replaced it
seldom names it, but speaks of the same things.
"""

import re
from collections.abc import Iterator

from shoebox.fitting import Candidate, in_turn, over_time
from shoebox.models import Item
from shoebox.seeking import Query, Search
from shoebox.subject import Subject
from shoebox.trails import named_tickets, outcome_of, refs_in
from yoimemory.refs import SourceRef
from yoimemory.search.models import Document, Passage
from yoimemory.search.schemas import SearchQuery
from yoimemory.search.services import search_sources

EARLIER_MAX, NAMES_MAX, DEPTH = 6, 4, 2
LATER_MAX = 6
LATER_READ = 15
_FORMER_NAME = re.compile(r"(?<![\w-])(?:\d{8}-\d{6}-)?([a-z][a-z0-9]*(?:-[a-z0-9]+){1,7})(?![\w-])")


def around_named(subject: Subject, search: Search) -> Iterator[Candidate]:
    """What the tickets named in question and queries follow, and what came after them; one of each in turn."""
    found: list[Candidate] = []
    for ticket in named_tickets(subject):
        found += [*_earlier(subject, search, ticket, DEPTH, {str(ticket)}), *_later(subject, search, ticket)]
    yield from in_turn(found, key=lambda candidate: "later" if candidate.queries else "earlier")


def _earlier(subject: Subject, search: Search, ticket: SourceRef, depth: int, seen: set[str]) -> Iterator[Candidate]:
    """The tickets that a ticket's own text names, by id or by a name they had before; then what those name."""
    text = _text_of(subject, ticket)
    rows: dict[SourceRef, str] = {}
    for ref in refs_in(subject, text):
        if ref.kind == "ticket":
            rows.setdefault(ref.source, "")
    for name, source in _former_names(subject, search, text).items():
        rows.setdefault(source, name)
    for source, name in list(rows.items())[:EARLIER_MAX]:
        if str(source) in seen or source == subject.task:
            continue
        seen.add(str(source))
        said = f" as {name}" if name else ""
        yield from _item(subject, source, f"Followed by {ticket.locator}, which names it{said}")
        yield from outcome_of(subject, source, step="around")
        if depth > 1:
            yield from _earlier(subject, search, source, depth - 1, seen)


def _former_names(subject: Subject, search: Search, text: str) -> dict[str, SourceRef]:
    """The tickets that declare themselves to have had one of the names in a text, where exactly one does."""
    names = list(dict.fromkeys(_FORMER_NAME.findall(text)))[: NAMES_MAX * 10]
    found: dict[str, SourceRef] = {}
    for name in names:
        if len(found) >= NAMES_MAX:
            break
        sources = _declaring(subject, search, name)
        if len(sources) == 1:
            found[name] = SourceRef.parse(sources.pop())
    return found


def _declaring(subject: Subject, search: Search, name: str) -> set[str]:
    query = SearchQuery(query=f'"slug: {name}"', kinds=["ticket"], limit=5)
    answer = search_sources(query, workspace=subject.workspace, now=search.now, by_hand=False)
    lines = re.compile(rf"^slug:\s*['\"]?(?:\d{{8}}-\d{{6}}-)?{re.escape(name)}['\"]?\s*$", re.MULTILINE)
    return {hit.source for hit in answer.items if lines.search(hit.snippet)}


def _later(subject: Subject, search: Search, ticket: SourceRef) -> Iterator[Candidate]:
    """The later tickets that are most like a named one: where it was replaced, they say so or show it."""
    item = next((each for each in subject.documents_of(ticket) if each.ref == str(ticket)), None)
    if item is None or item.at is None:
        return
    query = Query(f"later work on what {ticket} is about", "any", ("ticket",))
    search.queries.append(query)
    place = len(search.queries) - 1
    answer = search_sources(
        SearchQuery(
            text=f"{item.title}\n\n{subject.question}\n{_text_of(subject, ticket)}",
            kinds=["ticket"],
            since=item.at,
            as_of=subject.as_of,
            exclude=[str(ticket), *([str(subject.task)] if subject.task else [])],
            limit=LATER_READ,
        ),
        workspace=subject.workspace,
        actor=search.actor,
        now=search.now,
        by_hand=False,
    )
    query.matched, query.read = answer.total, len(answer.items)
    hits = sorted(answer.items, key=lambda hit: str(hit.date or ""))
    for source in over_time([SourceRef.parse(hit.source) for hit in hits], LATER_MAX)[::-1]:
        for candidate in _item(subject, source, f"Later than {ticket.locator} and much like it"):
            yield Candidate(candidate.found, candidate.step, (place,))


def _item(subject: Subject, source: SourceRef, why: str) -> Iterator[Candidate]:
    document = next((each for each in subject.documents_of(source) if each.ref == str(source)), None)
    if document is not None:
        found = subject.found(document, rationale=f"{why}: {document.title}", came=Item.Came.LINKED)
        yield Candidate(found, "around")


def _text_of(subject: Subject, ticket: SourceRef) -> str:
    documents: list[Document] = [each for each in subject.documents_of(ticket) if each.ref == str(ticket)]
    rows = Passage.objects.filter(document__in=documents).order_by("ordinal").values_list("text", flat=True)
    return "\n".join(rows)[:20_000]
