"""Of many words the rare ones find, and the common ones order what those find."""

import pytest

from tests.factories import NOON
from tests.search.shelf import Shelf, doc
from yoimemory.search import matching
from yoimemory.search.matching import match_typed
from yoimemory.search.query import read_query
from yoimemory.search.schemas import SearchQuery
from yoimemory.search.services import search_sources

pytestmark = pytest.mark.django_db


@pytest.fixture
def many(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """Twenty docs that all say worker, three of which say lock too."""
    monkeypatch.setattr(matching, "FINDERS", 10)
    monkeypatch.setattr(matching, "ENOUGH", 2)
    monkeypatch.setattr("yoimemory.search.finding.FEW", 2)
    for number in range(20):
        lock = "The lock of a worker worker is left." if number < 2 else "The lock is old." if number == 2 else ""
        shelf.put(doc(f"doc:d{number:02d}.md", lock or "A worker runs."))
    shelf.index()
    return shelf


class TestCommonWords:
    def test_order_what_the_rare_ones_find(self, many: Shelf) -> None:
        answer = search_sources(SearchQuery(query="lock worker"), workspace=many.workspace, now=NOON)

        assert {hit.source for hit in answer.items} == {"doc:d00.md", "doc:d01.md", "doc:d02.md"}
        assert answer.items[-1].source == "doc:d02.md"
        assert answer.total == 3
        assert any("only orders" in note and "worker" in note for note in answer.notes)

    def test_find_too_where_the_filters_leave_little_of_the_rare_ones(self, many: Shelf) -> None:
        query = SearchQuery(query="lock worker", path="d1*")

        answer = search_sources(query, workspace=many.workspace, now=NOON)

        assert answer.total == 10
        assert not any("only orders" in note for note in answer.notes)

    def test_find_where_nothing_else_is_asked(self, many: Shelf) -> None:
        answer = search_sources(SearchQuery(query="worker"), workspace=many.workspace, now=NOON)

        assert answer.total == 19

    def test_are_left_out_with_what_is_refused(self, many: Shelf) -> None:
        answer = search_sources(SearchQuery(query="lock worker -old"), workspace=many.workspace, now=NOON)

        assert {hit.source for hit in answer.items} == {"doc:d00.md", "doc:d01.md"}

    def test_are_none_where_all_words_together_stand_in_few_sources(self, many: Shelf) -> None:
        match = match_typed(read_query("lock old"))

        assert match.ordering == ""
        assert match.expression == match.wide


class TestLongTexts:
    def test_are_asked_of_records_with_more_of_their_words(self, many: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(matching, "LATIN_OF_RECORDS", 3)
        monkeypatch.setattr(matching, "FINDERS", 1_000)
        text = "The lock of a worker is old."

        of_all = matching.match_text(text)
        of_records = matching.match_text(text, records=True)

        assert of_all.whole is None
        assert of_records.expression == of_all.expression
        assert of_records.whole is not None
        assert of_records.whole.expression.count('"') == 6

    def test_find_records_by_them(self, shelf: Shelf) -> None:
        shelf.put(doc("ticket:00001KXKMX0QM", "The lock of a worker is left behind."))
        shelf.index()
        query = SearchQuery(text="A lock is old.\n\nThe worker left it behind.", kinds=["ticket"])

        answer = search_sources(query, workspace=shelf.workspace, now=NOON)

        assert [hit.source for hit in answer.items] == ["ticket:00001KXKMX0QM"]


class TestOneCharacter:
    def test_begins_longer_words_beside_other_words_too(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:docs/a.md", "工程を廃止する"))
        shelf.put(doc("doc:docs/b.md", "The stance is new."))
        shelf.put(doc("doc:docs/c.md", "Nothing of it."))
        shelf.index()

        answer = search_sources(SearchQuery(query="廃 stance"), workspace=shelf.workspace, now=NOON)

        assert {hit.source for hit in answer.items} == {"doc:docs/a.md", "doc:docs/b.md"}
