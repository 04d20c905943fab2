"""Commits come into the index between the files where they stand ready, and after them otherwise."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.search.shelf import Shelf, commit, doc
from yoimemory.search.beat import Beat, Clock, RunStopped
from yoimemory.search.history import Commits, Range
from yoimemory.search.models import Document, Position
from yoimemory.search.rows import Prepared, prepare
from yoimemory.search.writing import forget

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 7, 9, tzinfo=UTC)
FIRST, SECOND, THIRD = (str(number) * 40 for number in (1, 2, 3))


class Ahead(Iterator[list[Prepared]]):
    """Batches of one commit each, of which so many stand ready."""

    def __init__(self, *shas: str, standing: int) -> None:
        self.batches = [[prepare(commit(sha, f"Step {sha[0]}"))] for sha in shas]
        self.standing = standing

    def ready(self) -> bool:
        return self.standing > 0

    def __next__(self) -> list[Prepared]:
        self.standing -= 1
        if not self.batches:
            raise StopIteration
        return self.batches.pop(0)


def in_index() -> list[str]:
    return list(Document.objects.filter(kind="commit").order_by("pk").values_list("ref", flat=True))


def commits(shelf: Shelf, ahead: Any) -> Commits:
    position, _ = Position.objects.get_or_create(workspace=shelf.workspace.public_id)
    shelf.log, shelf.head = [commit(sha, "…") for sha in (THIRD, SECOND, FIRST)], THIRD
    return Commits(shelf.workspace, Range("", THIRD, 3), Beat(position, Clock(NOW), 3, None), ahead, full=False)


class TestCommits:
    def test_are_written_as_far_as_they_stand_ready(self, shelf: Shelf) -> None:
        history = commits(shelf, Ahead(THIRD, SECOND, FIRST, standing=2))

        history.write_ready()

        assert in_index() == [f"commit:{THIRD}", f"commit:{SECOND}"]

    def test_are_all_written_at_the_end_and_each_once(self, shelf: Shelf) -> None:
        history = commits(shelf, Ahead(THIRD, SECOND, FIRST, standing=2))
        history.write_ready()

        added = history.write_all()

        assert added == 3
        assert in_index() == [f"commit:{THIRD}", f"commit:{SECOND}", f"commit:{FIRST}"]

    def test_are_written_at_the_end_only_where_nobody_makes_them_ready(self, shelf: Shelf) -> None:
        history = commits(shelf, None)

        history.write_ready()
        before = in_index()

        assert (before, history.write_all(), len(in_index())) == ([], 3, 3)

    def test_of_a_run_that_ended_between_the_files_are_completed_by_the_next(self, shelf: Shelf) -> None:
        shelf.put(doc("doc:a.md", "one"))
        commits(shelf, Ahead(THIRD, SECOND, FIRST, standing=1)).write_ready()

        shelf.index()

        assert sorted(in_index()) == [f"commit:{sha}" for sha in (FIRST, SECOND, THIRD)]

    def test_of_another_form_are_all_read_again_also_where_letting_go_of_them_was_ended(
        self, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shelf.log, shelf.head = [commit(sha, "…") for sha in (THIRD, SECOND, FIRST)], THIRD
        shelf.index()
        Document.objects.filter(kind="commit").update(title="Of another form")

        def forget_one(pks: Sequence[int]) -> None:
            forget(pks[:1])
            raise RunStopped

        with monkeypatch.context() as ended:
            ended.setattr("yoimemory.search.history.forget", forget_one)
            with pytest.raises(RunStopped):
                shelf.index(full=True)
        left = Document.objects.filter(title="Of another form").count()

        shelf.index()

        assert left == 2
        assert sorted(in_index()) == [f"commit:{sha}" for sha in (FIRST, SECOND, THIRD)]
        assert not Document.objects.filter(title="Of another form").exists()

    def test_of_a_rewritten_history_hear_a_stop_where_all_are_known(
        self, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("yoimemory.search.history.SEEN_AT_ONCE", 2)
        shelf.log, shelf.head = [commit(sha, "…") for sha in (THIRD, SECOND, FIRST)], THIRD
        shelf.index()
        shelf.log, shelf.head = shelf.log[1:], SECOND

        def stop(done: int, total: int, note: str) -> None:
            if "looked at again" in note:
                raise RunStopped

        with pytest.raises(RunStopped):
            shelf.index(progress=stop)

        assert len(in_index()) == 3
        shelf.index()
        assert sorted(in_index()) == [f"commit:{sha}" for sha in (FIRST, SECOND)]
