"""Tickets in Yoi's layouts: item, thread, resolution, relations, plan records, other artifacts."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from yoimemory.refs import SourceRef, lines_fragment
from yoimemory.sources.blocks import block_passages, headings_of, section_passages
from yoimemory.sources.dates import read_instant
from yoimemory.sources.decoding import Decoded, clean, lines_of
from yoimemory.sources.frontmatter import FrontMatter, read_front_matter
from yoimemory.sources.opener import shown
from yoimemory.sources.places import TICKET_STATES, date_in, is_binary_name, place_of
from yoimemory.sources.readers.threads import Event, read_events, speaker_of
from yoimemory.sources.reading import Document, Link, Passage, Tree, Unit, Unreadable
from yoimemory.sources.texts import document, fetch, unreadable
from yoimemory.sources.units import units_of

STATES = ("planning", "ready", "queued", "inprogress", "done", "closed")
EDGES = ("depends_on", "related", "blocks", "supersedes", "duplicate_of")
_PLAN_EDGES = {"blocked_by": "depends_on", "after": "depends_on", "before": "blocks", "blocks": "blocks"}
_HOLDING = frozenset({"blocked_by", "after", "conflicts_with", "do_not_parallelize", "waiting_capacity_note"})


class TicketReader:
    """One unit is one ticket folder."""

    name = "tickets"

    def units(self, tree: Tree) -> Iterator[Unit]:
        return units_of(tree, self.name)

    def read(self, tree: Tree, unit: Unit) -> Iterator[Document | Unreadable]:
        ticket = unit.key.partition(":")[2]
        folder = _folder_of(unit.paths[0])
        paths = [path for path in unit.paths if path.rsplit("/", 1)[-1] != ".gitkeep" and not is_binary_name(path)]
        doubled = [path for path in paths if not path.startswith(f"{folder}/")]
        if doubled:
            paths = [path for path in paths if path not in doubled]
            yield unreadable(doubled[0], f"The ticket {ticket} lies in two folders; {folder} is the one that is read.")
        title, thread = "", None
        events: list[Event] = []
        if f"{folder}/thread.md" in paths:
            thread = fetch(tree, f"{folder}/thread.md")
            events = [] if isinstance(thread, Unreadable) else read_events(thread.text)
        if f"{folder}/item.md" in paths:
            for found in _item(tree, f"{folder}/item.md", events):
                title = found.title if isinstance(found, Document) else title
                yield found
        else:
            yield unreadable(folder, f"The ticket {ticket} has no item.md, so it has no title and no state.")
        for path in paths:
            name = path[len(folder) + 1 :]
            if name == "thread.md" and thread is not None:
                yield from _thread(tree, path, thread, events, title)
            elif name == "resolution.md":
                closed = [event.at for event in events if event.kind in {"close", "closed"} and event.at]
                name = f"Resolution of {title}" if title else "Resolution"
                yield from _prose(tree, path, name, title, at=max(closed, default=None))
            elif name == "artifacts/relations.json":
                yield from _relations(tree, path, title)
            elif name == "artifacts/orchestration-plan.jsonl":
                yield from _plan(tree, path, title)
            elif name != "item.md":
                at = read_instant(date_in(path))
                yield from _prose(tree, path, shown(name.rsplit("/", 1)[-1]), title, at=at)


def _folder_of(path: str) -> str:
    """The folder of the ticket that a path belongs to, in the present layout or an earlier one."""
    steps = path.split("/")
    return "/".join(steps[: steps.index(place_of(path).ref.source.locator) + 1])


def _state_of(path: str) -> str:
    """The state that the folder above a ticket tells, in the earlier layout."""
    above = path.split("/")[-3]
    return above if above in TICKET_STATES else ""


def _item(tree: Tree, path: str, events: list[Event]) -> Iterator[Document | Unreadable]:
    decoded = fetch(tree, path)
    if isinstance(decoded, Unreadable):
        yield decoded
        return
    front = read_front_matter(decoded.text)
    yield from _warnings(path, front)
    ref = place_of(path).ref
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


def _relations(tree: Tree, path: str, title: str) -> Iterator[Document | Unreadable]:
    """The typed edges of a ticket; only what it says of itself is stored, so only forward edges exist."""
    decoded = fetch(tree, path)
    if isinstance(decoded, Unreadable):
        yield decoded
        return
    try:
        parsed = json.loads(decoded.text)
    except (ValueError, RecursionError) as error:
        parsed = {}
        yield unreadable(path, "The relations are not JSON.", getattr(error, "lineno", None))
    edges = parsed.get("relations") if isinstance(parsed, dict) else None
    if not isinstance(edges, list):
        if parsed != {}:
            yield unreadable(path, "The relations are not a list under the key 'relations'.")
        edges = []
    lines = lines_of(decoded.text)
    links, line = [], 0
    for edge in edges:
        line = _line_of_target(edge, lines, line)
        link, problem = _edge(edge, line)
        if link:
            links.append(link)
        if problem:
            yield unreadable(path, problem, line or None)
    ref = place_of(path).ref
    passages = section_passages(lines, [], title=f"Relations of {title}" if title else "Relations")
    found = {(link.kind, link.target): link for link in reversed(links)}
    typed = {target for _, target in found}
    prose = (link for link in tree.linker.links(passages, ref) if link.target not in typed)
    yield document(
        tree,
        path,
        decoded,
        ref=ref,
        title=f"Relations of {title}" if title else "relations.json",
        authority="authority",
        at=min((link.at for link in links if link.at), default=None),
        passages=passages,
        links=(*reversed(found.values()), *prose),
        facts={"relations": [{"kind": link.kind, "target": link.target} for link in reversed(found.values())][:500]},
    )


def _line_of_target(edge: Any, lines: list[str], after: int) -> int:
    """The line that names the target of a relation, below the line of the relation before it."""
    target = edge.get("target") if isinstance(edge, dict) else None
    if isinstance(target, str) and target:
        for number in range(after + 1, len(lines) + 1):
            if f'"{target}"' in lines[number - 1] and '"target"' in lines[number - 1]:
                return number
    return after


def _edge(edge: Any, line: int) -> tuple[Link | None, str]:
    """One relation as a link, or what is wrong with it."""
    if not isinstance(edge, dict):
        return None, "A relation is no object and was passed by."
    kind, target = edge.get("kind"), edge.get("target")
    if not isinstance(target, str) or not target.isalnum():
        return None, f"A relation points to {str(target)[:80]!r}, which is the id of no ticket; it stays text."
    if kind not in EDGES:
        return None, f"A relation is of the unknown kind {str(kind)[:40]!r} and was passed by."
    note = clean(str(edge.get("note") or ""))[0][:2_000]
    where = lines_fragment(line, line) if line else ""
    return Link(kind, str(SourceRef("ticket", target)), where=where, note=note, at=read_instant(edge.get("at"))), ""


def _plan(tree: Tree, path: str, title: str) -> Iterator[Document | Unreadable]:
    """Orchestration plan records, one passage each."""
    decoded = fetch(tree, path)
    if isinstance(decoded, Unreadable):
        yield decoded
        return
    passages, links, instants = [], [], []
    for number, line in enumerate(lines_of(decoded.text), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            yield unreadable(path, "A plan record is not JSON.", number)
            record = {}
        passages.append(_plan_passage(record, line, number))
        instants.append(passages[-1].at)
        links += _plan_links(record, passages[-1])
    ref = place_of(path).ref
    typed = {link.target for link in links}
    prose = (link for link in tree.linker.links(passages, ref) if link.target not in typed)
    yield document(
        tree,
        path,
        decoded,
        ref=ref,
        title=f"Plan records of {title}" if title else "orchestration-plan.jsonl",
        authority="authority",
        at=max((at for at in instants if at), default=None),
        passages=tuple(passages),
        links=(*dict.fromkeys(links), *prose),
    )


def _plan_passage(record: dict[str, Any], line: str, number: int) -> Passage:
    author, kind = (clean(str(record.get(key) or ""))[0] for key in ("author", "kind"))
    return Passage(
        f"L{number}",
        line.rstrip("\r"),
        number,
        number,
        heading=kind,
        author=author[:200],
        at=read_instant(record.get("at")),
        speaker=speaker_of(author) if author else "",
        signals=("blocked",) if kind in _HOLDING else (),
    )


def _plan_links(record: dict[str, Any], passage: Passage) -> list[Link]:
    target = record.get("related_ticket")
    if not isinstance(target, str) or not target.isalnum():
        return []
    kind = _PLAN_EDGES.get(passage.heading, "related")
    note = clean(str(record.get("note") or ""))[0][:2_000]
    return [Link(kind, str(SourceRef("ticket", target)), where=passage.fragment, note=note, at=passage.at)]


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
            state = "planning"
        elif event["kind"] == "state_changed" and event.get("to"):
            state = str(event["to"])
        elif event["kind"] in {"close", "closed"}:
            state = "closed"
    return state
