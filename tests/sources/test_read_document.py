"""Opening one source by its ref: at any revision, whole, or with a sentence that names the nearest."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sources.repository import Repo
from yoimemory.errors import BadInput, DomainError
from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import SourceGone, UnreadableSource, fragment_lines, read_document

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]
A = "00001KXKMX0QA"


def refused(workspace: Workspace, ref: str) -> DomainError:
    with pytest.raises(DomainError) as refusal:
        read_document(workspace, SourceRef.parse(ref))
    return refusal.value


class TestReadDocument:
    def test_gives_the_text_as_it_stands_or_stood(self, repo: Repo, register: Register) -> None:
        first = repo.commit("first", docs__a_dot_md="one\n")
        second = repo.commit("second", docs__a_dot_md="two\n")
        repo.write("docs/a.md", "three\n")
        workspace = register(repo.root)

        now = read_document(workspace, SourceRef.parse("doc:docs/a.md#L1"))
        then = read_document(workspace, SourceRef.parse(f"doc:docs/a.md@{first[:8]}"))
        head = read_document(workspace, SourceRef.parse(f"doc:docs/a.md@{second}"))

        assert (now.text, now.uncommitted, now.revision) == ("three\n", True, f"sha256:{now.digest}")
        assert (then.text, then.revision, then.uncommitted) == ("one\n", first, False)
        assert (head.text, head.revision) == ("two\n", second)
        assert str(now.ref) == "doc:docs/a.md"

    def test_gives_uncommitted_text_only_while_it_is_the_same(self, repo: Repo, register: Register) -> None:
        repo.write("docs/a.md", "one\n")
        workspace = register(repo.root)
        seen = read_document(workspace, SourceRef.parse("doc:docs/a.md"))

        again = read_document(workspace, seen.ref.at(seen.revision))
        repo.write("docs/a.md", "two\n")

        assert again == seen
        gone = refused(workspace, str(seen.ref.at(seen.revision)))
        assert isinstance(gone, SourceGone)
        assert "no longer has the text" in gone.message
        assert "doc:docs/a.md" in gone.hint

    def test_reads_each_part_of_a_ticket(self, repo: Repo, register: Register) -> None:
        repo.ticket(A, title="T", thread="<!-- event: create author: a at: 2026-07-01T00:00:00Z -->\n\nHi.\n")
        repo.write(f".yoi/tickets/{A}/artifacts/deep/x y.md", "# X\n")
        workspace = register(repo.root)

        texts = [
            read_document(workspace, SourceRef.parse(ref)).title
            for ref in (f"ticket:{A}", f"ticket:{A}/thread#event-1", f"ticket:{A}/artifacts/deep/x%20y.md")
        ]

        assert texts == ["T", "Thread of T", "x y.md"]

    @pytest.mark.parametrize(
        ("ref", "near"),
        [
            ("doc:docs/gude.md", "doc:docs/guide.md"),
            ("doc:Docs/guide.md", "doc:docs/guide.md"),
            ("doc:src/app.py", "code:src/app.py"),
            (f"ticket:{A[:-1]}B", f"ticket:{A}"),
            (f"ticket:{A}/resolution", f"ticket:{A}"),
            ("ticket:00001KXKMX0QZ", "objective:00001KXKMX0QZ"),
            ("skill:reviewr", "skill:reviewer"),
        ],
    )
    def test_names_the_nearest_when_there_is_none(self, repo: Repo, register: Register, ref: str, near: str) -> None:
        repo.ticket(A)
        repo.write("docs/guide.md", "x\n")
        repo.write("src/app.py", "x\n")
        repo.write(".yoi/objectives/00001KXKMX0QZ/item.md", "---\ntitle: goal\n---\n")
        repo.write(".yoi/skills/reviewer/SKILL.md", "x\n")

        gone = refused(register(repo.root), ref)

        assert isinstance(gone, SourceGone)
        assert near in gone.hint

    @pytest.mark.parametrize(
        "ref", ["record:runtime/w", "message:01J", "memory:summary", "memory:nonsense", "session:plain/x", "doc:x.md"]
    )
    def test_says_what_to_do_when_nothing_is_near(self, repo: Repo, register: Register, ref: str) -> None:
        repo.commit("first", a_dot_txt="x\n")

        gone = refused(register(repo.root), ref)

        assert gone.status == 404
        assert gone.hint

    def test_tells_unreadable_from_missing(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        (tmp_path / "secret.md").write_text("OUTSIDE\n")
        repo.write("docs/binary.md", bytes(range(256)))
        (repo.root / "docs" / "out.md").symlink_to(tmp_path / "secret.md")
        workspace = register(repo.root)

        for ref, reason in (("doc:docs/binary.md", "binary"), ("doc:docs/out.md", "links are not followed")):
            refusal = refused(workspace, ref)
            assert isinstance(refusal, UnreadableSource)
            assert reason in refusal.message

    def test_reaches_neither_git_nor_ignored_files(self, repo: Repo, register: Register) -> None:
        repo.write(".gitignore", "build/\n")
        repo.write("build/a.md", "x\n")
        workspace = register(repo.root)

        assert isinstance(refused(workspace, "code:.git/config"), DomainError)
        assert isinstance(refused(workspace, "doc:build/a.md"), SourceGone)

    def test_refuses_our_own_records(self, repo: Repo, register: Register) -> None:
        assert isinstance(refused(register(repo.root), "evidence:01JD"), BadInput)

    def test_that_only_head_has_still_is_named_at_that_commit(self, repo: Repo, register: Register) -> None:
        commit = repo.commit(docs__a_dot_md="# One\n")
        (repo.root / "docs" / "a.md").unlink()
        workspace = register(repo.root)

        with pytest.raises(SourceGone) as gone:
            read_document(workspace, SourceRef("doc", "docs/a.md"))

        assert gone.value.hint.startswith(f"Nearest: doc:docs/a.md@{commit}")
        assert read_document(workspace, SourceRef("doc", "docs/a.md", commit)).text == "# One\n"

    def test_of_an_unknown_revision_is_gone(self, repo: Repo, register: Register) -> None:
        repo.commit("first", a_dot_md="x\n")

        assert isinstance(refused(register(repo.root), "doc:a.md@" + "ab" * 20), SourceGone)


class TestHistory:
    def test_gives_a_commit_by_its_beginning(self, repo: Repo, register: Register) -> None:
        commit = repo.commit("Say it\n\nBody.", a_dot_md="x\n")
        workspace = register(repo.root)

        document = read_document(workspace, SourceRef.parse(f"commit:{commit[:6]}#L1"))

        assert (str(document.ref), document.title, document.revision) == (f"commit:{commit}", "Say it", commit)
        assert document.text == "Say it\n\nBody.\n\nA a.md"
        assert isinstance(refused(workspace, "commit:HEAD"), BadInput)
        assert isinstance(refused(workspace, "commit:abcdef12"), SourceGone)

    def test_gives_the_diff_of_a_path(self, repo: Repo, register: Register) -> None:
        first = repo.commit("first", a_dot_md="one\n" * 9)
        repo.git("mv", "a.md", "b.md")
        second = repo.commit("second", b_dot_md="one\n" * 9 + "two\n")
        workspace = register(repo.root)

        added = read_document(workspace, SourceRef.parse(f"diff:{first[:8]}/a.md"))
        renamed = read_document(workspace, SourceRef.parse(f"diff:{second[:8]}/b.md"))

        assert added.text.startswith("diff --git a/a.md b/a.md\nnew file mode")
        assert "rename from a.md" in renamed.text
        assert renamed.text.endswith("+two\n")
        assert str(renamed.ref) == f"diff:{second}/b.md"
        assert isinstance(refused(workspace, f"diff:{second}/c.md"), SourceGone)
        assert isinstance(refused(workspace, f"diff:{second}"), BadInput)

    def test_gives_a_branch_with_what_head_lacks(self, repo: Repo, register: Register) -> None:
        repo.commit("first", a_dot_md="x\n")
        repo.git("checkout", "-q", "-b", "work/aside")
        commit = repo.commit("aside", b_dot_md="x\n")
        repo.git("checkout", "-q", "main")
        workspace = register(repo.root)

        branch = read_document(workspace, SourceRef.parse("branch:work/aside"))

        assert (branch.revision, branch.authority, branch.facts["ahead"]) == (commit, "semi", 1)
        assert f"{commit} aside" in branch.text
        assert "work/aside" in refused(workspace, "branch:work/asid").hint

    def test_gives_a_linked_work_tree(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        commit = repo.commit("first", a_dot_md="x\n")
        repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
        repo.git("worktree", "lock", "--reason", "on a <b>usb</b> disk", str(tmp_path / "linked"))
        workspace = register(repo.root)

        found = read_document(workspace, SourceRef.parse("worktree:linked"))

        assert found.facts == {"branch": "side", "commit": commit, "gone": False, "locked": True}
        assert "on a <b>usb</b> disk" in found.text
        assert "linked" in refused(workspace, "worktree:linkd").hint

    def test_is_refused_for_a_plain_folder(self, tmp_path: Path, register: Register) -> None:
        (tmp_path / "plain").mkdir()
        workspace = register(tmp_path / "plain")

        for ref in ("commit:abcd1234", "diff:abcd1234/a.md", "branch:main", "worktree:x"):
            assert "plain folder without git" in refused(workspace, ref).message


class TestFragmentLines:
    def test_finds_parts_by_lines_headings_and_events(self, repo: Repo, register: Register) -> None:
        repo.write("docs/a.md", "# One\n\ntext\n\n## Two words\n\nmore\n\n# Three\n")
        repo.ticket(A, thread="<!-- event: create author: a at: 2026-07-01T00:00:00Z -->\n\nHi.\n")
        workspace = register(repo.root)
        doc = read_document(workspace, SourceRef.parse("doc:docs/a.md"))
        thread = read_document(workspace, SourceRef.parse(f"ticket:{A}/thread"))

        assert fragment_lines(doc, "L2-L400") == (2, 9)
        assert fragment_lines(doc, "L40") is None
        assert fragment_lines(doc, "heading=one") == (1, 7)
        assert fragment_lines(doc, "heading=two-words") == (5, 7)
        assert fragment_lines(doc, "heading=four") is None
        assert fragment_lines(thread, "event-1") == (1, 3)
        assert fragment_lines(thread, "event-2") is None
        assert fragment_lines(thread, "") is None
