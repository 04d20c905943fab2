"""What branches and linked work trees have that HEAD has not: found, marked, ranked behind, bounded."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.factories import NOON
from tests.sources.repository import Repo
from yoimemory.refs import SourceRef
from yoimemory.search.models import Document as Row
from yoimemory.search.models import Unreadable
from yoimemory.search.schemas import Hit, SearchQuery
from yoimemory.search.services import index_workspace, search_sources
from yoimemory.sources import beside
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import read_document
from yoimemory.sources.watched import watched
from yoimemory.sources.watching import mark_of

pytestmark = pytest.mark.django_db(databases=["default", "index"])

Register = Callable[[Path], Workspace]


def _hits(workspace: Workspace, words: str) -> list[Hit]:
    return search_sources(SearchQuery(query=words), workspace=workspace, now=NOON).items


@pytest.fixture
def forked(repo: Repo) -> Repo:
    """`main` and `side` differ in a document, a ticket and a new file."""
    repo.ticket("00001KSKBPMP8", title="Lock the spool", body="The spool is open.\n")
    repo.commit(docs__a_dot_md="# Spool\n\nThe spool is drained hourly.\n\n## Rest\n\nThe same on both.\n")
    repo.git("checkout", "-q", "-b", "side")
    repo.ticket("00001KSKBPMP8", title="Lock the spool", body="The spool takes the walrus lock.\n", state="done")
    repo.write("src/new.py", "def quagga():\n    return 1\n")
    repo.commit(docs__a_dot_md="# Spool\n\nThe spool is drained by a zeppelin.\n\n## Rest\n\nThe same on both.\n")
    repo.git("checkout", "-q", "main")
    return repo


class TestAnUnmergedBranch:
    def test_is_found_at_its_commit_marked_with_its_name(self, forked: Repo, register: Register) -> None:
        workspace, side = register(forked.root), forked.git("rev-parse", "side")
        index_workspace(workspace, now=NOON)

        (hit,) = _hits(workspace, "zeppelin")

        assert (hit.ref, hit.source) == (f"doc:docs/a.md@{side}#L3", "doc:docs/a.md")
        assert (hit.authority, hit.state) == ("semi", "unmerged")
        assert "Not merged: it stands on the branch side only; HEAD has another text of it." in hit.caveats
        assert "zeppelin" in read_document(workspace, SourceRef.parse(hit.ref)).text

    @pytest.mark.parametrize(
        ("words", "place"), [("walrus", "ticket:00001KSKBPMP8@{}#"), ("quagga", "code:src/new.py@{}#")]
    )
    def test_gives_tickets_and_code_too(self, forked: Repo, register: Register, words: str, place: str) -> None:
        workspace, side = register(forked.root), forked.git("rev-parse", "side")
        index_workspace(workspace, now=NOON)

        (hit,) = _hits(workspace, words)

        assert hit.ref.startswith(place.format(side))

    def test_stands_behind_what_head_has_and_repeats_nothing_of_it(self, forked: Repo, register: Register) -> None:
        workspace = register(forked.root)
        index_workspace(workspace, now=NOON)

        hits = _hits(workspace, "spool drained")

        order = [(hit.source, hit.state) for hit in hits]
        assert order[0] == ("doc:docs/a.md", "")
        assert order.index(("ticket:00001KSKBPMP8", "ready")) < order.index(("ticket:00001KSKBPMP8", "unmerged"))
        assert ("doc:docs/a.md", "unmerged") in order[1:]
        assert [hit.source for hit in _hits(workspace, "same on both")] == ["doc:docs/a.md"]

    def test_leaves_what_a_path_names_to_head(self, forked: Repo, register: Register) -> None:
        workspace = register(forked.root)
        index_workspace(workspace, now=NOON)

        assert _hits(workspace, "docs/a.md")[0].ref.startswith(f"doc:docs/a.md@{forked.git('rev-parse', 'HEAD')}")

    def test_is_forgotten_once_it_is_merged_or_deleted(self, forked: Repo, register: Register) -> None:
        workspace = register(forked.root)
        index_workspace(workspace, now=NOON)
        forked.git("merge", "-q", "--no-edit", "side")
        index_workspace(workspace, now=NOON)

        assert sorted(hit.state for hit in _hits(workspace, "zeppelin walrus quagga")) == ["", "", "done"]
        assert not Row.objects.filter(ref__contains="@").exists()

    def test_is_read_again_when_it_moves_and_keeps_its_commit_when_head_does(
        self, forked: Repo, register: Register
    ) -> None:
        workspace, side = register(forked.root), forked.git("rev-parse", "side")
        index_workspace(workspace, now=NOON)
        forked.commit(docs__b_dot_md="# Other\n")
        index_workspace(workspace, now=NOON)
        kept = _hits(workspace, "zeppelin")[0].ref
        forked.git("checkout", "-q", "side")
        moved = forked.commit(docs__a_dot_md="# Spool\n\nThe spool is drained by an ekranoplan.\n")
        forked.git("checkout", "-q", "main")
        index_workspace(workspace, now=NOON)

        assert kept.startswith(f"doc:docs/a.md@{side}")
        assert _hits(workspace, "ekranoplan")[0].ref.startswith(f"doc:docs/a.md@{moved}")
        assert not _hits(workspace, "zeppelin")

    def test_that_holds_a_detached_head_is_later_and_not_beside_it(self, forked: Repo, register: Register) -> None:
        forked.git("checkout", "-q", "--detach", "side~1")
        workspace = register(forked.root)
        index_workspace(workspace, now=NOON)

        assert not _hits(workspace, "zeppelin")

    def test_is_read_within_a_bound_that_is_told(
        self, forked: Repo, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(beside, "FILES_MAX", 1)
        workspace = register(forked.root)
        index_workspace(workspace, now=NOON)

        assert Row.objects.filter(state="unmerged").count() == 1
        assert "differs from HEAD in 2 more files" in Unreadable.objects.get().reason


class TestALinkedWorkTree:
    @pytest.fixture
    def linked(self, forked: Repo, tmp_path: Path) -> Path:
        place = tmp_path / "elsewhere" / "linked"
        forked.git("worktree", "add", "-q", str(place), "side")
        (place / "docs" / "a.md").write_text("# Spool\n\nThe spool is drained by a velocipede.\n")
        (place / "docs" / "fresh.md").write_text("# Fresh\n\nA hovercraft.\n")
        (place / "out.md").symlink_to("/etc/hostname")
        return place

    @pytest.mark.parametrize(
        ("words", "ref"),
        [("velocipede", "worktree:linked/docs/a.md"), ("hovercraft", "worktree:linked/docs/fresh.md")],
    )
    def test_gives_what_it_has_in_no_commit(
        self, forked: Repo, linked: Path, register: Register, words: str, ref: str
    ) -> None:
        workspace = register(forked.root)
        index_workspace(workspace, now=NOON)

        (hit,) = _hits(workspace, words)

        assert (hit.source, hit.authority, hit.state) == (ref, "semi", "unmerged")
        assert "Not merged: it stands in the work tree linked only, in no commit." in hit.caveats
        assert words in read_document(workspace, SourceRef.parse(hit.ref)).text

    def test_is_one_workspace_with_its_repository(self, forked: Repo, linked: Path, register: Register) -> None:
        assert register(linked) == register(forked.root)

    def test_is_noticed_when_a_file_of_it_changes(self, forked: Repo, linked: Path, register: Register) -> None:
        workspace = register(forked.root)
        index_workspace(workspace, now=NOON)
        (linked / "docs" / "fresh.md").write_text("# Fresh\n\nA sedan chair.\n")

        run = index_workspace(workspace, now=NOON)

        assert [str(ref) for ref in run.changed] == ["worktree:linked/docs/fresh.md"]
        assert len(_hits(workspace, "sedan")) == 1

    def test_is_watched_folder_by_folder(self, forked: Repo, linked: Path, register: Register) -> None:
        found = watched(register(forked.root))

        assert {str(linked), str(linked / "docs")} <= found.folders
        assert found.reads([str(linked / "docs" / "fresh.md")])

    def test_changes_the_mark_that_tells_of_changes(self, forked: Repo, linked: Path, register: Register) -> None:
        workspace = register(forked.root)
        before = mark_of(workspace)
        (linked / "docs" / "fresh.md").write_text("# Fresh\n\nA sedan chair.\n")
        changed = mark_of(workspace)
        forked.git("branch", "-f", "other", "main")

        assert len({before, changed, mark_of(workspace)}) == 3

    def test_that_is_removed_takes_nothing_else_with_it(self, forked: Repo, linked: Path, register: Register) -> None:
        workspace = register(forked.root)
        index_workspace(workspace, now=NOON)
        forked.git("worktree", "remove", "--force", str(linked))
        index_workspace(workspace, now=NOON)

        assert not _hits(workspace, "velocipede")
        assert len(_hits(workspace, "zeppelin")) == 1
