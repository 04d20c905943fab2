"""The timeline: what was said or done when, in lanes by kind of source, read as of an instant.

Deterministic: the same evidence, the same dates of its sources and the same as-of give the same
rows in the same order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import AwareDatetime, Field

from evidence.models import Evidence
from hypotheses.bearings import Bearing, bearing_words, bearings_of
from hypotheses.chart import draw_detail, draw_timeline, lane_names
from hypotheses.cites import Cite, label_of
from hypotheses.kinds.kind import REFS_MAX, ROWS_MAX, Asked, Body, Entry, Kind, Line, Row, Shown
from hypotheses.markdown import listed, table
from hypotheses.models import Hypothesis
from hypotheses.places import dates_of, lane_of
from hypotheses.window import Window, WindowForm, lanes_of, steps_of
from shoebox.models import Shoebox


class TimelineRow(Row):
    """One dated thing: when, what was said or done, in which lane, and the refs it rests on."""

    at: AwareDatetime
    lane: str = Field(min_length=1, max_length=40)
    label: Line
    bears: list[Bearing] = Field(default_factory=list, max_length=50)
    refs: list[str] = Field(min_length=1, max_length=REFS_MAX)
    later: bool = Field(False, description="Later than the as-of.")


class Timeline(Body):
    """A timeline: rows in order of time, and the instant it is read as of."""

    as_of: AwareDatetime | None = None
    rows: list[TimelineRow] = Field(max_length=ROWS_MAX)
    undated: list[str] = Field(
        default_factory=list, max_length=ROWS_MAX, description="Refs of evidence without a date."
    )


@dataclass(frozen=True, slots=True)
class TimelineShown:
    """A row of the table below the picture."""

    number: int
    row: TimelineRow
    cites: list[Cite]


def build_timeline(shoebox: Shoebox, evidences: Sequence[Evidence]) -> Timeline:
    """The timeline of this evidence, read as of the shoebox's instant.

    A row's date is when the passage was written; where the source does not say, the date of the
    source itself. What has neither is listed as undated, never guessed.
    """
    dates, bearings = dates_of(shoebox, evidences), bearings_of(shoebox, evidences)
    dated = [(dates[one.pk].astimezone(UTC), one) for one in evidences if one.pk in dates]
    dated.sort(key=lambda row: (row[0], *_place_order(row[1])))
    undated = sorted((one for one in evidences if one.pk not in dates), key=_place_order)
    return Timeline(
        as_of=shoebox.as_of,
        rows=[_row(at, evidence, bearings.get(evidence.pk, []), shoebox.as_of) for at, evidence in dated],
        undated=[str(evidence.ref) for evidence in undated],
    )


def _row(at: datetime, evidence: Evidence, bears: list[Bearing], as_of: datetime | None) -> TimelineRow:
    return TimelineRow(
        at=at,
        lane=lane_of(evidence),
        label=label_of(evidence),
        bears=bears,
        refs=[str(evidence.ref), str(evidence.address)],
        later=as_of is not None and at > as_of,
    )


def _place_order(evidence: Evidence) -> tuple[str, int, str]:
    return evidence.place, evidence.start or 0, evidence.public_id


def show_timeline(body: Timeline, asked: Asked) -> Shown:
    """The lane chart, the crowded stretch enlarged, and the rows with what they cite."""
    window = Window.of(WindowForm(asked.query))
    only = None if window.whole else {number for number, row in enumerate(body.rows, 1) if window.holds(row)}
    shown = [(number, row) for number, row in enumerate(body.rows, 1) if only is None or number in only]
    named = {bearing.target for row in body.rows for bearing in row.bears if bearing.name}
    rivals = Hypothesis.objects.in_shoebox(asked.representation.shoebox).order_by("number")
    return Shown(
        body=body,
        rows=[TimelineShown(number, row, asked.cites(row.refs)) for number, row in shown],
        extra={
            "chart": draw_timeline(body, target=asked.toward, only=only),
            "detail": draw_detail(body, target=asked.toward, only=only),
            "undated": asked.cites(body.undated),
            "window": window,
            "form": WindowForm(asked.query),
            "steps": steps_of(body.rows, window),
            "lanes": lanes_of(lane_names(body.rows), window),
            "span": _span(body),
            "hypotheses": [rival for rival in rivals if str(rival.ref) in named],
        },
    )


def _span(body: Timeline) -> str:
    """The days that a timeline covers, in UTC."""
    if not body.rows:
        return ""
    first, last = body.rows[0].at, body.rows[-1].at
    days = f"{first:%Y-%m-%d}" if first.date() == last.date() else f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"
    return f"{days}, UTC"


def timeline_markdown(body: Timeline) -> list[str]:
    """The rows as a table."""
    as_of = f"As of {body.as_of:%Y-%m-%d %H:%M:%S} UTC; rows after it are marked later." if body.as_of else ""
    rows = [
        (
            f"{row.at:%Y-%m-%d %H:%M:%S}" + (" later" if row.later else ""),
            row.lane,
            row.label,
            bearing_words(row.bears),
            ", ".join(row.refs),
        )
        for row in body.rows
    ]
    lines = ["## Timeline", "", *([as_of, ""] if as_of else [])]
    lines += [*table(("Time, UTC", "Lane", "What", "Bears on", "Cites"), rows), ""]
    return lines + listed("Without a date", body.undated)


TIMELINE = Kind(
    name="timeline",
    says="what was said or done when, for and against, and what came after the as-of",
    body=Timeline,
    build=build_timeline,
    show=show_timeline,
    markdown=timeline_markdown,
    template="hypotheses/timeline.html",
    row=TimelineRow,
    entries=(
        Entry("at", "When", "time", needed=True),
        Entry("lane", "Lane", needed=True),
        Entry("label", "What", "text", needed=True),
        Entry("refs", "Cites", "refs", needed=True),
    ),
)
