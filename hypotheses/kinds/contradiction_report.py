"""The report of contradictions and staleness: which sides stand against each other, which is later, what is marked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime, Field

from evidence.models import Evidence
from evidence.standing import Standing, concerns, standings
from hypotheses.basis import Cited, bases_of, markers_on
from hypotheses.cites import Cite, label_of
from hypotheses.kinds.kind import ROWS_MAX, Asked, Body, Entry, Kind, Line, Note, Refs, Row, Shown
from hypotheses.markdown import table
from hypotheses.models import Hypothesis
from hypotheses.places import dates_of
from hypotheses.recheck import DRIFT_SAID
from shoebox.models import Shoebox
from yoimemory.markers.models import Marker

SORTS = ("contradiction", "marker", "drift")
OUTCOMES = ("open", "resolved")


class Conflict(Row):
    """Two sides that stand against each other, or one that is marked or has drifted."""

    kind: Literal["contradiction", "marker", "drift"]
    about: Line
    one_side: Note = ""
    one_refs: Refs = Field(default_factory=list)
    one_at: AwareDatetime | None = None
    other_side: Note = ""
    other_refs: Refs = Field(default_factory=list)
    other_at: AwareDatetime | None = None
    outcome: Literal["open", "resolved"] = "open"
    note: Note = ""


class ContradictionReport(Body):
    """What stands against each other round one question."""

    rows: list[Conflict] = Field(default_factory=list, max_length=ROWS_MAX)


@dataclass(frozen=True, slots=True)
class ConflictShown:
    number: int
    row: Conflict
    one: list[Cite]
    other: list[Cite]

    @property
    def later(self) -> str:
        return later_side(self.row)


def later_side(row: Conflict) -> str:
    """Which side was written later, in words; newer is not truer, and people decide."""
    if not row.one_at or not row.other_at:
        return ""
    if row.one_at == row.other_at:
        return "both of one moment"
    days = abs((row.other_at - row.one_at).days)
    span = f"{days} day{'' if days == 1 else 's'} later" if days else "later the same day"
    return f"the {'other' if row.other_at > row.one_at else 'first'} side is {span}"


def build_contradiction_report(shoebox: Shoebox, evidences: Sequence[Evidence]) -> ContradictionReport:
    """Support against refutation of each claim, then open markers on what is cited, then quotes that drifted."""
    dates = dates_of(shoebox, evidences)
    rows = [*_against_each_other(shoebox, evidences, dates), *_marked(evidences, dates)]
    stands = standings(evidences)
    rows += [_drifted(one, stands[one.pk], dates) for one in evidences if stands[one.pk].state in DRIFT_SAID]
    return ContradictionReport(rows=rows)


def _against_each_other(
    shoebox: Shoebox, evidences: Sequence[Evidence], dates: dict[int, datetime]
) -> Iterable[Conflict]:
    """For each claim, each piece that supports it against all that refute it."""
    hypotheses = list(Hypothesis.objects.in_shoebox(shoebox).order_by("number"))
    bases, chosen = bases_of(hypotheses), {one.pk for one in evidences}
    for claim in hypotheses:
        against = [cited for cited in bases[claim.pk].contradicting if cited.evidence.pk in chosen]
        for cited in bases[claim.pk].supporting:
            if against and cited.evidence.pk in chosen:
                yield _pair(claim, cited, against, dates)


def _pair(claim: Hypothesis, cited: Cited, against: list[Cited], dates: dict[int, datetime]) -> Conflict:
    others = [one.evidence for one in against]
    known = [dates[one.pk] for one in others if one.pk in dates]
    return Conflict(
        kind="contradiction",
        about=f"H{claim.number} {claim.claim}"[:400],
        one_side=label_of(cited.evidence),
        one_refs=[str(cited.evidence.ref)],
        one_at=dates.get(cited.evidence.pk),
        other_side="; ".join(label_of(one) for one in others)[:1_000],
        other_refs=[str(one.ref) for one in others][:20],
        other_at=max(known) if known else None,
        note="The first side supports the claim, the other refutes it.",
    )


def _marked(evidences: Sequence[Evidence], dates: dict[int, datetime]) -> Iterable[Conflict]:
    for marker in markers_on(evidences):
        concerned = [one for one in evidences if concerns(marker, one)]
        if concerned:
            yield _of_marker(marker, concerned, dates)


def _of_marker(marker: Marker, concerned: list[Evidence], dates: dict[int, datetime]) -> Conflict:
    known = [dates[one.pk] for one in concerned if one.pk in dates]
    return Conflict(
        kind="marker",
        about=f"{marker.state}: {marker.target}"[:400],
        one_side="; ".join(label_of(one) for one in concerned)[:1_000],
        one_refs=[str(one.ref) for one in concerned][:20],
        one_at=max(known) if known else None,
        other_side=marker.reason[:1_000],
        other_refs=[marker.by_ref] if marker.by_ref else [],
        other_at=marker.made_at,
        note="Proposed by a Worker, not yet looked at." if marker.status == Marker.Status.PROPOSED else "",
    )


def _drifted(evidence: Evidence, standing: Standing, dates: dict[int, datetime]) -> Conflict:
    state = next(state for state in DRIFT_SAID if state == standing.state)
    return Conflict(
        kind="drift",
        about=f"{evidence.place} {DRIFT_SAID[state]}"[:400],
        one_side=label_of(evidence),
        one_refs=[str(evidence.ref)],
        one_at=dates.get(evidence.pk),
        other_side=standing.note[:1_000],
    )


def show_contradiction_report(body: ContradictionReport, asked: Asked) -> Shown:
    """The open ones first, each with both sides and which is later."""
    rows = [
        ConflictShown(number, row, asked.cites(row.one_refs), asked.cites(row.other_refs))
        for number, row in enumerate(body.rows, 1)
    ]
    rows.sort(key=lambda shown: shown.row.outcome != "open")
    return Shown(body=body, rows=rows, extra={"open": sum(row.outcome == "open" for row in body.rows)})


def contradiction_report_markdown(body: ContradictionReport) -> list[str]:
    """Each conflict with both sides."""
    rows = [
        (
            row.kind,
            row.about,
            _side(row.one_side, row.one_at, row.one_refs),
            _side(row.other_side, row.other_at, row.other_refs),
            later_side(row),
            f"{row.outcome}. {row.note}".strip(),
        )
        for row in body.rows
    ]
    head = ("Kind", "About", "One side", "Other side", "Later", "Outcome")
    return ["## Contradictions and staleness", "", *table(head, rows), ""]


def _side(words: str, at: datetime | None, refs: Sequence[str]) -> str:
    when = f"{at:%Y-%m-%d %H:%M} UTC: " if at else ""
    return f"{when}{words} ({', '.join(refs)})" if refs else f"{when}{words}"


CONTRADICTION_REPORT = Kind(
    name="contradiction_report",
    says="which sides stand against each other, which is later, what is marked and what drifted",
    body=ContradictionReport,
    build=build_contradiction_report,
    show=show_contradiction_report,
    markdown=contradiction_report_markdown,
    template="hypotheses/contradiction_report.html",
    row=Conflict,
    entries=(
        Entry("kind", "Kind", "choice", SORTS),
        Entry("about", "About", "text", needed=True),
        Entry("one_side", "One side", "text"),
        Entry("one_refs", "It cites", "refs"),
        Entry("one_at", "Of", "time"),
        Entry("other_side", "Other side", "text"),
        Entry("other_refs", "It cites", "refs"),
        Entry("other_at", "Of", "time"),
        Entry("outcome", "Outcome", "choice", OUTCOMES),
        Entry("note", "Note", "text"),
    ),
)
