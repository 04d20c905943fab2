"""Tickets in Yoi's layouts: item, thread, resolution, relations, plan records, other artifacts."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from yoimemory.refs import SourceRef, lines_fragment
from yoimemory.sources.blocks import CHARACTERS_MAX, block_passages, headings_of, section_passages
from yoimemory.sources.dates import read_instant
from yoimemory.sources.decoding import Decoded, lines_of
from yoimemory.sources.frontmatter import FrontMatter, read_front_matter
from yoimemory.sources.gone import MARK, STATE, Gone, Remembers
from yoimemory.sources.links import RECORD_ID
from yoimemory.sources.opener import shown
from yoimemory.sources.places import TICKET_STATES, date_in, is_binary_name, is_filed_ticket, place_of
from yoimemory.sources.readers.relations import read_plan, read_relations
from yoimemory.sources.readers.threads import Event, read_events, speaker_of
from yoimemory.sources.reading import Document, Passage, Tree, Unit, Unreadable
from yoimemory.sources.texts import document, fetch, noted, unreadable
from yoimemory.sources.units import unit_key, units_of

NO_ITEM = "The ticket {} has no item.md, so it has no title and no state."
STATES = ("planning", "ready", "queued", "inprogress", "done", "closed")


STAMP = len("20260527-000001")
"""As much of an old id as tells the ticket in most cases: its time."""

PROBLEMS_TOLD = 3

_OLD_ID = re.compile(r"[0-9]{8}-[0-9]{6}(?:-|$)")


class TicketReader:
    """One unit is one ticket folder. Tickets that lie in history only come after those that are there.

    Those of the earliest layout were all deleted when they were done, so a history may hold more of them
    than there are tickets now. They open by their address; in an index they would outweigh what is there.
    """

    name = "tickets"

    def units(self, tree: Tree) -> Iterator[Unit]:
        present: set[str] = set()
        for unit in units_of(tree, self.name):
            present.add(unit.key)
            yield unit
        gone = tree.gone() if isinstance(tree, Remembers) else {}
        has_old = any(_OLD_ID.match(ticket) for ticket in gone)
        renamed = {old[:STAMP] for old in ids_by_map(tree)} if has_old else set()
        for ticket, each in gone.items():
            unit = gone_unit(each)
            is_renamed = bool(_OLD_ID.match(ticket)) and ticket[:STAMP] in renamed
            if unit.key not in present and not is_renamed and not all(map(is_filed_ticket, unit.paths)):
                yield unit

    def read(self, tree: Tree, unit: Unit) -> Iterator[Document | Unreadable]:
        if not unit.fingerprint.startswith(MARK):
            yield from _ticket(tree, unit)
        elif isinstance(tree, Remembers):
            for gone in tree.gone(SourceRef.parse(unit.key).locator).values():
                yield from read_gone(tree, gone)


def read_gone(tree: Remembers, gone: Gone) -> Iterator[Document]:
    """The documents of a ticket as the last commit had them, marked as of history.

    What was odd in them is told beside them: nobody can mend history, so it is no trouble of the workspace.
    """
    read = list(_ticket(tree.past(gone), gone_unit(gone)))
    problems = [found for found in read if isinstance(found, Unreadable)]
    for found in read:
        if isinstance(found, Unreadable):
            continue
        then = {"state_then": found.facts["state"]} if found.facts.get("state") else {}
        found = noted(_as_one(found), gone.note, gone=gone.removed_in or "working tree", state=STATE, **then)
        for problem in [each for each in problems if each.path == found.path][:PROBLEMS_TOLD]:
            found = noted(found, f"Line {problem.line}: {problem.reason}" if problem.line else problem.reason)
        yield found


def _as_one(found: Document) -> Document:
    """A text of history as one passage where it is short: it is found, and weighs little in what words are rare."""
    count = len(lines_of(found.text))
    if not count or len(found.text) > CHARACTERS_MAX or has_events(found):
        return found
    whole = Passage(lines_fragment(1, count), found.text.rstrip("\n"), 1, count, heading=found.title, at=found.at)
    return replace(found, passages=(whole,))


def has_events(found: Document) -> bool:
    return any(passage.fragment.startswith("event-") for passage in found.passages)


def gone_unit(gone: Gone) -> Unit:
    """The unit of a ticket that is read from history."""
    key = unit_key(TicketReader.name, f"ticket:{gone.ticket}")
    return Unit(key, TicketReader.name, f"{MARK}{gone.commit}", tuple(gone.files))


def ids_by_map(tree: Tree) -> dict[str, str]:
    """Present ids of tickets by the ones they had before, from the map that their migration left."""
    found: dict[str, str] = {}
    for path in tree.files(".yoi/tickets"):
        if path.endswith("/artifacts/id-migration-map.txt"):
            text = fetch(tree, path)
            for line in [] if isinstance(text, Unreadable) else lines_of(text.text):
                old, _, new = line.strip().partition(" ")
                if old and new:
                    found.setdefault(old, new.strip())
    return found


def _ticket(tree: Tree, unit: Unit) -> Iterator[Document | Unreadable]:
    """The documents of a ticket: of its folder, or of the one file it was in the earliest layout."""
    if is_filed_ticket(unit.paths[0]):
        for path in unit.paths:
            is_review = path.endswith(".review.md")
            yield from _prose(tree, path, shown(path), "", at=None) if is_review else _item(tree, path, [])
        return
    ticket = unit.key.partition(":")[2]
    folder = _folder_of(unit.paths[0])
    paths = [path for path in unit.paths if path.rsplit("/", 1)[-1] != ".gitkeep" and not is_binary_name(path)]
    doubled = [path for path in paths if not path.startswith(f"{folder}/")]
    if doubled:
        paths = [path for path in paths if path not in doubled]
        yield unreadable(doubled[0], f"The ticket {ticket} lies in two folders; {folder} is the one that is read.")
    yield from _odd_name(tree, ticket, folder)
    title, thread = "", None
    events: list[Event] = []
    if f"{folder}/thread.md" in paths:
        thread = fetch(tree, f"{folder}/thread.md")
        events = [] if isinstance(thread, Unreadable) else read_events(thread.text)
    if f"{folder}/item.md" in paths:
        for found in _item(tree, f"{folder}/item.md", events):
            title = found.title if isinstance(found, Document) else title
            yield found
    elif paths:
        yield unreadable(folder, NO_ITEM.format(ticket))
    for path in paths:
        yield from _part(tree, path, path[len(folder) + 1 :], title, thread, events)


def _odd_name(tree: Tree, ticket: str, folder: str) -> Iterator[Unreadable]:
    """What is odd about the id that a folder gives: one that is not written in capitals may be taken for another."""
    upper = ticket.upper()
    if ticket == upper or not re.fullmatch(RECORD_ID, upper):
        return
    twin = f"{folder.rpartition('/')[0]}/{upper}"
    if tree.files(twin):
        yield unreadable(folder, f"The ticket {ticket} differs from {upper} only in its letters' case; rename one.")
    else:
        yield unreadable(folder, f"The id {ticket} is not written in capitals; links to {upper} do not reach it.")


def _claims(path: str, ident: str, front: FrontMatter) -> Iterator[Unreadable]:
    """A present ticket that calls itself by another id than its folder does."""
    told = front.text("id")
    if told and told != ident and re.fullmatch(RECORD_ID, told):
        reason = f"The item calls itself {told[:40]!r}, but its folder is {ident}; the folder counts."
        yield unreadable(path, reason, front.lines.get("id"))


def _part(
    tree: Tree, path: str, name: str, title: str, thread: Decoded | Unreadable | None, events: list[Event]
) -> Iterator[Document | Unreadable]:
    """One file beside the item of a ticket."""
    if name == "thread.md" and thread is not None:
        yield from _thread(tree, path, thread, events, title)
    elif name == "resolution.md":
        closed = [event.at for event in events if event.kind in {"close", "closed"} and event.at]
        name = f"Resolution of {title}" if title else "Resolution"
        yield from _prose(tree, path, name, title, at=max(closed, default=None))
    elif name == "artifacts/relations.json":
        yield from read_relations(tree, path, title)
    elif name == "artifacts/orchestration-plan.jsonl":
        yield from read_plan(tree, path, title)
    elif name != "item.md":
        at = read_instant(date_in(path))
        yield from _prose(tree, path, shown(name.rsplit("/", 1)[-1]), title, at=at)


def _folder_of(path: str) -> str:
    """The folder of the ticket that a path belongs to, in the present layout or an earlier one."""
    steps = path.split("/")
    return "/".join(steps[: steps.index(place_of(path).ref.source.locator) + 1])


def _state_of(path: str) -> str:
    """The state that the folder above a ticket tells, in the earlier layout."""
    above = path.split("/")[-3:-2]
    return above[0] if above and above[0] in TICKET_STATES else ""


def _item(tree: Tree, path: str, events: list[Event]) -> Iterator[Document | Unreadable]:
    decoded = fetch(tree, path)
    if isinstance(decoded, Unreadable):
        yield decoded
        return
    front = read_front_matter(decoded.text)
    yield from _warnings(path, front)
    ref = place_of(path).ref
    yield from _claims(path, ref.locator, front)
    state = front.text("state") or front.text("workflow_state") or front.text("status") or _state_of(path)
    if state and state not in STATES and state not in TICKET_STATES:
        yield unreadable(
            path, f"The state {state[:40]!r} is none that is known; it is shown as it stands.", front.lines.get("state")
        )
    lines = lines_of(decoded.text)
    headings = headings_of(decoded.text, skip=front.body_line - 1)
    title = front.text("title") or next((heading.text for heading in headings), "") or ref.locator
    at = read_instant(front.text("created_at"))
    passages = section_passages(lines, headings, title=title, at=at)
    facts: dict[str, Any] = {"state": state, "events": len(events)}
    for key in ("created_at", "updated_at", "queued_by", "queued_at", "assignee", "readiness", "priority", "kind"):
        if front.text(key):
            facts[key] = front.text(key)
    for key in ("risk_flags", "labels"):
        if front.texts(key):
            facts[key] = front.texts(key)
    yield document(
        tree,
        path,
        decoded,
        ref=ref,
        title=title,
        authority="authority",
        at=at,
        facts=facts,
        passages=passages,
        author=events[0].author[:200] if events else "",
        links=tree.linker.links(passages, ref, path=path),
    )


def _warnings(path: str, front: FrontMatter) -> Iterator[Unreadable]:
    for line, reason in front.warnings:
        yield unreadable(path, reason, line)


def _thread(
    tree: Tree, path: str, decoded: Decoded | Unreadable, events: list[Event], title: str
) -> Iterator[Document | Unreadable]:
    if isinstance(decoded, Unreadable):
        yield decoded
        return
    lines = lines_of(decoded.text)
    for event in events:
        if event.odd:
            yield unreadable(path, event.odd, event.start)
    passages = tuple(_event_passage(event, lines) for event in events)
    if not passages:
        passages = tuple(block_passages(lines, 1, len(lines)))
    ref = place_of(path).ref
    yield document(
        tree,
        path,
        decoded,
        ref=ref,
        title=f"Thread of {title}" if title else f"Thread of {ref.locator}",
        authority="authority",
        at=max((event.at for event in events if event.at), default=None),
        facts={"events": [event.facts() for event in events]},
        passages=passages,
        links=tree.linker.links(passages, ref, path=path),
    )


def _event_passage(event: Event, lines: list[str]) -> Passage:
    return Passage(
        f"event-{event.number}",
        "\n".join(lines[event.start - 1 : event.end]),
        event.start,
        event.end,
        heading=event.heading or event.kind,
        speaker=speaker_of(event.author),
        author=event.author[:200],
        at=event.at,
        signals=event.signals,
    )


def _prose(tree: Tree, path: str, name: str, title: str, *, at: datetime | None) -> Iterator[Document | Unreadable]:
    decoded = fetch(tree, path)
    if isinstance(decoded, Unreadable):
        yield decoded
        return
    lines = lines_of(decoded.text)
    headings = headings_of(decoded.text) if path.endswith(".md") else []
    passages = section_passages(lines, headings, title=name, at=at)
    ref = place_of(path).ref
    yield document(
        tree,
        path,
        decoded,
        ref=ref,
        title=name,
        at=at,
        authority="authority",
        passages=passages,
        facts={"ticket": title} if title else {},
        links=tree.linker.links(passages, ref, path=path),
    )


def ticket_state(thread: Document, as_of: datetime | None = None) -> str:
    """The state of a ticket at an instant, from the events of its thread; empty before the first that tells.

    Events without a readable time count in their order in the file. A close event closes, whatever
    state the ticket was in.
    """
    state, known = "", None
    for event in thread.facts.get("events", []):
        at = read_instant(event.get("at"))
        known = at or known
        if as_of is not None and known is not None and known > as_of:
            continue
        if event["kind"] == "create" and not state:
            state = str(event.get("to") or "planning")
        elif event["kind"] == "state_changed" and event.get("to"):
            state = str(event["to"])
        elif event["kind"] in {"close", "closed"}:
            state = "closed"
    return state
