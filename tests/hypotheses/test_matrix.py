"""The matrix and its sensitivity: the worked example to the number, and properties on random matrices."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypotheses.matrix import VALUES, Cell, Column, Mark, Matrix, spread
from hypotheses.sensitivity import (
    breaking_set,
    breaking_sets,
    front_runners,
    linchpins,
    reversals,
    without,
    would_separate,
)


def matrix_of(rows: dict[str, str], sources: dict[str, str] | None = None) -> Matrix:
    """A matrix from `{"e1": "C/II/C"}`; `C|II` in a cell are two raters, `-` is blank."""
    width = len(next(iter(rows.values())).split("/"))
    marks = [
        Mark(f"H{place}", evidence, value, f"rater {index}")
        for evidence, cells in rows.items()
        for place, cell in enumerate(cells.split("/"), 1)
        for index, value in enumerate(cell.split("|"))
        if value != "-"
    ]
    columns = [Column(evidence, (sources or {}).get(evidence, evidence)) for evidence in rows]
    return Matrix.of([f"H{place}" for place in range(1, width + 1)], columns, marks)


@pytest.fixture
def example() -> Matrix:
    rows = {
        "e1": "C/II/C", "e2": "C/I/I", "e3": "I/C/C", "e4": "CC/CC/CC", "e5": "II/II/II", "e6": "CC/CC/NA",
        "e7": "C/C/I",
    }  # fmt: skip
    return matrix_of(rows, {"e1": "one source", "e2": "one source"})


class TestWorkedExample:
    def test_scores(self, example: Matrix) -> None:
        assert [example.score(claim).text for claim in example.hypotheses] == ["3", "5", "4"]

    def test_diagnosticity(self, example: Matrix) -> None:
        words = {column.evidence: example.diagnosticity_words(column.evidence) for column in example.columns}

        assert words == {
            "e1": "strong", "e2": "some", "e3": "some", "e4": "none", "e5": "none", "e6": "none", "e7": "some",
        }  # fmt: skip

    def test_linchpins(self, example: Matrix) -> None:
        assert linchpins(example) == ["e1", "e2", "e7"]

    def test_without_the_source_of_e1_and_e2(self, example: Matrix) -> None:
        [row] = without(example, {"one source": ["e1", "e2"]})

        assert row.leaders.sure == {"H2"}
        assert row.scores == ("3", "2", "3")
        assert row.changes

    def test_independent_sources(self, example: Matrix) -> None:
        assert [example.score(claim).sources for claim in example.hypotheses] == [(2, 2), (2, 2), (3, 3)]

    def test_smallest_breaking_sets(self, example: Matrix) -> None:
        second, third = breaking_sets(example)

        assert (second.rival, third.rival) == ("H2", "H3")
        assert second.sets == (("e1", "e2"),)
        assert third.sets == (("e2", "e7"),)


class TestDispute:
    def test_is_shown_as_disputed_and_never_as_neutral(self) -> None:
        matrix = matrix_of({"e1": "II|CC/C"})
        cell = matrix.cell("H1", "e1")

        assert cell.disputed
        assert matrix.score("H1").text == "0–2"
        assert matrix.score("H1").disputed == 1

    def test_makes_the_lead_possible_instead_of_sure(self) -> None:
        leaders = matrix_of({"e1": "II|CC/I"}).leaders()

        assert leaders.sure == frozenset()
        assert leaders.possible == {"H1", "H2"}

    def test_gives_a_range_of_diagnosticity(self) -> None:
        assert matrix_of({"e1": "C/C|I/N"}).diagnosticity_words("e1") == "none or some"

    def test_is_none_between_raters_of_one_side(self) -> None:
        matrix = matrix_of({"e1": "II|I/C"})

        assert not matrix.cell("H1", "e1").disputed
        assert matrix.score("H1").text == "1–2"

    def test_counts_sources_as_a_range(self) -> None:
        matrix = matrix_of({"e1": "I/C", "e2": "I|C/C"})

        assert matrix.score("H1").sources_text == "1 or 2 sources"


class TestBlank:
    def test_is_counted_as_unrated_and_not_as_neutral(self) -> None:
        matrix = matrix_of({"e1": "-/II", "e2": "NA/II", "e3": "N/II"})

        assert matrix.score("H1").unrated == 1
        assert [matrix.diagnosticity(name) for name in ("e1", "e2", "e3")] == [None, None, (2, 2)]

    def test_can_separate_the_front_runners_once_it_is_rated(self) -> None:
        matrix = matrix_of({"e1": "C/I/II", "e2": "-/C/C", "e3": "C/C/-"})

        assert front_runners(matrix) == ("H1", "H2")
        assert would_separate(matrix) == ["e2"]


class TestWorkers:
    def test_are_counted_on_request_only(self) -> None:
        marks = [Mark("H1", "e1", "II", "a Worker", worker=True), Mark("H2", "e1", "I", "hare")]
        columns = [Column("e1", "doc:a")]

        people, everyone = (Matrix.of(["H1", "H2"], columns, marks, workers=counted) for counted in (False, True))

        assert people.score("H1").text == "0"
        assert everyone.score("H1").text == "2"


class TestLater:
    def test_is_not_counted(self) -> None:
        marks = [Mark("H1", "e1", "II", "hare"), Mark("H2", "e1", "C", "hare")]

        matrix = Matrix.of(["H1", "H2"], [Column("e1", "doc:a", counts=False)], marks)

        assert matrix.score("H1").text == "0"
        assert matrix.leaders().sure == {"H1", "H2"}


class TestReversals:
    def test_are_told_apart_from_linchpins(self) -> None:
        matrix = matrix_of({"e1": "I/C", "e2": "I/C", "e3": "I/N", "e4": "C/I"})

        assert linchpins(matrix) == []
        assert reversals(matrix) == ["e1", "e2"]


class TestBreakingSet:
    def test_is_none_where_removal_cannot_help(self) -> None:
        assert breaking_set(matrix_of({"e1": "C/C", "e2": "I/I"}), "H2") is None

    def test_names_several_of_one_size_and_says_that_there_are_more(self) -> None:
        rows = {f"e{number}": "C/I" for number in range(1, 9)} | {"e9": "II/C"}
        found = breaking_set(matrix_of({**rows, "e0": "II/C", "f1": "II/C", "f2": "I/C"}), "H2")

        assert found is not None
        assert all(len(each) == 2 for each in found.sets)
        assert found.more

    def test_falls_back_to_what_was_found_greedily(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("hypotheses.sensitivity.PATIENCE", 1)

        found = breaking_set(matrix_of({"e1": "C/II", "e2": "C/II", "e3": "C/II", "e4": "II/C"}), "H2")

        assert found is not None
        assert not found.smallest


CELLS = st.sampled_from([*VALUES, "-", "I|C", "II|CC"])


@st.composite
def matrices(draw: st.DrawFn, most: int = 7) -> Matrix:
    width = draw(st.integers(2, 4))
    rows = draw(st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=most))
    return matrix_of({f"e{number}": "/".join(cells) for number, cells in enumerate(rows, 1)})


class TestProperties:
    @given(matrices())
    def test_what_refutes_everything_alike_tells_nothing_apart(self, matrix: Matrix) -> None:
        marks = [Mark(claim, "all", "II", "hare") for claim in matrix.hypotheses]

        alike = Matrix.of(matrix.hypotheses, [Column("all", "doc:a")], marks)

        assert alike.diagnosticity_words("all") == "none"

    @given(matrices())
    def test_consistent_evidence_never_adds(self, matrix: Matrix) -> None:
        columns = [*matrix.columns, Column("more", "doc:more")]
        cells = matrix.cells | {(claim, "more"): Cell(("CC", "C")) for claim in matrix.hypotheses}

        grown = Matrix(matrix.hypotheses, tuple(columns), cells)

        assert grown.totals == matrix.totals

    @given(matrices())
    def test_a_range_holds_every_reading(self, matrix: Matrix) -> None:
        for claim in matrix.hypotheses:
            score = matrix.score(claim)
            assert score.low <= score.high
            assert score.sources[0] <= score.sources[1]
        for column in matrix.columns:
            found = matrix.diagnosticity(column.evidence)
            assert found is None or 0 <= found[0] <= found[1] <= 2

    @given(matrices())
    def test_somebody_may_always_lead(self, matrix: Matrix) -> None:
        leaders = matrix.leaders()

        assert leaders.possible
        assert leaders.sure <= leaders.possible

    @given(matrices())
    def test_the_breaking_set_is_as_small_as_brute_force_finds(self, matrix: Matrix) -> None:
        names = [column.evidence for column in matrix.columns]
        for rival in matrix.hypotheses:
            alone = next(
                (
                    size
                    for size in range(len(names) + 1)
                    if any(_leads_alone(matrix, rival, chosen) for chosen in combinations(names, size))
                ),
                None,
            )
            found = breaking_set(matrix, rival)
            if alone == 0:
                continue
            assert (found is None) == (alone is None)
            if found is not None:
                assert len(found.sets[0]) == alone
                assert all(_leads_alone(matrix, rival, chosen) for chosen in found.sets)


def _leads_alone(matrix: Matrix, rival: str, left_out: tuple[str, ...]) -> bool:
    high = matrix.range_of(rival, left_out)[1]
    return all(high < matrix.range_of(other, left_out)[0] for other in matrix.hypotheses if other != rival)


def test_a_score_is_a_number_or_a_range() -> None:
    assert (spread(3, 3), spread(3, 4)) == ("3", "3–4")
