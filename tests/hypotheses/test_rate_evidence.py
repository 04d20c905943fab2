"""Rating evidence against claims: who counts, what is remembered, what asks to be rated again."""

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from evidence.models import Evidence, Placement
from evidence.services import EvidenceEnded
from hypotheses.findings import findings_of, matrix_out
from hypotheses.grid import Grid
from hypotheses.models import Hypothesis, Rating
from hypotheses.schemas import RatingDraft
from hypotheses.services import NotComparable, rate_evidence
from hypotheses.table import disputes_of, table_of
from hypotheses.wording import told
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_person,
    make_shoebox,
    make_token,
    make_worker,
    make_workspace,
)
from yoimemory.access.models import Actor
from yoimemory.access.services import actor_for_token
from yoimemory.errors import BadInput, Forbidden, NotFound
from yoimemory.journal.models import Change

pytestmark = pytest.mark.django_db


def rate(evidence: Evidence, said: dict[Hypothesis, str], actor: Actor | None = None, note: str = "") -> list[Rating]:
    draft = RatingDraft.model_validate(
        {
            "evidence": str(evidence.ref),
            "ratings": [{"hypothesis": str(one.ref), "value": value, "note": note} for one, value in said.items()],
        }
    )
    actor = actor or make_person(evidence.workspace)
    return rate_evidence(draft, workspace=evidence.workspace, actor=actor, now=NOON)


def make_case(claims: int = 2, pieces: int = 1, **kwargs: Any) -> tuple[list[Hypothesis], list[Evidence]]:
    shoebox = make_shoebox(**kwargs)
    evidence = [
        make_evidence(shoebox, quote=f"Line number {number} of it.", state="accepted") for number in range(pieces)
    ]
    return [make_hypothesis(shoebox, claim=f"Claim {number}.") for number in range(1, claims + 1)], evidence


def reword_claim(claim: Hypothesis, evidence: Evidence) -> None:
    Hypothesis.objects.filter(pk=claim.pk).update(claim="Other words.")


def reword_evidence(claim: Hypothesis, evidence: Evidence) -> None:
    Evidence.objects.filter(pk=evidence.pk).update(summary="New words.")


def reword_source(claim: Hypothesis, evidence: Evidence) -> None:
    Placement.objects.create(evidence=evidence, state="reworded", method="fuzzy", at=NOON, start_line=2)


class TestRateEvidence:
    def test_keeps_one_rating_per_rater_and_cell(self) -> None:
        [first, second], [evidence] = make_case()
        person = make_person(evidence.workspace)

        rate(evidence, {first: "II", second: "C"}, person)
        rate(evidence, {first: "I"}, person, note="It speaks of one slice only.")

        assert dict(Rating.objects.values_list("hypothesis__number", "value")) == {1: "I", 2: "C"}
        assert Rating.objects.get(hypothesis=first).note == "It speaks of one slice only."

    def test_takes_a_rating_back(self) -> None:
        [first, second], [evidence] = make_case()
        person = make_person(evidence.workspace)
        rate(evidence, {first: "II", second: "C"}, person)

        rate(evidence, {first: ""}, person)

        assert list(Rating.objects.values_list("hypothesis__number", flat=True)) == [2]

    def test_takes_two_runs_of_one_token_for_one_rater(self) -> None:
        [first, _], [evidence] = make_case()
        token = make_token(evidence.workspace)[0]

        for run, value in (("run-1", "II"), ("run-2", "C")):
            rate(evidence, {first: value}, actor_for_token(token, run=run))

        assert Rating.objects.get().value == "C"

    def test_writes_history_with_what_stood_before(self) -> None:
        [first, _], [evidence] = make_case()
        person = make_person(evidence.workspace)
        rate(evidence, {first: "II"}, person)

        rate(evidence, {first: "N"}, person)

        change = Change.objects.filter(verb="evidence-rated").latest("pk")
        assert (change.before, change.after) == ({"H1": "II"}, {"H1": "N"})

    def test_stays_in_its_shoebox(self) -> None:
        [_, _], [evidence] = make_case()
        elsewhere = make_hypothesis(make_shoebox(evidence.workspace))

        with pytest.raises(NotComparable, match="another shoebox"):
            rate(evidence, {elsewhere: "II"})

    def test_is_not_for_superseded_claims(self) -> None:
        [first, second], [evidence] = make_case()
        Hypothesis.objects.filter(pk=first.pk).update(status="superseded", superseded_by=second)

        with pytest.raises(NotComparable, match="superseded"):
            rate(evidence, {first: "II"})

    def test_is_not_for_evidence_that_ended(self) -> None:
        [first, _], [evidence] = make_case()
        Evidence.objects.filter(pk=evidence.pk).update(state="rejected", state_reason="Of another component.")

        with pytest.raises(EvidenceEnded):
            rate(evidence, {first: "II"})

    def test_refuses_one_claim_twice(self) -> None:
        [first, _], [evidence] = make_case()
        twice = [{"hypothesis": str(first.ref), "value": value} for value in ("II", "C")]
        draft = RatingDraft.model_validate({"evidence": str(evidence.ref), "ratings": twice})

        with pytest.raises(BadInput, match="twice"):
            rate_evidence(draft, workspace=evidence.workspace, actor=make_person(evidence.workspace), now=NOON)

    def test_refuses_strangers_and_what_does_not_exist(self) -> None:
        [first, _], [evidence] = make_case()

        with pytest.raises(Forbidden):
            rate(evidence, {first: "II"}, make_person(make_workspace()))
        with pytest.raises(NotFound):
            rate(make_evidence(), {first: "II"})


class TestGrid:
    def test_counts_people_and_shows_workers_beside_them(self) -> None:
        [first, second], [evidence] = make_case()
        rate(evidence, {first: "II", second: "C"})
        rate(evidence, {first: "C", second: "II"}, make_worker(evidence.workspace))

        people, everyone = (Grid.of(evidence.shoebox, workers=counted) for counted in (False, True))

        assert people.matrix.score(first.public_id).text == "2"
        assert everyone.matrix.score(first.public_id).text == "0–2"
        assert table_of(people).lines[0].cells[0].small == ("Worker C",)
        assert table_of(everyone).lines[0].cells[0].small == ("disputed",)

    def test_shows_a_dispute_with_both_ratings_and_a_range(self) -> None:
        [first, second], [evidence] = make_case()
        rate(evidence, {first: "II", second: "C"}, note="An invariant of the whole feature.")
        rate(evidence, {first: "CC"}, note="Of slice 1 only.")
        grid = Grid.of(evidence.shoebox)

        [dispute] = disputes_of(grid)
        line = table_of(grid).lines[0]

        assert [one.rating.value for one in dispute.rated] == ["II", "CC"]
        assert line.cells[0].text == "II | CC"
        assert line.cells[0].css == "c-x"
        assert line.score.text == "0–2"

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (reword_claim, "the claim was reworded"),
            (reword_evidence, "the words about the evidence changed"),
            (reword_source, "the quote is reworded now"),
        ],
    )
    def test_asks_to_rate_again_what_has_changed(self, change: Any, said: str) -> None:
        [first, _], [evidence] = make_case()
        rate(evidence, {first: "II"})
        change(first, evidence)

        grid = Grid.of(evidence.shoebox)

        assert grid.rated[first.public_id, evidence.public_id][0].recheck == [said]
        assert table_of(grid).lines[0].cells[0].small == ("recheck",)
        assert grid.matrix.score(first.public_id).text == "2"

    def test_asks_nothing_when_the_quote_only_moved(self) -> None:
        [first, _], [evidence] = make_case()
        rate(evidence, {first: "II"})
        Placement.objects.create(evidence=evidence, state="moved", method="exact", at=NOON, start_line=9)

        assert Grid.of(evidence.shoebox).rated[first.public_id, evidence.public_id][0].recheck == []

    def test_does_not_count_what_is_later_than_the_as_of(self) -> None:
        [first, second], [evidence] = make_case(as_of=NOON)
        Evidence.objects.filter(pk=evidence.pk).update(said_at=NOON.replace(hour=13))
        rate(evidence, {first: "II", second: "C"})

        assert Grid.of(evidence.shoebox).matrix.score(first.public_id).text == "0"

    def test_leaves_out_sources_extractors_and_what_drifted_or_waits(self) -> None:
        [first, second], [one, two, three] = make_case(pieces=3)
        worker = make_worker(one.workspace)
        Evidence.objects.filter(pk=three.pk).update(
            state="suggested", made_by=worker, source="ticket:1", place="ticket:1", basis="deduced"
        )
        Placement.objects.create(evidence=two, state="orphaned", method="exact", at=NOON)
        for evidence in (one, two, three):
            rate(evidence, {first: "II", second: "C"})

        groups = Grid.of(one.shoebox).groups()

        assert groups["source doc:docs/guide.md"] == [one.public_id, two.public_id]
        assert groups[f"everything from {worker}"] == [three.public_id]
        assert groups["everything drifted"] == [two.public_id]
        assert groups["everything unreviewed"] == [three.public_id]
        assert groups["everything assumed: no quote, or deduced, induced, recalled"] == [three.public_id]

    def test_reads_as_many_queries_for_a_large_matrix(
        self, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        claims, pieces = make_case(claims=3, pieces=3)
        for evidence in pieces:
            rate(evidence, dict.fromkeys(claims, "I"))
        with django_assert_max_num_queries(8):
            Grid.of(claims[0].shoebox)
        for number in range(9):
            rate(make_evidence(claims[0].shoebox, quote=f"One more line {number}."), dict.fromkeys(claims, "C"))

        with django_assert_max_num_queries(8):
            grid = Grid.of(claims[0].shoebox)

        assert len(grid.pieces) == 12


class TestWords:
    def test_tell_the_worked_example(self) -> None:
        claims, pieces = make_case(claims=3, pieces=7)
        rows = ["C/II/C", "C/I/I", "I/C/C", "CC/CC/CC", "II/II/II", "CC/CC/NA", "C/C/I"]
        for evidence, row in zip(pieces, rows, strict=True):
            rate(evidence, dict(zip(claims, row.split("/"), strict=True)))
        Evidence.objects.filter(pk__in=[one.pk for one in pieces[2:]]).update(
            source="ticket:1", place="ticket:1/thread"
        )
        grid = Grid.of(claims[0].shoebox)

        words = told(grid, findings_of(grid))

        assert [(row.label, row.leads) for row in words.rows[:5]] == [
            ("nothing left out", "H1"),
            ("e1", "H1 and H2, level"),
            ("e2", "H1 and H3, level"),
            ("e7", "H1 and H3, level"),
            ("source doc:docs/guide.md (e1, e2)", "H2"),
        ]
        assert "Smallest set without which H3 leads alone: e2 and e7." in words.breaking
        assert words.question == "What would be seen if H1 held, and not if H3 did?"

    def test_sort_and_fold_the_table(self) -> None:
        claims, pieces = make_case(claims=2, pieces=3)
        for evidence, row in zip(pieces, ["II/II", "C/I", "C/II"], strict=True):
            rate(evidence, dict(zip(claims, row.split("/"), strict=True)))
        grid = Grid.of(claims[0].shoebox)

        by_use = table_of(grid, sort="diagnosticity", fold=True)

        assert [head.piece.label for head in by_use.heads] == ["e3", "e2"]
        assert by_use.folded == 1
        assert [head.piece.label for head in table_of(grid, sort="nonsense").heads] == ["e1", "e2", "e3"]

    def test_are_the_same_for_machines(self) -> None:
        [first, second], [evidence] = make_case()
        rate(evidence, {first: "II", second: "C"})

        out = matrix_out(Grid.of(evidence.shoebox))

        assert [(one.name, one.low, one.leads) for one in out.hypotheses] == [("H1", 2, "no"), ("H2", 0, "surely")]
        assert out.evidence[0].diagnosticity == "strong"
        assert out.sensitivity.linchpins == [str(evidence.ref)]
        assert out.sensitivity.breaking == []
