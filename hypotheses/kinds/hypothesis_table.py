"""The hypothesis table: every claim of the shoebox with what speaks against it and for it, and where it stands."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from evidence.models import Evidence
from hypotheses.basis import bases_of
from hypotheses.cites import Cite
from hypotheses.kinds.kind import ROWS_MAX, Asked, Body, Entry, Kind, Note, Row, Shown
from hypotheses.markdown import table
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox

STATUSES = tuple(Hypothesis.Status.values)


class HypothesisRow(Row):
    """One claim as it stood."""

    name: str = Field(max_length=12)
    claim: str = Field(min_length=1, max_length=Hypothesis.CLAIM_MAX)
    status: str = Field(max_length=10)
    against: list[str] = Field(default_factory=list, max_length=200)
    supporting: list[str] = Field(default_factory=list, max_length=200)
    open_questions: int = Field(0, ge=0)
    reason: Note = ""
    ref: str = Field("", max_length=200)


class HypothesisTable(Body):
    """The claims that compete."""

    rows: list[HypothesisRow] = Field(default_factory=list, max_length=ROWS_MAX)


@dataclass(frozen=True, slots=True)
class HypothesisShown:
    number: int
    row: HypothesisRow
    against: list[Cite]
    supporting: list[Cite]


def build_hypothesis_table(shoebox: Shoebox, evidences: Sequence[Evidence]) -> HypothesisTable:
    """Every claim of the shoebox in its order, rejected and superseded ones too; evidence as chosen."""
    chosen = {evidence.pk for evidence in evidences}
    hypotheses = list(Hypothesis.objects.in_shoebox(shoebox).with_people().order_by("number"))
    bases = bases_of(hypotheses)
    rows = []
    for one in hypotheses:
        basis, decision = bases[one.pk], next(reversed(one.decisions.all()), None)
        rows.append(
            HypothesisRow(
                name=f"H{one.number}",
                claim=one.claim,
                status=one.status,
                against=[str(cited.evidence.ref) for cited in basis.contradicting if cited.evidence.pk in chosen],
                supporting=[str(cited.evidence.ref) for cited in basis.supporting if cited.evidence.pk in chosen],
                open_questions=len(one.open_questions),
                reason=decision.reason[:1_000] if decision else "",
                ref=str(one.ref),
            )
        )
    return HypothesisTable(rows=rows)


def show_hypothesis_table(body: HypothesisTable, asked: Asked) -> Shown:
    """Against stands before for, in every row."""
    rows = [
        HypothesisShown(number, row, asked.cites(row.against), asked.cites(row.supporting))
        for number, row in enumerate(body.rows, 1)
    ]
    return Shown(body=body, rows=rows)


def hypothesis_table_markdown(body: HypothesisTable) -> list[str]:
    """The claims as a table."""
    rows = [
        (
            f"{row.name} {row.claim}",
            row.status,
            ", ".join(row.against) or "nothing",
            ", ".join(row.supporting) or "nothing",
            str(row.open_questions),
            row.reason,
        )
        for row in body.rows
    ]
    return ["## Hypotheses", "", *table(("Claim", "Status", "Against", "For", "Open questions", "Reason"), rows), ""]


HYPOTHESIS_TABLE = Kind(
    name="hypothesis_table",
    says="every claim with what speaks against it and for it, and where it stands",
    body=HypothesisTable,
    build=build_hypothesis_table,
    show=show_hypothesis_table,
    markdown=hypothesis_table_markdown,
    template="hypotheses/hypothesis_table.html",
    row=HypothesisRow,
    entries=(
        Entry("name", "Name", needed=True),
        Entry("claim", "Claim", "text", needed=True),
        Entry("status", "Status", "choice", STATUSES),
        Entry("against", "Against", "refs"),
        Entry("supporting", "For", "refs"),
        Entry("reason", "Reason", "text"),
    ),
)
