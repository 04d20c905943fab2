"""Following a file through git's renames, and telling which commits the history no longer holds."""

from pathlib import Path

import pytest

from tests.evidence.repository import WORK_ITEMS, Repository
from yoimemory.sources.renames import Renames, lost_commits

pytestmark = pytest.mark.django_db

OLD, NEW, LAST = "docs/work-items.md", "docs/rules/items.md", "docs/items.md"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "ws")
    repository.write(OLD, WORK_ITEMS)
    return repository


class TestRenames:
    def test_follow_a_file_of_the_same_bytes(self, repository: Repository) -> None:
        since = repository.commit()
        repository.rename(OLD, NEW)
        repository.commit()

        assert Renames(repository.register()).follow(OLD, since) == NEW

    def test_follow_several_steps_with_edits_on_the_way(self, repository: Repository) -> None:
        since = repository.commit()
        repository.rename(OLD, NEW)
        repository.commit()
        repository.write(NEW, "\n".join(f"Another line {step}." for step in range(40)) + "\n" + WORK_ITEMS[:120])
        repository.commit()
        repository.rename(NEW, LAST)
        repository.commit()

        assert Renames(repository.register()).follow(OLD, since) == LAST

    def test_say_nothing_of_what_was_not_renamed_or_not_committed(self, repository: Repository) -> None:
        since = repository.commit()
        renames = Renames(repository.register())

        assert renames.follow(OLD, since) == ""
        assert renames.follow(OLD, "sha256:" + "0" * 64) == ""
        assert renames.follow(OLD, "f" * 40) == ""


class TestLostCommits:
    def test_are_those_that_an_amended_history_no_longer_holds(self, repository: Repository) -> None:
        kept = repository.commit()
        repository.write("a.md", "A file.\n")
        amended = repository.commit()
        now = repository.amend("In other words")

        asked = {kept, amended, now, "f" * 40, "sha256:" + "0" * 64, ""}

        assert lost_commits(repository.register(), asked) == {amended, "f" * 40}

    def test_are_none_in_a_plain_folder(self, tmp_path: Path) -> None:
        from datetime import UTC, datetime

        from yoimemory.sources.services import register_workspace

        (tmp_path / "plain").mkdir()
        workspace, _ = register_workspace(tmp_path / "plain", now=datetime(2026, 7, 16, tzinfo=UTC))

        assert lost_commits(workspace, {"f" * 40}) == set()
