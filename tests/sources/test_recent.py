"""Texts of commits are held for a moment; the working tree never is."""

from pathlib import Path

import pytest

from tests.evidence.repository import WORK_ITEMS, Repository
from yoimemory.refs import SourceRef
from yoimemory.sources import recent
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import SourceGone
from yoimemory.sources.recent import read_recent

pytestmark = pytest.mark.django_db

REF = SourceRef.parse("doc:docs/work-items.md")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    recent._held.clear()
    repository = Repository(tmp_path / "ws")
    repository.write("docs/work-items.md", WORK_ITEMS)
    return repository


def refuse(workspace: Workspace, ref: SourceRef) -> None:
    raise AssertionError(f"{ref} was read again")


class TestReadRecent:
    def test_reads_a_text_of_a_commit_once(self, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
        commit = repository.commit()
        workspace = repository.register()
        first = read_recent(workspace, REF)
        monkeypatch.setattr(recent, "read_document", refuse)

        again = read_recent(workspace, REF.at(commit).part("L3"))

        assert again is first

    def test_reads_the_working_tree_each_time(self, repository: Repository) -> None:
        repository.commit()
        workspace = repository.register()
        read_recent(workspace, REF)
        repository.write("docs/work-items.md", "Other words stand here now.\n")

        assert read_recent(workspace, REF).text == "Other words stand here now.\n"

    def test_holds_no_more_than_its_bound(self, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
        repository.write("docs/other.md", "Another text.\n")
        repository.commit()
        workspace = repository.register()
        monkeypatch.setattr(recent, "CHARACTERS_MAX", len(WORK_ITEMS) + 5)

        for name in ("docs/other.md", "docs/work-items.md"):
            read_recent(workspace, SourceRef("doc", name))

        assert [document.path for document in recent._held.values()] == ["docs/work-items.md"]

    def test_raises_for_what_is_not_there(self, repository: Repository) -> None:
        commit = repository.commit()

        with pytest.raises(SourceGone):
            read_recent(repository.register(), SourceRef.parse("doc:docs/none.md").at(commit))

    def test_reads_words_without_links_and_never_gives_them_to_who_wants_links(self, repository: Repository) -> None:
        repository.write("docs/other.md", "# Other\n\nSee docs/work-items.md for the rule.\n")
        commit = repository.commit()
        workspace, ref = repository.register(), SourceRef("doc", "docs/other.md").at(commit)
        words = read_recent(workspace, ref, with_links=False)

        whole = read_recent(workspace, ref)

        assert words.links == ()
        assert [link.target for link in whole.links] == ["doc:docs/work-items.md"]
        assert (words.text, words.passages) == (whole.text, whole.passages)

    def test_gives_the_words_of_what_was_read_whole(
        self, repository: Repository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        commit = repository.commit()
        workspace = repository.register()
        whole = read_recent(workspace, REF.at(commit))
        monkeypatch.setattr(recent, "read_document", refuse)

        assert read_recent(workspace, REF.at(commit), with_links=False) is whole
