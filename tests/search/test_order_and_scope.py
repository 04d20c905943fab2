"""Newest first beside relevance, names and dates in a query, and searching inside one shoebox."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.factories import NOON, make_item, make_shoebox
from tests.search.shelf import Shelf, doc, passages
from yoimemory.search.inside import NoSuchShoebox
from yoimemory.search.schemas import SearchAnswer, SearchQuery
from yoimemory.search.services import search_sources

pytestmark = pytest.mark.django_db


def ask(shelf: Shelf, query: str, **kwargs: Any) -> SearchAnswer:
    return search_sources(SearchQuery(query=query, **kwargs), workspace=shelf.workspace, now=NOON)


def sources(answer: SearchAnswer) -> list[str]:
    return [hit.source for hit in answer.items]


def fill(shelf: Shelf, count: int = 9) -> None:
    """Docs that match ever less the younger they are, and one without a date."""
    for number in range(count):
        text = "lock " * (count - number) + "and further words"
        shelf.put(doc(f"doc:docs/{number}.md", text, at=NOON + timedelta(days=number)))
    shelf.put(doc("doc:docs/undated.md", "lock lock lock"))
    shelf.index()


class TestOrder:
    def test_shows_the_newest_first_and_what_has_no_date_last(self, shelf: Shelf) -> None:
        fill(shelf, 4)

        newest, oldest = ask(shelf, "lock", order="newest"), ask(shelf, "lock", order="oldest")

        names = [f"doc:docs/{number}.md" for number in range(4)]
        assert sources(newest) == [*reversed(names), "doc:docs/undated.md"]
        assert sources(oldest) == [*names, "doc:docs/undated.md"]

    def test_pages_without_a_gap_while_documents_come_in(self, shelf: Shelf) -> None:
        fill(shelf)
        whole = sources(ask(shelf, "lock", order="newest"))
        seen, cursor = [], ""

        for number in range(6):
            answer = ask(shelf, "lock", order="newest", limit=2, cursor=cursor)
            seen += sources(answer)
            cursor = answer.next_cursor
            shelf.put(doc(f"doc:docs/new-{number}.md", "lock", at=NOON + timedelta(days=100)))
            shelf.index()
            if not cursor:
                break

        assert seen == whole

    def test_places_a_source_at_its_newest_passage_that_matches(self, shelf: Shelf) -> None:
        at = NOON + timedelta(days=50)
        parts = (*passages("lock", at=NOON), *passages("other words", at=at))
        shelf.put(doc("session:plain/log", "lock\n\nother words", passages=parts))
        shelf.put(doc("doc:docs/a.md", "lock", at=NOON + timedelta(days=1)))
        shelf.index()

        assert sources(ask(shelf, "lock", order="newest")) == ["doc:docs/a.md", "session:plain/log"]

    def test_shows_more_of_one_source_in_order(self, shelf: Shelf) -> None:
        parts = [passages("lock", at=NOON + timedelta(days=number))[0] for number in range(3)]
        rows = tuple(
            type(part)(f"event-{number}", "lock", number * 2 - 1, number * 2 - 1, at=part.at)
            for number, part in enumerate(parts, 1)
        )
        shelf.put(doc("session:plain/log", "lock\n\nlock\n\nlock", passages=rows))
        shelf.index()

        answer = ask(shelf, "lock", order="newest", per_source=5)

        assert [hit.date for hit in answer.items] == [NOON + timedelta(days=number) for number in (2, 1, 0)]


class TestNamesAndDates:
    def test_lift_what_a_named_author_wrote_and_say_so(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:docs/a.md", "lock lock lock", author="mika"))
        shelf.put(doc("doc:docs/b.md", "lock and other words beside it", author="Rin Sato"))
        shelf.index()

        first = ask(shelf, "rin lock").items[0]

        assert first.source == "doc:docs/b.md"
        assert "Lifted because Rin Sato wrote it and the query names “rin”." in first.why

    def test_lift_the_turns_of_a_named_speaker_within_one_session(self, shelf: Shelf) -> None:
        turns = (*passages("the lock of the door, the lock", author="Mika"), *passages("that lock", author="Rin"))
        shelf.put(doc("session:plain/talk", "\n\n".join(turn.text for turn in turns), passages=turns))
        shelf.index()

        hits = ask(shelf, "What is Rin's lock?", kinds=["session"], per_source=5).items

        assert [hit.author for hit in hits] == ["Rin", "Mika"]
        assert ["Lifted because Rin wrote it and the query names “rin”." in hit.why for hit in hits] == [True, False]

    def test_lift_nobody_where_two_people_are_named(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:docs/a.md", "lock lock lock", author="mika"))
        shelf.put(doc("doc:docs/b.md", "lock and other words beside it", author="Rin Sato"))
        shelf.index()

        hits = ask(shelf, "mika rin lock").items

        assert not any("Lifted" in reason for hit in hits for reason in hit.why)

    @pytest.mark.parametrize("day", ["2026-07-15", "2026-07", "2026年7月", "2026年7月15日"])
    def test_lift_what_dates_from_the_day_that_was_typed(self, shelf: Shelf, day: str) -> None:
        shelf.put(doc("doc:docs/a.md", "lock lock", at=datetime(2026, 3, 1, tzinfo=UTC)))
        shelf.put(doc("doc:docs/b.md", "lock words", at=datetime(2026, 7, 15, 12, tzinfo=UTC)))
        shelf.index()

        hits = {hit.source: hit for hit in ask(shelf, f"lock {day}").items}

        assert f"Lifted because it dates from “{day}”." in hits["doc:docs/b.md"].why
        assert not any("Lifted" in reason for reason in hits["doc:docs/a.md"].why)


class TestInsideAShoebox:
    def test_finds_only_what_lies_in_it_and_counts_the_rest(self, shelf: Shelf) -> None:
        fill(shelf, 3)
        box = make_shoebox(shelf.workspace)
        make_item(box, "doc:docs/1.md")

        answer = ask(shelf, "lock", shoebox=str(box.ref))

        assert sources(answer) == ["doc:docs/1.md"]
        assert answer.filtered == 3

    def test_tells_what_was_set_aside(self, shelf: Shelf) -> None:
        fill(shelf, 2)
        box = make_shoebox(shelf.workspace)
        make_item(box, "doc:docs/1.md", screening="set aside", screening_reason="off the subject")

        [hit] = ask(shelf, "lock", shoebox=box.public_id).items

        assert hit.caveats[0] == "Set aside in this shoebox: off the subject"

    def test_of_an_empty_one_says_filtered(self, shelf: Shelf) -> None:
        fill(shelf, 2)

        answer = ask(shelf, "lock", shoebox=make_shoebox(shelf.workspace).public_id)

        assert (answer.nothing, answer.filtered) == ("filtered", 3)

    def test_refuses_one_that_is_not_here(self, shelf: Shelf) -> None:
        other = make_shoebox()

        with pytest.raises(NoSuchShoebox, match="no shoebox"):
            ask(shelf, "lock", shoebox=other.public_id)
