"""A part of a long log is found whole or not at all, whenever the run that writes it ends."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.factories import NOON
from tests.sources.repository import Repo
from tests.sources.test_long_logs import message
from tests.sources.test_sessions import lines
from yoimemory.search.backends import sqlite
from yoimemory.search.models import Document, Passage
from yoimemory.search.piecewise import _steps
from yoimemory.search.services import index_workspace
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]
LOG = ".yoi/sessions/day.jsonl"


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yoimemory.sources.readers.sessions.PART_CHARACTERS", 500)
    monkeypatch.setattr("yoimemory.search.services.indexing.BATCH_CHARACTERS", 700)


def stop_after(monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    """Let the run end in the middle of the part after so many."""
    write, left = sqlite.write_wholes, [calls]

    def stopping(rows: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        write(rows)

    monkeypatch.setattr(sqlite, "write_wholes", stopping)


class TestAPart:
    def test_that_is_half_written_is_in_no_workspace_and_is_written_anew(
        self, repo: Repo, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        repo.write(LOG, lines(*map(message, range(20))))
        workspace = register(repo.root)
        with monkeypatch.context() as patched:
            stop_after(patched, 2)
            with pytest.raises(KeyboardInterrupt):
                index_workspace(workspace, now=NOON)
        found = Document.objects.filter(workspace=workspace.public_id, kind="session").count()
        halves = Document.objects.filter(kind="session").count() - found

        index_workspace(workspace, now=NOON)

        assert (found, halves) == (2, 1)
        assert not Document.objects.exclude(workspace=workspace.public_id).exists()
        entries = Passage.objects.filter(document__kind="session").values_list("fragment", flat=True)
        assert sorted(entries) == sorted(f"entry-{number}" for number in range(1, 21))

    def test_that_changed_stands_as_it_was_until_the_new_one_is_whole(
        self, repo: Repo, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        repo.write(LOG, lines(*map(message, range(20))))
        workspace = register(repo.root)
        index_workspace(workspace, now=NOON)
        before = set(Document.objects.filter(workspace=workspace.public_id).values_list("ref", "digest"))
        repo.write(LOG, lines(*map(message, range(21))))

        with monkeypatch.context() as patched:
            stop_after(patched, 0)
            with pytest.raises(KeyboardInterrupt):
                index_workspace(workspace, now=NOON)

        assert set(Document.objects.filter(workspace=workspace.public_id).values_list("ref", "digest")) == before


class TestSteps:
    @pytest.mark.parametrize(
        ("sizes", "steps"),
        [
            ([], []),
            ([10], [(0, 1)]),
            ([60_000, 1], [(0, 1), (1, 2)]),
            ([30_000, 30_000, 1], [(0, 1), (1, 3)]),
            ([1] * 201, [(0, 200), (200, 201)]),
        ],
    )
    def test_hold_a_bounded_share_each_and_leave_nothing_out(
        self, sizes: list[int], steps: list[tuple[int, int]]
    ) -> None:
        assert list(_steps(sizes)) == steps
