"""Tickets as they lay earlier: in folders by state, under ids that a map translates."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sources.conftest import read_all
from tests.sources.repository import Repo
from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import SourceGone, read_document

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]
ITEM = "---\ntitle: 'Old one'\n{}created_at: '2026-05-28T10:00:00Z'\n---\n\nBody.\n"


class TestATicketOfAnEarlierLayout:
    @pytest.mark.parametrize("root", ["work-items", ".yoi/tickets"])
    def test_is_a_ticket_with_its_state(self, repo: Repo, register: Register, root: str) -> None:
        old = "20260528-101500-fix-lock"
        repo.write(f"{root}/closed/{old}/item.md", ITEM.format(""))
        repo.write(f"{root}/closed/{old}/artifacts/notes.md", "# Notes\n")
        repo.write(f"{root}/open/20260528-101600-other/item.md", ITEM.format("status: 'pending'\n"))
        repo.commit()
        workspace = register(repo.root)

        documents, unreadable = read_all(workspace)

        assert unreadable == []
        assert {ref: found.facts.get("state") for ref, found in documents.items()} == {
            f"ticket:{old}": "closed",
            f"ticket:{old}/artifacts/notes.md": None,
            "ticket:20260528-101600-other": "pending",
        }
        assert read_document(workspace, SourceRef.parse(f"ticket:{old}")).title == "Old one"

    def test_that_lies_in_two_folders_is_read_once(self, repo: Repo, register: Register) -> None:
        for state in ("open", "closed"):
            repo.write(f".yoi/tickets/{state}/20260528-101500-x/item.md", ITEM.format(""))

        documents, unreadable = read_all(register(repo.root))

        assert list(documents) == ["ticket:20260528-101500-x"]
        assert "lies in two folders" in unreadable[0].reason

    def test_is_there_at_the_commit_that_had_it(self, repo: Repo, register: Register) -> None:
        repo.write("work-items/open/20260528-101500-x/item.md", ITEM.format(""))
        commit = repo.commit()
        repo.git("rm", "-q", "-r", "work-items")
        repo.commit()
        workspace = register(repo.root)

        assert read_document(workspace, SourceRef.parse(f"ticket:20260528-101500-x@{commit}")).title == "Old one"
        assert read_document(workspace, SourceRef.parse("ticket:20260528-101500-x")).revision == commit


class TestAnOldId:
    def test_leads_to_the_ticket_through_the_map(self, repo: Repo, register: Register) -> None:
        repo.ticket("00001KSKBP8Z8", title="Now", thread="<!-- event -->\n")
        repo.ticket("00001KTNMN02R", title="The move")
        repo.write(
            ".yoi/tickets/00001KTNMN02R/artifacts/id-migration-map.txt",
            "20260527-000001-001 00001KSKBP8Z8\n20260527-000002-001 00001KTNMN02R\n20260527-000002-002 00001KSKBP8Z8\n",
        )
        workspace = register(repo.root)

        def named(ref: str) -> str:
            return str(read_document(workspace, SourceRef.parse(ref)).ref)

        assert named("ticket:20260527-000001-001") == "ticket:00001KSKBP8Z8"
        assert named("ticket:20260527-000001-some-slug/thread") == "ticket:00001KSKBP8Z8/thread"
        assert named("ticket:20260527-000002-002") == "ticket:00001KSKBP8Z8"
        with pytest.raises(SourceGone):
            named("ticket:20260527-000002-slug")
