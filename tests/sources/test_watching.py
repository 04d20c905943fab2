"""While serving, a change of the sources leads to an index job, and nothing else does."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from watchfiles import Change

from tests.factories import NOON
from tests.sources.repository import Repo
from tests.sources.test_sessions import LOG, lines
from yoimemory.jobs.models import Job
from yoimemory.sources.models import Workspace
from yoimemory.sources.services import add_source
from yoimemory.sources.watching import Watcher
from yoimemory.sources.watchstate import forget_states, watch_state

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Leave no word of a watcher to a later test, whose workspace may have the same number."""
    yield
    forget_states()


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
        monkeypatch.setattr(Watcher, "_watch", lambda self: (time.sleep(0.01), seen.append(time.monotonic())))
        watcher = Watcher()

        watcher.start()
        while len(seen) < 3:
            time.sleep(0.01)
        watcher.stop()
        count = len(seen)
        time.sleep(0.05)

        assert len(seen) == count


class TestToldByTheSystem:
    """What the system says of single paths, without waiting for it to say so."""

    @pytest.fixture
    def told(self, repo: Repo, register: Register) -> Callable[..., tuple[bool, int]]:
        """Tell a watcher of a change; answers whether folders are named anew, and how many jobs wait."""
        repo.commit("One", **{"a.md": "x\n", ".gitignore": "*.log\nbuild/\n", "docs/b.md": "y\n"})
        register(repo.root)
        watcher = Watcher()
        watcher.name_folders()

        def tell(path: str, change: Change = Change.modified) -> tuple[bool, int]:
            Job.objects.all().delete()
            anew = watcher.told({(change, f"{repo.root}/{path}")}, now=NOON)
            return anew, Job.objects.count()

        return tell

    def test_names_each_folder_that_is_read_and_none_that_is_ignored(
        self, repo: Repo, register: Register, tmp_path: Path
    ) -> None:
        repo.commit("One", **{"docs/deep/a.md": "x\n", ".gitignore": "build/\n"})
        repo.write("build/out.md", "x\n")
        (tmp_path / "outside").mkdir()
        (repo.root / "link").symlink_to(tmp_path / "outside")
        register(repo.root)

        folders = Watcher().name_folders()

        root = str(repo.root)
        assert {root, f"{root}/docs", f"{root}/docs/deep", f"{root}/.git", f"{root}/.git/refs/heads"} <= set(folders)
        assert not [folder for folder in folders if "build" in folder or "link" in folder or "objects" in folder]

    def test_follows_no_linked_folder_that_took_the_place_of_one(
        self, repo: Repo, register: Register, tmp_path: Path
    ) -> None:
        repo.commit("One", **{"docs/a.md": "x\n"})
        (tmp_path / "outside").mkdir()
        (tmp_path / "outside" / "a.md").write_text("elsewhere\n")
        (repo.root / "docs" / "a.md").unlink()
        (repo.root / "docs").rmdir()
        (repo.root / "docs").symlink_to(tmp_path / "outside")
        register(repo.root)

        assert not [folder for folder in Watcher().name_folders() if folder.endswith("/docs")]

    def test_asks_for_an_index_run_when_a_known_file_changed(self, told: Callable[..., tuple[bool, int]]) -> None:
        assert told("docs/b.md") == (False, 1)

    def test_asks_for_one_when_a_new_file_is_read(self, told: Callable[..., tuple[bool, int]], repo: Repo) -> None:
        repo.write("docs/new.md", "new\n")

        assert told("docs/new.md", Change.added) == (False, 1)

    def test_asks_for_one_when_a_commit_was_made(self, told: Callable[..., tuple[bool, int]]) -> None:
        assert told(".git/refs/heads/main") == (False, 1)

    @pytest.mark.parametrize(
        "path", ["noise.log", ".yoimemory-tmp-abc", ".git/index", ".git/index.lock", ".git/refs/heads/main.lock"]
    )
    def test_passes_by_what_is_ignored_our_own_or_gits_own(
        self, told: Callable[..., tuple[bool, int]], repo: Repo, path: str
    ) -> None:
        if not path.startswith(".git/"):
            repo.write(path, "x\n")

        assert told(path, Change.added) == (False, 0)

    def test_names_the_folders_anew_when_one_appeared(self, told: Callable[..., tuple[bool, int]], repo: Repo) -> None:
        repo.write("docs/deep/c.md", "z\n")

        assert told("docs/deep", Change.added) == (True, 1)


class TestFallBack:
    def test_looks_in_turns_where_the_system_does_not_tell(
        self, repo: Repo, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        repo.commit("One", **{"a.md": "x\n"})
        workspace = register(repo.root)
        monkeypatch.setattr("yoimemory.sources.watched.file_system_of", lambda path: "nfs4")
        watcher = Watcher()

        folders = watcher.name_folders()

        state = watch_state(workspace)
        assert folders == []
        assert state is not None
        assert not state.notified
        assert "looked at in turns" in state.problem

    def test_says_so_where_there_are_too_many_folders(
        self, repo: Repo, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        repo.commit("One", **{"a/a.md": "x\n", "b/b.md": "x\n"})
        workspace = register(repo.root)
        monkeypatch.setattr("yoimemory.sources.watched.FOLDERS_MAX", 2)

        assert Watcher().name_folders() == []
        state = watch_state(workspace)
        assert state is not None
        assert "at most 2 are watched" in state.problem

    def test_goes_on_watching_after_a_change_of_a_file_whose_name_is_no_text(
        self, repo: Repo, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        repo.commit("One", **{"a.md": "x\n"})
        workspace = register(repo.root)
        watcher = Watcher()
        monkeypatch.setattr(watcher, "EVERY", 0.0)
        watcher.look(now=NOON)

        def tell(*_: object, **__: object) -> Iterator[set[tuple[Change, str]]]:
            (repo.root / "a.md").write_text("changed beside it\n")
            raise RuntimeError('Unable to decode path "docs/\\xFF.md" to string')
            yield set()

        monkeypatch.setattr("yoimemory.sources.watching.watch", tell)

        watcher._watch()

        assert Job.objects.filter(workspace=workspace).count() == 1
        state = watch_state(workspace)
        assert state is not None
        assert state.notified
