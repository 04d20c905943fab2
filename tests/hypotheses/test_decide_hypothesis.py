"""The one way in which the status of a hypothesis changes."""

from datetime import timedelta
from typing import Any

import pytest

from hypotheses.models import Decision, Hypothesis
from hypotheses.services import (
    NoReason,
    NotATransition,
    SupersessionCycle,
    ThresholdNotMet,
    decide_hypothesis,
    edit_hypothesis,
)
from hypotheses.standing import hypothesis_out
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_person,
    make_relation,
    make_shoebox,
    make_worker,
)
from yoimemory.access.models import Actor
from yoimemory.access.services import NeedsConfirmation, NotAReviewer, OwnProposal
from yoimemory.errors import BadInput, StaleVersion
from yoimemory.journal.models import Change

pytestmark = pytest.mark.django_db


def make_decidable(**kwargs: Any) -> Hypothesis:
    """A hypothesis whose threshold is met: one accepted support, one recorded attempt to refute."""
    shoebox = make_shoebox()
    hypothesis = make_hypothesis(shoebox, **kwargs)
    make_relation(make_evidence(shoebox, state="accepted"), hypothesis.ref, "supports")
    make_relation(make_evidence(shoebox, quote="It was started once before, in May."), hypothesis.ref, "refutes")
    return hypothesis


def decide(hypothesis: Hypothesis, after: str, actor: Actor | None = None, **kwargs: Any) -> Decision:
    kwargs.setdefault("reason", "Both dependencies are open.")
    kwargs.setdefault("now", NOON)
    return decide_hypothesis(hypothesis, after=after, actor=actor or make_person(hypothesis.workspace), **kwargs)


class TestDecideHypothesis:
    def test_accepts_when_the_threshold_is_met(self) -> None:
        hypothesis = make_decidable()

        decision = decide(hypothesis, "accepted")

        assert hypothesis.status == "accepted"
        assert hypothesis.version == 2
        assert not decision.overridden
        assert [check["met"] for check in decision.checks] == [True, True, True, True]

    def test_follows_the_transitions_of_the_model_and_no_others(self) -> None:
        person = None
        for before in Hypothesis.Status.values:
            for after in Hypothesis.Status.values:
                rival = make_hypothesis()
                named = rival if before == "superseded" else None
                hypothesis = make_hypothesis(rival.shoebox, status=before, superseded_by=named)
                person = make_person(hypothesis.workspace)
                by = rival if after == "superseded" else None

                if after in Hypothesis.TRANSITIONS[Hypothesis.Status(before)]:
                    decide(hypothesis, after, person, superseded_by=by, override=True)
                    assert hypothesis.status == after
                else:
                    with pytest.raises(NotATransition, match=f"is {before} and cannot become"):
                        decide(hypothesis, after, person, superseded_by=by, override=True)

    def test_asks_for_a_reason(self) -> None:
        hypothesis = make_decidable()

        with pytest.raises(NoReason, match="Say why"):
            decide(hypothesis, "rejected", reason="  ")

        assert not Decision.objects.exists()

    @pytest.mark.parametrize("role", ["member", "worker"])
    def test_is_for_reviewers_who_are_people(self, role: str) -> None:
        hypothesis = make_decidable()
        workspace = hypothesis.workspace
        actor = make_worker(workspace) if role == "worker" else make_person(workspace, role)

        with pytest.raises(NotAReviewer):
            decide(hypothesis, "rejected", actor)

        hypothesis.refresh_from_db()
        assert hypothesis.status == "proposed"

    def test_refuses_to_accept_against_the_threshold(self) -> None:
        hypothesis = make_hypothesis()

        with pytest.raises(ThresholdNotMet) as refused:
            decide(hypothesis, "accepted")

        assert set(refused.value.fields) == {"evidence", "refutation"}
        assert "seek contrary evidence" in refused.value.message

    def test_keeps_the_reason_of_an_override_in_sight(self) -> None:
        hypothesis = make_hypothesis()

        decision = decide(hypothesis, "accepted", override=True, reason="Release day; checked by hand.")

        assert decision.overridden
        assert hypothesis_out(hypothesis).override == "Release day; checked by hand."

    def test_does_not_call_it_an_override_when_nothing_is_missing(self) -> None:
        hypothesis = make_decidable()

        decision = decide(hypothesis, "accepted", override=True)

        assert not decision.overridden

    def test_rejects_without_any_threshold(self) -> None:
        hypothesis = make_hypothesis()

        decide(hypothesis, "rejected")

        assert hypothesis.status == "rejected"

    def test_refuses_an_old_version(self) -> None:
        hypothesis = make_decidable()
        person = make_person(hypothesis.workspace)
        edit_hypothesis(hypothesis, version=1, actor=person, now=NOON, threshold="Three sources.")

        with pytest.raises(StaleVersion, match="threshold"):
            decide(hypothesis, "accepted", person, version=1)

    def test_refuses_when_somebody_decided_in_between(self) -> None:
        hypothesis = make_decidable()
        read_before = Hypothesis.objects.get(pk=hypothesis.pk)
        decide(hypothesis, "rejected")

        with pytest.raises(StaleVersion):
            decide(read_before, "accepted")

        assert Decision.objects.count() == 1

    def test_writes_history(self) -> None:
        hypothesis = make_decidable()

        decide(hypothesis, "rejected", reason="The panel only routes.")

        change = Change.objects.get(subject=str(hypothesis.ref), verb="hypothesis-decided")
        assert (change.before, change.after) == ({"status": "proposed"}, {"status": "rejected"})
        assert change.reason == "The panel only routes."


class TestDecideOnesOwn:
    def test_asks_the_only_reviewer_to_confirm_and_says_so(self) -> None:
        shoebox = make_shoebox()
        person = make_person(shoebox.workspace)
        hypothesis = make_hypothesis(shoebox, made_by=person)

        with pytest.raises(NeedsConfirmation):
            decide(hypothesis, "rejected", person)
        decision = decide(hypothesis, "rejected", person, confirmed=True)

        assert decision.one_reviewer

    def test_is_for_another_reviewer_where_there_is_one(self) -> None:
        shoebox = make_shoebox()
        person = make_person(shoebox.workspace)
        make_person(shoebox.workspace)
        hypothesis = make_hypothesis(shoebox, made_by=person)

        with pytest.raises(OwnProposal):
            decide(hypothesis, "rejected", person, confirmed=True)


class TestSupersede:
    def test_is_written_on_both_records(self) -> None:
        older = make_hypothesis()
        newer = make_hypothesis(older.shoebox, claim="It may start once both are closed.")

        decide(older, "superseded", superseded_by=newer, reason="Both closed at 23:01.")

        assert hypothesis_out(older).superseded_by == str(newer.ref)
        assert hypothesis_out(newer).supersedes == [str(older.ref)]
        assert Change.objects.filter(subject=str(newer.ref), verb="hypothesis-supersedes").exists()

    def test_names_what_takes_its_place(self) -> None:
        with pytest.raises(BadInput, match="takes its place"):
            decide(make_hypothesis(), "superseded")

    def test_names_nothing_for_another_status(self) -> None:
        older = make_hypothesis()
        newer = make_hypothesis(older.shoebox)

        with pytest.raises(BadInput, match="Only a superseded"):
            decide(older, "rejected", superseded_by=newer)

    def test_refuses_a_circle(self) -> None:
        first = make_hypothesis()
        second, third = make_hypothesis(first.shoebox), make_hypothesis(first.shoebox)
        person = make_person(first.workspace)
        decide(first, "superseded", person, superseded_by=second)
        decide(second, "superseded", person, superseded_by=third)

        with pytest.raises(SupersessionCycle):
            decide(third, "superseded", person, superseded_by=first)

    def test_refuses_itself(self) -> None:
        hypothesis = make_hypothesis()

        with pytest.raises(SupersessionCycle):
            decide(hypothesis, "superseded", superseded_by=hypothesis)

    def test_stays_in_its_workspace(self) -> None:
        with pytest.raises(BadInput, match="one workspace"):
            decide(make_hypothesis(), "superseded", superseded_by=make_hypothesis())


class TestReopen:
    def test_leaves_the_earlier_decisions_readable(self) -> None:
        hypothesis = make_hypothesis()
        person = make_person(hypothesis.workspace)
        decide(hypothesis, "rejected", person, reason="No source said so.")

        decide(hypothesis, "proposed", person, reason="One does now.", now=NOON + timedelta(hours=1))

        assert [one.after for one in hypothesis_out(hypothesis).decisions] == ["rejected", "proposed"]
