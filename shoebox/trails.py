"""Following links: what is named, the task's own records, relations both ways, commits, and what cites the task."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from shoebox.fitting import Candidate, over_time
from shoebox.material import moment_of
from shoebox.models import Item
from shoebox.subject import Related, Subject
from shoebox.threads import RESOLVED, Happened, Story
from yoimemory.refs import SOURCE_KINDS, SourceRef
from yoimemory.search.lookup import find_document, links_to, named_by
from yoimemory.search.models import Document, Link, Passage
from yoimemory.sources.links import Linker

TYPED = ("depends_on", "blocks", "supersedes", "replaced_by", "duplicate_of", "parent", "related")
"""Kinds of relations that someone recorded on purpose, those that decide something first."""
DECIDING = TYPED[:5]

NAMED_MAX, RELATED_MAX, TICKETS_MAX = 40, 30, 3
COMMITS_MAX = 6
CITING_MAX = 12
SMALL = 6_000
_TOKEN = re.compile(r"[^\s`'\"()（）「」『』<>、。，,;]+")
_REF = re.compile(rf"(?:{'|'.join(SOURCE_KINDS)}):\S+")


def named(subject: Subject) -> Iterator[Candidate]:
    """Refs that the question, the further queries and the task's own text name."""
    texts = [(subject.question, "Named in the question"), *((query, "Named in a search") for query in subject.queries)]
    for text, why in texts:
        for ref in refs_in(subject, text):
            yield from _whole(subject, ref, why, step="named")
            if ref.kind == "ticket" and ref.source != subject.task:
                yield from outcome_of(subject, ref.source, step="named")
    item = str(subject.task) if subject.task else ""
    mentions = [link for link in subject.links_out if link.kind in {"mentions", "links"} and link.document.ref == item]
    for link in mentions[:NAMED_MAX]:
        place = f" ({link.where})" if link.where else ""
        yield from _whole(subject, SourceRef.parse(link.target), f"Named in the task's text{place}", step="named")


def tied_to_named(subject: Subject) -> Iterator[Candidate]:
    """What deciding relations tie to a ticket that the question names; without a task nothing else is followed."""
    for ticket, tied in ties_of_named(subject).items():
        source = SourceRef.parse(ticket)
        subject.documents_of_all([each.source for each in tied])
        for document in subject.documents_of(source):
            if document.ref.endswith("/artifacts/relations.json"):
                listed = ", ".join(f"{each.kind} {each.source.locator}" for each in tied if each.outward)
                if listed:
                    yield _linked(subject, document, f"Typed relations of {source.locator}: {listed}", "relations")
        for each in tied:
            yield from _tied(subject, each)


def ties_of_named(subject: Subject) -> dict[str, list[Related]]:
    """For each ticket that question and further queries name, the relations that decide something about it."""
    if subject.named_ties is None:
        subject.named_ties = {}
        for ref in named_tickets(subject):
            own = {document.pk: document for document in subject.documents_of(ref)}
            links_out = list(Link.objects.filter(document__in=list(own)).order_by("pk"))
            for link in links_out:
                link.document = own[link.document_id]
            tied = _ties(str(ref), links_out, links_to(subject.workspace, ref), of=ref.locator)
            subject.named_ties[str(ref)] = [each for each in tied if each.kind in DECIDING]
    return subject.named_ties


def named_tickets(subject: Subject) -> list[SourceRef]:
    """The first tickets that question and further queries name, the task apart."""
    named_here = [ref.source for text in (subject.question, *subject.queries) for ref in refs_in(subject, text)]
    return [ref for ref in dict.fromkeys(named_here) if ref.kind == "ticket" and ref != subject.task][:TICKETS_MAX]


def own_records(subject: Subject) -> Iterator[Candidate]:
    """The task's item, thread, resolution and artifacts, each saying what it is."""
    for document in sorted(subject.own, key=_order_of_parts):
        part = SourceRef.parse(document.ref).locator.partition("/")[2]
        if part == "thread":
            yield from _thread(subject, document, "Thread of the task", step="own")
        elif part == "artifacts/relations.json":
            edges = [link for link in subject.links_out if link.kind in TYPED and link.document_id == document.pk]
            leaning = Item.Leaning.CONTRADICTS if _is_held_up(subject) else Item.Leaning.UNCLEAR
            listed = ", ".join(f"{link.kind} {SourceRef.parse(link.target).locator}" for link in edges[:4])
            yield _linked(subject, document, f"Typed relations of the task: {listed or 'none'}", "own", leaning)
        else:
            label = {"": f"The task in question: {document.title}", "resolution": "Resolution of the task"}
            yield _linked(subject, document, label.get(part, f"Artifact of the task: {part}"), "own")


def relations(subject: Subject) -> Iterator[Candidate]:
    """What typed relations tie to the task, both ways, with the state and the last word of each thread."""
    tied = related_to(subject)
    subject.documents_of_all([each.source for each in tied])
    for each in tied:
        yield from _tied(subject, each)


def _tied(subject: Subject, each: Related) -> Iterator[Candidate]:
    documents = sorted(subject.documents_of(each.source), key=_order_of_parts)
    story = next((subject.story_of(document) for document in documents if document.ref.endswith("/thread")), None)
    for document in documents:
        yield from _of_related(subject, each, document, story)


def related_to(subject: Subject) -> list[Related]:
    """The typed relations of the task, each other end once, under its weightiest relation; worked out once."""
    if subject.related is None:
        subject.related = _ties(str(subject.task), subject.links_out, subject.links_in)
    return subject.related


def _ties(own: str, links_out: Iterable[Link], links_in: Iterable[Link], *, of: str = "") -> list[Related]:
    links = [(link, True) for link in links_out] + [(link, False) for link in links_in]
    typed = [(link, outward) for link, outward in links if link.kind in TYPED]
    # An edge that was recorded as such tells more than the same edge read out of a plan.
    typed.sort(
        key=lambda end: (TYPED.index(end[0].kind), not end[1], not end[0].document.ref.endswith("relations.json"))
    )
    found: dict[str, Related] = {}
    for link, outward in typed:
        source = link.target_source if outward else link.document.source
        if source != own and source not in found:
            found[source] = Related(SourceRef.parse(source), link.kind, outward, link.note, of)
    return list(found.values())[:RELATED_MAX]


def commits(subject: Subject) -> Iterator[Candidate]:
    """Commits that touch or name the task, spread over its time, then the last that touched what holds it up."""
    rows = _commits_to(subject.links_in)
    before = [row for row in rows if not _is_later(row[0], subject)]
    later = [row for row in rows if _is_later(row[0], subject)]
    # The last ones before the instant say how things stood, the others how it came there, the next what came of it.
    for document, link in before[-2:]:
        yield _commit(subject, document, link, "the task")
    for each in related_to(subject):
        if each.holds_up:
            touching = _commits_to(links_to(subject.workspace, each.source))
            for document, link in [row for row in touching if not _is_later(row[0], subject)][-1:]:
                yield _commit(subject, document, link, f"{each.waited_for} ({each.source.locator})")
    for document, link in [*over_time(before[:-2], COMMITS_MAX - 2), *later[:1]]:
        yield _commit(subject, document, link, "the task")


def citing(subject: Subject) -> Iterator[Candidate]:
    """Other sources that cite the task, the newest first, one document of each source."""
    rows: dict[str, Link] = {}
    for link in subject.links_in:
        if link.kind in {"mentions", "cites", "links"} and link.document.kind != "commit":
            rows.setdefault(link.document.source, link)
    newest = sorted(rows.values(), key=lambda link: str(link.at or link.document.at or ""), reverse=True)
    places = _passages_at((link.document, link.where) for link in newest[:CITING_MAX])
    for link in newest[:CITING_MAX]:
        passage = places.get((link.document_id, link.where))
        under = f" under “{passage.heading[:80]}”" if passage and passage.heading else ""
        found = subject.found(link.document, rationale=f"Cites the task{under}", came=Item.Came.CITED, passage=passage)
        yield Candidate(found, "citing")


def item_of(subject: Subject, source: SourceRef, *, step: str) -> Iterator[Candidate]:
    """The ticket itself: what was planned, beside what was found in its thread or artifacts."""
    for document in subject.documents_of(source):
        if document.ref == str(source):
            yield _linked(subject, document, f"The ticket itself: {document.title}", step)


def outcome_of(subject: Subject, source: SourceRef, *, step: str) -> Iterator[Candidate]:
    """What came of a ticket: its resolution, and its thread where something was decided in it.

    An item says what was planned. Whoever finds one should see beside it what became of the plan.
    """
    for document in sorted(subject.documents_of(source), key=lambda document: document.ref):  # resolution, thread
        part = SourceRef.parse(document.ref).locator.partition("/")[2]
        if part == "resolution":
            yield _linked(subject, document, f"What came of it: {document.title}", step)
        elif part == "thread" and (decision := subject.story_of(document).last_decision):
            yield from _thread(subject, document, f"How it went: {document.title}", step=step, event=decision)


def refs_in(subject: Subject, text: str) -> list[SourceRef]:
    """Every source of the workspace that a text names: refs, ids, paths and commits."""
    linker = Linker(objectives=(), commit_id=lambda short: short)
    named_here: dict[str, SourceRef] = {}
    tokens = [token.strip(".:") for token in _TOKEN.findall(text)]
    tokens = [token for token in tokens if _REF.fullmatch(token)]
    tokens += [target.partition("#")[0].partition(":")[2] for _, target in linker.targets(text)]
    for token in list(dict.fromkeys(tokens))[:40]:
        ref = named_by(subject.workspace, token)
        if ref is not None:
            named_here.setdefault(str(ref.bare), ref)
    return list(named_here.values())


def _whole(subject: Subject, ref: SourceRef, why: str, *, step: str) -> Iterator[Candidate]:
    """The document that a ref names; a place in it where it names one. Nothing where the workspace holds none."""
    if ref.source == subject.task:
        return
    document = find_document(subject.workspace, ref)
    if document is None:
        return
    passage = _passages_at([(document, ref.fragment)]).get((document.pk, ref.fragment)) if ref.fragment else None
    title = f": {document.title}" if document.title and document.kind in {"ticket", "objective", "commit"} else ""
    found = subject.found(document, rationale=f"{why}{title}", came=Item.Came.LINKED, passage=passage)
    yield Candidate(found, step)


def _of_related(subject: Subject, each: Related, document: Document, story: Story | None) -> Iterator[Candidate]:
    part = SourceRef.parse(document.ref).locator.partition("/")[2]
    state = story.state if story else document.state
    open_end = each.holds_up and state not in RESOLVED
    leaning = Item.Leaning.CONTRADICTS if open_end or (story and story.is_contrary) else Item.Leaning.UNCLEAR
    standing = f", state {state}{subject.instant}" if state else ""
    if part == "thread":
        yield from _thread(subject, document, f"{each.told}{standing}", step="relations", leaning=leaning)
    elif part == "":
        note = f": {each.note}" if each.note else f": {document.title}" if document.title else ""
        yield _linked(subject, document, f"{each.told}{note}", "relations", leaning if open_end else "unclear")
    elif part == "resolution" and each.holds_up:
        early = (
            "" if state in RESOLVED or not subject.as_of else "Later: written when it was resolved, after this as-of."
        )
        yield _linked(subject, document, f"Resolution of {each.waited_for}", "relations", caveat=early)
    elif each.holds_up and document.size <= SMALL:
        name = part.removeprefix("artifacts/")
        yield _linked(subject, document, f"{name} of {each.waited_for}", "relations", leaning)


def _thread(
    subject: Subject,
    document: Document,
    label: str,
    *,
    step: str,
    leaning: str = Item.Leaning.UNCLEAR,
    event: Happened | None = None,
) -> Iterator[Candidate]:
    """A thread, opened at the event that counted as of the instant."""
    story = subject.story_of(document)
    counts, verdict = event or story.counts, story.last_verdict
    told = f"; last {counts.told(subject.as_of)}" if counts else ""
    if verdict and counts and verdict.passage.ordinal < counts.passage.ordinal:
        told += f", before that {verdict.told(subject.as_of)}"
    if story.is_contrary:
        leaning = Item.Leaning.CONTRADICTS
    found = subject.found(
        document,
        rationale=f"{label}{told}",
        came=Item.Came.LINKED,
        leaning=leaning,
        caveat=story.caveat,
        passage=counts.passage if counts else None,
    )
    yield Candidate(found, step)


def _is_held_up(subject: Subject) -> bool:
    """Whether a dependency of the task was still open as of the instant."""
    for each in related_to(subject):
        threads = [document for document in subject.documents_of(each.source) if document.ref.endswith("/thread")]
        if each.holds_up and any(subject.story_of(thread).state not in RESOLVED for thread in threads):
            return True
    return False


def _linked(
    subject: Subject, document: Document, why: str, step: str, leaning: str = "unclear", *, caveat: str = ""
) -> Candidate:
    found = subject.found(document, rationale=why, came=Item.Came.LINKED, leaning=leaning, caveat=caveat)
    return Candidate(found, step)


def _commit(subject: Subject, document: Document, link: Link, what: str) -> Candidate:
    verb = "Touches" if link.kind == "touches" else "Names"
    when = f", {moment_of(document.at, subject.as_of)}" if document.at else ""
    found = subject.found(document, rationale=f"{verb} {what}{when}: {document.title}", came=Item.Came.LINKED)
    return Candidate(found, "commits")


def _commits_to(links: Iterable[Link]) -> list[tuple[Document, Link]]:
    """The commits among these links, each once, oldest first; a merge only brings in what others did."""
    rows: dict[int, tuple[Document, Link]] = {}
    for link in links:
        if link.document.kind == "commit" and not link.document.facts.get("merge"):
            rows.setdefault(link.document_id, (link.document, link))
    return sorted(rows.values(), key=lambda row: str(row[0].at or ""))


def _is_later(document: Document, subject: Subject) -> bool:
    return bool(subject.as_of and document.at and document.at > subject.as_of)


def _passages_at(places: Iterable[tuple[Document, str]]) -> dict[tuple[int, str], Passage]:
    """The passages at these fragments of documents, in one read."""
    wanted: dict[int, set[str]] = defaultdict(set)
    for document, fragment in places:
        if fragment:
            wanted[document.pk].add(fragment)
    rows = Passage.objects.filter(document__in=list(wanted), fragment__in={f for each in wanted.values() for f in each})
    return {(row.document_id, row.fragment): row for row in rows if row.fragment in wanted[row.document_id]}


def _order_of_parts(document: Document) -> tuple[int, str]:
    """The thread first (it says how things stand), then the item, the resolution, artifacts."""
    part = SourceRef.parse(document.ref).locator.partition("/")[2]
    return ({"": 0, "thread": 1, "resolution": 2, "artifacts/relations.json": 3}.get(part, 4), part)
