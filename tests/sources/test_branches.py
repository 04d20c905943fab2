"""What is not merged, what lies in a linked work tree, and files whose names are odd."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.factories import NOON
from tests.sources.repository import Repo
from yoimemory.errors import DomainError
from yoimemory.refs import SourceRef
from yoimemory.search.models import Document as Row
from yoimemory.search.models import Unreadable
from yoimemory.search.services.indexing import index_workspace
from yoimemory.sources.lineage import history, line_ages
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import SourceGone, read_document
from yoimemory.sources.reading import Document

pytestmark = pytest.mark.django_db(databases=["default", "index"])

Register = Callable[[Path], Workspace]


def _open(workspace: Workspace, ref: SourceRef | str) -> Document:
    return read_document(workspace, ref if isinstance(ref, SourceRef) else SourceRef.parse(ref))


class TestATextThatIsNotMerged:
    def test_is_marked_with_the_branch_that_has_it(self, repo: Repo, register: Register) -> None:
        main = repo.commit(docs__a_dot_md="# One\n")
        repo.git("checkout", "-q", "-b", "side")
        side = repo.commit(docs__a_dot_md="# Two\n")
        repo.git("checkout", "-q", "main")
        workspace = register(repo.root)

        there, merged = _open(workspace, f"doc:docs/a.md@{side}"), _open(workspace, f"doc:docs/a.md@{main}")

        assert (there.ref, there.revision, there.authority) == (merged.ref, side, "semi")
        assert there.facts["unmerged"] is True
        assert there.facts["notes"] == ["Not merged: this text stands at a commit on side that HEAD does not have."]
        assert (merged.authority, merged.facts.get("notes")) == ("authority", None)


class TestABranch:
    def test_says_how_many_commits_it_has_before_head(self, repo: Repo, register: Register) -> None:
        repo.commit()
        repo.git("checkout", "-q", "-b", "side")
        repo.commit("One")
        repo.git("branch", "one")
        repo.commit("Two")
        repo.git("checkout", "-q", "main")
        workspace = register(repo.root)

        told = [_open(workspace, SourceRef("branch", name)).text.split("\n")[3] for name in ("main", "one", "side")]

        assert told == [
            "HEAD has all of its commits.", "1 commit that HEAD does not have:", "2 commits that HEAD does not have:",
        ]  # fmt: skip


class TestALinkedWorkTree:
    @pytest.fixture
    def workspace(self, repo: Repo, register: Register, tmp_path: Path) -> Workspace:
        repo.commit(docs__a_dot_md="# One\n")
        repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
        (tmp_path / "linked" / "docs" / "a.md").write_text("# Changed there\n")
        (tmp_path / "linked" / "out.md").symlink_to("/etc/hostname")
        return register(repo.root)

    def test_gives_its_text_under_its_own_name(self, workspace: Workspace) -> None:
        found = _open(workspace, "worktree:linked/docs/a.md")

        assert (found.text, found.authority, found.uncommitted) == ("# Changed there\n", "semi", True)
        assert [str(link.target) for link in found.links] == ["worktree:linked"]
        assert _open(workspace, "doc:docs/a.md").text == "# One\n"

    @pytest.mark.parametrize("path", ["none.md", "out.md", ".git", "docs"])
    def test_gives_nothing_that_is_no_file_of_it(self, workspace: Workspace, path: str) -> None:
        with pytest.raises(DomainError):
            _open(workspace, f"worktree:linked/{path}")

    def test_that_does_not_point_back_is_not_read(self, workspace: Workspace, tmp_path: Path) -> None:
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "a.md").write_text("outside\n")
        (workspace.path / ".git" / "worktrees" / "linked" / "gitdir").write_text(f"{tmp_path}/other/.git\n")

        with pytest.raises(SourceGone):
            _open(workspace, "worktree:linked/a.md")


ODD = (
    "two\nlines.md", "quote\"'.md", "-rf.md", "%2e%2e.md", "tab\t.md", "رtl\u202e.md", "🦘.md", "a#b@c.md", "é.md",
    "e\u0301.md", "x" * 250 + ".md", "sp ace /in ner.md", ":colon.md", "back\\slash.md", "*.md", "[a].md",
)  # fmt: skip


class TestAFileWithAnOddName:
    @pytest.mark.parametrize("name", ODD)
    def test_opens_now_and_at_its_commit_with_its_history(self, repo: Repo, register: Register, name: str) -> None:
        repo.write(name, "# Odd\n")
        commit = repo.commit()
        repo.write(name, "# Odd\n\nMore.\n")
        repo.commit()
        workspace = register(repo.root)
        ref = SourceRef("doc", name)

        now, then = _open(workspace, SourceRef.parse(str(ref))), _open(workspace, ref.at(commit))

        assert (now.text, then.text) == ("# Odd\n\nMore.\n", "# Odd\n")
        assert "+More." in _open(workspace, SourceRef("diff", f"{repo.git('rev-parse', 'HEAD')}/{name}")).text
        assert len(history(workspace, name)) == 2
        assert [(age.first, age.last) for age in line_ages(workspace, name)] == [(1, 1), (2, 3)]

    def test_is_indexed_beside_all_the_others(self, repo: Repo, register: Register) -> None:
        raw = b"latin-\xe9.md".decode("utf-8", "surrogateescape")
        for name in (*ODD, raw):
            repo.write(name, f"# {len(name)}\n")
        repo.commit()
        workspace = register(repo.root)

        index_workspace(workspace, now=NOON)

        assert {row.ref for row in Row.objects.filter(kind="doc")} == {
            str(SourceRef("doc", name)) for name in (*ODD, raw)
        }
        assert Unreadable.objects.count() == 0
        assert _open(workspace, SourceRef("doc", raw)).text == f"# {len(raw)}\n"
