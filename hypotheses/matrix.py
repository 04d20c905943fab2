"""The matrix of competing hypotheses: what each piece of evidence says of each claim, and what follows. Pure.

The score counts what is *inconsistent*; the lowest leads, and it is never the answer. Consistent
evidence adds nothing, because it usually fits every claim. Blank and NA are never neutral: they
are left out, and counted as such.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

VALUES = ("II", "I", "N", "C", "CC", "NA")
WEIGHT = {"II": 2, "I": 1, "N": 0, "C": 0, "CC": 0}
"""What a rating adds to the score of its hypothesis; NA has no weight at all."""

INCONSISTENT, CONSISTENT = frozenset({"II", "I"}), frozenset({"C", "CC"})
WORDS = {0: "none", 1: "some", 2: "strong"}
NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Mark:
    """One rating by one rater. A Worker's is shown, and counted only on request."""

    hypothesis: str
    evidence: str
    value: str
    rater: str
    worker: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """One piece of evidence: its source, and what it can be left out with."""

    evidence: str
    source: str
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Cell:
    """What counted raters say of one piece of evidence against one claim."""

    values: tuple[str, ...] = ()

    @property
    def blank(self) -> bool:
        return not self.values

    @property
    def disputed(self) -> bool:
        """Raters stand on both sides of neutral."""
        return bool(INCONSISTENT & set(self.values)) and bool(CONSISTENT & set(self.values))

    @property
    def weights(self) -> frozenset[int]:
        """What the cell may add to the score; who calls it not applicable adds nothing."""
        return frozenset(WEIGHT.get(value, 0) for value in self.values) or frozenset({0})

    @property
    def applicable(self) -> frozenset[int]:
        """The weights of those who hold that it applies; empty for a blank or NA cell."""
        return frozenset(WEIGHT[value] for value in self.values if value in WEIGHT)

    @property
    def low(self) -> int:
        return min(self.weights)

    @property
    def high(self) -> int:
        return max(self.weights)


BLANK = Cell()


@dataclass(frozen=True, slots=True)
class Score:
    """How much speaks against a claim, as a range where raters differ, with what it is made of."""

    low: int
    high: int
    strong: int
    some: int
    disputed: int
    unrated: int
    sources: tuple[int, int]

    @property
    def text(self) -> str:
        return spread(self.low, self.high)

    @property
    def sources_text(self) -> str:
        few, many = self.sources
        return f"{few} source{'' if few == 1 else 's'}" if few == many else f"{few} or {many} sources"


@dataclass(frozen=True, slots=True)
class Leaders:
    """Who leads: `sure` under every reading of the differing ratings, `possible` under at least one."""

    sure: frozenset[str]
    possible: frozenset[str]


@dataclass(frozen=True)
class Matrix:
    """Claims as rows, evidence as columns, ratings in the cells."""

    hypotheses: tuple[str, ...]
    columns: tuple[Column, ...]
    cells: dict[tuple[str, str], Cell] = field(repr=False)

    @classmethod
    def of(
        cls, hypotheses: Sequence[str], columns: Sequence[Column], marks: Iterable[Mark], *, workers: bool = False
    ) -> "Matrix":
        """The matrix that counts people's ratings, and Workers' as well on request."""
        values: dict[tuple[str, str], list[str]] = defaultdict(list)
        for mark in sorted(marks, key=lambda mark: (mark.worker, mark.rater)):
            if workers or not mark.worker:
                values[mark.hypothesis, mark.evidence].append(mark.value)
        return cls(tuple(hypotheses), tuple(columns), {key: Cell(tuple(found)) for key, found in values.items()})

    def cell(self, hypothesis: str, evidence: str) -> Cell:
        return self.cells.get((hypothesis, evidence), BLANK)

    @cached_property
    def counted(self) -> tuple[Column, ...]:
        """The columns that are weighed: later than the as-of is shown, and not counted."""
        return tuple(column for column in self.columns if column.counts)

    @cached_property
    def totals(self) -> dict[str, tuple[int, int]]:
        """Lowest and highest score of each claim over everything that counts."""
        return {
            claim: (
                sum(self.cell(claim, column.evidence).low for column in self.counted),
                sum(self.cell(claim, column.evidence).high for column in self.counted),
            )
            for claim in self.hypotheses
        }

    def range_of(self, hypothesis: str, without: Collection[str] = NOTHING) -> tuple[int, int]:
        """Lowest and highest score of a claim when some evidence is left out."""
        low, high = self.totals[hypothesis]
        for column in self.counted:
            if column.evidence in without:
                cell = self.cell(hypothesis, column.evidence)
                low, high = low - cell.low, high - cell.high
        return low, high

    def leaders(self, without: Collection[str] = NOTHING) -> Leaders:
        """Who leads when some evidence is left out."""
        return leaders_among({claim: self.range_of(claim, without) for claim in self.hypotheses})

    def score(self, hypothesis: str) -> Score:
        """The score of a claim with what it is made of."""
        cells = [(column, self.cell(hypothesis, column.evidence)) for column in self.counted]
        low, high = self.totals[hypothesis]
        sure = {column.source for column, cell in cells if cell.low > 0}
        perhaps = {column.source for column, cell in cells if cell.high > 0}
        return Score(
            low=low,
            high=high,
            strong=sum(cell.weights == {2} for _, cell in cells),
            some=sum(cell.weights == {1} for _, cell in cells),
            disputed=sum(cell.disputed for _, cell in cells),
            unrated=sum(cell.blank for _, cell in cells),
            sources=(len(sure), len(perhaps)),
        )

    def diagnosticity(self, evidence: str) -> tuple[int, int] | None:
        """How far this evidence tells the claims apart, as a range where raters differ.

        Largest refutation minus smallest over rated, applicable cells; None under two of them.
        """
        weights = [found for claim in self.hypotheses if (found := self.cell(claim, evidence).applicable)]
        if len(weights) < 2:
            return None
        widest = max(max(one) - min(other) for one in weights for other in weights if one is not other)
        windows = [(low, high) for low in (0, 1, 2) for high in (0, 1, 2) if low <= high]
        narrowest = min(
            high - low
            for low, high in windows
            if all(any(low <= weight <= high for weight in found) for found in weights)
        )
        return narrowest, max(widest, narrowest)

    def diagnosticity_words(self, evidence: str) -> str:
        """`none`, `some`, `strong`, a range of them, or a dash under two rated cells."""
        found = self.diagnosticity(evidence)
        if found is None:
            return "–"
        return WORDS[found[0]] if found[0] == found[1] else f"{WORDS[found[0]]} or {WORDS[found[1]]}"


def leaders_among(ranges: dict[str, tuple[int, int]]) -> Leaders:
    """Who has the lowest score, surely and possibly."""
    sure, possible = set(), set()
    for claim, (low, high) in ranges.items():
        rivals = [found for other, found in ranges.items() if other != claim]
        if all(high <= rival_low for rival_low, _ in rivals):
            sure.add(claim)
        if all(low <= rival_high for _, rival_high in rivals):
            possible.add(claim)
    return Leaders(frozenset(sure), frozenset(possible))


def spread(low: int, high: int) -> str:
    """A score as a number, or as a range."""
    return str(low) if low == high else f"{low}–{high}"
