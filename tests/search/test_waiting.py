"""How a ticket stood at an instant: its state by its events, and what it waited for; on its page and in JSON."""

import json
from datetime import datetime
from pathlib import Path

import pytest
from django.test import Client

from tests.factories import NOON, make_owner
from tests.sources.repository import Repo
from yoimemory.refs import SourceRef
from yoimemory.search.services import index_workspace
from yoimemory.search.waiting import Standing, standing_of
from yoimemory.sources.models import Workspace
from yoimemory.sources.services import add_source, register_workspace

pytestmark = pytest.mark.django_db(databases=["default", "index"])

WAITS, FIRST = "00001KSKBPMP8", "00001KSKBPCW8"
THREAD = (
    "<!-- event: create author: hare at: {day}T10:00:00Z -->\n\n## Made\n\nMade.\n\n---\n"
    "<!-- event: state_changed author: hare at: {day}T11:00:00Z from: planning to: {to} -->\n\n## Changed\n\n.\n\n---\n"
)


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "work")


@pytest.fixture
def workspace(repo: Repo) -> Workspace:
    """A ticket that waits for another one, which ended on the third."""
    repo.ticket(WAITS, title="Waits", state="ready", thread=THREAD.format(day="2026-07-01", to="ready"))
    repo.ticket(FIRST, title="First", state="done", thread=THREAD.format(day="2026-07-03", to="done"))
    edge = {"ticket_id": WAITS, "kind": "depends_on", "target": FIRST, "note": "Shared file.", "author": "hare",
            "at": "2026-07-02T10:00:00Z"}  # fmt: skip
    repo.write(f".yoi/tickets/{WAITS}/artifacts/relations.json", json.dumps({"version": 1, "relations": [edge]}))
    repo.commit()
    made = register_workspace(repo.root, now=NOON)[0]
    index_workspace(made, now=NOON)
    return made


def _standing(workspace: Workspace, ident: str, as_of: str = "") -> Standing:
    found = standing_of(workspace, SourceRef("ticket", ident), as_of=_at(as_of) if as_of else None)
    assert found is not None
    return found


class TestATicketThatWaits:
    @pytest.mark.parametrize(
        ("as_of", "state", "blocked", "waits"),
        [
            ("", "ready", False, [("done", False)]),
            ("2026-07-03T10:30:00+00:00", "ready", True, [("planning", True)]),
            ("2026-07-02T12:00:00+00:00", "ready", False, [("", False)]),
            ("2026-07-01T10:30:00+00:00", "planning", False, []),
            ("2026-06-30T00:00:00+00:00", "", False, []),
        ],
    )
    def test_is_blocked_while_the_other_has_not_ended(
        self, workspace: Workspace, as_of: str, state: str, blocked: bool, waits: list[tuple[str, bool]]
    ) -> None:
        found = _standing(workspace, WAITS, as_of)

        assert (found.state, found.blocked) == (state, blocked)
        assert [(each.state, each.holds) for each in found.waits_for] == waits

    def test_is_named_by_the_one_that_it_waits_for(self, workspace: Workspace) -> None:
        (held,) = _standing(workspace, FIRST, "2026-07-03T10:30:00+00:00").holds_up

        assert (held.ref, held.title, held.state, held.holds) == (f"ticket:{WAITS}", "Waits", "ready", True)
        assert held.note == "Shared file."
        assert held.where == f"ticket:{WAITS}/artifacts/relations.json#L1"

    def test_is_told_in_json_and_on_its_page(self, workspace: Workspace, client: Client) -> None:
        user = make_owner().user
        assert user is not None
        client.force_login(user)
        asked = {"ref": f"ticket:{WAITS}", "as_of": "2026-07-03T10:30:00Z"}

        told = client.get("/api/v1/open", {**asked, "workspace": workspace.slug}).json()["standing"]
        page = client.get("/read/", asked).content.decode()

        assert (told["state"], told["blocked"], told["waits_for"][0]["state"]) == ("ready", True, "planning")
        assert '<span class="st st-w">blocked</span>' in page
        assert "as of 2026-07-03 10:30:00Z, derived from events and links" in page

    @pytest.mark.parametrize("ref", ["doc:docs/a.md", "ticket:none"])
    def test_is_not_made_up_for_what_is_no_ticket(self, workspace: Workspace, ref: str) -> None:
        assert standing_of(workspace, SourceRef.parse(ref)) is None


class TestAnIssueOfAnotherTracker:
    def test_is_blocked_as_of_an_instant_too(self, repo: Repo) -> None:
        rows = [
            {"id": "a-1", "title": "One", "status": "closed", "issue_type": "task", "priority": 1,
             "created_at": "2026-07-01T10:00:00Z", "closed_at": "2026-07-05T10:00:00Z", "close_reason": "Done."},
            {"id": "a-2", "title": "Two", "status": "open", "issue_type": "task", "priority": 1,
             "created_at": "2026-07-02T10:00:00Z", "metadata": {"estimate": 3}, "dependencies": [
                 {"issue_id": "a-2", "depends_on_id": "a-1", "type": "blocks", "created_at": "2026-07-02T10:00:00Z"}]},
        ]  # fmt: skip
        repo.write(".beads/issues.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        repo.commit()
        workspace = register_workspace(repo.root, now=NOON)[0]
        index_workspace(workspace, now=NOON)

        now, then = _standing(workspace, "a-2"), _standing(workspace, "a-2", "2026-07-03T00:00:00+00:00")

        assert (now.state, now.blocked, then.blocked) == ("open", False, True)
        assert then.told == ("Derived state as of 2026-07-03 00:00:00Z: open; blocked by ticket:a-1 (open).")

    def test_of_github_has_its_state_of_then(self, repo: Repo, tmp_path: Path) -> None:
        repo.commit()
        issue = {"number": 7, "title": "Seven", "state": "CLOSED", "body": "", "createdAt": "2026-07-01T10:00:00Z",
                 "closedAt": "2026-07-04T10:00:00Z", "author": {"login": "hana"}, "comments": []}  # fmt: skip
        (tmp_path / "issues.json").write_text(json.dumps([issue]))
        workspace = register_workspace(repo.root, now=NOON)[0]
        add_source(workspace, path=tmp_path / "issues.json", kind="ticket", now=NOON)
        index_workspace(workspace, now=NOON)

        assert _standing(workspace, "gh-7").state == "closed"
        assert _standing(workspace, "gh-7", "2026-07-02T00:00:00+00:00").state == "open"
