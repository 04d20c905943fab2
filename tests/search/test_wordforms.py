"""Other forms of English words, for what is spoken."""

import pytest

from tests.factories import NOON
from tests.search.shelf import Shelf, doc
from yoimemory.search.schemas import SearchQuery
from yoimemory.search.services import search_sources
from yoimemory.search.wordforms import forms_of

pytestmark = pytest.mark.django_db


def ask(shelf: Shelf, query: str, *kinds: str) -> list[str]:
    answer = search_sources(SearchQuery(query=query, kinds=list(kinds)), workspace=shelf.workspace, now=NOON)
    return [hit.source for hit in answer.items]


class TestFormsOf:
    @pytest.mark.parametrize(
        ("asked", "spoken"),
        [
            ("camping", "camped"),
            ("went", "go"),
            ("bought", "buying"),
            ("running", "run"),
            ("studies", "studied"),
            ("hiking", "hike"),
            ("education", "educate"),
            ("child", "children"),
        ],
    )
    def test_are_those_that_the_index_holds(self, shelf: Shelf, asked: str, spoken: str) -> None:
        shelf.put(doc("session:plain/talk", f"we {spoken} and more"))
        shelf.index()

        assert forms_of([asked]) == {asked: [spoken]}

    @pytest.mark.parametrize("word", ["string", "thing", "x86", "日本", ""])
    def test_are_none_of_what_only_looks_like_an_ending(self, shelf: Shelf, word: str) -> None:
        shelf.put(doc("session:plain/talk", "str th th86 and more"))
        shelf.index()

        assert not any(forms_of([word]).values())


class TestSearch:
    def test_finds_other_forms_where_only_sessions_are_asked_for(self, shelf: Shelf) -> None:
        shelf.put(doc("session:plain/talk", "We camped near the lake"))
        shelf.put(doc("doc:docs/a.md", "We camped near the lake"))
        shelf.index()

        assert ask(shelf, "camping trip", "session") == ["session:plain/talk"]
        assert ask(shelf, "camping trip") == []
