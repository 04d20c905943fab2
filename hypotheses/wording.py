"""The findings of a matrix in words, for the page and the export: sets and sentences, no probabilities."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hypotheses.findings import Findings, label_of, name_of
from hypotheses.grid import Grid, Piece
from hypotheses.matrix import Leaders


@dataclass(frozen=True, slots=True)
class WithoutRow:
    """One line of "what the lead rests on"."""

    label: str
    scores: tuple[str, ...]
    leads: str
    changes: bool


@dataclass(frozen=True, slots=True)
class Told:
    """The sensitivity panel in words."""

    rows: list[WithoutRow]
    reversals: str
    breaking: list[str]
    next: list[Piece]
    question: str
    """What would part the two front runners, as a line for the open questions; empty under two claims."""


def told(grid: Grid, findings: Findings) -> Told:
    """Put the findings into words, with the short names people use."""
    labels, names = label_of(grid), name_of(grid)
    pieces = {piece.key: piece for piece in grid.pieces}
    return Told(
        rows=[
            WithoutRow(_label(row.label, row.evidence, labels), row.scores, lead_words(row.leaders, names), row.changes)
            for row in findings.rows
        ],
        reversals=", ".join(labels[key] for key in findings.reversals),
        breaking=[
            _breaking(one.rival, one.sets, labels, names, more=one.more, smallest=one.smallest)
            for one in findings.breaking
        ],
        next=[pieces[key] for key in findings.next],
        question=_question(findings.front, names),
    )


def lead_words(leaders: Leaders, names: Mapping[str, str]) -> str:
    """Who leads: "H2", "H1 and H2, level", "H2, or level with H1", or "H1 or H2"."""
    sure, perhaps = _named(leaders.sure, names), _named(leaders.possible - leaders.sure, names)
    if not perhaps:
        return sure[0] if len(sure) == 1 else f"{join(sure)}, level"
    return f"{join(sure)}, or level with {join(perhaps)}" if sure else join(perhaps, "or")


def join(words: list[str], last: str = "and") -> str:
    """One, two and three: "a", "a and b", "a, b and c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""


def _named(keys: Iterable[str], names: Mapping[str, str]) -> list[str]:
    return sorted((names[key] for key in keys), key=lambda name: (len(name), name))


def _label(label: str, evidence: tuple[str, ...], labels: Mapping[str, str]) -> str:
    inside = ", ".join(labels[key] for key in evidence)
    return label if inside in {"", label} else f"{label} ({inside})"


def _breaking(
    rival: str,
    sets: tuple[tuple[str, ...], ...],
    labels: Mapping[str, str],
    names: Mapping[str, str],
    *,
    more: bool,
    smallest: bool,
) -> str:
    each = "; or ".join(join([labels[key] for key in chosen]) for chosen in sets)
    head = "Smallest set" if smallest else "A set, perhaps not the smallest,"
    return f"{head} without which {names[rival]} leads alone: {each}{'; and others of that size' if more else ''}."


def _question(front: tuple[str, str] | None, names: Mapping[str, str]) -> str:
    return f"What would be seen if {names[front[0]]} held, and not if {names[front[1]]} did?" if front else ""
