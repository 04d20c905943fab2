"""10. A second review is blind: nothing of the first shows, in HTML, JSON, counts or ETags, before both are in."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from evidence.models import Evidence, Review
from evidence.services import review_evidence, settle_review, supersede_evidence, undo_review
from tests.evidence.conftest import Desk
from tests.factories import NOON, make_evidence, make_person
from yoimemory.access.models import Actor, Membership
from yoimemory.journal.models import Change
from yoimemory.markers.models import Look, SecondLook
from yoimemory.markers.services import AlreadyLooked, NotTheOneToSettle

pytestmark = pytest.mark.django_db

SECRET = "The rule was replaced in April, says the first."


@pytest.fixture
def second(desk: Desk) -> Actor:
    """A second reviewer, so that overturning takes two."""
    return make_person(desk.workspace, "reviewer", "sato")


@pytest.fixture
def accepted(desk: Desk, second: Actor) -> Evidence:
    return make_evidence(desk.shoebox, state="accepted", made_by=desk.worker)


def retire(evidence: Evidence, actor: Actor, reason: str = SECRET) -> object:
    return review_evidence(evidence, verdict="retire", reason=reason, actor=actor, now=NOON)


def what_shows(actor: Actor, evidence: Evidence) -> dict[str, str]:
    """Everything that a person could read of it, without what differs from one request to the next."""
    client = Client()
    assert actor.user is not None
    client.force_login(actor.user)
    paths = {
        "page": reverse("evidence:detail", args=[evidence.public_id]),
        "list": f"{reverse('evidence:list')}?state=accepted",
        "json": f"/api/v1/evidence/{evidence.public_id}",
        "rows": "/api/v1/evidence?state=accepted",
        "markers": "/markers/",
    }
    found = {}
    for name, path in paths.items():
        answer = client.get(path)
        text = re.sub(
            r'csrfmiddlewaretoken" value="\w+"|x-csrftoken": "\w+"|name="shown" value="[^"]*"', "", answer.text
        )
        # The frame counts what waits for this person: that somebody is asked is said, the answer is not.
        main = re.search(r"<main.*</main>", text, re.DOTALL)
        found[name] = re.sub(r'"request_id": "\w+"', "", main[0] if main else text)
        found[f"etag of {name}"] = answer.headers.get("ETag", "")
    return found


class TestNumber10BlindSecondReview:
    def test_changes_nothing_before_both_have_answered(self, desk: Desk, accepted: Evidence) -> None:
        retire(accepted, desk.reviewer)

        accepted.refresh_from_db()
        assert (accepted.state, accepted.version) == ("accepted", 1)
        assert not Review.objects.filter(evidence=accepted).exists()
        assert not Change.objects.filter(subject=str(accepted.ref)).exists()

    def test_leaks_nothing_of_the_first_verdict(self, desk: Desk, second: Actor, accepted: Evidence) -> None:
        seen = {}
        for verdict in ("retire", "accept"):
            review_evidence(accepted, verdict=verdict, reason=f"{SECRET} {verdict}", actor=desk.reviewer, now=NOON)
            seen[verdict] = what_shows(second, accepted)
            undo_review(accepted, actor=desk.reviewer, now=NOON)

        assert seen["retire"] == seen["accept"]
        assert not any(re.search(r"April|\brin\b", text) for text in seen["retire"].values())

    def test_keeps_the_etag_and_the_counts(self, desk: Desk, second: Actor, accepted: Evidence) -> None:
        before = what_shows(second, accepted)

        retire(accepted, desk.reviewer)

        after = what_shows(second, accepted)
        etags = [name for name in before if name.startswith("etag")]
        assert [before[name] for name in etags] == [after[name] for name in etags]
        assert before["json"] == after["json"]
        assert before["rows"] == after["rows"]
        assert before["list"] == after["list"]

    def test_comes_up_in_the_other_ones_queue_and_leaves_ones_own(
        self, desk: Desk, second: Actor, accepted: Evidence, client: Client
    ) -> None:
        retire(accepted, desk.reviewer)

        assert second.user is not None
        assert desk.reviewer.user is not None
        client.force_login(second.user)
        theirs = client.get(reverse("desk:review")).text
        client.force_login(desk.reviewer.user)
        own = client.get(reverse("desk:review")).text

        assert "A colleague asks whether it still stands" in theirs
        assert "April" not in theirs
        assert "Nothing waits for a verdict" in own

    def test_acts_once_both_say_the_same(self, desk: Desk, second: Actor, accepted: Evidence) -> None:
        retire(accepted, desk.reviewer)
        retire(accepted, second, "I see the same.")

        accepted.refresh_from_db()
        assert accepted.state == "retired"
        assert set(Review.objects.values_list("by__name", "verdict")) == {("rin", "retire"), ("sato", "retire")}

    def test_asks_one_person_once(self, desk: Desk, accepted: Evidence) -> None:
        retire(accepted, desk.reviewer)

        with pytest.raises(AlreadyLooked):
            retire(accepted, desk.reviewer)

    def test_keeps_the_rows_of_a_reviewer_who_leaves(self, desk: Desk, second: Actor, accepted: Evidence) -> None:
        retire(accepted, desk.reviewer)
        Membership.objects.filter(user=desk.reviewer.user).delete()
        User.objects.filter(pk=desk.reviewer.user_id).update(is_active=False)
        third = make_person(desk.workspace, "reviewer", "mori")

        retire(accepted, third, "So do I.")

        assert set(Look.objects.values_list("by__name", flat=True)) == {"rin", "mori"}
        assert set(Review.objects.values_list("by__name", flat=True)) == {"rin", "mori"}
        accepted.refresh_from_db()
        assert accepted.state == "retired"

    def test_needs_both_for_superseding_too(self, desk: Desk, second: Actor, accepted: Evidence) -> None:
        newer = make_evidence(desk.shoebox, quote="The newer rule stands here.", state="accepted")

        supersede_evidence(accepted, by=newer, reason="Newer.", actor=desk.reviewer, now=NOON)
        accepted.refresh_from_db()
        first = accepted.state
        supersede_evidence(accepted, by=newer, reason="Yes.", actor=second, now=NOON)

        accepted.refresh_from_db()
        assert (first, accepted.state, accepted.superseded_by) == ("accepted", "superseded", newer)

    def test_lets_one_reviewer_alone_go_on_at_once(self, desk: Desk) -> None:
        evidence = make_evidence(desk.shoebox, state="accepted")

        retire(evidence, desk.reviewer)

        evidence.refresh_from_db()
        assert evidence.state == "retired"


class TestConflicts:
    @pytest.fixture
    def disputed(self, desk: Desk, second: Actor, accepted: Evidence) -> Evidence:
        retire(accepted, desk.reviewer)
        review_evidence(accepted, verdict="accept", reason="It still holds.", actor=second, now=NOON)
        accepted.refresh_from_db()
        return accepted

    def test_stand_by_themselves_and_show_both_answers(self, desk: Desk, disputed: Evidence, client: Client) -> None:
        assert desk.reviewer.user is not None
        client.force_login(desk.reviewer.user)

        page = client.get(reverse("evidence:detail", args=[disputed.public_id])).text
        rows = client.get("/api/v1/evidence?state=conflict").json()

        assert SecondLook.objects.get().outcome == "conflict"
        assert disputed.state == "accepted"
        assert "Reviewers disagree" in page
        assert "It still holds." in page
        assert [row["id"] for row in rows["items"]] == [disputed.public_id]
        assert "It still holds." in rows["items"][0]["conflict"]

    def test_are_settled_by_a_third_with_a_reason(self, desk: Desk, disputed: Evidence) -> None:
        third = make_person(desk.workspace, "reviewer", "mori")

        with pytest.raises(NotTheOneToSettle):
            settle_review(disputed, answer="retire", reason="Mine.", actor=desk.reviewer, now=NOON)
        settle_review(disputed, answer="retire", reason="The April record says so.", actor=third, now=NOON)

        disputed.refresh_from_db()
        assert disputed.state == "retired"
        assert SecondLook.objects.get().outcome == "settled"

    def test_may_be_settled_by_one_of_two(self, desk: Desk, disputed: Evidence) -> None:
        settle_review(disputed, answer="accept", reason="We talked.", actor=desk.reviewer, now=NOON)

        disputed.refresh_from_db()
        assert disputed.state == "accepted"
        assert SecondLook.objects.get().settled_by == desk.reviewer
