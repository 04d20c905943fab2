"""Commits made ready by a process of its own are those that are made ready here."""

import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from yoimemory.search import ahead
from yoimemory.search.models import Document, Link, Passage
from yoimemory.search.services import index_workspace
from yoimemory.sources.git import commits
from yoimemory.sources.models import Workspace
from yoimemory.sources.process import GitProblem
from yoimemory.sources.services import register_workspace

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 7, 9, tzinfo=UTC)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "repository"
    root.mkdir()
    who = ("-c", "user.name=Hana ハナ", "-c", "user.email=hana@example.invalid")
    subprocess.run(["git", "-C", root, "init", "-q", "-b", "main"], check=True)
    for number in range(3):
        (root / f"notes{number}.md").write_text(f"# Note {number}\n\n失敗した lock\n")
        subprocess.run(["git", "-C", root, "add", "."], check=True)
        subprocess.run(["git", "-C", root, *who, "commit", "-q", "-m", f"Step {number} の再構築"], check=True)
    return register_workspace(root, now=NOW)[0]


def held() -> list[Any]:
    """Everything that the index holds, apart from the keys of its rows."""
    documents = Document.objects.order_by("ref").values_list("ref", "title", "at", "digest", "facts", "author")
    passages = Passage.objects.order_by("document__ref", "ordinal").values_list("document__ref", "text", "heading")
    return [*documents, *passages, *Link.objects.order_by("document__ref", "target").values_list("target", "note")]


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "MANY", 1)
    monkeypatch.setattr(ahead, "_cores", lambda: 2)


class TestCommitsAhead:
    def test_are_the_same_as_those_made_ready_here(self, workspace: Workspace, always: None) -> None:
        head = next(iter(commits(workspace))).revision

        with ahead.commits_ahead(workspace, "", head, 3) as batches:
            assert batches is not None
            read = list(batches)

        assert read == list(ahead.in_batches(commits(workspace)))

    def test_come_into_the_index_as_they_do_without(
        self, workspace: Workspace, always: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        index_workspace(workspace, now=NOW)
        elsewhere = held()
        monkeypatch.setattr(ahead, "MANY", 1_000)

        index_workspace(workspace, now=NOW, full=True)

        assert held() == elsewhere
        assert sum(row[0].startswith("commit:") for row in elsewhere) > 3

    def test_are_read_here_where_they_are_few(self, workspace: Workspace) -> None:
        with ahead.commits_ahead(workspace, "", "HEAD", 3) as batches:
            assert batches is None

    def test_end_with_an_error_where_the_other_process_fails(self, workspace: Workspace, always: None) -> None:
        with ahead.commits_ahead(workspace, "", "0123456789" * 4, 3) as batches:
            assert batches is not None
            with pytest.raises(GitProblem, match="makes commits ready ended"):
                list(batches)

    def test_are_ready_to_be_read_up_to_their_end(self, workspace: Workspace, always: None) -> None:
        with ahead.commits_ahead(workspace, "", "HEAD", 3) as batches:
            assert batches is not None
            first = next(batches)
            rest = list(batches)

            assert (len(first), rest, batches.ready()) == (3, [], False)
