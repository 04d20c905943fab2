"""What moved under a hypothesis, and its threshold's machine-checked part."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from evidence.models import Evidence, Placement
from hypotheses.basis import bases_of
from hypotheses.confidence import Confidence, confidence_of
from hypotheses.models import Decision, Hypothesis
from hypotheses.recheck import recheck_reasons
from hypotheses.standing import hypotheses_out
from hypotheses.threshold import Check, threshold_checks
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_person,
    make_relation,
    make_shoebox,
    make_system,
    make_worker,
)
from yoimemory.markers.models import Marker
from yoimemory.markers.schemas import MarkerDraft
from yoimemory.markers.services import mark_staleness, resolve_markers

pytestmark = pytest.mark.django_db

LATER = NOON + timedelta(hours=1)


def place(evidence: Evidence, state: str, note: str = "") -> Placement:
    return Placement.objects.create(
        evidence=evidence, state=state, method="exact", note=note, at=NOON, start_line=evidence.start_line
    )


def make_accepted(**kwargs: Any) -> tuple[Hypothesis, Evidence]:
    """An accepted hypothesis that rests on one accepted quote, decided at noon."""
    hypothesis = make_hypothesis(status="accepted", **kwargs)
    evidence = make_evidence(hypothesis.shoebox, state="accepted")
    make_relation(evidence, hypothesis.ref, "supports")
    Decision.objects.create(
        hypothesis=hypothesis, before="proposed", after="accepted", reason="It holds.", by=make_system(), at=NOON
    )
    return hypothesis, evidence


def reasons(hypothesis: Hypothesis) -> list[str]:
    fresh = Hypothesis.objects.with_people().get(pk=hypothesis.pk)
    return recheck_reasons(fresh, bases_of([fresh])[fresh.pk])


def mark(evidence: Evidence, state: str, target: str = "", actor: Any = None, now: datetime = NOON) -> Marker:
    by = "" if state in {"stale", "needs-review"} else "ticket:00001KXKMX0QM"
    draft = MarkerDraft.model_validate(
        {"target": target or str(evidence.ref), "state": state, "reason": "A later ticket says no.", "by_ref": by}
    )
    person = actor or make_person(evidence.workspace)
    return mark_staleness(draft, workspace=evidence.workspace, actor=person, now=now)


class TestRecheck:
    def test_is_empty_while_nothing_moved(self) -> None:
        hypothesis, evidence = make_accepted()
        place(evidence, "moved")

        assert reasons(hypothesis) == []

    @pytest.mark.parametrize("state", ["reworded-meaning", "orphaned", "ambiguous"])
    def test_names_a_quote_that_drifted(self, state: str) -> None:
        hypothesis, evidence = make_accepted()
        place(evidence, state, "must became may")

        [reason] = reasons(hypothesis)

        assert reason.startswith(f"e1 ({evidence.ref})")
        assert reason.endswith("must became may.")

    def test_never_changes_the_status(self) -> None:
        hypothesis, evidence = make_accepted()
        place(evidence, "orphaned")

        reasons(hypothesis)

        hypothesis.refresh_from_db()
        assert hypothesis.status == "accepted"

    def test_names_a_marker_on_the_cited_line_until_it_is_resolved(self) -> None:
        hypothesis, evidence = make_accepted()
        person = make_person(hypothesis.workspace)
        marker = mark(evidence, "contradicted", f"{evidence.place}#L1", actor=person)

        [reason] = reasons(hypothesis)
        resolve_markers([marker], actor=person, resolution="Both are right.", now=LATER)

        assert "Marked contradicted by ticket:00001KXKMX0QM" in reason
        assert reasons(hypothesis) == []

    def test_is_silent_about_a_marker_that_weakens_the_side_decided_against(self) -> None:
        hypothesis, _ = make_accepted()
        contrary = make_evidence(hypothesis.shoebox, quote="Declaring a server does not start it.")
        make_relation(contrary, hypothesis.ref, "refutes")
        mark(contrary, "contradicted")

        assert reasons(hypothesis) == []

        mark(contrary, "needs-review")

        assert len(reasons(hypothesis)) == 1

    def test_asks_again_when_what_refuted_a_rejected_claim_is_superseded(self) -> None:
        hypothesis = make_hypothesis(status="rejected")
        for quote, relation in (("Lua is the primary path.", "supports"), ("Lua was removed.", "refutes")):
            evidence = make_evidence(hypothesis.shoebox, quote=quote)
            make_relation(evidence, hypothesis.ref, relation)
            mark(evidence, "superseded")

        [reason] = reasons(hypothesis)

        assert reason.startswith("e2 ")

    def test_is_silent_about_a_marker_on_other_lines(self) -> None:
        hypothesis, evidence = make_accepted()
        mark(evidence, "stale", f"{evidence.place}#L7-L9")

        assert reasons(hypothesis) == []

    def test_names_a_marker_on_the_whole_source_and_on_the_hypothesis(self) -> None:
        hypothesis, evidence = make_accepted()
        person = make_person(hypothesis.workspace)
        mark(evidence, "stale", evidence.source, actor=person)
        mark(evidence, "needs-review", str(hypothesis.ref), actor=person)

        assert len(reasons(hypothesis)) == 2

    def test_names_contrary_evidence_that_came_after_the_decision(self) -> None:
        hypothesis, _ = make_accepted()
        refuting = make_evidence(hypothesis.shoebox, quote="Both targets are closed since then.")
        relation = make_relation(refuting, hypothesis.ref, "refutes")

        assert reasons(hypothesis) == []
        type(relation).objects.filter(pk=relation.pk).update(made_at=LATER)

        [reason] = reasons(hypothesis)
        assert "e2" in reason
        assert "set against it on 2026-07-16, after the decision" in reason

    def test_names_evidence_that_was_given_up_after_the_decision(self) -> None:
        hypothesis, evidence = make_accepted()
        Evidence.objects.filter(pk=evidence.pk).update(state="retired", state_reason="Void.", state_at=LATER)

        [reason] = reasons(hypothesis)

        assert "was retired on 2026-07-16, after the decision" in reason

    def test_asks_nothing_when_the_replacement_bears_on_it_as_well(self) -> None:
        hypothesis, evidence = make_accepted()
        newer = make_evidence(hypothesis.shoebox, quote="Unresolved dependencies block the queue.")
        make_relation(newer, hypothesis.ref, "supports")
        Evidence.objects.filter(pk=evidence.pk).update(state="superseded", superseded_by=newer, state_at=LATER)

        assert reasons(hypothesis) == []

    def test_leaves_superseded_hypotheses_alone(self) -> None:
        hypothesis, evidence = make_accepted()
        Hypothesis.objects.filter(pk=hypothesis.pk).update(status="stale")
        place(evidence, "orphaned")

        assert reasons(hypothesis) == []

    def test_costs_the_same_for_many(self, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
        for _ in range(3):
            make_accepted()

        with django_assert_max_num_queries(16):
            few = hypotheses_out(list(Hypothesis.objects.with_people()))
        for _ in range(5):
            make_accepted()
        with django_assert_max_num_queries(16):
            many = hypotheses_out(list(Hypothesis.objects.with_people()))

        assert (len(few), len(many)) == (3, 8)


def check(hypothesis: Hypothesis, key: str) -> Check:
    checks = threshold_checks(hypothesis, bases_of([hypothesis])[hypothesis.pk])
    return next(check for check in checks if check.key == key)


class TestThreshold:
    def test_counts_accepted_support_only(self) -> None:
        hypothesis = make_hypothesis(minimum_evidence=2)
        make_relation(make_evidence(hypothesis.shoebox, state="accepted"), hypothesis.ref)
        make_relation(make_evidence(hypothesis.shoebox), hypothesis.ref)

        found = check(hypothesis, "evidence")

        assert not found.met
        assert found.sentence.startswith("1 accepted piece of evidence supporting it; the threshold asks for 2.")
        assert "1 more waits for review" in found.sentence

    def test_does_not_count_what_is_later_than_the_as_of(self) -> None:
        shoebox = make_shoebox(as_of=NOON)
        hypothesis = make_hypothesis(shoebox)
        make_relation(make_evidence(shoebox, state="accepted", said_at=LATER), hypothesis.ref)

        found = check(hypothesis, "evidence")

        assert not found.met
        assert "1 later than the as-of is not counted" in found.sentence

    def test_takes_a_refuting_relation_as_an_attempt_even_after_its_evidence_was_rejected(self) -> None:
        hypothesis = make_hypothesis()
        refuted = make_evidence(hypothesis.shoebox, state="rejected", state_reason="Of another component.")
        make_relation(refuted, hypothesis.ref, "refutes")

        assert check(hypothesis, "refutation").met

    def test_takes_the_disconfirming_queries_of_the_gathering_as_an_attempt(self) -> None:
        shoebox = make_shoebox(sought={"disconfirming": ["revert", "撤回"]})

        assert check(make_hypothesis(shoebox), "refutation").met

    def test_misses_an_attempt_to_refute(self) -> None:
        shoebox = make_shoebox(sought={"queries": [{"text": "start"}], "disconfirming": []})

        assert not check(make_hypothesis(shoebox), "refutation").met

    def test_stands_on_no_unresolved_contradiction(self) -> None:
        hypothesis = make_hypothesis()
        evidence = make_evidence(hypothesis.shoebox)
        make_relation(evidence, hypothesis.ref)
        mark(evidence, "contradicted", evidence.place, actor=make_worker(hypothesis.workspace))

        found = check(hypothesis, "contradiction")

        assert not found.met
        assert found.sentence.endswith("A Worker proposed it; no person has looked yet.")

    def test_lets_what_speaks_against_it_be_contradicted(self) -> None:
        hypothesis = make_hypothesis()
        evidence = make_evidence(hypothesis.shoebox)
        make_relation(evidence, hypothesis.ref, "refutes")
        mark(evidence, "contradicted", evidence.place)

        assert check(hypothesis, "contradiction").met

    @pytest.mark.parametrize(("state", "met"), [("orphaned", False), ("reworded-meaning", False), ("moved", True)])
    def test_asks_that_nothing_is_orphaned_or_reworded_in_meaning(self, state: str, met: bool) -> None:
        hypothesis = make_hypothesis()
        evidence = make_evidence(hypothesis.shoebox)
        make_relation(evidence, hypothesis.ref)
        place(evidence, state)

        assert check(hypothesis, "drift").met is met


def confidence(hypothesis: Hypothesis) -> Confidence:
    return confidence_of(hypothesis, bases_of([hypothesis])[hypothesis.pk])


class TestConfidence:
    def test_is_high_only_where_nothing_holds_it_down(self) -> None:
        shoebox = make_shoebox(sought={"disconfirming": ["revert"]})
        hypothesis = make_hypothesis(shoebox)
        for place_of in ("doc:docs/guide.md", "ticket:00001KXKMX0QM/thread"):
            quote = make_evidence(shoebox, place=place_of, state="accepted", basis="witnessed")
            make_relation(quote, hypothesis.ref, "supports")

        found = confidence(hypothesis)

        assert (found.at_most, found.reasons) == ("high", [])

    def test_lists_every_reason_and_falls_with_them(self) -> None:
        hypothesis = make_hypothesis(confidence="high")
        supporting = make_evidence(hypothesis.shoebox)
        make_relation(supporting, hypothesis.ref, "supports")
        place(supporting, "orphaned")

        found = confidence(hypothesis)

        assert [reason.partition(":")[0] for reason in found.reasons] == [
            "Single lineage", "Indirect", "Rests on drifted evidence", "Rests on unreviewed evidence",
            "No attempt to refute it is recorded.",
        ]  # fmt: skip
        assert found.at_most == "low"
        assert found.too_high

    def test_falls_to_moderate_for_one_reason(self) -> None:
        hypothesis = make_hypothesis()
        for place_of in ("doc:docs/guide.md", "ticket:00001KXKMX0QM/thread"):
            quote = make_evidence(hypothesis.shoebox, place=place_of, state="accepted", basis="witnessed")
            make_relation(quote, hypothesis.ref, "supports")
        against = make_evidence(hypothesis.shoebox, quote="It was started once before.", state="accepted")
        make_relation(against, hypothesis.ref, "refutes")

        assert confidence(hypothesis).at_most == "moderate"

    def test_says_when_nothing_supports_it(self) -> None:
        assert confidence(make_hypothesis()).reasons[0] == "Nothing that counts supports it."
