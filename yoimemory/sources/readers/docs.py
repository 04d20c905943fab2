"""Docs: prose for people, a file a document. Each form of text is cut where its own headings stand."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from yoimemory.refs import SourceRef
from yoimemory.sources.blocks import Heading, headings_of, section_passages
from yoimemory.sources.dates import read_instant
from yoimemory.sources.decisions import Decision, is_decision, is_named_as_decision, read_decision
from yoimemory.sources.decoding import Decoded, lines_of
from yoimemory.sources.frontmatter import FrontMatter, read_front_matter
from yoimemory.sources.links import linked
from yoimemory.sources.markup import asciidoc_headings, org_headings, rst_headings
from yoimemory.sources.masking import mask
from yoimemory.sources.notebooks import NoNotebook, read_notebook
from yoimemory.sources.opener import OutsideRoot, Unopenable, shown
from yoimemory.sources.places import authority_of, date_in, ending_of, is_historical
from yoimemory.sources.reading import Document, Link, Passage, Tree, Unit, Unreadable
from yoimemory.sources.texts import document, fetch_named, noted, unreadable
from yoimemory.sources.units import units_of
from yoimemory.sources.webpages import read_page

_MARKDOWN = frozenset({"md", "markdown", "mdx", "mdc"})
_WEB = frozenset({"html", "htm"})
_UNDERLINE = re.compile(r"([=\-~^\"'#*+.:_`])\1{2,}")
_IMPORT = re.compile(r"@(?!~)([^\s@]{1,300})")
_FRONT_FACTS = ("status", "date", "description", "supersedes", "superseded_by")
PAGE_MAX = 8 << 20
"""Characters of a web page that is read as one; a longer one is shown as it is written."""

HISTORICAL = "A Knowledge note: that kind of record was given up, so it is kept as history and is no memory of ours."


class DocReader:
    """One unit is one file."""

    name = "docs"

    def units(self, tree: Tree) -> Iterator[Unit]:
        return units_of(tree, self.name)

    def read(self, tree: Tree, unit: Unit) -> Iterator[Document | Unreadable]:
        for path in unit.paths:
            yield from read_doc(tree, path)


@dataclass(slots=True)
class _Shape:
    """What a form of text gives: its text as it is read, where its headings stand, and what else is known."""

    text: str
    headings: list[Heading] = field(default_factory=list)
    title: str = ""
    front: FrontMatter = field(default_factory=FrontMatter)
    passages: tuple[Passage, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)
    problems: list[tuple[int | None, str]] = field(default_factory=list)
    masked: dict[str, int] = field(default_factory=dict)


def read_doc(tree: Tree, path: str) -> Iterator[Document | Unreadable]:
    """A prose file as a document under its path."""
    ref = SourceRef("doc", path)
    decoded = fetch_named(tree, path, ref)
    if isinstance(decoded, Unreadable):
        yield decoded
        return
    shape = _shape_of(path, decoded.text)
    yield from (unreadable(path, reason, line) for line, reason in shape.problems)
    if shape.text != decoded.text:
        decoded = replace(decoded, text=shape.text, masked=dict(Counter(decoded.masked) + Counter(shape.masked)))
    found = _document(tree, path, ref, decoded, shape)
    yield noted(found, HISTORICAL, historical=True) if is_historical(path) else found


def _document(tree: Tree, path: str, ref: SourceRef, decoded: Decoded, shape: _Shape) -> Document:
    front = shape.front
    title = mask(front.text("title") or shape.title or path.rsplit("/", 1)[-1]).text
    facts = {key: front.text(key) for key in _FRONT_FACTS if front.text(key)} | shape.facts
    decision = _decision(tree, path, lines_of(decoded.text), shape)
    if decision:
        facts |= {"status": decision.said, "decision": decision.status} if decision.said else {}
        facts |= {"deciders": decision.deciders} if decision.deciders else {}
    written = front.text("updated_at") or front.text("date") or (decision.date if decision else "")
    at = read_instant(written) or read_instant(date_in(path))
    passages = shape.passages or section_passages(lines_of(decoded.text), shape.headings, title=shown(title), at=at)
    typed = (*(decision.links if decision else ()), *_imports(path, decoded.text))
    return document(
        tree,
        path,
        decoded,
        ref=ref,
        title=shown(title),
        authority=authority_of(path),
        at=at,
        facts=facts,
        passages=passages,
        links=(*typed, *tree.linker.links(passages, ref, path=path)),
    )


def _imports(path: str, text: str) -> Iterator[Link]:
    """The files that agent instructions take in by a line `@path`. They are named, never opened."""
    if authority_of(path) != "procedure":
        return
    for number, line in enumerate(lines_of(text)[:2_000], start=1):
        match = _IMPORT.fullmatch(line.strip())
        target = linked(match[1], "", path) if match else ""
        if target:
            yield Link("links", target, where=f"L{number}")


def _shape_of(path: str, text: str) -> _Shape:
    ending, lines = ending_of(path), lines_of(text)
    if ending in _MARKDOWN:
        front = read_front_matter(text)
        headings = headings_of(text, skip=front.body_line - 1)
        return _Shape(text, headings, _first(headings), front, problems=list(front.warnings))
    if ending == "rst":
        headings = rst_headings(text, lines)
        return _Shape(text, headings, _first(headings) or _plain_title(lines))
    if ending in {"adoc", "asciidoc"}:
        headings = asciidoc_headings(lines)
        return _Shape(text, headings, _first(headings))
    if ending == "org":
        headings = org_headings(lines)
        return _Shape(text, headings, _first(headings))
    if ending in _WEB and len(text) <= PAGE_MAX:
        return _page(text)
    if ending == "ipynb":
        return _notebook(text, path.rsplit("/", 1)[-1])
    return _Shape(text, title=_plain_title(lines))


def _first(headings: list[Heading]) -> str:
    return next((heading.text for heading in headings), "")


def _page(text: str) -> _Shape:
    page = read_page(text)
    facts = {"page": "the visible text; the lines are those of the file"}
    if not page.keeps_lines:
        facts = {"page": "the visible text; the lines are those of the text, since the file has too long ones"}
    # Once more: what was written as &quot; or between two tags has the form of a secret only now.
    masked = mask(page.text)
    headings = [replace(heading, text=mask(heading.text).text) for heading in page.headings]
    return _Shape(masked.text, headings, page.title or _first(headings), facts=facts, masked=masked.counts)


def _notebook(text: str, name: str) -> _Shape:
    try:
        notebook = read_notebook(text, name=name)
    except NoNotebook as error:
        return _Shape(text, problems=[(error.line, f"{error.reason} It is shown as it is written.")])
    facts = {"cells": notebook.cells, "outputs": notebook.outputs, "language": notebook.language}
    problems: list[tuple[int | None, str]] = [(None, problem) for problem in notebook.problems]
    return _Shape(
        notebook.text, title=notebook.title, passages=tuple(notebook.passages), facts=facts, problems=problems,
        masked=notebook.masked,
    )  # fmt: skip


def _decision(tree: Tree, path: str, lines: list[str], shape: _Shape) -> Decision | None:
    """What a decision record says, where the file is one: by its folder, or by the folder that `.adr-dir` names."""
    folder = path.rpartition("/")[0]
    if not is_decision(path) and not (is_named_as_decision(path) and folder == _folder_by_file(tree)):
        return None
    neighbours = [each for each in tree.files(folder) if each.rpartition("/")[0] == folder and each != path]
    return read_decision(path, lines, shape.headings, shape.front, neighbours)


def _folder_by_file(tree: Tree) -> str:
    try:
        return tree.read(".adr-dir", limit=4_096).decode("utf-8", "replace").strip().removeprefix("./").rstrip("/")
    except (Unopenable, OutsideRoot):
        return ""


def _plain_title(lines: list[str]) -> str:
    """The title of a plain text: its first words, where a line of signs stands below them."""
    for above, below in pairwise(lines[:41]):
        if above.strip() and _UNDERLINE.fullmatch(below.strip()) and len(below.strip()) >= min(3, len(above.strip())):
            return above.strip()[:200]
    return ""
