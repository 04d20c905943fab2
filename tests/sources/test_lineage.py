"""Where files come from: through renames, line by line; and what is not merged is no authority."""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.sources.repository import Repo
from yoimemory.refs import SourceRef
from yoimemory.sources.git import NoSuchRevision
from yoimemory.sources.history import NoHistory
from yoimemory.sources.lineage import history, line_ages, tags
from yoimemory.sources.models import Workspace
from yoimemory.sources.opener import OutsideRoot
from yoimemory.sources.read import read_document

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]
TEXT = "".join(f"line {number}\n" for number in range(1, 9))


class TestHistory:
    def test_follows_a_file_through_its_names(self, repo: Repo, register: Register) -> None:
        first = repo.commit("Write it", **{"old\nname.md": TEXT, "other.md": "x\n"})
        repo.commit("Not about it", **{"other.md": "y\n"})
        (repo.root / "docs").mkdir()
        repo.git("mv", "old\nname.md", "docs/new.md")
        second = repo.commit("Move it")
        third = repo.commit("Change it", **{"docs/new.md": TEXT + "more\n"})

        found = history(register(repo.root), "docs/new.md")

        assert [(change.commit, change.status, change.path, change.old_path) for change in found] == [
            (third, "M", "docs/new.md", ""),
            (second, "R", "docs/new.md", "old\nname.md"),
            (first, "A", "old\nname.md", ""),
        ]
        assert [change.title for change in found] == ["Change it", "Move it", "Write it"]
        assert found[0].author == "Hana"
        assert found[0].at == datetime.fromtimestamp(1_780_000_000 + 60 * 4, UTC)
        assert str(found[0].diff) == f"diff:{third}/docs/new.md"

    def test_ends_at_a_revision_and_a_limit(self, repo: Repo, register: Register) -> None:
        made = [repo.commit(f"Step {number}", **{"a.md": f"{number}\n"}) for number in range(4)]
        workspace = register(repo.root)

        assert [change.commit for change in history(workspace, "a.md", revision=made[1])] == [made[1], made[0]]
        assert [change.commit for change in history(workspace, "a.md", limit=2)] == [made[3], made[2]]

    def test_of_what_never_was_is_a_sentence(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        repo.commit("One", **{"a.md": "x\n"})
        (tmp_path / "plain").mkdir()

        with pytest.raises(NoHistory, match="has a file nowhere"):
            history(register(repo.root), "nowhere.md")
        with pytest.raises(OutsideRoot):
            history(register(repo.root), "../a.md")
        with pytest.raises(NoSuchRevision):
            history(register(tmp_path / "plain"), "a.md")


class TestLineAges:
    def test_name_the_commit_of_every_line(self, repo: Repo, register: Register) -> None:
        first = repo.commit("Write it", **{"a.md": TEXT})
        second = repo.commit("Change the middle", **{"a.md": TEXT.replace("line 4\n", "new 4\n")})
        repo.write("a.md", "on disk only\n")

        found = line_ages(register(repo.root), "a.md")

        assert [(age.first, age.last, age.commit) for age in found] == [(1, 3, first), (4, 4, second), (5, 8, first)]
        assert [age.title for age in found] == ["Write it", "Change the middle", "Write it"]
        assert [age.first for age in line_ages(register(repo.root), "a.md", revision=first)] == [1]

    def test_of_some_lines_alone_are_told_when_asked_so(self, repo: Repo, register: Register) -> None:
        first = repo.commit("Write it", **{"a.md": TEXT})
        second = repo.commit("Change the middle", **{"a.md": TEXT.replace("line 4\n", "new 4\n")})

        found = line_ages(register(repo.root), "a.md", spans=[(2, 2), (4, 5)])

        assert [(age.first, age.last, age.commit) for age in found] == [(2, 2, first), (4, 4, second), (5, 5, first)]

    def test_are_cut_only_where_the_clone_knows_nothing_older(
        self, repo: Repo, register: Register, tmp_path: Path
    ) -> None:
        repo.commit("Write it", **{"a.md": TEXT})
        repo.commit("Change the middle", **{"a.md": TEXT.replace("line 4\n", "new 4\n")})
        repo.git("clone", "-q", "--depth=1", f"file://{repo.root}", str(tmp_path / "shallow"))

        whole, shallow = (line_ages(register(root), "a.md") for root in (repo.root, tmp_path / "shallow"))

        assert [age.cut for age in whole] == [False, False, False]
        assert [age.cut for age in shallow] == [True]

    def test_of_a_file_that_is_not_there_are_refused(self, repo: Repo, register: Register) -> None:
        repo.commit("One", **{"a.md": "x\n"})

        with pytest.raises(NoHistory, match=r"has no text b\.md"):
            line_ages(register(repo.root), "b.md")


class TestTags:
    def test_name_the_commits_behind_them(self, repo: Repo, register: Register) -> None:
        first = repo.commit("One", **{"a.md": "x\n"})
        repo.git("tag", "light")
        second = repo.commit("Two", **{"a.md": "y\n"})
        repo.git("tag", "-a", "-m", "Release one", "v1")
        repo.git("tag", "of-a-file", "HEAD:a.md")

        found = {tag.name: tag for tag in tags(register(repo.root))}

        assert {name: tag.commit for name, tag in found.items()} == {"light": first, "v1": second, "of-a-file": ""}
        assert found["v1"].title == "Release one"


class TestACommitThatIsNotMerged:
    def test_is_marked_as_that(self, repo: Repo, register: Register) -> None:
        main = repo.commit("One", **{"a.md": "x\n"})
        repo.git("switch", "-q", "-c", "try")
        side = repo.commit("An attempt", **{"a.md": hashlib.sha256(b"x").hexdigest() + "\n"})
        repo.git("switch", "-q", "main")
        workspace = register(repo.root)

        merged, attempt = (read_document(workspace, SourceRef.parse(f"commit:{sha}")) for sha in (main, side))

        assert (merged.authority, merged.facts.get("unmerged")) == ("authority", None)
        assert (attempt.authority, attempt.facts["unmerged"]) == ("semi", True)
