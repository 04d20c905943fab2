"""The table of rejected alternatives: the option, why it was turned down, by whom, when, and what would reopen it."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import AwareDatetime, Field

from evidence.models import Evidence
from hypotheses.cites import Cite
from hypotheses.kinds.kind import ROWS_MAX, Asked, Body, Entry, Kind, Line, Note, Refs, Row, Shown
from hypotheses.markdown import table
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox
from yoimemory.journal.models import Change


class AlternativeRow(Row):
    """One option that was turned down."""

    option: Line
    why: Note
    by: str = Field("", max_length=150)
    at: AwareDatetime | None = None
    would_reopen: Note = ""
    refs: Refs = Field(default_factory=list)


class Alternatives(Body):
    """Options that were turned down."""

    rows: list[AlternativeRow] = Field(default_factory=list, max_length=ROWS_MAX)


@dataclass(frozen=True, slots=True)
class AlternativeShown:
    number: int
    row: AlternativeRow
    cites: list[Cite]


def build_alternatives(shoebox: Shoebox, evidences: Sequence[Evidence]) -> Alternatives:
    """Rejected claims with the decision that rejected them, then the alternatives written down with each claim."""
    hypotheses = list(Hypothesis.objects.in_shoebox(shoebox).with_people().order_by("number"))
    written = _who_wrote(hypotheses)
    rows = [_rejected(one) for one in hypotheses if one.status == Hypothesis.Status.REJECTED]
    for one in hypotheses:
        for entry in one.alternatives:
            change = written.get((str(one.ref), entry["option"]))
            rows.append(
                AlternativeRow(
                    option=entry["option"][:400],
                    why=entry["reason"],
                    by=str(change.actor) if change else "",
                    at=change.at if change else None,
                    would_reopen=one.would_change[:1_000],
                    refs=[str(one.ref)],
                )
            )
    return Alternatives(rows=rows)


def _rejected(hypothesis: Hypothesis) -> AlternativeRow:
    decision = next(reversed(hypothesis.decisions.all()), None)
    return AlternativeRow(
        option=f"H{hypothesis.number} {hypothesis.claim}"[:400],
        why=decision.reason[:1_000] if decision else "No reason was written down.",
        by=str(decision.by) if decision else "",
        at=decision.at if decision else None,
        would_reopen=hypothesis.would_change[:1_000],
        refs=[str(hypothesis.ref)],
    )


def _who_wrote(hypotheses: Sequence[Hypothesis]) -> dict[tuple[str, str], Change]:
    """Who first wrote each alternative down, by claim and option, as history tells it."""
    refs = [str(one.ref) for one in hypotheses]
    changes = Change.objects.filter(subject__in=refs, verb__in=["hypothesis-edited", "hypothesis-proposed"])
    found: dict[tuple[str, str], Change] = {}
    for change in changes.select_related("actor").order_by("pk"):
        for entry in change.after.get("alternatives", []):
            found.setdefault((change.subject, entry["option"]), change)
    return found


def show_alternatives(body: Alternatives, asked: Asked) -> Shown:
    """The options in their order."""
    rows = [AlternativeShown(number, row, asked.cites(row.refs)) for number, row in enumerate(body.rows, 1)]
    return Shown(body=body, rows=rows)


def alternatives_markdown(body: Alternatives) -> list[str]:
    """The options as a table."""
    rows = [
        (
            row.option,
            row.why,
            row.by,
            f"{row.at:%Y-%m-%d}" if row.at else "",
            row.would_reopen,
            ", ".join(row.refs),
        )
        for row in body.rows
    ]
    head = ("Option", "Why rejected", "By", "When", "What would reopen it", "Cites")
    return ["## Rejected alternatives", "", *table(head, rows), ""]


ALTERNATIVES = Kind(
    name="alternatives",
    says="what was turned down, why, by whom, and what would reopen it",
    body=Alternatives,
    build=build_alternatives,
    show=show_alternatives,
    markdown=alternatives_markdown,
    template="hypotheses/alternatives.html",
    row=AlternativeRow,
    entries=(
        Entry("option", "Option", "text", needed=True),
        Entry("why", "Why rejected", "text", needed=True),
        Entry("by", "By"),
        Entry("at", "When", "time"),
        Entry("would_reopen", "What would reopen it", "text"),
        Entry("refs", "Cites", "refs"),
    ),
)
