"""What a ticket says beside its text: typed relations to others, and orchestration plan records."""

import json
from collections.abc import Iterator
from typing import Any

from yoimemory.refs import SourceRef, lines_fragment
from yoimemory.sources.blocks import section_passages
from yoimemory.sources.dates import read_instant
from yoimemory.sources.decoding import clean, lines_of
from yoimemory.sources.places import place_of
from yoimemory.sources.readers.threads import speaker_of
from yoimemory.sources.reading import Document, Link, Passage, Tree, Unreadable
from yoimemory.sources.texts import document, fetch, unreadable

EDGES = ("depends_on", "related", "blocks", "supersedes", "duplicate_of")
_PLAN_EDGES = {"blocked_by": "depends_on", "after": "depends_on", "before": "blocks", "blocks": "blocks"}
_HOLDING = frozenset({"blocked_by", "after", "conflicts_with", "do_not_parallelize", "waiting_capacity_note"})


def read_relations(tree: Tree, path: str, title: str) -> Iterator[Document | Unreadable]:
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


def read_plan(tree: Tree, path: str, title: str) -> Iterator[Document | Unreadable]:
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
