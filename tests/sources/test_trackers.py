"""Tickets of other trackers: beads and GitHub, from the workspace and from added files, in one shape."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.factories import NOON
from tests.sources.conftest import read_all
from tests.sources.repository import Repo
from yoimemory.errors import BadInput
from yoimemory.refs import SourceRef
from yoimemory.search.schemas import SearchQuery
from yoimemory.search.services.indexing import index_workspace
from yoimemory.search.services.searching import search_sources
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import SourceGone, read_document
from yoimemory.sources.readers.tickets import ticket_state
from yoimemory.sources.reading import OUTSIDE, Document
from yoimemory.sources.services import add_source, preview_source
from yoimemory.sources.trackers import Artifact, PlanRecord, TrackedTicket, documents_of
from yoimemory.sources.trees import open_tree

pytestmark = pytest.mark.django_db(databases=["default", "index"])

Register = Callable[[Path], Workspace]

BEAD: dict[str, Any] = {
    "id": "bd-a1b2",
    "title": "Lock order",
    "description": "Two threads wait for the quokka.\n\nSee docs/locks.md",
    "design": "Take the outer lock first.",
    "acceptance_criteria": "No wait.",
    "status": "closed",
    "priority": 0,
    "issue_type": "bug",
    "created_at": "2026-05-01T10:00:00.123456789Z",
    "created_by": "hana",
    "started_at": "2026-05-02T10:00:00Z",
    "closed_at": "2026-05-04T10:00:00Z",
    "close_reason": "Outer lock first, as designed.",
    "labels": ["locks"],
    "dependencies": [
        {"issue_id": "bd-a1b2", "depends_on_id": "bd-9", "type": "blocks", "created_at": "2026-05-01T11:00:00Z"},
        {"issue_id": "bd-a1b2", "depends_on_id": "bd-7", "type": "discovered-from"},
    ],
    "comments": [{"author": "codex", "text": "\x1b[31mRed\x1b[0m here.", "created_at": "2026-05-03T10:00:00Z"}],
}
OPEN = {"id": "bd-9", "title": "Second", "status": "in_progress", "created_at": "2026-05-01T09:00:00Z"}

GH_LIST = [
    {
        "number": 12, "title": "Search is slow", "body": "Since #7, with the wombat.", "state": "OPEN",
        "labels": [{"name": "perf"}], "author": {"login": "hana", "is_bot": False}, "assignees": [{"login": "kai"}],
        "milestone": {"title": "1.0"}, "createdAt": "2026-06-01T10:00:00Z", "updatedAt": "2026-06-03T10:00:00Z",
        "closedAt": None, "url": "https://github.com/hana/yoi/issues/12",
        "comments": [
            {"author": {"login": "kai"}, "body": "Seen too.", "createdAt": "2026-06-02T10:00:00Z"},
            {"author": None, "body": "Ghost.", "createdAt": "2026-06-01T12:00:00Z"},
        ],
    },
    {"number": 7, "title": "Index", "body": "", "state": "CLOSED", "stateReason": "COMPLETED",
     "createdAt": "2026-05-01T10:00:00Z", "closedAt": "2026-05-05T10:00:00Z"},
]  # fmt: skip
GH_REST = [
    {"number": 3, "title": "Rest", "body": None, "state": "closed", "state_reason": "not_planned", "comments": 1,
     "user": {"login": "dependabot[bot]", "type": "Bot"}, "closed_by": {"login": "hana"},
     "created_at": "2026-05-01T10:00:00Z", "closed_at": "2026-05-02T10:00:00Z",
     "html_url": "https://github.com/hana/yoi/pull/3", "url": "https://api.github.com/repos/hana/yoi/issues/3",
     "pull_request": {"url": "x"}},
]  # fmt: skip
COMMENT = {
    "id": 1, "body": "No plan.", "user": {"login": "hana"}, "created_at": "2026-05-01T12:00:00Z",
    "issue_url": "https://api.github.com/repos/hana/yoi/issues/3",
}  # fmt: skip


def _lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def _open(workspace: Workspace, ref: str) -> Document:
    return read_document(workspace, SourceRef.parse(ref))


@pytest.fixture
def added(repo: Repo, register: Register, tmp_path: Path) -> Callable[..., Workspace]:
    """A workspace that reads one added file or folder of tickets."""
    workspace = register(repo.root)

    def add(name: str, data: object, *, form: str = "") -> Workspace:
        place = tmp_path / name
        place.write_text(data if isinstance(data, str) else json.dumps(data))
        add_source(workspace, path=place, kind="ticket", format=form, now=NOON)
        return workspace

    return add


class TestBeadsInTheWorkspace:
    def test_are_tickets_with_thread_and_resolution(self, repo: Repo, register: Register) -> None:
        repo.write(".beads/issues.jsonl", _lines(BEAD, OPEN))
        commit = repo.commit()

        documents, unreadable = read_all(register(repo.root))

        assert list(documents) == [
            "ticket:bd-a1b2", "ticket:bd-a1b2/thread", "ticket:bd-a1b2/resolution", "ticket:bd-9", "ticket:bd-9/thread",
        ]  # fmt: skip
        item = documents["ticket:bd-a1b2"]
        assert item.text.startswith("# Lock order\n\nTwo threads wait for the quokka.")
        assert "## Design\n\nTake the outer lock first.\n\n## Acceptance criteria\n\nNo wait." in item.text
        assert (item.revision, item.author, item.facts["state"], item.facts["priority"]) == (
            commit,
            "hana",
            "closed",
            0,
        )
        assert documents["ticket:bd-a1b2/resolution"].text == "Outer lock first, as designed."
        assert ["bd-7, which is not in this file" in each.reason for each in unreadable] == [True]

    def test_keep_the_direction_and_the_word_of_a_dependency(self, repo: Repo, register: Register) -> None:
        repo.write(".beads/issues.jsonl", _lines(BEAD, OPEN))

        links = _open(register(repo.root), "ticket:bd-a1b2").links

        assert {(link.kind, link.target, link.note) for link in links} == {
            ("depends_on", "ticket:bd-9", "blocks"),
            ("related", "ticket:bd-7", "discovered-from"),
            ("mentions", "doc:docs/locks.md", ""),
        }

    def test_have_their_events_in_order_and_their_state_at_any_time(self, repo: Repo, register: Register) -> None:
        repo.write(".beads/issues.jsonl", _lines(BEAD))

        thread = _open(register(repo.root), "ticket:bd-a1b2/thread")

        assert [event["kind"] for event in thread.facts["events"]] == ["create", "state_changed", "comment", "close"]
        assert thread.text.split("\n\n")[2] == "Red here."
        assert [passage.speaker for passage in thread.passages] == ["human", "", "agent", ""]
        assert [ticket_state(thread, datetime(2026, 5, day, 12, tzinfo=UTC)) for day in (1, 2, 4)] == [
            "open", "in_progress", "closed",
        ]  # fmt: skip

    def test_are_there_at_the_commit_that_had_them(self, repo: Repo, register: Register) -> None:
        repo.write(".beads/issues.jsonl", _lines(OPEN))
        first = repo.commit()
        repo.write(".beads/issues.jsonl", _lines(BEAD))
        repo.commit()
        workspace = register(repo.root)

        assert _open(workspace, f"ticket:bd-9@{first}").title == "Second"
        with pytest.raises(SourceGone):
            _open(workspace, "ticket:bd-9")

    def test_are_found_by_search(self, repo: Repo, register: Register) -> None:
        repo.write(".beads/issues.jsonl", _lines(BEAD, OPEN))
        workspace = register(repo.root)
        index_workspace(workspace, now=NOON)

        answer = search_sources(SearchQuery(query="quokka", kinds=("ticket",)), workspace=workspace, now=NOON)

        assert [hit.source for hit in answer.items] == ["ticket:bd-a1b2"]
        assert answer.items[0].state == "closed"

    def test_keep_what_was_hung_on_them(self, repo: Repo, register: Register) -> None:
        repo.write(".beads/issues.jsonl", _lines({**OPEN, "metadata": {"estimate": "three okapis"}}))

        found = _open(register(repo.root), "ticket:bd-9/artifacts/metadata.json")

        assert (found.title, found.text) == ("metadata.json of Second", '{\n  "estimate": "three okapis"\n}')


class TestATrackedTicket:
    def test_has_plan_records_and_artifacts_as_a_yoi_ticket_has(self, repo: Repo, register: Register) -> None:
        at = datetime(2026, 5, 1, tzinfo=UTC)
        ticket = TrackedTicket(
            "x-1", "One",
            plans=(
                PlanRecord("accepted_plan", "First\nthen", "hana", at), PlanRecord("after", "x-2", "", at, holds=True),
            ),
            artifacts=(Artifact("review.md", "# Review\n\nFine.", at),),
        )  # fmt: skip

        with open_tree(register(repo.root)) as tree:
            _, plans, review = documents_of(ticket, tree, "x.json")

        assert str(plans.ref) == "ticket:x-1/artifacts/orchestration-plan"
        assert [(each.fragment, each.heading, each.author, each.signals) for each in plans.passages] == [
            ("L1-L2", "accepted_plan", "hana", ()), ("L4", "after", "", ("blocked",)),
        ]  # fmt: skip
        assert (str(review.ref), review.passages[0].heading) == ("ticket:x-1/artifacts/review.md", "Review")


class TestDamagedBeads:
    def test_do_not_hide_their_neighbours(self, repo: Repo, register: Register) -> None:
        text = (
            "\ufeff" + _lines({"id": "bd-1", "title": "One", "status": "open"})
            + "{not json\n\n"
            + _lines(
                {"_type": "memory", "id": "m", "title": "x"}, ["a"], {"id": 3, "title": "no id"},
                {"id": "../up", "title": "climbs"}, {"id": "bd-2", "title": ["list"], "status": {"a": 1}},
                {"id": "bd-1", "title": "One again", "status": "odd", "dependencies": "none", "labels": 3},
                {"id": "bd-3", "title": "Three", "status": "open", "comments": [1, {"text": 2}],
                 "dependencies": [None, {"depends_on_id": "a/b"}, {"depends_on_id": 7}]},
                {"id": "bd-4", "title": "Gone", "status": "tombstone"},
            )
            + '{"id": "bd-5", "title": "cut'
        )  # fmt: skip
        repo.write(".beads/issues.jsonl", text)

        documents, unreadable = read_all(register(repo.root))

        items = {ref: found for ref, found in documents.items() if "/" not in ref}
        assert {ref: found.title for ref, found in items.items()} == {
            "ticket:bd-2": "bd-2", "ticket:bd-1": "One again", "ticket:bd-3": "Three", "ticket:bd-4": "Gone",
        }  # fmt: skip
        reasons = {(each.line, each.reason) for each in unreadable}
        assert (1, "The issue bd-1 stands again below; the last one counts.") in reasons
        assert (2, "This line is not JSON.") in reasons
        assert any("records of the kind 'memory'" in reason for _, reason in reasons)
        assert any("'a/b', which is the id of no issue" in reason for _, reason in reasons)
        assert "deleted this issue" in items["ticket:bd-4"].facts["notes"][0]

    def test_mask_secrets_and_cut_what_is_huge(self, repo: Repo, register: Register) -> None:
        token = "ghp_" + "A1b2" * 9
        repo.write(".beads/issues.jsonl", _lines({**OPEN, "description": f"Use {token}", "notes": "x " * 600_000}))

        item = _open(register(repo.root), "ticket:bd-9")

        assert "[REDACTED:github-token]" in item.text
        assert item.facts["masked"] == {"github-token": 1}
        assert item.text.endswith("[… the rest is left out]")
        assert max(len(passage.text) for passage in item.passages) <= 32_000


class TestGithubIssues:
    @pytest.mark.parametrize("indent", [None, 2])
    def test_of_the_command_line_are_tickets(self, added: Callable[..., Workspace], indent: int | None) -> None:
        workspace = added("issues.json", json.dumps(GH_LIST, indent=indent))

        documents, unreadable = read_all(workspace)

        item, thread = documents["ticket:gh-12"], documents["ticket:gh-12/thread"]
        assert unreadable == []
        assert item.text == "# Search is slow\n\nSince #7, with the wombat."
        assert item.facts == {
            "state": "open", "events": 3, "tracker": "github", "number": 12, "milestone": "1.0", "labels": ["perf"],
            "url": "https://github.com/hana/yoi/issues/12", "created_at": "2026-06-01T10:00:00Z", "assignee": "kai",
            "updated_at": "2026-06-03T10:00:00Z", "notes": [OUTSIDE],
        }  # fmt: skip
        assert [link.target for link in item.links] == ["ticket:gh-7"]
        assert [passage.text for passage in thread.passages] == ["Create.", "Ghost.", "Seen too."]
        assert documents["ticket:gh-7"].text == "# Index"
        assert ticket_state(documents["ticket:gh-7/thread"]) == "closed"

    def test_of_the_rest_export_take_comments_from_beside_them(
        self, repo: Repo, register: Register, tmp_path: Path
    ) -> None:
        folder = tmp_path / "export"
        folder.mkdir()
        (folder / "comments.json").write_text(json.dumps([COMMENT]))
        (folder / "issues.json").write_text(json.dumps(GH_REST) + json.dumps([]))
        workspace = register(repo.root)
        add_source(workspace, path=folder, kind="ticket", format="github", now=NOON)

        documents, unreadable = read_all(workspace)

        thread = documents["ticket:gh-3/thread"]
        assert unreadable == []
        assert documents["ticket:gh-3"].facts["pull_request"] is True
        assert [passage.text for passage in thread.passages] == ["Create.", "No plan.", "Closed: not planned."]
        assert [passage.speaker for passage in thread.passages] == ["agent", "human", "human"]

    def test_damaged_do_not_hide_their_neighbours(self, added: Callable[..., Workspace]) -> None:
        text = '[{"number": 1, "title": "One"},\n{"number": 2, "title": },\n{"number": true, "title": "x"},\n7,\n'
        text += (
            '{"number": 4, "title": null, "state": 3, "labels": "x", "comments": 9, "author": "me"},\n{"number": 5, "ti'
        )

        documents, unreadable = read_all(added("issues.json", text, form="github"))

        assert [ref for ref in documents if "/" not in ref] == ["ticket:gh-1", "ticket:gh-4"]
        lines = [each.line for each in unreadable]
        assert 2 in lines
        assert any("no issues and no comments" in each.reason for each in unreadable)

    def test_of_a_second_export_get_the_name_of_its_folder(self, added: Callable[..., Workspace]) -> None:
        added("first.json", GH_LIST)

        documents, _ = read_all(added("Other repo.json", GH_REST))

        assert {"ticket:gh-12", "ticket:gh-other-repo-3"} <= set(documents)

    def test_stand_once_with_what_the_last_file_says(self, added: Callable[..., Workspace]) -> None:
        documents, unreadable = read_all(added("a.json", [{**GH_LIST[1], "title": "Before"}, GH_LIST[1]]))

        assert documents["ticket:gh-7"].title == "Index"
        assert "stands again elsewhere" in unreadable[0].reason


class TestAddingTickets:
    def test_tells_the_tracker_by_its_records(self, added: Callable[..., Workspace]) -> None:
        workspace = added("a.jsonl", _lines(BEAD))
        added("b.json", {"total_count": 1, "items": GH_REST})

        assert [source.format for source in workspace.added_sources.order_by("pk")] == ["beads", "github"]
        assert _open(workspace, "ticket:bd-a1b2").title == "Lock order"
        assert _open(workspace, "ticket:gh-3").title == "Rest"

    def test_refuses_what_holds_no_tickets(self, added: Callable[..., Workspace]) -> None:
        with pytest.raises(BadInput, match="looks like tickets") as refused:
            added("notes.json", {"a": 1})

        assert "beads or github" in refused.value.hint

    def test_refuses_a_format_of_another_kind(self, added: Callable[..., Workspace]) -> None:
        with pytest.raises(BadInput, match="no format called 'codex' for the kind ticket"):
            added("notes.json", {"a": 1}, form="codex")

    def test_shows_before_what_would_be_read(self, tmp_path: Path) -> None:
        (tmp_path / "issues.jsonl").write_text(_lines(BEAD, OPEN) + "{oops\n")

        preview = preview_source(tmp_path, kind="ticket")

        assert [(file.format, file.records, file.faults) for file in preview.files] == [("beads", 2, 1)]
