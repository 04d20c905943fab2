"""One person judges, gives a reason where one is needed, and may take it back."""

import pytest

from evidence.models import Evidence, Review
from evidence.services import (
    NothingToUndo,
    NotYourCapture,
    WrongState,
    review_evidence,
    supersede_evidence,
    undo_extraction,
    undo_review,
)
from tests.evidence.conftest import Desk
from tests.factories import NOON, make_evidence
from yoimemory.access.services import NotAReviewer
from yoimemory.errors import BadInput, StaleVersion
from yoimemory.journal.models import Change

pytestmark = pytest.mark.django_db


def suggested(desk: Desk, **kwargs: object) -> Evidence:
    return make_evidence(desk.shoebox, made_by=desk.worker, **kwargs)


class TestReviewEvidence:
    @pytest.mark.parametrize(
        ("verdict", "reason", "state"),
        [
            ("accept", "", "accepted"),
            ("reject", "It is about something else.", "rejected"),
            ("needs_change", "Say why.", "needs_change"),
            ("not_sure", "", "suggested"),
        ],
    )
    def test_moves_what_waits(self, desk: Desk, verdict: str, reason: str, state: str) -> None:
        evidence = suggested(desk)

        review_evidence(evidence, verdict=verdict, reason=reason, actor=desk.reviewer, now=NOON)

        evidence.refresh_from_db()
        assert evidence.state == state
        assert evidence.version == 2
        assert Review.objects.get(evidence=evidence).verdict == verdict
        assert Change.objects.get(subject=str(evidence.ref)).verb == "evidence-reviewed"

    @pytest.mark.parametrize("verdict", ["reject", "needs_change"])
    def test_asks_for_a_reason(self, desk: Desk, verdict: str) -> None:
        with pytest.raises(BadInput, match="Say why"):
            review_evidence(suggested(desk), verdict=verdict, actor=desk.reviewer, now=NOON)

    def test_accepts_only_what_says_why_it_matters(self, desk: Desk) -> None:
        with pytest.raises(BadInput, match="why it matters"):
            review_evidence(suggested(desk, why=""), verdict="accept", actor=desk.reviewer, now=NOON)

    @pytest.mark.parametrize("who", ["worker", "member"])
    def test_is_for_reviewers_only(self, desk: Desk, who: str) -> None:
        evidence = suggested(desk)

        with pytest.raises(NotAReviewer):
            review_evidence(evidence, verdict="accept", actor=getattr(desk, who), now=NOON)

        evidence.refresh_from_db()
        assert evidence.state == "suggested"

    def test_lets_one_reviewer_accept_a_capture_of_their_own(self, desk: Desk) -> None:
        own = make_evidence(desk.shoebox, made_by=desk.reviewer, state=Evidence.State.DRAFT)

        review_evidence(own, verdict="accept", actor=desk.reviewer, now=NOON)

        assert own.state == "accepted"

    @pytest.mark.parametrize(
        ("state", "verdict"),
        [("accepted", "reject"), ("accepted", "accept"), ("suggested", "retire"), ("suggested", "nonsense")],
    )
    def test_refuses_what_does_not_fit_the_state(self, desk: Desk, state: str, verdict: str) -> None:
        evidence = suggested(desk, state=state)

        with pytest.raises((WrongState, BadInput)):
            review_evidence(evidence, verdict=verdict, reason="r", actor=desk.reviewer, now=NOON)

    def test_never_overwrites_a_verdict_that_was_not_seen(self, desk: Desk) -> None:
        evidence = suggested(desk)
        stale = Evidence.objects.get(pk=evidence.pk)
        review_evidence(evidence, verdict="reject", reason="No.", actor=desk.reviewer, now=NOON)

        with pytest.raises(StaleVersion, match="rejected"):
            review_evidence(stale, verdict="accept", actor=desk.reviewer, now=NOON)


class TestUndoReview:
    def test_brings_the_state_before_back_and_keeps_the_verdict(self, desk: Desk) -> None:
        evidence = suggested(desk)
        review_evidence(evidence, verdict="reject", reason="No.", actor=desk.reviewer, now=NOON)

        undo_review(evidence, actor=desk.reviewer, now=NOON)

        evidence.refresh_from_db()
        assert (evidence.state, evidence.state_reason) == ("suggested", "")
        assert Review.objects.get(evidence=evidence).undone_at == NOON

    def test_steps_back_one_verdict_at_a_time(self, desk: Desk) -> None:
        evidence = suggested(desk)
        review_evidence(evidence, verdict="needs_change", reason="Say more.", actor=desk.reviewer, now=NOON)
        review_evidence(evidence, verdict="reject", reason="No.", actor=desk.reviewer, now=NOON)

        undo_review(evidence, actor=desk.reviewer, now=NOON)
        assert (evidence.state, evidence.state_reason) == ("needs_change", "Say more.")
        undo_review(evidence, actor=desk.reviewer, now=NOON)

        assert evidence.state == "suggested"

    def test_says_when_there_is_nothing_to_take_back(self, desk: Desk) -> None:
        with pytest.raises(NothingToUndo):
            undo_review(suggested(desk), actor=desk.reviewer, now=NOON)

    def test_is_for_reviewers_only(self, desk: Desk) -> None:
        with pytest.raises(NotAReviewer):
            undo_review(suggested(desk), actor=desk.member, now=NOON)


class TestUndoExtraction:
    def test_retires_ones_own_capture(self, desk: Desk) -> None:
        own = make_evidence(desk.shoebox, made_by=desk.member, state=Evidence.State.DRAFT)

        undo_extraction(own, actor=desk.member, now=NOON)

        assert (own.state, own.state_reason) == ("retired", "The capture was taken back.")

    def test_is_refused_for_what_others_made_or_judged(self, desk: Desk) -> None:
        judged = make_evidence(desk.shoebox, made_by=desk.member)
        review_evidence(judged, verdict="accept", actor=desk.reviewer, now=NOON)

        with pytest.raises(NotYourCapture):
            undo_extraction(judged, actor=desk.member, now=NOON)
        with pytest.raises(NotYourCapture):
            undo_extraction(suggested(desk), actor=desk.member, now=NOON)


class TestSupersedeEvidence:
    def test_is_written_on_both_records(self, desk: Desk) -> None:
        old, new = suggested(desk, state="accepted"), suggested(desk, state="accepted")

        supersede_evidence(old, by=new, reason="The rule was reworded.", actor=desk.reviewer, now=NOON)

        assert (old.state, old.superseded_by_id) == ("superseded", new.pk)
        assert Change.objects.filter(subject=str(old.ref), verb="evidence-superseded").exists()
        assert Change.objects.filter(subject=str(new.ref), verb="evidence-supersedes").exists()

    def test_refuses_itself_and_what_has_ended(self, desk: Desk) -> None:
        old = suggested(desk, state="accepted")
        rejected = suggested(desk, state="rejected", state_reason="No.")

        with pytest.raises(BadInput):
            supersede_evidence(old, by=old, reason="r", actor=desk.reviewer, now=NOON)
        with pytest.raises(WrongState):
            supersede_evidence(old, by=rejected, reason="r", actor=desk.reviewer, now=NOON)
        with pytest.raises(BadInput, match="Say why"):
            supersede_evidence(old, by=suggested(desk), reason=" ", actor=desk.reviewer, now=NOON)
