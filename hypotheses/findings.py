"""What the matrix of a shoebox says: scores, leaders and how firmly they stand, for page, API and export alike."""

from dataclasses import dataclass
from typing import Literal

from hypotheses.grid import Grid, Piece, Rated
from hypotheses.matrix import Leaders, Score
from hypotheses.models import Hypothesis
from hypotheses.schemas import (
    BreakingOut,
    CellOut,
    ColumnOut,
    MatrixOut,
    RatingOut,
    ScoreOut,
    SensitivityOut,
    WithoutOut,
)
from hypotheses.sensitivity import (
    Breaking,
    Without,
    breaking_sets,
    front_runners,
    linchpins,
    reversals,
    without,
    would_separate,
)


@dataclass(frozen=True, slots=True)
class Findings:
    """The sensitivity of a matrix. Evidence is named by key; `label` says what people call it."""

    linchpins: list[str]
    reversals: list[str]
    rows: list[Without]
    breaking: list[Breaking]
    next: list[str]
    front: tuple[str, str] | None


def findings_of(grid: Grid) -> Findings:
    """How firmly the lead stands. Costs more than the matrix itself, so pages ask for it apart."""
    matrix = grid.matrix
    pins = linchpins(matrix)
    labels = label_of(grid)
    singles = {f"{labels[key]}": [key] for key in pins}
    return Findings(
        linchpins=pins,
        reversals=reversals(matrix),
        rows=[_whole(grid), *without(matrix, singles), *without(matrix, grid.groups())],
        breaking=breaking_sets(matrix),
        next=would_separate(matrix),
        front=front_runners(matrix),
    )


def label_of(grid: Grid) -> dict[str, str]:
    """e1, e2, … by key of the evidence."""
    return {piece.key: piece.label for piece in grid.pieces}


def name_of(grid: Grid) -> dict[str, str]:
    """H1, H2, … by key of the hypothesis."""
    return {one.public_id: f"H{one.number}" for one in grid.hypotheses}


def leads(key: str, leaders: Leaders) -> Literal["surely", "possibly", "no"]:
    """Whether a claim leads under every reading of the ratings, under some, or under none."""
    return "surely" if key in leaders.sure else "possibly" if key in leaders.possible else "no"


def matrix_out(grid: Grid) -> MatrixOut:
    """The matrix with its sensitivity as every machine reads it: refs instead of keys."""
    leaders = grid.matrix.leaders()
    return MatrixOut(
        shoebox=str(grid.shoebox.ref),
        workers_counted=grid.workers,
        hypotheses=[_score_out(one, grid.matrix.score(one.public_id), leaders) for one in grid.hypotheses],
        evidence=[_column_out(grid, piece) for piece in grid.pieces],
        cells=[
            CellOut(
                hypothesis=f"hypothesis:{claim}",
                evidence=f"evidence:{evidence}",
                disputed=grid.matrix.cell(claim, evidence).disputed,
                ratings=[rating_out(one) for one in rated],
            )
            for (claim, evidence), rated in sorted(grid.rated.items())
        ],
        sensitivity=_sensitivity_out(grid, findings_of(grid)),
    )


def rating_out(rated: Rated) -> RatingOut:
    """One rating as every machine reads it."""
    rating = rated.rating
    return RatingOut(
        rater=str(rating.rater),
        worker=rating.rater.is_worker,
        value=rating.value,
        note=rating.note,
        rated_at=rating.rated_at,
        recheck=rated.recheck,
    )


def _whole(grid: Grid) -> Without:
    matrix = grid.matrix
    scores = tuple(matrix.score(claim).text for claim in matrix.hypotheses)
    return Without("nothing left out", (), scores, matrix.leaders(), changes=False)


def _score_out(hypothesis: Hypothesis, score: Score, leaders: Leaders) -> ScoreOut:
    return ScoreOut(
        hypothesis=str(hypothesis.ref),
        name=f"H{hypothesis.number}",
        claim=hypothesis.claim,
        status=hypothesis.status,
        low=score.low,
        high=score.high,
        strong=score.strong,
        some=score.some,
        disputed=score.disputed,
        unrated=score.unrated,
        sources=score.sources,
        leads=leads(hypothesis.public_id, leaders),
    )


def _column_out(grid: Grid, piece: Piece) -> ColumnOut:
    return ColumnOut(
        evidence=str(piece.evidence.ref),
        label=piece.label,
        source=piece.evidence.source,
        anchor_state=piece.standing.state,
        later=piece.later,
        diagnosticity=grid.matrix.diagnosticity_words(piece.key),
    )


def _sensitivity_out(grid: Grid, findings: Findings) -> SensitivityOut:
    names = name_of(grid)
    return SensitivityOut(
        linchpins=_evidence(findings.linchpins),
        reversals=_evidence(findings.reversals),
        without=[
            WithoutOut(
                label=row.label,
                evidence=_evidence(row.evidence),
                scores={names[key]: score for key, score in zip(names, row.scores, strict=True)},
                leads=sorted(names[key] for key in row.leaders.sure),
                possibly=sorted(names[key] for key in row.leaders.possible),
                changes=row.changes,
            )
            for row in findings.rows
        ],
        breaking=[
            BreakingOut(
                hypothesis=names[one.rival],
                sets=[_evidence(each) for each in one.sets],
                more=one.more,
                smallest=one.smallest,
            )
            for one in findings.breaking
        ],
        next=_evidence(findings.next),
    )


def _evidence(keys: list[str] | tuple[str, ...]) -> list[str]:
    return [f"evidence:{key}" for key in keys]
