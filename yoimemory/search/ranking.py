"""From scores of passages and of whole sources to one order of sources, with the reasons for every lift."""

from collections import defaultdict
from dataclasses import dataclass, field

HALVES = (1.0, 0.5, 0.25, 0.125)
"""What the best passages of one source count: the second half as much as the first, and so on."""

IN_HISTORY = 0.1
"""What remains of the score of a source that the workspace no longer has."""


@dataclass(slots=True)
class Ranked:
    """One source in the order: its document, its score, its passages (pk, document, score) best first."""

    whole: int
    score: float
    passages: list[tuple[int, int, float]] = field(default_factory=list)
    why: list[str] = field(default_factory=list)
    said: dict[int, list[str]] = field(default_factory=dict)
    """Further reasons that hold for single passages."""


def combine(parts: list[tuple[int, int, int, float]], wholes: list[tuple[int, float]]) -> dict[int, Ranked]:
    """Add up, for each source, its score as a whole and that of its passages, each by the best of its kind."""
    by_source: dict[int, list[tuple[int, int, float]]] = defaultdict(list)
    for pk, document, whole, score in parts:
        by_source[whole].append((pk, document, score))
    chunks = {
        whole: sum(score * share for (_, _, score), share in zip(passages, HALVES, strict=False))
        for whole, passages in by_source.items()
    }
    best_chunk = max(chunks.values(), default=0.0) or 1.0
    best_whole = max((score for _, score in wholes), default=0.0) or 1.0
    ranked = {whole: Ranked(whole, chunks[whole] / best_chunk, passages) for whole, passages in by_source.items()}
    for whole, score in wholes:
        ranked.setdefault(whole, Ranked(whole, 0.0)).score += score / best_whole
    return ranked


def rank_apart(
    parts: list[tuple[int, int, int, float]], wholes: list[tuple[int, float]], gone: set[int]
) -> list[Ranked]:
    """Sources as they match, those that lie in history only behind those that are there.

    They are compared among themselves: what the workspace no longer has must not change how what it
    has is ordered.
    """
    if not gone:
        return list(combine(parts, wholes).values())
    there = combine([row for row in parts if row[2] not in gone], [row for row in wholes if row[0] not in gone])
    past = combine([row for row in parts if row[2] in gone], [row for row in wholes if row[0] in gone])
    for each in past.values():
        each.score *= IN_HISTORY
    return [*there.values(), *past.values()]


def lift(ranked: dict[int, Ranked], whole: int, factor: float, why: str) -> None:
    """Raise one source and say why."""
    if whole in ranked:
        ranked[whole].score *= factor
        ranked[whole].why.append(why)
