"""A workspace stands as it did until something that is read changes; then the digest is another."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.factories import NOON, make_worker
from tests.sources.repository import Repo
from yoimemory.search.models import Document
from yoimemory.search.services import index_workspace
from yoimemory.sources.models import Workspace
from yoimemory.sources.schemas import RecordDraft
from yoimemory.sources.services import add_source, record_workspace_record
from yoimemory.sources.standing import standing_of

pytestmark = pytest.mark.django_db(databases=["default", "index"])

Register = Callable[[Path], Workspace]


class TestStandingOf:
    def test_is_the_same_while_nothing_changes(self, repo: Repo, register: Register) -> None:
        repo.commit("One", **{"a.md": "x\n", ".gitignore": "*.log\n"})
        workspace = register(repo.root)
        before = standing_of(workspace)

        repo.write("noise.log", "ignored\n")
        os.utime(repo.root / "a.md", (1, 1))

        assert before
        assert standing_of(workspace) == before

    def test_differs_after_every_change_of_what_is_read(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        repo.commit("One", **{"a.md": "x\n", "b.md": "x\n", ".gitignore": ".yoi/memory/\n"})
        (tmp_path / "logs").mkdir()
        add_source(workspace := register(repo.root), path=tmp_path / "logs", kind="session", now=NOON)
        changes: list[Callable[[], object]] = [
            lambda: repo.write("a.md", "changed\n"),
            lambda: repo.write("a.md", "changed again\n"),
            lambda: repo.write("docs/new.md", "new\n"),
            lambda: repo.write("docs/new.md", "newer words\n"),
            lambda: repo.write(".yoi/memory/summary.md", "# Remember\n"),
            lambda: (tmp_path / "logs" / "day.jsonl").write_text("{}\n"),
            lambda: repo.commit("Two"),
            lambda: repo.git("switch", "-q", "-c", "other"),
            lambda: (repo.root / "b.md").unlink(),
            lambda: record_workspace_record(
                RecordDraft(system="runtime", id="w", body=1), workspace=workspace, actor=make_worker(workspace),
                now=NOON,
            ),
        ]  # fmt: skip
        seen = {standing_of(workspace)}

        for number, change in enumerate(changes, 2):
            change()
            seen.add(standing_of(workspace))
            assert len(seen) == number

    def test_sees_a_change_that_git_was_told_not_to_look_at(self, repo: Repo, register: Register) -> None:
        repo.commit("One", **{"a.md": "x\n"})
        repo.git("update-index", "--assume-unchanged", "a.md")
        workspace = register(repo.root)
        before = standing_of(workspace)

        repo.write("a.md", "changed behind its back\n")

        assert standing_of(workspace) != before

    def test_cannot_be_told_without_a_commit(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        (tmp_path / "plain").mkdir()

        assert standing_of(register(repo.root)) == ""
        assert standing_of(register(tmp_path / "plain")) == ""


class TestIndexOfWhatStands:
    def test_reads_nothing_again_and_still_notices_the_next_change(self, repo: Repo, register: Register) -> None:
        repo.commit("One", **{"a.md": "x\n"})
        workspace = register(repo.root)
        index_workspace(workspace, now=NOON)

        again = index_workspace(workspace, now=NOON)
        repo.write("a.md", "# Changed\n")
        after = index_workspace(workspace, now=NOON)

        assert (again.changed, again.commit) == ([], repo.git("rev-parse", "HEAD"))
        assert [str(ref) for ref in after.changed] == ["doc:a.md"]

    def test_does_not_take_another_revision_for_the_working_tree(self, repo: Repo, register: Register) -> None:
        first = repo.commit("One", **{"a.md": "x\n"})
        repo.commit("Two", **{"b.md": "y\n"})
        workspace = register(repo.root)
        index_workspace(workspace, now=NOON)
        index_workspace(workspace, now=NOON, revision=first)

        index_workspace(workspace, now=NOON)

        assert Document.objects.filter(workspace=workspace.public_id, ref="doc:b.md").exists()
