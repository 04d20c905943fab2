"""Tickets of beads: `.beads/issues.jsonl`, an issue a line. The file is an export of a store that we never open."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from yoimemory.sources.dates import read_instant
from yoimemory.sources.opener import OutsideRoot, Unopenable
from yoimemory.sources.reading import Document, Tree, Unit, Unreadable
from yoimemory.sources.records import Log, records_in
from yoimemory.sources.texts import unreadable
from yoimemory.sources.trackers import (
    LIST_MAX,
    Artifact,
    Edge,
    TicketEvent,
    TrackedTicket,
    documents_of,
    in_order,
    is_ident,
    text_in,
    texts_in,
)
from yoimemory.sources.units import added_units, place_of_unit, units_of

STATES = frozenset({
    "open", "in_progress", "blocked", "deferred", "closed", "pinned", "hooked", "tombstone", "resolved",
})  # fmt: skip
_SECTIONS = (
    ("", "description"), ("Design", "design"), ("Acceptance criteria", "acceptance_criteria"), ("Notes", "notes"),
)  # fmt: skip
_EDGES = {
    "blocks": "depends_on", "conditional-blocks": "depends_on", "waits-for": "depends_on",
    "parent-child": "parent", "related": "related", "relates-to": "related",
    "discovered-from": "related", "duplicates": "duplicate_of", "supersedes": "supersedes",
}  # fmt: skip
_PLAIN_FACTS = ("priority", "issue_type", "assignee", "owner", "external_ref", "created_at", "updated_at", "closed_at")
_EDGES_MAX = 5_000


class BeadsReader:
    """One unit is one file of issues, in the workspace or added."""

    name = "beads"

    def units(self, tree: Tree) -> Iterator[Unit]:
        yield from units_of(tree, self.name)
        for folder in tree.folders:
            if (folder.kind, folder.format) == ("ticket", "beads"):
                yield from added_units(folder, self.name, (".jsonl", ".ndjson", ".json"))

    def read(self, tree: Tree, unit: Unit, *, only: str = "") -> Iterator[Document | Unreadable]:
        place = place_of_unit(tree, unit)
        if place is None:
            yield unreadable(unit.paths[0], "The added folder is no longer there.")
            return
        for path in unit.paths:
            try:
                yield from _file(tree, place, path, only)
            except (Unopenable, OutsideRoot) as error:
                yield unreadable(path, error)


def is_bead(record: dict[str, Any]) -> bool:
    """Whether a record is an issue of beads."""
    return is_ident(record.get("id")) and "title" in record and record.get("_type", "issue") == "issue"


def _file(tree: Tree, place: Tree, path: str, only: str) -> Iterator[Document | Unreadable]:
    latest: dict[str, int] = {}
    for number, record in records_in(place.chunks(path), Log(path)):
        if is_bead(record):
            latest[record["id"]] = number
    others: Counter[str] = Counter()
    log = Log(path)
    for number, record in records_in(place.chunks(path), log):
        yield from _faults(log)
        if not is_bead(record):
            others[text_in(record.get("_type"), 40) or "no issue"] += 1
        elif latest[record["id"]] != number:
            yield unreadable(path, f"The issue {record['id']} stands again below; the last one counts.", log.lines)
        elif not only or record["id"] == only:
            ticket, problems = _ticket(record, latest)
            yield from (unreadable(path, problem, log.lines) for problem in problems)
            yield from documents_of(ticket, place, path, links=tree)
    yield from _faults(log)
    for kind, count in others.items():
        yield unreadable(path, f"No issues and so passed by: records of the kind {kind!r}, {count:,} in all.")


def _faults(log: Log) -> Iterator[Unreadable]:
    bad, log.bad = log.bad, []
    yield from bad


def _ticket(record: dict[str, Any], known: dict[str, int]) -> tuple[TrackedTicket, list[str]]:
    """An issue in the one shape, and what of it could not be taken."""
    problems: list[str] = []
    state = text_in(record.get("status"), 40)
    if state not in STATES:
        problems.append(f"The status {state or record.get('status')!r} of {record['id']} is none that is known.")
    edges = _edges(record, known, problems)
    facts: dict[str, Any] = {"tracker": "beads"}
    for key in _PLAIN_FACTS:
        value = record.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            facts[key] = text_in(value, 200) if isinstance(value, str) else value
    if labels := texts_in(record.get("labels")):
        facts["labels"] = labels
    sections = tuple((name, text) for name, key in _SECTIONS if (text := text_in(record.get(key))))
    notes = ("The tracker has deleted this issue; what is shown is what its export keeps of it.",)
    ticket = TrackedTicket(
        record["id"],
        text_in(record.get("title"), 500) or record["id"],
        state=state,
        sections=sections,
        events=_events(record, state),
        edges=tuple(edges),
        artifacts=_artifacts(record),
        resolution=text_in(record.get("close_reason")),
        author=text_in(record.get("created_by"), 200) or text_in(record.get("owner"), 200),
        at=read_instant(record.get("created_at")),
        facts=facts,
        notes=notes if state == "tombstone" else (),
    )
    return ticket, problems


def _artifacts(record: dict[str, Any]) -> tuple[Artifact, ...]:
    """What people hung on the issue in a form of their own."""
    value = record.get("metadata")
    if not isinstance(value, dict) or not value:
        return ()
    text = text_in(json.dumps(value, ensure_ascii=False, indent=2))
    return (Artifact("metadata.json", text, read_instant(record.get("updated_at"))),)


def _edges(record: dict[str, Any], known: dict[str, int], problems: list[str]) -> list[Edge]:
    found: dict[tuple[str, str], Edge] = {}
    value = record.get("dependencies")
    if value is not None and not isinstance(value, list):
        problems.append(f"The dependencies of {record['id']} are no list.")
    for each in value[:_EDGES_MAX] if isinstance(value, list) else ():
        target = each.get("depends_on_id") if isinstance(each, dict) else None
        kind = text_in(each.get("type"), 40) if isinstance(each, dict) else ""
        if not isinstance(target, str) or not is_ident(target):
            problems.append(f"A dependency of {record['id']} names {str(target)[:80]!r}, which is the id of no issue.")
            continue
        if target not in known:
            problems.append(f"{record['id']} depends on {target}, which is not in this file.")
        edge = Edge(_EDGES.get(kind, "related"), target, note=kind, at=read_instant(each.get("created_at")))
        found.setdefault((edge.kind, target), edge)
    return list(found.values())


def _events(record: dict[str, Any], state: str) -> tuple[TicketEvent, ...]:
    """What happened, as far as an export tells: made, begun, closed, the state it has now, and its comments."""
    author = text_in(record.get("created_by"), 200)
    begun, closed = read_instant(record.get("started_at")), read_instant(record.get("closed_at"))
    events = [TicketEvent("create", author, read_instant(record.get("created_at")), after="open")]
    now = "open"
    if begun:
        events.append(TicketEvent("state_changed", "", begun, "Begun.", before=now, after="in_progress"))
        now = "in_progress"
    if state and state not in {"closed", now}:
        at = read_instant(record.get("updated_at"))
        text = f"Now {state.replace('_', ' ')}; the export does not tell since when."
        events.append(TicketEvent("state_changed", "", at, text, before=now, after=state))
    comments = record.get("comments")
    for each in comments[: LIST_MAX * 100] if isinstance(comments, list) else ():
        if isinstance(each, dict) and (text := text_in(each.get("text")) or text_in(each.get("body"))):
            said_at = read_instant(each.get("created_at"))
            events.append(TicketEvent("comment", text_in(each.get("author"), 200), said_at, text))
    if state == "closed":
        reason = text_in(record.get("close_reason"))
        events.append(TicketEvent("close", text_in(record.get("closed_by"), 200), closed, reason, after="closed"))
    return in_order(events)
