"""Sources for the tests of the index: documents held in memory behind the protocol of a reader."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import SimpleNamespace
from typing import Any

import pytest

from tests.factories import NOON, make_workspace
from yoimemory.refs import SourceRef
from yoimemory.search.services import index_workspace
from yoimemory.sources.git import Head
from yoimemory.sources.models import Workspace
from yoimemory.sources.reading import Document, Link, Passage, Unit, Unreadable

HEAD = "a" * 40


@dataclass
class Shelf:
    """What the fake reader finds. Put documents on it, index, change them, index again."""

    workspace: Workspace
    units_: dict[str, list[Document | Unreadable]] = field(default_factory=dict)
    log: list[Document] = field(default_factory=list)
    head: str = HEAD
    reads: list[str] = field(default_factory=list)
    name: str = "shelf"
    revision: str = HEAD

    def put(self, *documents: Document | Unreadable, unit: str = "") -> None:
        first = documents[0]
        key = unit or (str(first.ref.source) if isinstance(first, Document) else first.path)
        self.units_[key] = list(documents)

    def units(self, tree: Any) -> Iterator[Unit]:
        for key, documents in self.units_.items():
            yield Unit(key=key, reader=self.name, fingerprint=str(hash(tuple(map(repr, documents)))))

    def read(self, tree: Any, unit: Unit) -> Iterator[Document | Unreadable]:
        self.reads.append(unit.key)
        yield from self.units_[unit.key]

    def index(self, **kwargs: Any) -> Any:
        self.reads.clear()
        return index_workspace(self.workspace, now=NOON, **kwargs)


def make_shelf(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """A workspace whose sources are in memory, with the few questions to git answered from there."""
    shelf = Shelf(make_workspace(common_dir="/nowhere/.git"))

    @contextmanager
    def open_tree(workspace: Workspace, revision: str = "") -> Iterator[Shelf]:
        yield replace(shelf, revision=revision or shelf.head)

    def commits(workspace: Workspace, *, since: str = "", until: str = "HEAD") -> Iterator[Document]:
        known = [document.ref.locator for document in shelf.log]
        yield from shelf.log[: known.index(since)] if since in known else shelf.log

    def count(workspace: Workspace, since: str, until: str = "HEAD") -> int:
        if until not in {"HEAD", shelf.head, *(document.ref.locator for document in shelf.log)}:
            return 1  # a commit that was rewritten is in no history any more
        return len(list(commits(workspace, since=since)))

    def head(workspace: Workspace) -> Head:
        return Head(commit=shelf.head, branch="main")

    for module in ("services.indexing", "history", "positions"):
        for name, fake in (("head_of", head), ("count_commits", count), ("commits", commits), ("open_tree", open_tree)):
            monkeypatch.setattr(f"yoimemory.search.{module}.{name}", fake, raising=False)
    for module in ("services.indexing", "history"):
        monkeypatch.setattr(f"yoimemory.search.{module}.resolve_revision", lambda workspace, text: text)
    monkeypatch.setattr("yoimemory.search.services.indexing.standing_of", lambda workspace: "")
    # Not the list of all readers itself: what is imported first meanwhile would keep the shelf for every later test.
    monkeypatch.setattr("yoimemory.search.services.indexing.readers", SimpleNamespace(READERS=(shelf,)))
    return shelf


def doc(ref: str, text: str, **kwargs: Any) -> Document:
    """A document of one passage, or of those given."""
    address = SourceRef.parse(ref)
    kwargs.setdefault("title", address.locator)
    kwargs.setdefault("authority", "authority")
    kwargs.setdefault("revision", "" if address.kind == "commit" else HEAD)
    kwargs.setdefault("path", address.locator if address.kind in {"doc", "code"} else "")
    return Document(ref=address, text=text, **kwargs)


def passages(*texts: str, fragment: str = "event", **kwargs: Any) -> tuple[Passage, ...]:
    """Passages one below the other, separated by a blank line."""
    found, line = [], 1
    for number, text in enumerate(texts, 1):
        end = line + text.count("\n")
        found.append(Passage(f"{fragment}-{number}", text, line, end, **kwargs))
        line = end + 2
    return tuple(found)


def commit(sha: str, message: str, at: datetime = NOON, links: tuple[Link, ...] = ()) -> Document:
    return doc(f"commit:{sha}", message, title=message.split("\n")[0], at=at, links=links)
