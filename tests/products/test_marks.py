"""A marker as a product: proposed, approved by a person, set by applying, resolved by undoing; no file is touched."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import make_owner, make_worker
from tests.products.making import NOON, approve, make_folder, propose
from yoimemory.access.services import NotAReviewer
from yoimemory.errors import BadInput
from yoimemory.markers.models import Marker
from yoimemory.products import services
from yoimemory.products.marks import NoMarker, read_mark
from yoimemory.refs import BadRef

MEMORY = "memory:decision/use-sqlite"
WORDS = "state: superseded\nby: ticket:00001KX6WVNPD\nreason: Replaced in April.\n"


class TestReadMark:
    def test_takes_every_line(self) -> None:
        draft = read_mark(MEMORY, WORDS + "It was the last.\nreview: 2026-08-01T00:00:00Z\n")

        assert (draft.target, draft.state, draft.by_ref) == (MEMORY, "superseded", "ticket:00001KX6WVNPD")
        assert draft.reason == "Replaced in April.\nIt was the last."
        assert draft.review_at is not None

    @pytest.mark.parametrize(
        "words", ["", "stale", "state: gone\nreason: x", "state: stale", "reason: x", "state: stale\nfoo: 1\nreason: x"]
    )
    def test_refuses_what_says_no_marker(self, words: str) -> None:
        with pytest.raises(NoMarker):
            read_mark(MEMORY, words)


@pytest.mark.django_db
class TestMarkerProposal:
    def test_is_set_by_applying_and_resolved_by_undoing(self, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        before = sorted(path.stat().st_mtime_ns for path in tmp_path.rglob("*"))
        proposal = propose(workspace, make_worker(workspace), target="marker", path=MEMORY, content=WORDS)
        waiting = Marker.objects.count()

        services.apply_proposal(approve(proposal), actor=owner, now=NOON)
        marker = Marker.objects.get()
        applied = (proposal.state, proposal.way, marker.target, marker.state, marker.status)
        services.revert_proposal(proposal, actor=owner, now=NOON, reason="It holds again.")

        marker.refresh_from_db()
        assert waiting == 0
        assert applied == ("applied", "set as a marker", MEMORY, "superseded", "standing")
        assert (proposal.state, marker.status, marker.resolution) == ("reverted", "resolved", "It holds again.")
        assert sorted(path.stat().st_mtime_ns for path in tmp_path.rglob("*")) == before

    def test_is_refused_where_it_says_no_marker(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)

        with pytest.raises(BadInput, match="does not have the form of a marker"):
            propose(workspace, make_worker(workspace), target="marker", path=MEMORY, content="old\n")

    def test_needs_a_ref(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)

        with pytest.raises(BadRef):
            propose(workspace, make_worker(workspace), target="marker", path="docs/guide.md", content=WORDS)

    def test_is_applied_by_no_worker(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        worker = make_worker(workspace)
        proposal = approve(propose(workspace, worker, target="marker", path=MEMORY, content=WORDS))

        with pytest.raises(NotAReviewer):
            services.apply_proposal(proposal, actor=worker, now=NOON)

        assert not Marker.objects.exists()

    def test_stays_approved_where_the_same_marker_stands(self, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        first = approve(propose(workspace, make_worker(workspace), target="marker", path=MEMORY, content=WORDS))
        other = approve(
            propose(workspace, make_worker(workspace), target="marker", path=MEMORY, content=WORDS + "Twice.\n")
        )
        services.apply_proposal(first, actor=owner, now=NOON)

        with pytest.raises(Exception, match="already marked superseded"):
            services.apply_proposal(other, actor=owner, now=NOON)

        other.refresh_from_db()
        assert (other.state, Marker.objects.count()) == ("approved", 1)

    def test_is_written_judged_and_set_on_the_pages(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        assert owner.user is not None
        client.force_login(owner.user)
        named = {"target": "marker", "path": MEMORY}

        form = client.get(reverse("products:propose"), named).text
        proposal = approve(propose(workspace, make_worker(workspace), **named, content=WORDS), owner)
        page = client.get(reverse("products:detail", args=[proposal.public_id])).text
        done = client.post(
            reverse("products:apply", args=[proposal.public_id]), {"version": proposal.version}, follow=True
        ).text

        assert f"Mark {MEMORY}" in form
        assert "state: stale" in form
        assert "Apply: set the marker" in page
        assert "A marker is set on" in page
        assert "Undo" in done
        assert Marker.objects.get().status == "standing"
