"""Objectives: the item and every text below its folder."""

import re
from collections.abc import Iterator
from typing import Any

from yoimemory.refs import SourceRef
from yoimemory.sources.blocks import headings_of, section_passages
from yoimemory.sources.dates import read_instant
from yoimemory.sources.decoding import lines_of
from yoimemory.sources.frontmatter import read_front_matter
from yoimemory.sources.links import RECORD_ID
from yoimemory.sources.places import is_binary_name, place_of
from yoimemory.sources.reading import Document, Link, Tree, Unit, Unreadable
from yoimemory.sources.texts import document, fetch, unreadable
from yoimemory.sources.units import units_of


class ObjectiveReader:
    """One unit is one objective folder."""

    name = "objectives"

    def units(self, tree: Tree) -> Iterator[Unit]:
        return units_of(tree, self.name)

    def read(self, tree: Tree, unit: Unit) -> Iterator[Document | Unreadable]:
        for path in unit.paths:
            if path.rsplit("/", 1)[-1] != ".gitkeep" and not is_binary_name(path):
                yield from _document(tree, path)


def _document(tree: Tree, path: str) -> Iterator[Document | Unreadable]:
    decoded = fetch(tree, path)
    if isinstance(decoded, Unreadable):
        yield decoded
        return
    ref = place_of(path).ref
    front = read_front_matter(decoded.text)
    for line, reason in front.warnings:
        yield unreadable(path, reason, line)
    headings = headings_of(decoded.text, skip=front.body_line - 1) if path.endswith(".md") else []
    title = front.text("title") or next((heading.text for heading in headings), "") or path.rsplit("/", 1)[-1]
    at = read_instant(front.text("created_at"))
    passages = section_passages(lines_of(decoded.text), headings, title=title, at=at)
    facts: dict[str, Any] = {
        key: front.text(key)
        for key in ("state", "created_at", "updated_at", "status", "objective", "source_url", "fetched_at")
        if front.text(key)
    }
    links: list[Link] = []
    for ticket in front.texts("linked_tickets"):
        if re.fullmatch(RECORD_ID, ticket):
            links.append(Link("related", str(SourceRef("ticket", ticket)), where="L1", note="linked_tickets"))
        else:
            yield unreadable(
                path,
                f"{ticket[:60]!r} among the linked tickets is the id of no ticket; it stays text.",
                front.lines.get("linked_tickets"),
            )
    typed = {link.target for link in links}
    prose = (link for link in tree.linker.links(passages, ref, path=path) if link.target not in typed)
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
        links=(*links, *prose),
    )
