"""Texts of commits are held for a moment, and so are parts of logs; nothing else of the working tree is."""

import json
from pathlib import Path

import pytest

from tests.evidence.repository import WORK_ITEMS, Repository
from tests.sources.conftest import read_all
from yoimemory.refs import SourceRef
from yoimemory.sources import recent
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import SourceGone, read_document
from yoimemory.sources.readers import sessions
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


def turn(number: int) -> str:
    return json.dumps({"role": "user", "content": f"Turn {number}. " + "x" * 200}) + "\n"


class TestReadRecentOfALog:
    @pytest.fixture
    def log(self, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(sessions, "PART_CHARACTERS", 500)
        repository.write("sessions/one.jsonl", "".join(map(turn, range(1, 10))))
        repository.commit()
        return repository.root / "sessions" / "one.jsonl"

    @pytest.mark.parametrize("again", ["session:plain/one/part-2", "session:plain/one#entry-5", "session:plain/one"])
    def test_reads_a_part_once_while_the_log_is_as_it_was(
        self, repository: Repository, log: Path, monkeypatch: pytest.MonkeyPatch, again: str
    ) -> None:
        workspace = repository.register()
        part = read_recent(workspace, SourceRef.parse("session:plain/one/part-2"))
        first = read_recent(workspace, SourceRef.parse("session:plain/one"))
        monkeypatch.setattr(recent, "read_document", refuse)

        found = read_recent(workspace, SourceRef.parse(again))

        assert found is (first if again == "session:plain/one" else part)
        assert part.facts["entries"] == [4, 6]

    def test_reads_it_again_when_the_log_has_grown(self, repository: Repository, log: Path) -> None:
        workspace = repository.register()
        ref = SourceRef.parse("session:plain/one/part-3")
        before = read_recent(workspace, ref)
        with log.open("a") as file:
            file.write(turn(10))

        after = read_recent(workspace, ref)
        new = read_recent(workspace, SourceRef.parse("session:plain/one#entry-10"))

        with pytest.raises(SourceGone):
            read_recent(workspace, ref.at(f"sha256:{'0' * 64}"))
        assert read_recent(workspace, ref.at(f"sha256:{after.digest}")) is after
        assert after.text == before.text
        assert after is not before
        assert str(new.ref) == "session:plain/one/part-4"

    def test_says_the_same_as_reading_all_of_it(self, repository: Repository, log: Path) -> None:
        log.write_bytes(log.read_bytes().replace(b"Turn 2.", b"Turn \xff."))
        workspace = repository.register()

        whole = [read_document(workspace, ref) for ref in refs_of(workspace)]

        alone = [read_recent(workspace, ref) for ref in refs_of(workspace)]
        assert alone == whole
        assert [each.lossy for each in whole] == [True, False, False]


def refs_of(workspace: Workspace) -> list[SourceRef]:
    documents, _ = read_all(workspace)
    return [each.ref for each in documents.values() if each.ref.kind == "session"]
