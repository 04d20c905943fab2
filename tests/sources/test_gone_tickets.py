"""Tickets that lie in history only, and tickets that lost their item: both open with what there is, and say so."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.factories import NOON
from tests.sources.conftest import read_all
from tests.sources.repository import Repo
from yoimemory.refs import SourceRef
from yoimemory.search.models import Document as Row
from yoimemory.search.schemas import SearchQuery
from yoimemory.search.services.indexing import index_workspace
from yoimemory.search.services.searching import search_sources
from yoimemory.sources.git import open_git
from yoimemory.sources.gone import gone_tickets
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import SourceGone, read_document

pytestmark = pytest.mark.django_db(databases=["default", "index"])

Register = Callable[[Path], Workspace]
ID = "00001KX6WVNPD"
OTHER = "00001KX6WVNPE"
THREAD = "<!-- event: create author: hare at: 2026-07-01T10:00:00Z -->\n\nBegun.\n"


def _open(workspace: Workspace, ref: str) -> tuple[str, str, list[str]]:
    found = read_document(workspace, SourceRef.parse(ref))
    return str(found.ref), found.revision, found.facts.get("notes", [])


class TestATicketThatWasTakenAway:
    def test_opens_as_the_last_commit_had_it_and_says_so(self, repo: Repo, register: Register) -> None:
        repo.ticket(ID, title="Lock order", thread=THREAD)
        last = repo.commit()
        repo.git("rm", "-q", "-r", ".yoi")
        removed = repo.commit("untrack tickets")
        workspace = register(repo.root)

        ref, revision, notes = _open(workspace, f"ticket:{ID}")

        assert (ref, revision) == (f"ticket:{ID}", last)
        assert notes == [
            f"This ticket lies in git history only: {removed[:12]} took it away on 2026-05-28. It is shown as it was."
        ]
        assert _open(workspace, f"ticket:{ID}/thread")[1] == last

    def test_is_named_where_a_later_revision_is_asked_for(self, repo: Repo, register: Register) -> None:
        repo.ticket(ID)
        last = repo.commit()
        repo.git("rm", "-q", "-r", ".yoi")
        later = repo.commit()

        with pytest.raises(SourceGone) as refused:
            read_document(register(repo.root), SourceRef.parse(f"ticket:{ID}@{later}"))

        assert f"ticket:{ID}@{last}" in refused.value.hint

    def test_is_told_apart_while_only_the_working_tree_lacks_it(self, repo: Repo, register: Register) -> None:
        repo.ticket(ID)
        head = repo.commit()
        (repo.root / f".yoi/tickets/{ID}/item.md").unlink()

        _, revision, notes = _open(register(repo.root), f"ticket:{ID}")

        assert revision == head
        assert "deleted in the working tree" in notes[0]

    def test_is_found_by_search_and_keeps_its_revision(self, repo: Repo, register: Register) -> None:
        repo.ticket(ID, title="Lock order", body="The quokka deadlock.\n")
        last = repo.commit()
        repo.git("rm", "-q", "-r", ".yoi")
        repo.commit()
        workspace = register(repo.root)
        index_workspace(workspace, now=NOON)
        repo.commit("Something else", notes="x\n")
        index_workspace(workspace, now=NOON)

        hits = search_sources(SearchQuery(query="quokka"), workspace=workspace, now=NOON).items

        assert [hit.ref.partition("#")[0] for hit in hits if hit.kind == "ticket"] == [f"ticket:{ID}@{last}"]
        assert any("history only" in caveat for caveat in hits[0].caveats)

    def test_that_came_back_is_read_from_the_working_tree(self, repo: Repo, register: Register) -> None:
        repo.ticket(ID, title="First")
        repo.commit()
        repo.git("rm", "-q", "-r", ".yoi")
        repo.commit()
        repo.ticket(ID, title="Again")
        workspace = register(repo.root)
        index_workspace(workspace, now=NOON)

        assert Row.objects.get(ref=f"ticket:{ID}").title == "Again"
        assert _open(workspace, f"ticket:{ID}")[2] == []

    def test_moved_between_folders_of_state_is_not_gone(self, repo: Repo, register: Register) -> None:
        old = "20260528-101500-x"
        repo.write(f"work-items/open/{old}/item.md", "---\ntitle: 'One'\n---\n")
        repo.commit()
        repo.git("mv", "work-items/open", "work-items/closed")
        repo.commit()

        documents, unreadable = read_all(register(repo.root))

        assert list(documents) == [f"ticket:{old}"]
        assert unreadable == []


class TestTheEarliestLayout:
    def test_is_a_ticket_in_a_file_with_a_review_beside_it(self, repo: Repo, register: Register) -> None:
        repo.write("tickets/fix-lock.md", "# Fix the lock\n\nBody.\n")
        repo.write("tickets/fix-lock.review.md", "Looks right.\n")
        repo.write("tickets/README.md", "# How tickets work\n")
        repo.commit()
        repo.write("tickets/second.md", "# Second\n")

        documents, unreadable = read_all(register(repo.root))

        assert set(documents) == {
            "ticket:fix-lock", "ticket:fix-lock/review", "ticket:second", "doc:tickets/README.md",
        }  # fmt: skip
        assert documents["ticket:fix-lock"].title == "Fix the lock"
        assert unreadable == []

    def test_deleted_on_completion_is_read_from_history(self, repo: Repo, register: Register) -> None:
        repo.write("tickets/fix-lock.md", "# Fix the lock\n")
        repo.write("tickets/fix-lock.review.md", "Looks right.\n")
        last = repo.commit()
        repo.git("rm", "-q", "-r", "tickets")
        repo.commit()

        workspace = register(repo.root)

        assert _open(workspace, "ticket:fix-lock")[1] == last
        assert _open(workspace, "ticket:fix-lock/review")[1] == last
        assert read_all(workspace)[0] == {}


class TestWhatIsKeptOfHistory:
    def test_asks_only_for_commits_that_came_since(self, repo: Repo, register: Register) -> None:
        for ident in (ID, OTHER):
            repo.ticket(ident)
        repo.commit()
        repo.git("rm", "-q", "-r", f".yoi/tickets/{ID}")
        first = repo.commit()
        git = open_git(register(repo.root))
        assert git is not None
        gone_tickets(git, first)
        repo.git("rm", "-q", "-r", ".yoi")
        second = repo.commit()

        found = gone_tickets(git, second)

        assert {ticket: each.removed_in for ticket, each in found.items()} == {OTHER: second, ID: first}
        assert json.loads((git.shadow.path / "gone-tickets.json").read_text())["commit"] == second

    @pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"format": 1, "commit": 3, "gone": {"x": {}}}'])
    def test_damaged_is_made_anew(self, repo: Repo, register: Register, damage: bytes) -> None:
        repo.ticket(ID)
        repo.commit()
        repo.git("rm", "-q", "-r", ".yoi")
        head = repo.commit()
        git = open_git(register(repo.root))
        assert git is not None
        (git.shadow.path / "gone-tickets.json").write_bytes(damage)

        assert list(gone_tickets(git, head)) == [ID]

    def test_is_asked_again_after_history_was_rewritten(self, repo: Repo, register: Register) -> None:
        repo.ticket(ID)
        begin = repo.commit()
        repo.git("rm", "-q", "-r", ".yoi")
        head = repo.commit()
        git = open_git(register(repo.root))
        assert git is not None
        gone_tickets(git, head)
        repo.git("reset", "-q", "--hard", begin)

        assert gone_tickets(git, begin) == {}


class TestATicketWithoutItsItem:
    def test_opens_with_its_thread_and_a_warning(self, repo: Repo, register: Register) -> None:
        repo.write(f".yoi/tickets/{ID}/thread.md", THREAD)
        repo.write(f".yoi/tickets/{ID}/artifacts/notes.md", "# Notes\n")
        repo.commit()

        ref, _, notes = _open(register(repo.root), f"ticket:{ID}")

        assert ref == f"ticket:{ID}/thread"
        assert "has no item.md" in notes[0]

    def test_opens_with_an_artifact_where_it_has_no_thread(self, repo: Repo, register: Register) -> None:
        repo.write(f".yoi/tickets/{ID}/artifacts/notes.md", "# Notes\n")

        assert _open(register(repo.root), f"ticket:{ID}")[0] == f"ticket:{ID}/artifacts/notes.md"
