"""Docs and code: every other text of the workspace, a file a document."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound

from yoimemory.refs import SourceRef
from yoimemory.sources.blocks import code_passages, headings_of, section_passages
from yoimemory.sources.dates import read_instant
from yoimemory.sources.decisions import decision_links, is_decision, status_lines, status_word
from yoimemory.sources.decoding import Decoded, lines_of
from yoimemory.sources.frontmatter import FrontMatter, read_front_matter
from yoimemory.sources.links import linked
from yoimemory.sources.opener import shown
from yoimemory.sources.places import authority_of, date_in, ending_of, is_binary_name
from yoimemory.sources.reading import Document, Link, Passage, Tree, Unit, Unreadable
from yoimemory.sources.texts import REF_MAX, document, fetch, unreadable
from yoimemory.sources.units import units_of

_LINKED_FILE = re.compile(r"\]\(<?([^)\s>#]+)")
_MARKDOWN = frozenset({"md", "markdown", "mdx"})
_UNDERLINE = re.compile(r"([=\-~^\"'#*+.:_`])\1{2,}")


class DocReader:
    """Prose for people: Markdown by sections, other texts by blocks."""

    name = "docs"

    def units(self, tree: Tree) -> Iterator[Unit]:
        return units_of(tree, self.name)

    def read(self, tree: Tree, unit: Unit) -> Iterator[Document | Unreadable]:
        for path in unit.paths:
            yield from read_doc(tree, path)


class CodeReader:
    """Everything else that is text, by blocks that keep definitions together."""

    name = "code"

    def units(self, tree: Tree) -> Iterator[Unit]:
        return (unit for unit in units_of(tree, self.name) if not is_binary_name(unit.paths[0]))

    def read(self, tree: Tree, unit: Unit) -> Iterator[Document | Unreadable]:
        for path in unit.paths:
            yield from _code(tree, path)


def _fetched(tree: Tree, path: str, ref: SourceRef) -> Decoded | Unreadable:
    if len(str(ref)) > REF_MAX:
        return unreadable(path, f"its path is too long for an address of {REF_MAX:,} characters")
    return fetch(tree, path)


def read_doc(tree: Tree, path: str, *, authority: str = "") -> Iterator[Document | Unreadable]:
    """A prose file as a document under its path."""
    ref = SourceRef("doc", path)
    decoded = _fetched(tree, path, ref)
    if isinstance(decoded, Unreadable):
        yield decoded
        return
    lines = lines_of(decoded.text)
    front = FrontMatter()
    passages: tuple[Passage, ...]
    if ending_of(path) in _MARKDOWN:
        front = read_front_matter(decoded.text)
        for line, reason in front.warnings:
            yield unreadable(path, reason, line)
        headings = headings_of(decoded.text, skip=front.body_line - 1)
        title = front.text("title") or next((heading.text for heading in headings), "")
    else:
        headings, title = [], _plain_title(lines)
    title = title or path.rsplit("/", 1)[-1]
    at = read_instant(front.text("updated_at") or front.text("date") or date_in(path))
    passages = section_passages(lines, headings, title=shown(title), at=at)
    facts = {
        key: front.text(key)
        for key in ("status", "date", "description", "supersedes", "superseded_by")
        if front.text(key)
    }
    links = tree.linker.links(passages, ref, path=path)
    if is_decision(path):
        said = status_lines(lines, headings, front=front.text("status"))
        links = (*_record_links(said, path), *links)
        facts |= {"status": said[0][:200], "decision": status_word(said) or "unknown"} if said else {}
    yield document(
        tree,
        path,
        decoded,
        ref=ref,
        title=shown(title),
        authority=authority or authority_of(path),
        at=at,
        facts=facts,
        passages=passages,
        links=links,
    )


def _record_links(said: list[str], path: str) -> tuple[Link, ...]:
    """The decision records that one supersedes or is superseded by."""
    written = _LINKED_FILE.findall("\n".join(said))
    targets = {each: found for each in written if (found := linked(each, "", path))}
    return tuple(decision_links(said, targets))


def _plain_title(lines: list[str]) -> str:
    """The title of a plain text or rst file: its first words, where a line of signs stands below them."""
    for above, below in pairwise(lines[:41]):
        if above.strip() and _UNDERLINE.fullmatch(below.strip()) and len(below.strip()) >= min(3, len(above.strip())):
            return above.strip()[:200]
    return ""


def _code(tree: Tree, path: str) -> Iterator[Document | Unreadable]:
    ref = SourceRef("code", path)
    decoded = _fetched(tree, path, ref)
    if isinstance(decoded, Unreadable):
        yield decoded
        return
    passages = code_passages(lines_of(decoded.text))
    yield document(
        tree,
        path,
        decoded,
        ref=ref,
        title=shown(path),
        authority="authority",
        language=language_by_name(path),
        passages=passages,
        links=tree.linker.links(passages, ref),
    )


def language_by_name(path: str) -> str:
    """The short name of a file's language, by its name; empty where none is known."""
    return _language(ending_of(path), "" if ending_of(path) else path.rsplit("/", 1)[-1])


@lru_cache(maxsize=512)
def _language(ending: str, name: str) -> str:
    try:
        lexer = get_lexer_for_filename(f"x.{ending}" if ending else name)
    except (ClassNotFound, ValueError):
        return ""
    return str(lexer.aliases[0])[:10] if lexer.aliases else ""
