"""Three texts of one place: what was there, what is there now, what is proposed; on the page of a conflict."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import make_owner, make_worker
from tests.products.making import BETTER, GUIDE, NOON, approve, make_folder, propose
from yoimemory.products import services
from yoimemory.products.merge import places

BASE = "one\ntwo\nthree\nfour\n"


class TestPlaces:
    def test_are_none_where_nothing_changed(self) -> None:
        assert places(BASE, BASE, BASE) == []

    def test_tell_which_side_changed(self) -> None:
        [ours, theirs] = places(BASE, BASE.replace("two", "2"), BASE.replace("four", "4"))

        assert (ours.line, ours.was, ours.now, ours.proposed, ours.conflict) == (2, "two\n", "two\n", "2\n", False)
        assert (theirs.line, theirs.now, theirs.proposed, theirs.conflict) == (4, "4\n", "four\n", False)

    def test_name_a_conflict_where_both_did_differently(self) -> None:
        [place] = places(BASE, BASE.replace("two", "2"), BASE.replace("two", "zwei"))

        assert (place.was, place.now, place.proposed, place.conflict) == ("two\n", "zwei\n", "2\n", True)

    def test_are_no_conflict_where_both_did_alike(self) -> None:
        [place] = places(BASE, BASE.replace("two", "2"), BASE.replace("two", "2"))

        assert not place.conflict

    def test_show_what_is_hidden(self) -> None:
        [place] = places(BASE, BASE.replace("two", "t\u202ewo"), BASE)

        assert "\u202e" not in place.proposed


@pytest.mark.django_db
class TestConcurrentEdits:
    """Case S40: an editor saves between the preview and the approval; both texts are kept."""

    def test_end_in_a_conflict_that_shows_three_texts(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        assert owner.user is not None
        client.force_login(owner.user)
        proposal = propose(workspace, make_worker(workspace))
        page = client.get(reverse("products:detail", args=[proposal.public_id])).text
        edited = GUIDE.replace("does not start it", "never starts it")
        (tmp_path / "docs/guide.md").write_text(edited)

        done = services.apply_proposal(approve(proposal, owner), actor=owner, now=NOON)
        conflict = client.get(reverse("products:detail", args=[proposal.public_id])).text
        form = client.get(reverse("products:revise", args=[proposal.public_id])).text

        assert "Three texts of each place" not in page
        assert done.state == "conflict"
        assert (tmp_path / "docs/guide.md").read_text() == edited
        for words in ("Three texts of each place", "In the file now", "both differ", "never starts it"):
            assert words in conflict
        assert "by itself start it" in conflict
        assert "&lt;&lt;&lt;&lt;&lt;&lt;&lt; proposed" in form

    def test_of_two_reviewers_reach_one_of_them_with_what_changed(self, client: Client, tmp_path: Path) -> None:
        workspace, owner = make_folder(tmp_path), make_owner()
        assert owner.user is not None
        client.force_login(owner.user)
        proposal = propose(workspace, make_worker(workspace))
        read = proposal.version
        services.review_proposal(proposal, verdict="needs_change", actor=make_owner(), now=NOON, reason="Cite it.")

        sent = {"verdict": "approve", "version": read, "confirmed": "on"}
        late = client.post(
            reverse("products:review", args=[proposal.public_id]), sent, headers={"HX-Request": "true"}
        )  # fmt: skip

        proposal.refresh_from_db()
        assert late.status_code in {409, 422}
        assert "was changed" in late.text
        assert proposal.state == "needs_change"

    def test_of_an_agent_that_read_an_older_file_are_refused(self, tmp_path: Path) -> None:
        from yoimemory.sources.opener import digest_of

        workspace = make_folder(tmp_path)
        stale = digest_of(GUIDE.encode())
        (tmp_path / "docs/guide.md").write_text(GUIDE + "More.\n")

        with pytest.raises(services.BaseChanged, match="is not what you wrote this against"):
            propose(workspace, make_worker(workspace), content=BETTER, base_digest=stale)
