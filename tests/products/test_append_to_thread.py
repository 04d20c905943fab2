"""Appending to a ticket's thread on explicit request: in its syntax, under its lock, never a state."""

import fcntl
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import NOON, make_owner, make_worker
from tests.products.making import THREAD, TICKET, approve, make_folder, propose
from yoimemory.errors import BadInput
from yoimemory.products import services
from yoimemory.products.files import TICKET_LOCK, BackendBusy
from yoimemory.products.models import Proposal, Writing
from yoimemory.products.thread import ForgesAnEvent, check_body, entry_of
from yoimemory.sources.models import Workspace
from yoimemory.sources.readers.threads import read_events

WAY = "appended to the thread"


def approved(workspace: Workspace, target: str = "ticket_decision", **kwargs: object) -> Proposal:
    kwargs.setdefault("content", "Wait for both dependencies.\n")
    proposal = propose(workspace, make_worker(workspace), target=target, path="ticket:00001KX6WVNPD", **kwargs)
    return approve(proposal)


class TestEntryOf:
    @pytest.mark.parametrize(
        ("target", "head", "heading"),
        [
            ("ticket_comment", "<!-- event: comment author: hare at: 2026-07-16T12:00:00Z -->", "## Comment"),
            ("ticket_decision", "<!-- event: decision author: hare at: 2026-07-16T12:00:00Z -->", "## Decision"),
            (
                "ticket_report",
                "<!-- event: implementation_report author: hare at: 2026-07-16T12:00:00Z -->",
                "## Implementation report",
            ),
            (
                "ticket_review",
                "<!-- event: review author: hare at: 2026-07-16T12:00:00Z status: request_changes -->",
                "## Review: request changes",
            ),
        ],
    )
    def test_is_written_as_the_backend_writes_it(self, target: str, head: str, heading: str) -> None:
        entry = entry_of(target, "Body.\n\n", author="hare", now=NOON, review="request_changes")

        assert entry == f"\n{head}\n\n{heading}\n\nBody.\n\n---\n"

    @pytest.mark.parametrize(
        ("author", "written"),
        [("two words", '"two words"'), ('a"b', '"a\\"b"'), ("x --> y", '"x y"'), ("", '""'), ("a\nb", '"a b"')],
    )
    def test_quotes_a_name_that_would_end_the_head(self, author: str, written: str) -> None:
        entry = entry_of("ticket_comment", "Body.", author=author, now=NOON)

        assert f" author: {written} at: " in entry
        [event] = read_events(entry)
        assert event.fields["at"] == "2026-07-16T12:00:00Z"

    @pytest.mark.parametrize(
        "body", ["<!-- event: state_changed author: a at: b -->", "x\n  <!-- event: close -->", "a\n---\nb", "---"]
    )
    def test_refuses_a_text_that_would_be_taken_apart(self, body: str) -> None:
        with pytest.raises(ForgesAnEvent):
            check_body(body)

    def test_asks_what_a_review_says(self) -> None:
        with pytest.raises(BadInput, match="approve or request_changes"):
            entry_of("ticket_review", "Body.", author="hare", now=NOON)


@pytest.mark.django_db
class TestAppendToThread:
    def test_adds_one_event_and_changes_nothing_else(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        item = (tmp_path / TICKET / "item.md").read_bytes()
        proposal = approved(workspace, evidence=["doc:docs/guide.md#L3"])

        services.apply_proposal(proposal, actor=make_owner("hare"), now=NOON, way=WAY)

        thread = (tmp_path / TICKET / "thread.md").read_text()
        first, second = read_events(thread)
        assert thread.startswith(THREAD)
        assert (second.kind, second.author) == ("decision", "hare")
        assert "Wait for both dependencies." in thread
        assert "- Rests on `doc:docs/guide.md#L3`\n- Proposed as `proposal:" in thread
        assert (tmp_path / TICKET / "item.md").read_bytes() == item
        assert (proposal.state, proposal.way) == ("applied", WAY)
        assert first.kind == "create"

    def test_is_not_the_way_unless_it_is_named(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)

        with pytest.raises(BadInput, match="another writer"):
            services.apply_proposal(approved(workspace), actor=make_owner(), now=NOON)

        assert (tmp_path / TICKET / "thread.md").read_text() == THREAD

    def test_waits_outside_while_the_backend_writes(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approved(workspace)
        lock = tmp_path / ".yoi/tickets" / TICKET_LOCK

        with lock.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            with pytest.raises(BackendBusy, match="is writing at this moment"):
                services.apply_proposal(proposal, actor=make_owner(), now=NOON, way=WAY)
        services.apply_proposal(proposal, actor=make_owner(), now=NOON, way=WAY)

        assert proposal.state == Proposal.State.APPLIED

    @pytest.mark.parametrize("body", ["Fine.\n---\nLost.\n", "<!-- event: close author: x at: y -->\n"])
    def test_refuses_a_text_that_would_be_taken_apart(self, tmp_path: Path, body: str) -> None:
        workspace = make_folder(tmp_path)
        proposal = approved(workspace, content=body)

        with pytest.raises(ForgesAnEvent):
            services.apply_proposal(proposal, actor=make_owner(), now=NOON, way=WAY)

        proposal.refresh_from_db()
        assert proposal.state == Proposal.State.APPROVED
        assert (tmp_path / TICKET / "thread.md").read_text() == THREAD

    def test_says_what_a_review_says(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approved(workspace, target="ticket_review")

        services.apply_proposal(
            proposal, actor=make_owner(), now=datetime(2026, 7, 17, tzinfo=UTC), way=WAY, review="request_changes"
        )

        event = read_events((tmp_path / TICKET / "thread.md").read_text())[-1]
        assert (event.kind, event.fields["status"]) == ("review", "request_changes")

    def test_is_undone_while_it_is_the_last_event(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approved(workspace)
        services.apply_proposal(proposal, actor=make_owner(), now=NOON, way=WAY)

        services.revert_proposal(proposal, actor=make_owner(), now=NOON)

        assert (tmp_path / TICKET / "thread.md").read_text() == THREAD

    def test_is_not_undone_once_something_follows(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approved(workspace)
        services.apply_proposal(proposal, actor=make_owner(), now=NOON, way=WAY)
        thread = tmp_path / TICKET / "thread.md"
        later = thread.read_text() + "\n<!-- event: comment author: a at: b -->\n\nMore.\n\n---\n"
        thread.write_text(later)

        with pytest.raises(services.ChangedSince):
            services.revert_proposal(proposal, actor=make_owner(), now=NOON)

        assert thread.read_text() == later

    def test_is_told_apart_after_a_crash(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approved(workspace)
        services.apply_proposal(proposal, actor=make_owner(), now=NOON, way=WAY)
        Writing.objects.update(state=Writing.State.PREPARED)
        Proposal.objects.update(state=Proposal.State.APPROVED, way="")

        services.recover_writings(NOON)

        proposal.refresh_from_db()
        assert (proposal.state, proposal.way) == ("applied", WAY)

    def test_is_shown_before_it_is_asked_for(self, client: Client, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        proposal = approved(workspace)
        owner = make_owner("hare")
        assert owner.user is not None
        client.force_login(owner.user)

        page = client.get(reverse("products:detail", args=[proposal.public_id])).text
        sent = {"version": proposal.version, "way": WAY}
        done = client.post(reverse("products:apply", args=[proposal.public_id]), sent, follow=True).text

        assert "&lt;!-- event: decision author: hare at: " in page
        assert "Append it to the thread" in page
        assert "Appended to the thread." in done
