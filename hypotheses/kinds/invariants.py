"""The invariant list: what must hold, where that is stated, when it was last checked, and who may change it."""

from dataclasses import dataclass

from pydantic import AwareDatetime, Field

from hypotheses.cites import Cite
from hypotheses.kinds.kind import ROWS_MAX, Asked, Body, Entry, Kind, Line, Note, Refs, Row, Shown
from hypotheses.markdown import table


class Invariant(Row):
    """One statement that must hold."""

    statement: Line
    stated_in: str = Field("", max_length=2_100, description="Ref of the place that states it.")
    checked_at: AwareDatetime | None = None
    may_change: Note = ""
    refs: Refs = Field(default_factory=list)


class Invariants(Body):
    """Statements that must hold."""

    rows: list[Invariant] = Field(default_factory=list, max_length=ROWS_MAX)


@dataclass(frozen=True, slots=True)
class InvariantShown:
    number: int
    row: Invariant
    stated: list[Cite]
    cites: list[Cite]


def show_invariants(body: Invariants, asked: Asked) -> Shown:
    """Each statement beside the place that states it and the evidence for and against it."""
    rows = [
        InvariantShown(number, row, asked.cites([row.stated_in] if row.stated_in else []), asked.cites(row.refs))
        for number, row in enumerate(body.rows, 1)
    ]
    return Shown(body=body, rows=rows, extra={"unchecked": sum(row.checked_at is None for row in body.rows)})


def invariants_markdown(body: Invariants) -> list[str]:
    """The statements as a table."""
    rows = [
        (
            row.statement,
            row.stated_in,
            f"{row.checked_at:%Y-%m-%d}" if row.checked_at else "never",
            row.may_change,
            ", ".join(row.refs),
        )
        for row in body.rows
    ]
    return [
        "## Invariants",
        "",
        *table(("Statement", "Stated in", "Last checked", "Who may change it", "Cites"), rows),
        "",
    ]


INVARIANTS = Kind(
    name="invariants",
    says="what must hold, where it is stated, when it was last checked, and who may change it",
    body=Invariants,
    show=show_invariants,
    markdown=invariants_markdown,
    template="hypotheses/invariants.html",
    row=Invariant,
    entries=(
        Entry("statement", "Statement", "text", needed=True),
        Entry("stated_in", "Stated in (a ref)"),
        Entry("checked_at", "Last checked", "time"),
        Entry("may_change", "Who may change it"),
        Entry("refs", "Cites", "refs"),
    ),
)
