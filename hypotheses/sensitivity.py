"""How firmly the lead stands: the few items it rests on, and what would turn it. Pure; words and sets, no odds."""

from bisect import insort
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hypotheses.matrix import Cell, Leaders, Matrix, leaders_among, spread

REVERSED = {"II": "CC", "I": "C", "C": "I", "CC": "II"}
LISTED = 5
"""So many smallest sets are named; more are said to exist."""
PATIENCE = 5_000
"""So many combinations are tried before the search settles for the set that was found by going greedily."""
EXACT_MAX = 6


@dataclass(frozen=True, slots=True)
class Without:
    """The scores and leaders when some evidence is left out."""

    label: str
    evidence: tuple[str, ...]
    scores: tuple[str, ...]
    leaders: Leaders
    changes: bool


@dataclass(frozen=True, slots=True)
class Breaking:
    """The smallest sets of evidence without which a rival would lead alone, under every reading."""

    rival: str
    sets: tuple[tuple[str, ...], ...]
    more: bool = False
    smallest: bool = True


def linchpins(matrix: Matrix) -> list[str]:
    """Evidence whose removal changes who leads."""
    standing = matrix.leaders()
    return [one.evidence for one in matrix.counted if matrix.leaders({one.evidence}) != standing]


def reversals(matrix: Matrix) -> list[str]:
    """Evidence that would change who leads if all its ratings were turned round (II for CC, I for C)."""
    standing = matrix.leaders()
    return [one.evidence for one in matrix.counted if leaders_among(_turned(matrix, one.evidence)) != standing]


def _turned(matrix: Matrix, evidence: str) -> dict[str, tuple[int, int]]:
    """The scores when the ratings of one piece of evidence are turned round."""
    ranges = {}
    for claim in matrix.hypotheses:
        cell = matrix.cell(claim, evidence)
        turned = Cell(tuple(REVERSED.get(value, value) for value in cell.values))
        low, high = matrix.totals[claim]
        ranges[claim] = (low - cell.low + turned.low, high - cell.high + turned.high)
    return ranges


def without(matrix: Matrix, groups: Mapping[str, Iterable[str]]) -> list[Without]:
    """The matrix without each of these groups: a source, an extractor, everything that drifted."""
    standing, known = matrix.leaders(), {column.evidence for column in matrix.counted}
    found = []
    for label, members in groups.items():
        left_out = [evidence for evidence in members if evidence in known]
        if left_out:
            scores = tuple(spread(*matrix.range_of(claim, left_out)) for claim in matrix.hypotheses)
            leaders = matrix.leaders(left_out)
            found.append(Without(label, tuple(left_out), scores, leaders, leaders != standing))
    return found


def breaking_sets(matrix: Matrix) -> list[Breaking]:
    """For each claim that does not surely lead alone: the smallest sets without which it would."""
    standing = matrix.leaders()
    rivals = [claim for claim in matrix.hypotheses if standing.sure != {claim} or standing.possible != {claim}]
    return [found for rival in rivals if (found := breaking_set(matrix, rival))]


def breaking_set(matrix: Matrix, rival: str) -> Breaking | None:
    """The smallest sets of evidence whose removal makes the rival lead alone; None where there is none.

    Going greedily gives an upper bound at once; sets up to EXACT_MAX are then searched exactly,
    with patience. A result that was not proved smallest says so.
    """
    task = _Task.of(matrix, rival)
    greedy = task.greedily()
    limit = min(len(greedy) if greedy else EXACT_MAX, EXACT_MAX, len(task.gains))
    budget = _Budget(PATIENCE)
    place = {column.evidence: index for index, column in enumerate(matrix.columns)}.__getitem__

    def in_order(chosen: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(chosen, key=place))

    for size in range(1, limit + 1):
        found = sorted((in_order(chosen) for chosen in task.sets_of(size, budget)), key=lambda one: [*map(place, one)])
        if found:
            return Breaking(rival, tuple(found[:LISTED]), more=len(found) > LISTED or budget.spent)
        if budget.spent:
            break
    proved = not budget.spent and len(greedy) == limit + 1
    return Breaking(rival, (in_order(greedy),), smallest=proved) if greedy else None


@dataclass(slots=True)
class _Budget:
    left: int

    @property
    def spent(self) -> bool:
        return self.left <= 0


@dataclass(frozen=True, slots=True)
class _Task:
    """To make a rival lead: `needs` is how much each other claim is ahead, `gains` what each removal does about it."""

    needs: tuple[int, ...]
    gains: dict[str, tuple[int, ...]]

    @classmethod
    def of(cls, matrix: Matrix, rival: str) -> "_Task":
        others = [claim for claim in matrix.hypotheses if claim != rival]
        gains = {}
        for column in matrix.counted:
            mine = matrix.cell(rival, column.evidence).high
            gain = tuple(mine - matrix.cell(other, column.evidence).low for other in others)
            if any(part > 0 for part in gain):
                gains[column.evidence] = gain
        high = matrix.totals[rival][1]
        needs = tuple(high - matrix.totals[other][0] + 1 for other in others)
        return cls(needs, dict(sorted(gains.items(), key=lambda item: (-sum(item[1]), item[0]))))

    def greedily(self) -> tuple[str, ...]:
        """Take what helps most until it suffices; empty where that leads nowhere."""
        needs, left, chosen = list(self.needs), dict(self.gains), []
        while any(need > 0 for need in needs):
            best = max(left, key=lambda one: _help(left[one], needs), default="")
            if not best or _help(left[best], needs) <= 0:
                return ()
            needs = [need - gain for need, gain in zip(needs, left.pop(best), strict=True)]
            chosen.append(best)
        return tuple(chosen)

    def sets_of(self, size: int, budget: _Budget) -> Iterator[tuple[str, ...]]:
        """Every sufficient set of this size, until patience ends."""
        names, gains = list(self.gains), list(self.gains.values())
        reach = _reach(gains, len(self.needs), size)

        def search(start: int, left: int, needs: tuple[int, ...]) -> Iterator[tuple[str, ...]]:
            budget.left -= 1
            if budget.spent:
                return
            if left == 0:
                if all(need <= 0 for need in needs):
                    yield ()
                return
            for place in range(start, len(names) - left + 1):
                if any(most < need for most, need in zip(reach[left][place], needs, strict=True)):
                    return  # what lies further along reaches even less
                rest = tuple(need - gain for need, gain in zip(needs, gains[place], strict=True))
                for chosen in search(place + 1, left - 1, rest):
                    yield names[place], *chosen

        return search(0, size, self.needs)


def _reach(gains: list[tuple[int, ...]], places: int, size: int) -> list[list[tuple[int, ...]]]:
    """For each number of picks and each start: the most that the picks from there on can gain, claim by claim."""
    reach = [[(0,) * places for _ in range(len(gains) + 1)] for _ in range(size + 1)]
    best: list[list[int]] = [[] for _ in range(places)]
    for start in range(len(gains) - 1, -1, -1):
        for place, top in enumerate(best):
            insort(top, gains[start][place])
            del top[:-size]
        for picks in range(1, size + 1):
            reach[picks][start] = tuple(sum(top[-picks:]) for top in best)
    return reach


def _help(gain: tuple[int, ...], needs: list[int]) -> int:
    """How much a removal takes off what is still needed, less what it adds."""
    return sum(min(part, need) if need > 0 else min(part, 0) for part, need in zip(gain, needs, strict=True))


def front_runners(matrix: Matrix) -> tuple[str, str] | None:
    """The two claims that matter most: the one in the lead and the next, by their lowest scores."""
    ranked = sorted(matrix.hypotheses, key=lambda claim: (matrix.totals[claim], matrix.hypotheses.index(claim)))
    return (ranked[0], ranked[1]) if len(ranked) > 1 else None


def would_separate(matrix: Matrix) -> list[str]:
    """Evidence that is not yet rated for one of the two front runners: rating it may part them."""
    pair = front_runners(matrix)
    if pair is None:
        return []
    return [
        column.evidence for column in matrix.counted if any(matrix.cell(claim, column.evidence).blank for claim in pair)
    ]
