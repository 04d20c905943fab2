"""A long log goes through the index in pieces: nothing twice, nothing missed, little held at once."""

import resource
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.factories import NOON
from tests.sources.repository import Repo
from tests.sources.test_sessions import lines
from yoimemory.refs import SourceRef
from yoimemory.search.lookup import find_document
from yoimemory.search.models import Document, Passage, Unit, Unreadable
from yoimemory.search.services import index_workspace
from yoimemory.sources.models import Workspace
from yoimemory.sources.readers.sessions import SessionReader
from yoimemory.sources.trees import open_tree

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]


@pytest.fixture
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yoimemory.sources.readers.sessions.PART_CHARACTERS", 500)
    monkeypatch.setattr("yoimemory.search.services.indexing.BATCH_CHARACTERS", 700)


def message(number: int) -> dict[str, str]:
    return {"role": "user", "content": f"message {number} about locks " + "x" * 60}


@pytest.mark.usefixtures("_small_parts")
class TestALongLog:
    def test_is_indexed_in_pieces_and_only_its_end_again(self, repo: Repo, register: Register) -> None:
        repo.write(".yoi/sessions/day.jsonl", lines(*map(message, range(50))) + b"{broken\n")
        workspace = register(repo.root)
        first = index_workspace(workspace, now=NOON)
        kept = dict(Document.objects.values_list("ref", "pk"))
        repo.write(".yoi/sessions/day.jsonl", lines(*map(message, range(60))))

        second = index_workspace(workspace, now=NOON)

        assert len(kept) > 8
        assert first.added == len(kept)
        assert first.unreadable == 1
        assert Unreadable.objects.count() == 0
        again = dict(Document.objects.values_list("ref", "pk"))
        assert sum(again[ref] == pk for ref, pk in kept.items()) == len(kept) - 1
        assert [str(ref) for ref in second.changed[:1]] == [sorted(kept, key=lambda ref: kept[ref])[-1]]
        assert sorted(Passage.objects.values_list("fragment", flat=True)) == sorted(f"entry-{n}" for n in range(1, 61))
        assert index_workspace(workspace, now=NOON).changed == []

    def test_that_was_cut_loses_the_parts_that_are_gone(self, repo: Repo, register: Register) -> None:
        repo.write(".yoi/sessions/day.jsonl", lines(*map(message, range(50))))
        workspace = register(repo.root)
        index_workspace(workspace, now=NOON)
        repo.write(".yoi/sessions/day.jsonl", lines(*map(message, range(20))))

        run = index_workspace(workspace, now=NOON)

        assert run.removed
        assert Passage.objects.count() == 20

    def test_is_read_again_after_a_run_that_was_ended(
        self, repo: Repo, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        repo.write(".yoi/sessions/day.jsonl", lines(*map(message, range(50))))
        workspace = register(repo.root)
        calls: Iterator[int] = iter(range(3))

        def ended(*_: object) -> None:
            if next(calls, None) is None:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            index_workspace(workspace, now=NOON, progress=ended)
        halfway = Passage.objects.count()
        state = Unit.objects.get(reader="sessions").fingerprint

        index_workspace(workspace, now=NOON)

        assert 0 < halfway < 50
        assert state == ""
        assert Passage.objects.count() == 50

    def test_is_found_by_any_of_its_entries(self, repo: Repo, register: Register) -> None:
        repo.write(".yoi/sessions/day.jsonl", lines(*map(message, range(50))))
        workspace = register(repo.root)
        index_workspace(workspace, now=NOON)

        found = find_document(workspace, SourceRef.parse("session:plain/day#entry-40"))

        assert found is not None
        assert found.passages.filter(fragment="entry-40").exists()


class TestAVeryLongLog:
    @pytest.mark.slow
    def test_is_not_held_in_memory(self, repo: Repo, register: Register) -> None:
        place = repo.write(".yoi/sessions/day.jsonl", b"")
        record = lines({"role": "tool", "content": ("some words of a long answer " * 40)})
        with place.open("wb") as log:
            for _ in range(200_000_000 // len(record)):
                log.write(record)
        workspace = register(repo.root)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        entries = 0

        with open_tree(workspace) as tree:
            reader = SessionReader()
            (unit,) = reader.units(tree)
            for document in reader.read(tree, unit):
                entries += len(document.passages)  # type: ignore[union-attr]

        assert entries == 200_000_000 // len(record)
        assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) < 60 * 1024
