"""The matrix as a page draws it: heads, cells and their order, computed before any template runs."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from hypotheses.findings import leads
from hypotheses.grid import Grid, Piece, Rated
from hypotheses.matrix import Cell, Score
from hypotheses.models import Hypothesis

CLASSES = {"II": "c-ii", "I": "c-i", "N": "c-n", "C": "c-c", "CC": "c-cc", "NA": "c-n"}

_EVER = datetime.min.replace(tzinfo=UTC)

SORTS: dict[str, str] = {
    "": "as taken in",
    "diagnosticity": "what tells them apart first",
    "disputed": "disputed first",
    "unrated": "unrated first",
    "drifted": "drifted first",
    "date": "by date",
    "source": "by source",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """One cell: its letters, its class, the small words below, and who said it."""

    text: str
    css: str
    small: tuple[str, ...]
    title: str
    disputed: bool
    anchor: str


@dataclass(frozen=True, slots=True)
class Line:
    """One claim with its cells and its score."""

    hypothesis: Hypothesis
    cells: list[Shown]
    score: Score
    leads: str
    note: str


@dataclass(frozen=True, slots=True)
class Head:
    """One piece of evidence as the head of a column, or of a row when transposed."""

    piece: Piece
    diagnosticity: str
    strong: bool
    cells: list[Shown]


@dataclass(frozen=True, slots=True)
class Table:
    """The matrix in order, both ways."""

    lines: list[Line]
    heads: list[Head]
    folded: int


@dataclass(frozen=True, slots=True)
class Dispute:
    """A cell on which raters stand on both sides of neutral."""

    hypothesis: Hypothesis
    piece: Piece
    rated: list[Rated]
    since: datetime


def table_of(grid: Grid, *, sort: str = "", fold: bool = False) -> Table:
    """The table in the order asked for; folding leaves out what was rated and tells nothing apart."""
    pieces = sorted(grid.pieces, key=_order(grid, sort))
    kept = [piece for piece in pieces if not (fold and _tells_nothing(grid, piece))]
    shown = {
        (one.public_id, piece.key): _shown(grid, one.public_id, piece.key) for one in grid.hypotheses for piece in kept
    }
    leaders = grid.matrix.leaders()
    lines = [
        Line(
            hypothesis=one,
            cells=[shown[one.public_id, piece.key] for piece in kept],
            score=(score := grid.matrix.score(one.public_id)),
            leads=leads(one.public_id, leaders) if _any_rated(grid) else "no",
            note=_made_of(score),
        )
        for one in grid.hypotheses
    ]
    heads = []
    for piece in kept:
        words = grid.matrix.diagnosticity_words(piece.key)
        cells = [shown[one.public_id, piece.key] for one in grid.hypotheses]
        heads.append(Head(piece, words, words.startswith("strong"), cells))
    return Table(lines, heads, folded=len(pieces) - len(kept))


def disputes_of(grid: Grid) -> list[Dispute]:
    """The disputed cells with their ratings, oldest dispute first."""
    found = []
    for one in grid.hypotheses:
        for piece in grid.pieces:
            if grid.matrix.cell(one.public_id, piece.key).disputed:
                rated = grid.rated[one.public_id, piece.key]
                found.append(Dispute(one, piece, rated, max(each.rating.rated_at for each in rated)))
    return sorted(found, key=lambda dispute: dispute.since)


def _shown(grid: Grid, claim: str, evidence: str) -> Shown:
    cell, rated = grid.matrix.cell(claim, evidence), grid.rated.get((claim, evidence), [])
    small = ["disputed"] if cell.disputed else []
    if any(one.recheck for one in rated):
        small.append("recheck")
    if not grid.workers:
        small += [f"Worker {one.rating.value}" for one in rated if one.rating.rater.is_worker]
    values = sorted(set(cell.values), key=list(CLASSES).index)
    return Shown(
        text=" | ".join(values),
        css="c-x" if cell.disputed else _class(cell),
        small=tuple(small),
        title="; ".join(_said(one) for one in rated),
        disputed=cell.disputed,
        anchor=f"dispute-{claim}-{evidence}",
    )


def _class(cell: Cell) -> str:
    """The deepest tint that any rater asks for; letters always say the same."""
    return next((CLASSES[value] for value in CLASSES if value in cell.values), "")


def _said(rated: Rated) -> str:
    rating = rated.rating
    note = f": {rating.note}" if rating.note else ""
    again = f" (recheck: {', '.join(rated.recheck)})" if rated.recheck else ""
    return f"{rating.rater} {rating.value}{note}{again}"


def _made_of(score: Score) -> str:
    parts = [
        f"{score.strong} × II" if score.strong else "",
        f"{score.some} × I" if score.some else "",
        f"{score.disputed} disputed" if score.disputed else "",
        f"{score.unrated} unrated" if score.unrated else "",
    ]
    return ", ".join(part for part in parts if part)


def _any_rated(grid: Grid) -> bool:
    return any(cell.values for cell in grid.matrix.cells.values())


def _tells_nothing(grid: Grid, piece: Piece) -> bool:
    return grid.matrix.diagnosticity(piece.key) == (0, 0)


def _order(grid: Grid, sort: str) -> Callable[[Piece], tuple[object, ...]]:
    matrix = grid.matrix
    claims = [one.public_id for one in grid.hypotheses]
    keys: dict[str, Callable[[Piece], object]] = {
        "diagnosticity": lambda piece: [-part for part in reversed(matrix.diagnosticity(piece.key) or (-1, -1))],
        "disputed": lambda piece: -sum(matrix.cell(claim, piece.key).disputed for claim in claims),
        "unrated": lambda piece: -sum(matrix.cell(claim, piece.key).blank for claim in claims),
        "drifted": lambda piece: piece.standing.state in {"verified", "moved", "unbound"},
        "date": lambda piece: piece.evidence.said_at or _EVER,
        "source": lambda piece: piece.evidence.source,
    }
    first = keys.get(sort)
    return lambda piece: (first(piece) if first else 0, piece.evidence.pk)
