"""What an answer without a hit says: which nothing it is, and what to do next."""

from typing import Any

import pytest

from tests.factories import NOON
from tests.search.shelf import Shelf, doc
from yoimemory.search.coverage import told
from yoimemory.search.schemas import SearchAnswer, SearchQuery
from yoimemory.search.services import index_status, search_sources, searching
from yoimemory.sources.reading import Unreadable

pytestmark = pytest.mark.django_db


def ask(shelf: Shelf, query: str = "", **kwargs: Any) -> SearchAnswer:
    return search_sources(SearchQuery(query=query, **kwargs), workspace=shelf.workspace, now=NOON)


@pytest.fixture
def full(shelf: Shelf) -> Shelf:
    """A shelf with a doc and a session that both name the lock."""
    shelf.put(doc("doc:docs/a.md", "The lock is old.", at=NOON))
    shelf.put(doc("session:plain/log", "The lock is new.", at=NOON))
    shelf.index()
    return shelf


class TestNothing:
    """Each kind of nothing says what it means and what to do next."""

    def test_is_filtered(self, full: Shelf) -> None:
        answer = ask(full, "lock after:2026-01", kinds=["commit"], path="docs/**")

        assert (answer.nothing, answer.filtered) == ("filtered", 2)
        assert answer.advice == "2 sources match without the filters (kinds, path, after:); leave some of them out."

    def test_is_not_filtered_where_only_a_sign_is_missing(self, full: Shelf) -> None:
        full.put(doc("doc:docs/c.md", "The C of the plan"))
        full.index()

        answer = ask(full, "C++")

        assert (answer.nothing, answer.filtered) == ("empty", 0)

    def test_is_filtered_where_what_has_the_sign_is(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:docs/c.md", "Written in C++"))
        shelf.put(doc("doc:docs/d.md", "Written in C"))
        shelf.index()

        answer = ask(shelf, "C++", kinds=["ticket"])

        assert (answer.nothing, answer.filtered) == ("filtered", 1)

    def test_is_out_of_scope(self, full: Shelf) -> None:
        answer = ask(full, "lock", revision="c" * 40)

        assert (answer.nothing, answer.items) == ("out_of_scope", [])
        assert "index that revision" in answer.notes[0]
        assert answer.advice == "The index stands at aaaaaaaaaaaa; index that revision, or ask without one."

    def test_is_out_of_scope_by_a_kind_that_was_typed(self, full: Shelf) -> None:
        answer = ask(full, "zebra kind:branch")

        assert answer.nothing == "out_of_scope"
        assert answer.advice.startswith("The index holds nothing of the kind branch; search without the kind")

    def test_is_an_index_that_is_behind(self, shelf: Shelf) -> None:
        answer = ask(shelf, "lock")

        assert answer.nothing == "index_behind"
        assert answer.advice.startswith("Nothing was found, and the sources were never read. Read them on")

    def test_is_an_index_that_lacks_commits(self, full: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
        position = index_status(full.workspace).model_copy(update={"behind": 3})
        monkeypatch.setattr(searching, "index_status", lambda workspace: position)

        answer = ask(full, "zebra")

        assert answer.nothing == "index_behind"
        assert answer.advice.startswith("Nothing was found, and the index lacks 3 commits of the workspace, so this is")

    def test_is_an_index_that_waits_for_a_change(self, full: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
        position = index_status(full.workspace).model_copy(update={"waiting": True})
        monkeypatch.setattr(searching, "index_status", lambda workspace: position)

        assert "a change was noticed that is not in the index yet" in ask(full, "zebra").advice

    def test_is_what_could_not_be_read(self, shelf: Shelf) -> None:
        shelf.put(Unreadable("docs/broken.md", "It is not text."))
        shelf.index()

        answer = ask(shelf, "lock")

        assert (answer.nothing, answer.unreadable) == ("unreadable", 1)
        assert answer.advice.startswith("Nothing was found, and 1 record could not be read, so this is no proof that")

    def test_is_empty(self, full: Shelf) -> None:
        answer = ask(full, "zebra")

        assert answer.nothing == "empty"
        assert answer.advice.startswith("Nothing in this workspace says so. Try fewer or other words")

    def test_is_none_where_something_was_found(self, full: Shelf) -> None:
        assert (ask(full, "lock").nothing, ask(full, "lock").advice) == ("", "")

    def test_says_that_looking_for_the_contrary_covered_nothing(self, full: Shelf) -> None:
        answer = ask(full, "zebra", stance="disconfirming", kinds=["message"])

        assert answer.nothing == "out_of_scope"
        assert told({"sources": {}}) == "Covers nothing: the index holds no such source."
        assert told({}) == ""
