"""A word that stands nowhere is answered with the nearest that does."""

import pytest

from tests.factories import NOON
from tests.search.shelf import Shelf, doc
from yoimemory.search.schemas import SearchAnswer, SearchQuery
from yoimemory.search.services import search_sources

pytestmark = pytest.mark.django_db


def ask(shelf: Shelf, query: str) -> SearchAnswer:
    return search_sources(SearchQuery(query=query), workspace=shelf.workspace, now=NOON)


def put_two(shelf: Shelf) -> None:
    shelf.put(
        doc("doc:docs/plan.md", "The orchestrator asks for permission."), doc("doc:docs/other.md", "The worker runs.")
    )
    shelf.index()


class TestANearMiss:
    @pytest.mark.parametrize(
        ("query", "meant"),
        [
            ("orchestator", "orchestrator"),
            ("permisson worker", "permission worker"),
            ("kind:doc permisson -worker", "kind:doc permission -worker"),
            ("orkchestrator", "orchestrator"),
        ],
    )
    def test_is_answered_with_what_was_meant(self, shelf: Shelf, query: str, meant: str) -> None:
        put_two(shelf)

        assert ask(shelf, query).did_you_mean[:1] == [meant]

    @pytest.mark.parametrize("query", ["orchestrator", "zzqqxxyy", "the", "abc", "検索", '"permisson"'])
    def test_is_not_guessed_where_there_is_none(self, shelf: Shelf, query: str) -> None:
        put_two(shelf)

        assert ask(shelf, query).did_you_mean == []
