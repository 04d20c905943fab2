"""What a search answers."""

import pytest

from tests.factories import NOON
from tests.search.shelf import Shelf, doc
from yoimemory.search.schemas import SearchAnswer, SearchQuery
from yoimemory.search.services import search_sources

pytestmark = pytest.mark.django_db


def ask(shelf: Shelf, query: str = "", **kwargs: object) -> SearchAnswer:
    return search_sources(SearchQuery(query=query, **kwargs), workspace=shelf.workspace, now=NOON)


class TestSearchSources:
    @pytest.mark.parametrize(
        ("query", "ref"),
        [
            ("ロックファイル", "ticket:00001KXKMX0QM"),
            ("残骸", "ticket:00001KXKMX0QM"),
            ("同期", "doc:docs/sync.md"),
            ("雾凇", "doc:docs/rime.md"),
            ("词库", "doc:docs/rime.md"),
            ("雾凇词库", "doc:docs/rime.md"),
            ("再構築", "doc:docs/sync.md"),
            ("검색", "doc:docs/ko.md"),
            ("API", "doc:docs/wide.md"),
            ("失敗 残骸", "ticket:00001KXKMX0QM"),
            ("task-0042", "session:plain/log"),
            ("foo_bar.rs:12", "session:plain/log"),
        ],
    )
    def test_finds_every_word_that_stands_there(self, shelf: Shelf, query: str, ref: str) -> None:
        put_six(shelf)

        answer = ask(shelf, query)

        assert [hit.source for hit in answer.items] == [ref]
        assert answer.nothing == ""

    @pytest.mark.parametrize("query", ["AND", 'a"b', "(x", "what's up?"])
    def test_never_fails_on_what_is_typed(self, shelf: Shelf, query: str) -> None:
        put_six(shelf)

        assert ask(shelf, query).index.indexed_at

    def test_finds_nothing_for_what_stands_nowhere(self, shelf: Shelf) -> None:
        put_six(shelf)

        answer = ask(shelf, "索引")

        assert answer.items == []
        assert answer.nothing == "empty"


def put_six(shelf: Shelf) -> None:
    """The six documents of row 3 of what users of neighbouring tools ran into."""
    shelf.put(doc("ticket:00001KXKMX0QM", "ロックファイルの残骸があると起動に失敗する。"))
    shelf.put(doc("doc:docs/sync.md", "同期のあとで一覧を再構築する。"))
    shelf.put(doc("doc:docs/rime.md", "雾凇词库是一个输入法的名字。"))
    shelf.put(doc("doc:docs/ko.md", "이 문서를 검색할 수 있다."))
    shelf.put(doc("doc:docs/wide.md", "ＡＰＩ の説明です。"))
    shelf.put(doc("session:plain/log", "task-0042 touched foo_bar.rs:12 this morning."))
    shelf.index()
