"""Several at once where nothing can hide, and words set right in one step with the verdict."""

import pytest

from evidence.models import Evidence
from evidence.services import NotForABatch, accept_batch, fix_and_review, undo_batch
from evidence.services.batches import read_shown, sign_shown
from tests.evidence.conftest import Desk
from tests.factories import NOON, make_evidence, make_hypothesis
from yoimemory.access.services import NotAReviewer
from yoimemory.errors import BadInput, StaleVersion

pytestmark = pytest.mark.django_db


def several(desk: Desk, count: int = 3, **kwargs: object) -> list[Evidence]:
    return [
        make_evidence(desk.shoebox, made_by=desk.worker, quote=f"Sentence {n} of the page.", **kwargs)
        for n in range(count)
    ]


def shown(rows: list[Evidence]) -> dict[str, int]:
    return read_shown(sign_shown(rows))


class TestAcceptBatch:
    def test_accepts_what_was_shown_and_takes_it_back(self, desk: Desk) -> None:
        rows = several(desk)

        accept_batch(rows, shown=shown(rows), actor=desk.reviewer, now=NOON)
        after = set(Evidence.objects.values_list("state", flat=True))
        undo_batch(list(Evidence.objects.all()), actor=desk.reviewer, now=NOON)

        assert after == {"accepted"}
        assert set(Evidence.objects.values_list("state", flat=True)) == {"suggested"}

    def test_takes_at_most_twenty(self, desk: Desk) -> None:
        rows = several(desk, 21)

        with pytest.raises(BadInput, match="At most 20"):
            accept_batch(rows, shown=shown(rows), actor=desk.reviewer, now=NOON)

    def test_takes_one_source_only(self, desk: Desk) -> None:
        rows = [*several(desk, 1), make_evidence(desk.shoebox, place="doc:other.md")]

        with pytest.raises(NotForABatch, match="several sources"):
            accept_batch(rows, shown=shown(rows), actor=desk.reviewer, now=NOON)

    @pytest.mark.parametrize(
        "kwargs", [{"match": "normalised"}, {"why": ""}, {"state": "needs_change", "state_reason": "x"}]
    )
    def test_leaves_out_what_needs_a_look_of_its_own(self, desk: Desk, kwargs: dict[str, object]) -> None:
        rows = [*several(desk, 1), *several(desk, 1, **kwargs)]

        with pytest.raises(NotForABatch):
            accept_batch(rows, shown=shown(rows), actor=desk.reviewer, now=NOON)
        assert not Evidence.objects.filter(state="accepted").exists()

    def test_takes_only_what_was_on_the_page_as_it_was(self, desk: Desk) -> None:
        rows = several(desk)
        on_page = shown(rows[:2])
        with pytest.raises(NotForABatch, match="not on the page"):
            accept_batch(rows, shown=on_page, actor=desk.reviewer, now=NOON)
        Evidence.objects.filter(pk=rows[0].pk).update(version=2)

        with pytest.raises(StaleVersion):
            accept_batch(rows[:2], shown=on_page, actor=desk.reviewer, now=NOON)

    def test_reads_no_forged_list(self) -> None:
        with pytest.raises(BadInput):
            read_shown("forged")

    def test_is_for_reviewers(self, desk: Desk) -> None:
        rows = several(desk)

        with pytest.raises(NotAReviewer):
            accept_batch(rows, shown=shown(rows), actor=desk.worker, now=NOON)


class TestFixAndReview:
    def test_sets_words_and_relation_right_and_accepts(self, desk: Desk) -> None:
        [evidence] = several(desk, 1, why="")
        claim = make_hypothesis(desk.shoebox)

        fix_and_review(
            evidence, words={"why": "It limits the claim."}, relation="refutes", target=str(claim.ref),
            verdict="accept", actor=desk.reviewer, now=NOON,
        )  # fmt: skip

        evidence.refresh_from_db()
        assert (evidence.state, evidence.why) == ("accepted", "It limits the claim.")
        assert evidence.relations.get().relation == "refutes"

    def test_changes_nothing_where_the_verdict_is_refused(self, desk: Desk) -> None:
        [evidence] = several(desk, 1, why="Before.")

        with pytest.raises(BadInput):
            fix_and_review(evidence, words={"why": "After."}, verdict="reject", actor=desk.reviewer, now=NOON)

        evidence.refresh_from_db()
        assert evidence.why == "Before."
