"""Proposing and rewording hypotheses."""

import pytest

from evidence.models import Relation
from hypotheses.models import Decision, Hypothesis
from hypotheses.schemas import HypothesisDraft
from hypotheses.services import NotYours, decide_hypothesis, edit_hypothesis, propose_hypothesis
from hypotheses.services.finding import ShoeboxEnded
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_person,
    make_shoebox,
    make_worker,
    make_workspace,
)
from yoimemory.errors import BadInput, Forbidden, NotFound, Refused, StaleVersion
from yoimemory.journal.models import Change

pytestmark = pytest.mark.django_db


class TestProposeHypothesis:
    @pytest.mark.parametrize("state", ["archived", "discarded"])
    def test_is_refused_in_a_shoebox_that_has_ended(self, state: str) -> None:
        shoebox = make_shoebox(state=state)
        draft = HypothesisDraft(shoebox=str(shoebox.ref), claim="It must wait.")

        with pytest.raises(ShoeboxEnded, match=state):
            propose_hypothesis(draft, workspace=shoebox.workspace, actor=make_person(shoebox.workspace), now=NOON)
        assert not Hypothesis.objects.exists()

    def test_goes_on_in_a_shoebox_that_takes_no_more_material(self) -> None:
        shoebox = make_shoebox(state="closed")
        draft = HypothesisDraft(shoebox=str(shoebox.ref), claim="It must wait.")

        made = propose_hypothesis(draft, workspace=shoebox.workspace, actor=make_person(shoebox.workspace), now=NOON)

        assert made.number == 1

    def test_numbers_the_claims_of_one_shoebox(self) -> None:
        shoebox = make_shoebox()
        person = make_person(shoebox.workspace, "member")
        draft = HypothesisDraft(shoebox=str(shoebox.ref), claim="  It must wait. ")

        first = propose_hypothesis(draft, workspace=shoebox.workspace, actor=person, now=NOON)
        second = propose_hypothesis(draft, workspace=shoebox.workspace, actor=person, now=NOON)

        assert (first.number, second.number) == (1, 2)
        assert first.claim == "It must wait."
        assert first.status == "proposed"

    def test_takes_a_workers_claim_as_proposed_too(self) -> None:
        shoebox = make_shoebox()
        worker = make_worker(shoebox.workspace)
        draft = HypothesisDraft(shoebox=shoebox.public_id, claim="It must wait.")

        made = propose_hypothesis(draft, workspace=shoebox.workspace, actor=worker, now=NOON)

        assert made.status == "proposed"
        assert made.made_by == worker

    def test_sets_the_evidence_that_the_draft_names(self) -> None:
        evidence = make_evidence()
        person = make_person(evidence.workspace)
        draft = HypothesisDraft.model_validate(
            {
                "shoebox": evidence.shoebox.public_id,
                "claim": "It must wait.",
                "relations": [{"evidence": str(evidence.ref), "relation": "refutes"}],
            }
        )

        made = propose_hypothesis(draft, workspace=evidence.workspace, actor=person, now=NOON)

        assert Relation.objects.get(target=str(made.ref)).relation == "refutes"

    def test_stores_nothing_when_one_relation_leads_nowhere(self) -> None:
        shoebox = make_shoebox()
        person = make_person(shoebox.workspace)
        draft = HypothesisDraft.model_validate(
            {
                "shoebox": shoebox.public_id,
                "claim": "It must wait.",
                "relations": [{"evidence": "evidence:01ARZ3NDEKTSV4RRFFQ69G5FAV", "relation": "refutes"}],
            }
        )

        with pytest.raises(NotFound, match="no evidence"):
            propose_hypothesis(draft, workspace=shoebox.workspace, actor=person, now=NOON)

        assert not Hypothesis.objects.exists()

    def test_refuses_the_shoebox_of_another_workspace(self) -> None:
        here, elsewhere = make_workspace(), make_shoebox()
        draft = HypothesisDraft(shoebox=elsewhere.public_id, claim="It must wait.")

        with pytest.raises(NotFound, match="no shoebox"):
            propose_hypothesis(draft, workspace=here, actor=make_person(here), now=NOON)

    def test_refuses_a_token_that_may_only_read(self) -> None:
        shoebox = make_shoebox()
        reader = make_worker(shoebox.workspace, scope="read")
        draft = HypothesisDraft(shoebox=shoebox.public_id, claim="It must wait.")

        with pytest.raises(Forbidden, match="may not propose"):
            propose_hypothesis(draft, workspace=shoebox.workspace, actor=reader, now=NOON)

    def test_writes_history(self) -> None:
        shoebox = make_shoebox()
        person = make_person(shoebox.workspace)
        draft = HypothesisDraft(shoebox=shoebox.public_id, claim="It must wait.")

        made = propose_hypothesis(draft, workspace=shoebox.workspace, actor=person, now=NOON)

        change = Change.objects.get(subject=str(made.ref))
        assert change.verb == "hypothesis-proposed"
        assert change.after["claim"] == "It must wait."


class TestEditHypothesis:
    def test_changes_what_is_named_and_nothing_else(self) -> None:
        shoebox = make_shoebox()
        person = make_person(shoebox.workspace, "member")
        hypothesis = make_hypothesis(shoebox, threshold="Two sources.", made_by=person)
        turned_down = {"option": "Start now", "reason": "Two dependencies are open."}

        edit_hypothesis(
            hypothesis,
            version=1,
            actor=person,
            now=NOON,
            open_questions=["Who closes them?"],
            alternatives=[turned_down],
        )

        assert hypothesis.open_questions == ["Who closes them?"]
        assert hypothesis.alternatives == [turned_down]
        assert hypothesis.threshold == "Two sources."
        assert hypothesis.version == 2

    def test_empties_words_that_are_sent_empty(self) -> None:
        hypothesis = make_hypothesis(threshold="Two sources.")

        edit_hypothesis(hypothesis, version=1, actor=make_person(hypothesis.workspace), now=NOON, threshold="")

        assert hypothesis.threshold == ""

    def test_refuses_an_old_version_and_says_what_changed(self) -> None:
        hypothesis = make_hypothesis()
        person = make_person(hypothesis.workspace, name="hare")
        edit_hypothesis(hypothesis, version=1, actor=person, now=NOON, threshold="Two sources.")

        with pytest.raises(StaleVersion, match=r"by hare on 2026-07-16 12:00 UTC \(hypothesis edited: threshold\)"):
            edit_hypothesis(hypothesis, version=1, actor=person, now=NOON, would_change="A revert.")

        hypothesis.refresh_from_db()
        assert hypothesis.would_change == ""

    def test_keeps_a_claim_that_people_decided_on(self) -> None:
        hypothesis = make_hypothesis(status="accepted")
        person = make_person(hypothesis.workspace)

        with pytest.raises(Refused, match="its claim stands"):
            edit_hypothesis(hypothesis, version=1, actor=person, now=NOON, claim="Something else.")

    @pytest.mark.parametrize(("field", "value"), [("threshold", "None."), ("minimum_evidence", 0)])
    def test_keeps_a_threshold_that_people_decided_by(self, field: str, value: object) -> None:
        hypothesis = make_hypothesis(status="accepted", threshold="Two sources.", minimum_evidence=2)
        person = make_person(hypothesis.workspace)

        with pytest.raises(Refused, match="stands as it was decided") as caught:
            edit_hypothesis(hypothesis, version=1, actor=person, now=NOON, **{field: value})
        edit_hypothesis(  # the page sends every field; those that stay as they are are no change
            hypothesis, version=1, actor=person, now=NOON,
            threshold="Two sources.", minimum_evidence=2, what_happened="It waited.",
        )  # fmt: skip

        assert caught.value.fields == {field: "decided"}
        assert (hypothesis.what_happened, hypothesis.minimum_evidence) == ("It waited.", 2)

    def test_is_for_who_proposed_it_until_a_person_decides_and_for_reviewers(self) -> None:
        shoebox = make_shoebox()
        maker, other = (make_person(shoebox.workspace, "member") for _ in range(2))
        reviewer = make_person(shoebox.workspace)
        hypothesis = make_hypothesis(shoebox, made_by=maker)

        with pytest.raises(NotYours, match="whoever proposed it"):
            edit_hypothesis(hypothesis, version=1, actor=other, now=NOON, minimum_evidence=0)
        edit_hypothesis(hypothesis, version=1, actor=maker, now=NOON, minimum_evidence=2)
        decide_hypothesis(hypothesis, after="rejected", reason="No.", actor=reviewer, now=NOON)
        with pytest.raises(NotYours):
            edit_hypothesis(hypothesis, version=3, actor=maker, now=NOON, would_change="A revert.")
        edit_hypothesis(hypothesis, version=3, actor=reviewer, now=NOON, would_change="A revert.")

        assert (hypothesis.minimum_evidence, hypothesis.would_change) == (2, "A revert.")

    @pytest.mark.parametrize(
        ("fields", "said"),
        [
            ({"status": "accepted"}, "status"),
            ({"claim": "x"}, "claim"),
            ({"alternatives": [{"option": "a"}]}, "reason"),
        ],
    )
    def test_refuses_what_does_not_fit(self, fields: dict[str, object], said: str) -> None:
        hypothesis = make_hypothesis()

        with pytest.raises(BadInput, match=said):
            edit_hypothesis(hypothesis, version=1, actor=make_person(hypothesis.workspace), now=NOON, **fields)

    def test_refuses_nothing_at_all(self) -> None:
        hypothesis = make_hypothesis()

        with pytest.raises(BadInput, match="at least one field"):
            edit_hypothesis(hypothesis, version=1, actor=make_person(hypothesis.workspace), now=NOON)

    def test_lets_a_worker_edit_its_own_until_somebody_decides(self) -> None:
        shoebox = make_shoebox()
        worker = make_worker(shoebox.workspace)
        own = make_hypothesis(shoebox, made_by=worker)
        others = make_hypothesis(shoebox)

        edit_hypothesis(own, version=1, actor=worker, now=NOON, would_change="A revert.")
        with pytest.raises(NotYours):
            edit_hypothesis(others, version=1, actor=worker, now=NOON, would_change="A revert.")

        Decision.objects.create(hypothesis=own, before="proposed", after="rejected", reason="No.", by=worker, at=NOON)
        with pytest.raises(NotYours):
            edit_hypothesis(own, version=2, actor=worker, now=NOON, would_change="Nothing.")
