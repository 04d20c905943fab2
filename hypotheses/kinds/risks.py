"""The risk list: what could go wrong, how likely in a word, its effect, the signals, what is done, and who owns it."""

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from hypotheses.cites import Cite
from hypotheses.kinds.kind import ROWS_MAX, Asked, Body, Entry, Kind, Line, Note, Refs, Row, Shown
from hypotheses.markdown import table

LIKELIHOODS = ("likely", "possible", "unlikely", "unknown")
"""Words, no percentages: a number would claim more than anybody knows."""


class Risk(Row):
    """One thing that could go wrong."""

    risk: Line
    likelihood: Literal["likely", "possible", "unlikely", "unknown"] = "unknown"
    effect: Note = ""
    signals: Note = ""
    mitigation: Note = ""
    owner: Note = ""
    refs: Refs = Field(default_factory=list)


class Risks(Body):
    """Things that could go wrong."""

    rows: list[Risk] = Field(default_factory=list, max_length=ROWS_MAX)


@dataclass(frozen=True, slots=True)
class RiskShown:
    number: int
    row: Risk
    cites: list[Cite]


def show_risks(body: Risks, asked: Asked) -> Shown:
    """The risks with the likely ones first; numbers are those of the rows as written."""
    rows = [RiskShown(number, row, asked.cites(row.refs)) for number, row in enumerate(body.rows, 1)]
    rows.sort(key=lambda shown: LIKELIHOODS.index(shown.row.likelihood))
    return Shown(body=body, rows=rows, extra={"unowned": sum(not row.owner for row in body.rows)})


def risks_markdown(body: Risks) -> list[str]:
    """The risks as a table."""
    rows = [
        (row.risk, row.likelihood, row.effect, row.signals, row.mitigation, row.owner, ", ".join(row.refs))
        for row in body.rows
    ]
    head = ("Risk", "Likelihood", "Effect", "Signals", "Mitigation", "Owner", "Cites")
    return ["## Risks", "", *table(head, rows), ""]


RISKS = Kind(
    name="risks",
    says="what could go wrong, how likely in a word, what would show it, and who looks after it",
    body=Risks,
    show=show_risks,
    markdown=risks_markdown,
    template="hypotheses/risks.html",
    row=Risk,
    entries=(
        Entry("risk", "Risk", "text", needed=True),
        Entry("likelihood", "Likelihood", "choice", LIKELIHOODS),
        Entry("effect", "Effect", "text"),
        Entry("signals", "Signals", "text"),
        Entry("mitigation", "Mitigation", "text"),
        Entry("owner", "Owner"),
        Entry("refs", "Cites", "refs"),
    ),
)
