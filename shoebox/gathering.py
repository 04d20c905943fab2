"""Gathering: what the workspace holds round one question, in a fixed order, bounded, each thing saying why it is here.

The order is that of the design: refs named in question and task; the task's own records; typed
relations both ways; commits that touch or name the task, and sources that cite it; what the tickets
that the question names follow and what came after them; search for the question, and the commits
that wrote what it found; search against it, for which a fifth of the room is kept; what came of the
tickets that the searches put first.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import Any

from shoebox.around import around_named
from shoebox.fitting import Candidate, Fitted, Room, fit, in_turn
from shoebox.material import Found
from shoebox.models import Item, Shoebox
from shoebox.seeking import RULES, Search, marked_memory, older_on_same_paths
from shoebox.since import Since
from shoebox.subject import LARGE, Subject
from shoebox.trails import (
    citing,
    commits,
    item_of,
    named,
    outcome_of,
    own_records,
    related_to,
    relations,
    tied_to_named,
    ties_of_named,
)
from shoebox.writers import writers_of
from yoimemory.access.models import Actor
from yoimemory.search.coverage import coverage
from yoimemory.search.models import Document
from yoimemory.search.services import index_status

LEFT_SHOWN = 50
OUTCOMES_MAX = 8
MARK = 8
"""Signs by which a gathering remembers each document that it left out."""


@dataclass(slots=True)
class Gathering:
    """What came of one gathering: material with a place, items whose source moved on, and what was looked for."""

    found: list[Found] = field(default_factory=list)
    changed: dict[int, str] = field(default_factory=dict)
    sought: dict[str, Any] = field(default_factory=dict)


def gather(
    shoebox: Shoebox, *, actor: Actor | None, now: datetime, queries: Sequence[str] = (), further: Sequence[str] = ()
) -> Gathering:
    """Look for what is not in the shoebox yet. Writes nothing.

    What the `further` queries find comes first and may use all of the room: somebody has just asked for it.
    """
    subject = Subject(
        workspace=shoebox.workspace,
        question=shoebox.question,
        task=shoebox.task_ref,
        as_of=shoebox.as_of,
        kinds=tuple(shoebox.asked.get("kinds", ())),
        queries=tuple(dict.fromkeys(query.strip() for query in (*queries, *further) if query.strip())),
    )
    held = list(shoebox.items.all())
    search = Search(subject, actor, now)
    since = Since.of(subject, held)
    fresh = _sized(subject, _fresh(_pool(subject, search), held, since))
    fitted = _fitted(subject, fresh, shoebox, held, search.places_of(further))
    for candidate in fitted.chosen:
        for place in candidate.queries:
            search.queries[place].kept += 1
    chosen = _with_digests(subject, subject.dated([candidate.found for candidate in fitted.chosen]))
    return Gathering(chosen, _changed(subject, held, since), _sought(subject, search, fitted, held))


def _fitted(
    subject: Subject, candidates: Sequence[Candidate], shoebox: Shoebox, held: Sequence[Item], asked: set[int]
) -> Fitted:
    """What gets a place: first what was just asked for and what is new, up to the brim, then the rest as usual."""
    items, characters, own = shoebox.budget_items, shoebox.budget_characters, str(subject.task or "")
    new = _new_since(subject, candidates, shoebox)
    first: list[Candidate] = []
    rest: list[Candidate] = []
    for each in candidates:
        step = "asked" if asked & set(each.queries) else "new" if each.found.document in new else ""
        (first if step else rest).append(replace(each, step=step or each.step))
    brim = Room.of(items=items, characters=characters, held=held, to_the_brim=True)
    fitted = fit(first, brim, items=items, own=own, held=held)
    room = Room.of(items=items, characters=characters, held=held)
    room.less(fitted.chosen)
    then = fit(rest, room, items=items, own=own, held=held)
    return Fitted([*fitted.chosen, *then.chosen], [*fitted.left, *then.left], fitted.crowded + then.crowded)


def _new_since(subject: Subject, candidates: Sequence[Candidate], shoebox: Shoebox) -> set[str]:
    """The documents that the index read since it was gathered last, and that were not left out then; none at first.

    What was left out is known by its marks: an index that was read anew from nothing makes no news of it.
    """
    upto, marks = shoebox.sought.get("upto_document"), shoebox.sought.get("left_out_marks", "")
    if upto is None:
        return set()
    known = {marks[at : at + MARK] for at in range(0, len(marks), MARK)}
    refs = {each.found.document for each in candidates if _mark_of(each.found) not in known}
    rows = Document.objects.filter(workspace=subject.workspace.public_id, ref__in=refs, pk__gt=upto)
    return set(rows.values_list("ref", flat=True))


def _mark_of(found: Found) -> str:
    """A few signs that stand for a document, whatever part and revision of it was found."""
    return hashlib.blake2b(found.document.encode("utf-8", "surrogatepass"), digest_size=MARK // 2).hexdigest()


def _pool(subject: Subject, search: Search) -> dict[str, Candidate]:
    """Everything found, each document once: under its first reason, leaning as its most contrary one."""
    pool: dict[str, Candidate] = {}
    for step in (named, own_records, relations, tied_to_named, commits, citing):
        _add(pool, step(subject), subject)
    _add(pool, around_named(subject, search), subject)
    known = list({str(candidate.found.ref.source) for candidate in pool.values()})
    tied = {each.kind for each in chain(related_to(subject), *ties_of_named(subject).values())}
    rules = [kind for kind in RULES if kind in tied]
    searched = list(search.seek("any", rules=rules, exclude=known))
    countered = list(search.seek("disconfirming"))
    _add(pool, searched, subject)
    _add(pool, writers_of(subject, [*searched, *countered]), subject)
    _add(pool, countered, subject)
    _add(pool, in_turn([*_outcomes(subject, searched), *_outcomes(subject, countered)], key=_source), subject)
    _add(pool, older_on_same_paths(subject), subject)
    _add(pool, marked_memory(subject), subject)
    return pool


def _source(candidate: Candidate) -> str:
    return str(candidate.found.ref.source)


def _outcomes(subject: Subject, searched: Sequence[Candidate]) -> Iterator[Candidate]:
    """What came of the tickets that the search put first."""
    tickets = list(dict.fromkeys(each.found.ref.source for each in searched if each.found.ref.kind == "ticket"))
    subject.documents_of_all(tickets[:OUTCOMES_MAX])
    for ticket in tickets[:OUTCOMES_MAX]:
        ends = list(outcome_of(subject, ticket, step="outcomes"))
        yield from ends[:1]
        yield from item_of(subject, ticket, step="outcomes")
        yield from ends[1:]


def _add(pool: dict[str, Candidate], candidates: Iterable[Candidate], subject: Subject) -> None:
    for candidate in candidates:
        found = candidate.found
        if subject.kinds and found.ref.kind not in subject.kinds:
            continue
        known = pool.get(found.document)
        if known is None:
            pool[found.document] = candidate
            continue
        queries = tuple(dict.fromkeys((*known.queries, *candidate.queries)))
        # The search for the question stops at the passage that fits best; what speaks against it may be another one.
        first = candidate if known.step == "searched" and candidate.contradicts and not known.contradicts else known
        # Found by its words, and the end of a ticket that stands among the first: that is why it gets its place.
        ended = first.step == "searched" and candidate.step == "outcomes" and "/" in candidate.found.ref.locator
        step = candidate.step if ended else first.step
        pool[found.document] = replace(first, queries=queries, step=step)


def _fresh(pool: dict[str, Candidate], held: Sequence[Item], since: Since) -> list[Candidate]:
    """What is not held yet. A document of which any part is held, kept or set aside, is not brought in again.

    Under another name it is the same document: who set it aside has set it aside.
    """
    known = {item.document for item in held} | set(since.moved.values())
    return [candidate for document, candidate in pool.items() if document not in known]


def _sized(subject: Subject, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Large documents by the passage that bears most on the question, so that one cannot fill the budget."""
    own = str(subject.task or "")  # the task itself is what all else is read against
    whole = [c.found for c in candidates if not c.found.ref.fragment and c.found.characters > LARGE]
    whole = [found for found in whole if found.document != own]
    refs = [found.document for found in whole]
    documents = Document.objects.filter(workspace=subject.workspace.public_id, ref__in=refs)
    best = {document.ref: (document, subject.best_passages([document])) for document in documents}
    sized = []
    for candidate in candidates:
        document, passages = best.get(candidate.found.document, (None, {}))
        passage = passages.get(document.pk) if document else None
        if passage is not None and passage.fragment:
            part = replace(
                candidate.found, ref=candidate.found.ref.part(passage.fragment), characters=len(passage.text)
            )
            candidate = replace(candidate, found=part)
        sized.append(candidate)
    return sized


def _with_digests(subject: Subject, found: Sequence[Found]) -> list[Found]:
    """The digest of each whole text, by which a later gathering sees that a source has changed."""
    refs = [one.document for one in found if not one.digest]
    digests = _digests(subject, refs)
    return [one if one.digest else replace(one, digest=digests.get(one.document, "")) for one in found]


def _changed(subject: Subject, held: Sequence[Item], since: Since) -> dict[int, str]:
    """For each held item whose source moved on, or came back to what it was: the sentence that says so now."""
    told = {item.pk: since.told_of(subject, item) for item in held}
    return {item.pk: told[item.pk] for item in held if told[item.pk] != item.changed}


def _digests(subject: Subject, refs: Iterable[str]) -> dict[str, str]:
    rows = Document.objects.filter(workspace=subject.workspace.public_id, ref__in=set(refs))
    return dict(rows.values_list("ref", "digest"))


def _sought(subject: Subject, search: Search, fitted: Fitted, held: Sequence[Item]) -> dict[str, Any]:
    """What was looked for and how far, so that "nothing was found" says what it covers."""
    against = [query for query in search.queries if query.stance == "disconfirming"]
    return {
        "at": search.now.isoformat(),
        "by": str(search.actor or ""),
        "as_of": subject.as_of.isoformat() if subject.as_of else "",
        **coverage(subject.workspace, index_status(subject.workspace), kinds=subject.kinds),
        "queries": [query.as_json() for query in search.queries],
        "disconfirming": [query.text for query in against],
        "steps": _steps(fitted),
        "against": {
            "queries": len(against),
            "passages": sum(query.read for query in against),
            "kept": sum(candidate.contradicts for candidate in fitted.chosen)
            + sum(item.leaning == Item.Leaning.CONTRADICTS and not item.is_set_aside for item in held),
        },
        "left_out": len(fitted.left),
        "left_out_crowded": fitted.crowded,
        "left_out_new": sum(candidate.step == "new" for candidate in fitted.left),
        "left_out_marks": "".join(_mark_of(candidate.found) for candidate in fitted.left),
        "upto_document": search.upto,
        "left_out_refs": [
            {"ref": str(candidate.found.ref), "rationale": candidate.found.rationale}
            for candidate in fitted.left[:LEFT_SHOWN]
        ],
    }


def _steps(fitted: Fitted) -> dict[str, dict[str, int]]:
    """How much each step found, and how much of that got a place."""
    steps: dict[str, dict[str, int]] = {}
    for candidates, name in ((fitted.chosen, "kept"), (fitted.left, "left_out")):
        for candidate in candidates:
            steps.setdefault(candidate.step, {"kept": 0, "left_out": 0})[name] += 1
    return steps
