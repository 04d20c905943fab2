"""While serving, a change of the sources leads to an index job, and nothing else does."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.factories import NOON
from tests.sources.repository import Repo
from tests.sources.test_sessions import LOG, lines
from yoimemory.jobs.models import Job
from yoimemory.sources.models import Workspace
from yoimemory.sources.services import add_source
from yoimemory.sources.watching import Watcher

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]


class TestWatcher:
    def test_asks_for_an_index_run_after_each_kind_of_change(
        self, repo: Repo, register: Register, tmp_path: Path
    ) -> None:
        repo.commit("One", **{"a.md": "x\n"})
        (tmp_path / "logs").mkdir()
        add_source(workspace := register(repo.root), path=tmp_path / "logs", kind="session", now=NOON)
        watcher = Watcher()

        def look() -> int:
            found = watcher.look(now=NOON)
            assert Job.objects.filter(workspace=workspace).count() == found
            Job.objects.all().delete()
            return found

        assert [look(), look()] == [0, 0]
        repo.write("a.md", "changed\n")
        assert [look(), look()] == [1, 0]
        repo.write("docs/new.md", "new\n")
        assert [look(), look()] == [1, 0]
        repo.commit("Two")
        assert [look(), look()] == [1, 0]
        (tmp_path / "logs" / "day.jsonl").write_bytes(lines(*LOG))
        assert [look(), look()] == [1, 0]
        (repo.root / "a.md").unlink()
        assert [look(), look()] == [1, 0]

    def test_passes_by_a_workspace_that_went_away(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        (tmp_path / "plain").mkdir()
        register(repo.root)
        register(tmp_path / "plain")
        watcher = Watcher()
        watcher.look(now=NOON)
        (tmp_path / "plain").rmdir()
        repo.write("a.md", "new\n")

        assert watcher.look(now=NOON) == 1

    def test_looks_until_it_is_stopped(self, monkeypatch: pytest.MonkeyPatch) -> None:
        seen: list[float] = []
        monkeypatch.setattr(Watcher, "EVERY", 0.01)
        monkeypatch.setattr(Watcher, "look", lambda self, now: seen.append(time.monotonic()))
        watcher = Watcher()

        watcher.start()
        while len(seen) < 3:
            time.sleep(0.01)
        watcher.stop()
        count = len(seen)
        time.sleep(0.05)

        assert len(seen) == count
