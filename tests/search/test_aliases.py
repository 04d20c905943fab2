"""Words with a date: a search for one finds the other, as far as it held, and says so."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from tests.factories import NOON, make_person, make_workspace
from tests.search.shelf import Shelf, doc
from yoimemory.access.models import Actor
from yoimemory.asking.meanings import spellings
from yoimemory.asking.schemas import AliasDraft
from yoimemory.asking.services import AlreadySaid, add_alias, remove_alias, restore_alias
from yoimemory.errors import Forbidden
from yoimemory.search.schemas import SearchAnswer, SearchQuery
from yoimemory.search.services import search_sources

pytestmark = pytest.mark.django_db

ENDED = date(2026, 5, 1)
TOLD = "Looked for too because “insomnia” meant “yoi” until 2026-05-01."


@pytest.fixture
def reviewer(shelf: Shelf) -> Actor:
    return make_person(shelf.workspace)


@pytest.fixture
def renamed(shelf: Shelf, reviewer: Actor) -> Shelf:
    """The project was called insomnia, and then yoi."""
    shelf.put(doc("doc:docs/old.md", "The insomnia daemon holds a lock.", at=datetime(2026, 3, 1, tzinfo=UTC)))
    shelf.put(doc("doc:docs/new.md", "The yoi daemon holds a lock.", at=datetime(2026, 6, 1, tzinfo=UTC)))
    shelf.put(doc("doc:docs/sleep.md", "The owner has insomnia.", at=datetime(2026, 7, 1, tzinfo=UTC)))
    shelf.index()
    draft = AliasDraft(word="insomnia", meaning="yoi", until=ENDED)
    add_alias(draft, workspace=shelf.workspace, actor=reviewer, now=NOON)
    return shelf


def ask(shelf: Shelf, query: str, **kwargs: Any) -> SearchAnswer:
    return search_sources(SearchQuery(query=query, **kwargs), workspace=shelf.workspace, now=NOON)


def sources(answer: SearchAnswer) -> set[str]:
    return {hit.source for hit in answer.items}


class TestBothWays:
    def test_the_new_word_finds_older_texts(self, renamed: Shelf) -> None:
        answer = ask(renamed, "yoi lock")

        assert "doc:docs/old.md" in sources(answer)
        old = next(hit for hit in answer.items if hit.source == "doc:docs/old.md")
        assert TOLD in old.why
        assert any("insomnia" in old.snippet[begin:end] for begin, end in old.marks)

    def test_the_old_word_finds_newer_texts(self, renamed: Shelf) -> None:
        answer = ask(renamed, "insomnia")

        new = next(hit for hit in answer.items if hit.source == "doc:docs/new.md")
        assert TOLD in new.why

    def test_counts_as_the_word_itself_where_every_word_is_wanted(self, renamed: Shelf) -> None:
        assert ask(renamed, "yoi lock").all_words == 2

    def test_holds_in_a_long_text_too(self, renamed: Shelf) -> None:
        text = "The yoi daemon. " + "Further words that stand nowhere at all. " * 12

        assert "doc:docs/old.md" in sources(
            search_sources(SearchQuery(text=text), workspace=renamed.workspace, now=NOON)
        )

    def test_is_not_told_where_the_typed_word_stands(self, renamed: Shelf) -> None:
        old = next(hit for hit in ask(renamed, "insomnia").items if hit.source == "doc:docs/old.md")

        assert not any("Looked for too" in reason for reason in old.why)

    def test_joins_words_of_several_parts(self, shelf: Shelf, reviewer: Actor) -> None:
        shelf.put(doc("doc:docs/pod.md", "A Pod is spawned."))
        shelf.index()
        draft = AliasDraft(word="Pod", meaning="isolated Worker")
        add_alias(draft, workspace=shelf.workspace, actor=reviewer, now=NOON)

        assert sources(ask(shelf, "isolated worker")) == {"doc:docs/pod.md"}


class TestDates:
    def test_asked_as_of_a_later_day_the_old_word_stands_for_itself(self, renamed: Shelf) -> None:
        assert "doc:docs/new.md" not in sources(ask(renamed, "insomnia", as_of=datetime(2026, 8, 1, tzinfo=UTC)))

    def test_asked_as_of_an_earlier_day_it_means_what_it_meant(self, renamed: Shelf) -> None:
        assert "doc:docs/new.md" in sources(ask(renamed, "insomnia", as_of=datetime(2026, 4, 1, tzinfo=UTC)))

    def test_a_younger_text_with_the_old_word_says_that_it_may_mean_something_else(self, renamed: Shelf) -> None:
        young = next(hit for hit in ask(renamed, "yoi").items if hit.source == "doc:docs/sleep.md")

        assert young.caveats == ["“insomnia” may mean something else here: “insomnia” meant “yoi” until 2026-05-01."]

    def test_a_word_that_had_not_begun_is_not_applied(self, shelf: Shelf, reviewer: Actor) -> None:
        shelf.put(doc("doc:docs/pod.md", "A Pod is spawned."))
        shelf.index()
        draft = AliasDraft(word="Pod", meaning="Worker", since=date(2026, 3, 1))
        add_alias(draft, workspace=shelf.workspace, actor=reviewer, now=NOON)

        assert sources(ask(shelf, "worker", as_of=datetime(2026, 2, 1, tzinfo=UTC))) == set()
        assert sources(ask(shelf, "worker", as_of=datetime(2026, 4, 1, tzinfo=UTC))) == {"doc:docs/pod.md"}


class TestUpkeep:
    def test_refuses_the_same_word_twice(self, renamed: Shelf, reviewer: Actor) -> None:
        with pytest.raises(AlreadySaid, match="already stands for"):
            add_alias(AliasDraft(word="insomnia", meaning="yoi"), workspace=renamed.workspace, actor=reviewer, now=NOON)

    def test_lets_members_read_and_not_write(self, shelf: Shelf) -> None:
        member = make_person(shelf.workspace, "member")

        with pytest.raises(Forbidden):
            add_alias(AliasDraft(word="a", meaning="b"), workspace=shelf.workspace, actor=member, now=NOON)

    def test_is_removed_and_put_back(self, renamed: Shelf, reviewer: Actor) -> None:
        alias = renamed.workspace.aliases.get()

        remove_alias(alias, actor=reviewer, now=NOON)
        without = sources(ask(renamed, "yoi"))
        restore_alias(alias, actor=reviewer, now=NOON)

        assert "doc:docs/old.md" not in without
        assert "doc:docs/old.md" in sources(ask(renamed, "yoi"))

    def test_of_another_workspace_is_not_applied(self, renamed: Shelf) -> None:
        renamed.workspace.aliases.update(workspace=make_workspace())

        assert "doc:docs/old.md" not in sources(ask(renamed, "yoi"))


class TestBothNumbers:
    @pytest.fixture
    def pods(self, shelf: Shelf, reviewer: Actor) -> Shelf:
        shelf.put(doc("doc:docs/old.md", "One Pod holds a lease."))
        shelf.put(doc("doc:docs/new.md", "Many Workers share a lease."))
        shelf.index()
        add_alias(AliasDraft(word="Pod", meaning="Worker"), workspace=shelf.workspace, actor=reviewer, now=NOON)
        return shelf

    @pytest.mark.parametrize("query", ["Pod", "pods", "workers"])
    def test_of_a_word_and_its_other_word_are_found(self, pods: Shelf, query: str) -> None:
        assert sources(ask(pods, query)) >= {"doc:docs/old.md", "doc:docs/new.md"}

    @pytest.mark.parametrize(
        ("word", "spelled"),
        [
            ("Pod", ["Pod", "Pods"]),
            ("policies", ["policies", "policy"]),
            ("branch", ["branch", "branches"]),
            ("branches", ["branches", "branch"]),
            ("status", ["status", "statuses"]),
            ("日報", ["日報"]),
        ],
    )
    def test_are_spelled(self, word: str, spelled: list[str]) -> None:
        assert spellings(word) == spelled
