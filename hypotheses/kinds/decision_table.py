"""The decision table: options by criteria, with the evidence in the cells."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from evidence.models import Evidence
from hypotheses.bearings import bearings_of
from hypotheses.cites import Cite
from hypotheses.kinds.kind import ROWS_MAX, Asked, Body, Entry, Kind, Line, Note, Refs, Row, Shown
from hypotheses.markdown import plain, table
from hypotheses.models import Hypothesis
from hypotheses.places import lane_of, lane_order
from shoebox.models import Shoebox

VERDICTS = ("", "for", "against", "mixed", "neither")


class DecisionCell(Row):
    """What one criterion says of one option."""

    option: Line
    criterion: Line
    verdict: Literal["", "for", "against", "mixed", "neither"] = ""
    says: Note = ""
    refs: Refs = Field(default_factory=list)


class DecisionTable(Body):
    """Cells of options by criteria. A cell that is missing is unknown, never neutral."""

    rows: list[DecisionCell] = Field(default_factory=list, max_length=ROWS_MAX)


@dataclass(frozen=True, slots=True)
class CellShown:
    number: int
    row: DecisionCell
    cites: list[Cite]


@dataclass(frozen=True, slots=True)
class OptionShown:
    """One option with its cells in the order of the criteria; None where nothing is known."""

    option: str
    cells: list[CellShown | None]


def build_decision_table(shoebox: Shoebox, evidences: Sequence[Evidence]) -> DecisionTable:
    """The claims as options; as criteria what each kind of source says. Both are a start that people reword."""
    names = {
        f"H{one.number}": f"H{one.number} {one.claim}"[:400]
        for one in Hypothesis.objects.in_shoebox(shoebox).order_by("number")
        if one.status != Hypothesis.Status.SUPERSEDED
    }
    bearings = bearings_of(shoebox, evidences)
    cells: dict[tuple[str, str], list[tuple[str, Evidence]]] = defaultdict(list)
    for evidence in evidences:
        for bearing in bearings.get(evidence.pk, []):
            if bearing.name in names:
                cells[bearing.name, lane_of(evidence)].append((bearing.relation, evidence))
    order = sorted(cells, key=lambda key: (list(names).index(key[0]), lane_order(key[1])))
    return DecisionTable(rows=[_cell(names[name], lane, cells[name, lane]) for name, lane in order])


def _cell(option: str, lane: str, found: list[tuple[str, Evidence]]) -> DecisionCell:
    relations = [relation for relation, _ in found]
    against, supports = relations.count("refutes"), relations.count("supports")
    verdict: Literal["for", "against", "mixed", "neither"] = (
        "mixed" if against and supports else "against" if against else "for" if supports else "neither"
    )
    return DecisionCell(
        option=option,
        criterion=f"What {lane[0].lower()}{lane[1:]} say",
        verdict=verdict,
        says=f"{against} against, {supports} for",
        refs=[str(evidence.ref) for _, evidence in found][:20],
    )


def show_decision_table(body: DecisionTable, asked: Asked) -> Shown:
    """Options as rows, criteria as columns."""
    criteria = list(dict.fromkeys(row.criterion for row in body.rows))
    options: dict[str, dict[str, CellShown]] = defaultdict(dict)
    for number, row in enumerate(body.rows, 1):
        options[row.option][row.criterion] = CellShown(number, row, asked.cites(row.refs))
    rows = [OptionShown(option, [cells.get(criterion) for criterion in criteria]) for option, cells in options.items()]
    return Shown(body=body, rows=rows, extra={"criteria": criteria})


def decision_table_markdown(body: DecisionTable) -> list[str]:
    """Options by criteria, then what each cell cites."""
    criteria = list(dict.fromkeys(row.criterion for row in body.rows))
    cells: dict[str, dict[str, DecisionCell]] = defaultdict(dict)
    for row in body.rows:
        cells[row.option][row.criterion] = row
    rows = [
        (option, *(_words(found[criterion]) if criterion in found else "unknown" for criterion in criteria))
        for option, found in cells.items()
    ]
    lines = ["## Decision table", "", *table(("Option", *map(plain, criteria)), rows), ""]
    cited = [(row.option, row.criterion, ", ".join(row.refs)) for row in body.rows if row.refs]
    return lines + (
        ["## What the cells cite", "", *table(("Option", "Criterion", "Cites"), cited), ""] if cited else []
    )


def _words(cell: DecisionCell) -> str:
    return ": ".join(part for part in (cell.verdict, cell.says) if part) or "unknown"


DECISION_TABLE = Kind(
    name="decision_table",
    says="options by criteria, with the evidence in the cells",
    body=DecisionTable,
    build=build_decision_table,
    show=show_decision_table,
    markdown=decision_table_markdown,
    template="hypotheses/decision_table.html",
    row=DecisionCell,
    entries=(
        Entry("option", "Option", needed=True),
        Entry("criterion", "Criterion", needed=True),
        Entry("verdict", "Says", "choice", VERDICTS),
        Entry("says", "In words", "text"),
        Entry("refs", "Cites", "refs"),
    ),
)
