"""What the index keeps right and small over many runs."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.search.shelf import NOON, Shelf, commit, doc
from yoimemory.refs import SourceRef
from yoimemory.search.backends.statements import fetch
from yoimemory.search.backends.upkeep import _numbers, _varint, date_files
from yoimemory.search.chunks import passages_of
from yoimemory.search.models import Document, Link, Passage
from yoimemory.search.schemas import SearchAnswer, SearchQuery
from yoimemory.search.services import search_sources
from yoimemory.sources.reading import Link as Pointing
from yoimemory.sources.reading import Passage as Part

pytestmark = pytest.mark.django_db


def totals(table: str) -> list[int]:
    return _numbers(fetch(f"SELECT block FROM {table}_data WHERE id = 1", [])[0][0])


class TestTotals:
    def test_do_not_grow_while_a_file_is_read_again_and_again(self, shelf: Shelf) -> None:
        held = (totals("search_part") or [0])[0]  # nothing stands there before the first row ever
        shelf.put(doc("doc:a.md", "one two three"), doc("doc:b.md", "four five"))
        shelf.index()
        before = {table: totals(table) for table in ("search_part", "search_whole")}

        for number in range(5):
            shelf.put(doc("doc:a.md", f"one two four{number}"), doc("doc:b.md", "four five"))
            shelf.index()

        assert {table: totals(table) for table in before} == before
        assert before["search_part"][0] == held + 2

    def test_are_read_and_written_as_the_engine_does(self) -> None:
        numbers = [0, 1, 127, 128, 16_383, 16_384, 2_097_152, 1 << 40]

        assert _numbers(b"".join(map(_varint, numbers))) == numbers


class TestDateFiles:
    def test_takes_the_date_of_the_last_commit_that_touched_a_file(self, shelf: Shelf) -> None:
        touches = (Pointing("touches", "doc:a.md"),)
        days = [datetime(2026, 7, day, tzinfo=UTC) for day in (3, 9, 6)]
        shelf.put(doc("doc:a.md", "x"), *(commit(f"{n}" * 40, "y", at=at, links=touches) for n, at in enumerate(days)))
        shelf.index()

        date_files(shelf.workspace.public_id)

        assert Document.objects.get(ref="doc:a.md").at == days[1]

    def test_asked_for_what_is_new_looks_at_that_and_at_what_new_commits_touched(self, shelf: Shelf) -> None:
        old, new = datetime(2026, 7, 3, tzinfo=UTC), datetime(2026, 7, 9, tzinfo=UTC)
        touched, other = (Pointing("touches", "doc:a.md"),), (Pointing("touches", "doc:b.md"),)
        shelf.put(doc("doc:a.md", "x"), doc("doc:b.md", "x"))
        shelf.put(commit("1" * 40, "y", at=old, links=other), unit="first")
        shelf.index()
        Document.objects.filter(ref="doc:b.md").update(at=None)
        last = Document.objects.order_by("-pk")[0].pk
        shelf.put(commit("2" * 40, "y", at=new, links=touched), unit="second")
        shelf.index()

        date_files(shelf.workspace.public_id, after=last)

        assert [Document.objects.get(ref=f"doc:{name}.md").at for name in "ab"] == [new, None]

    def test_of_a_rewritten_history_are_those_of_the_commits_that_are_left(self, shelf: Shelf) -> None:
        early, late = datetime(2026, 7, 3, tzinfo=UTC), datetime(2026, 7, 9, tzinfo=UTC)
        links = (Pointing("touches", "doc:a.md"),)
        days = enumerate((early, late, early), 1)
        first, second, instead = (commit(f"{n}" * 40, "y", at=at, links=links) for n, at in days)
        shelf.put(doc("doc:a.md", "x"))
        shelf.log, shelf.head = [second, first], "2" * 40
        shelf.index()
        before = Document.objects.get(ref="doc:a.md").at
        shelf.log, shelf.head = [instead, first], "3" * 40

        shelf.index()

        assert (before, Document.objects.get(ref="doc:a.md").at) == (late, early)


class TestPassagesOf:
    def test_lets_the_last_ones_stand_together_where_there_are_too_many(self) -> None:
        parts = tuple(Part(f"event-{n}", f"words {n}", n, n) for n in range(1, 7))
        document = doc("doc:a.md", "\n".join(part.text for part in parts), passages=parts)

        found = passages_of(document, 4)

        assert [(part.fragment, part.start_line, part.end_line) for part in found[2:]] == [
            ("event-3", 3, 3),
            ("L4-L6", 4, 6),
        ]
        assert found[-1].text == "words 4\nwords 5\nwords 6"


class TestLink:
    def test_names_its_target_whole_and_by_source(self, shelf: Shelf) -> None:
        pointing = ("doc:b.md#L3", "ticket:00001KXKP2A71/thread", "doc:c.md")
        shelf.put(doc("doc:a.md", "x", links=tuple(Pointing("mentions", target) for target in pointing)))
        shelf.index()

        found = list(Link.objects.order_by("pk").values_list("target", "target_source"))

        assert found == [
            ("doc:b.md#L3", "doc:b.md"),
            ("ticket:00001KXKP2A71/thread", "ticket:00001KXKP2A71"),
            ("doc:c.md", "doc:c.md"),
        ]

    def test_keeps_the_address_of_a_diff_whole(self, shelf: Shelf) -> None:
        sha = "a" * 40
        shelf.put(doc("doc:a.md", "x", links=(Pointing("mentions", f"diff:{sha}/b.md"),)))
        shelf.index()

        link = Link.objects.get()

        assert (link.target, link.target_source) == (f"diff:{sha}/b.md", str(SourceRef("commit", sha)))


class TestPassageText:
    def test_is_read_as_it_was_written(self, shelf: Shelf) -> None:
        text = "The lock 残骸 stays. " * 60
        shelf.put(doc("doc:a.md", text))
        shelf.index()

        assert Passage.objects.get().text == text


class TestPassage:
    @pytest.mark.parametrize("ordinal", [0, 1, 127, 128, 129, 16_383])
    def test_has_a_number_that_no_other_document_has(self, ordinal: int) -> None:
        number = Passage.pk_of(7, ordinal)

        assert any(first <= number <= last for first, last in Passage.spans_of(7))
        assert not any(first <= number <= last for other in (6, 8) for first, last in Passage.spans_of(other))

    def test_is_found_in_its_document_however_far_behind_it_stands(self, long: Shelf) -> None:
        answer = search(long, "word299 filler")

        assert answer.items[0].ref.split("#")[1] == "event-299"
        assert (search(long, "filler").passages, search(long, "filler", until=NOON).passages) == (301, 301)

    def test_goes_with_its_document_however_far_behind_it_stands(self, long: Shelf) -> None:
        long.put(doc("doc:long.md", "short now"))

        long.index()

        assert Passage.objects.count() == 2
        assert search(long, "word299").items == []


def search(shelf: Shelf, query: str, **fields: Any) -> SearchAnswer:
    return search_sources(SearchQuery(query=query, **fields), workspace=shelf.workspace, now=NOON)


@pytest.fixture
def long(shelf: Shelf) -> Shelf:
    """A document of 300 passages before another one."""
    parts = tuple(Part(f"event-{n}", f"filler word{n}", n + 1, n + 1, at=NOON - timedelta(days=1)) for n in range(300))
    shelf.put(doc("doc:long.md", "\n".join(part.text for part in parts), passages=parts))
    shelf.put(doc("doc:next.md", "filler of the next one", at=NOON - timedelta(days=1)))
    shelf.index()
    return shelf
