"""Tickets of other trackers, in one shape: an item, ordered events, edges to others, a resolution.

Each tracker has a reader of its own that fills this shape. What comes out are the documents that
tickets in Yoi's layout have, so that state, order and dependencies are told alike for all.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from yoimemory.refs import SourceRef, lines_fragment
from yoimemory.sources.blocks import headings_of, section_passages
from yoimemory.sources.decoding import Decoded, clean, lines_of
from yoimemory.sources.masking import mask
from yoimemory.sources.readers.threads import speaker_of
from yoimemory.sources.reading import Document, Link, Passage, Tree
from yoimemory.sources.texts import document, noted

TEXT_MAX = 1_000_000
"""Characters of one text of a ticket; of a longer one the rest is left out, and said to be."""

EVENTS_MAX = 20_000
LIST_MAX = 100

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


@dataclass(frozen=True, slots=True)
class TicketEvent:
    """Something that happened to a ticket. `before` and `after` are states, where it changed the state."""

    kind: str
    author: str = ""
    at: datetime | None = None
    text: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation to another ticket: `kind` from LINK_KINDS, `target` an id."""

    kind: str
    target: str
    note: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PlanRecord:
    """What was planned for a ticket: its order, what it waits for, what was accepted. `kind` is its word for it."""

    kind: str
    text: str
    author: str = ""
    at: datetime | None = None
    holds: bool = False
    """Whether it keeps the ticket waiting."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A text that belongs to a ticket, under a name of its own."""

    name: str
    text: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class TrackedTicket:
    """A ticket as a tracker tells it. `sections` are headings with texts; the first has no heading."""

    ident: str
    title: str
    state: str = ""
    sections: tuple[tuple[str, str], ...] = ()
    events: tuple[TicketEvent, ...] = ()
    edges: tuple[Edge, ...] = ()
    plans: tuple[PlanRecord, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    resolution: str = ""
    author: str = ""
    at: datetime | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def ref(self) -> SourceRef:
        return SourceRef("ticket", self.ident)


def in_order(events: list[TicketEvent]) -> tuple[TicketEvent, ...]:
    """Events by time; one without a time stays behind the one before it."""
    keyed, last = [], None
    for number, event in enumerate(events[:EVENTS_MAX]):
        last = event.at or last
        keyed.append((last.timestamp() if last else float("-inf"), number, event))
    return tuple(event for _, _, event in sorted(keyed, key=lambda each: each[:2]))


def is_ident(value: object) -> bool:
    """Whether a value can be the id of a ticket in an address."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= 200
        and value not in {".", ".."}
        and "/" not in value
        and value.isprintable()
        and not clean(value)[1]
    )


def text_in(value: object, limit: int = TEXT_MAX) -> str:
    """A text out of JSON that may be stored: nothing for what is none, without colour codes, within a bound."""
    if not isinstance(value, str):
        return ""
    text = clean(_ANSI.sub("", value[: limit + 1]).replace("\r\n", "\n"))[0].strip("\n")
    return text if len(text) <= limit else text[:limit] + "\n[… the rest is left out]"


def texts_in(value: object, key: str = "") -> list[str]:
    """Short texts of a list, or the texts under a key of its objects."""
    items = value if isinstance(value, list) else []
    found = (text_in(item.get(key) if key and isinstance(item, dict) else item, 200) for item in items[:LIST_MAX])
    return [text for text in found if text]


def documents_of(ticket: TrackedTicket, tree: Tree, path: str, *, links: Tree | None = None) -> Iterator[Document]:
    """The documents of a ticket: its item; thread, resolution, plan records and artifacts where it has some."""
    linker = (links or tree).linker
    ticket = replace(ticket, title=mask(ticket.title).text, facts=_discreet(ticket.facts))
    body = [f"# {ticket.title}"]
    for heading, text in ticket.sections:
        body += [f"## {heading}"] if heading else []
        body += [text]
    decoded = _masked("\n\n".join(body))
    passages = section_passages(lines_of(decoded.text), headings_of(decoded.text), title=ticket.title, at=ticket.at)
    typed = tuple(_link(edge) for edge in ticket.edges)
    known = {link.target for link in typed}
    prose = (link for link in linker.links(passages, ticket.ref) if link.target not in known)
    item = document(
        tree,
        path,
        decoded,
        ref=ticket.ref,
        title=ticket.title,
        authority="authority",
        author=ticket.author[:200],
        at=ticket.at,
        facts={"state": ticket.state, "events": len(ticket.events), **ticket.facts},
        passages=passages,
        links=(*typed, *prose),
    )
    for note in ticket.notes:
        item = noted(item, note)
    yield item
    if ticket.events:
        yield _thread(ticket, tree, path, linker)
    if ticket.resolution:
        yield _resolution(ticket, tree, path, linker)
    if ticket.plans:
        yield _plans(ticket, tree, path, linker)
    for artifact in ticket.artifacts:
        yield _artifact(ticket, artifact, tree, path, linker)


def _link(edge: Edge) -> Link:
    return Link(edge.kind, str(SourceRef("ticket", edge.target)), where="L1", note=edge.note[:2_000], at=edge.at)


def _discreet(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts without secrets: an address may hold a password, a label a key."""
    lists = {key: [mask(each).text for each in value] for key, value in facts.items() if isinstance(value, list)}
    return facts | lists | {key: mask(value).text for key, value in facts.items() if isinstance(value, str)}


def _masked(text: str) -> Decoded:
    masked = mask(text)
    return Decoded(masked.text, masked=masked.counts)


def _thread(ticket: TrackedTicket, tree: Tree, path: str, linker: Any) -> Document:
    texts = [_masked(event.text or f"{event.kind.replace('_', ' ').capitalize()}.") for event in ticket.events]
    passages, facts, line = [], [], 1
    for number, (event, decoded) in enumerate(zip(ticket.events, texts, strict=True), start=1):
        last = line + decoded.text.count("\n")
        author = event.author[:200]
        passages.append(
            Passage(
                f"event-{number}",
                decoded.text,
                line,
                last,
                heading=event.kind,
                speaker=speaker_of(author),
                author=author,
                at=event.at,
                signals=_signals(event),
            )
        )
        facts.append(_facts(number, event))
        line = last + 2
    masked: dict[str, int] = {}
    for decoded in texts:
        for kind, count in decoded.masked.items():
            masked[kind] = masked.get(kind, 0) + count
    ref = SourceRef("ticket", f"{ticket.ident}/thread")
    return document(
        tree,
        path,
        Decoded("\n\n".join(decoded.text for decoded in texts), masked=masked),
        ref=ref,
        title=f"Thread of {ticket.title}",
        authority="authority",
        at=max((event.at for event in ticket.events if event.at), default=None),
        facts={"events": facts},
        passages=tuple(passages),
        links=linker.links(passages, ref),
    )


def _facts(number: int, event: TicketEvent) -> dict[str, Any]:
    """What `ticket_state` and the pages read of an event, in the words of a thread's header."""
    found = {
        "number": number,
        "kind": event.kind,
        "author": event.author[:200],
        "at": event.at.isoformat() if event.at else "",
    }
    found |= {"from": event.before} if event.before else {}
    return found | ({"to": event.after} if event.after else {})


def _signals(event: TicketEvent) -> tuple[str, ...]:
    if event.kind == "reopened":
        return ("reopened",)
    return ("blocked",) if event.after in {"blocked", "deferred"} else ()


def _resolution(ticket: TrackedTicket, tree: Tree, path: str, linker: Any) -> Document:
    decoded = _masked(ticket.resolution)
    lines = lines_of(decoded.text) or [""]
    ref = SourceRef("ticket", f"{ticket.ident}/resolution")
    closed = [event.at for event in ticket.events if event.kind == "close" and event.at]
    passages = section_passages(lines, headings_of(decoded.text), title=f"Resolution of {ticket.title}")
    return document(
        tree,
        path,
        decoded,
        ref=ref,
        title=f"Resolution of {ticket.title}",
        authority="authority",
        at=max(closed, default=None),
        passages=passages or (Passage(lines_fragment(1, len(lines)), decoded.text, 1, len(lines)),),
        facts={"ticket": ticket.title},
        links=linker.links(passages, ref),
    )


def _plans(ticket: TrackedTicket, tree: Tree, path: str, linker: Any) -> Document:
    """Plan records, one passage each, in their order."""
    texts = [_masked(plan.text or plan.kind) for plan in ticket.plans]
    passages, line = [], 1
    for plan, decoded in zip(ticket.plans, texts, strict=True):
        last = line + decoded.text.count("\n")
        passages.append(
            Passage(
                lines_fragment(line, last), decoded.text, line, last, heading=plan.kind, author=plan.author[:200],
                at=plan.at, speaker=speaker_of(plan.author) if plan.author else "",
                signals=("blocked",) if plan.holds else (),
            )
        )  # fmt: skip
        line = last + 2
    ref = SourceRef("ticket", f"{ticket.ident}/artifacts/orchestration-plan")
    return document(
        tree,
        path,
        Decoded("\n\n".join(decoded.text for decoded in texts)),
        ref=ref,
        title=f"Plan records of {ticket.title}",
        authority="authority",
        at=max((plan.at for plan in ticket.plans if plan.at), default=None),
        passages=tuple(passages),
        facts={"ticket": ticket.title},
        links=linker.links(passages, ref),
    )


def _artifact(ticket: TrackedTicket, artifact: Artifact, tree: Tree, path: str, linker: Any) -> Document:
    decoded = _masked(artifact.text)
    lines = lines_of(decoded.text) or [""]
    ref = SourceRef("ticket", f"{ticket.ident}/artifacts/{artifact.name}")
    is_prose = artifact.name.endswith(".md")
    passages = section_passages(lines, headings_of(decoded.text) if is_prose else [], title=artifact.name)
    return document(
        tree,
        path,
        decoded,
        ref=ref,
        title=f"{artifact.name} of {ticket.title}",
        authority="authority",
        at=artifact.at or ticket.at,
        passages=passages,
        facts={"ticket": ticket.title},
        links=linker.links(passages, ref),
    )
