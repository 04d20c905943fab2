"""What the page of a representation shows: its typed body, its picture, and where each row's cites stand now."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evidence.models import Evidence
from evidence.standing import standings
from hypotheses.basis import labels_of
from hypotheses.chart import Chart, Detail, draw_detail, draw_timeline
from hypotheses.models import Hypothesis, Representation
from hypotheses.schemas import Timeline, TimelineRow
from hypotheses.standing import cited_evidence
from hypotheses.timeline import label_of
from yoimemory.refs import SourceRef


@dataclass(frozen=True, slots=True)
class Cite:
    """One ref of a row: our evidence with its label and anchor state now and then, or a source's place."""

    ref: str
    label: str
    evidence_id: str = ""
    state: str = ""
    was: str = ""
    gone: str = ""
    words: str = ""

    @property
    def moved(self) -> bool:
        return bool(self.gone) or (bool(self.was) and self.was != self.state)


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row of the table below the picture."""

    number: int
    row: TimelineRow
    cites: list[Cite]


@dataclass(slots=True)
class Shown:
    """Everything the page of one representation shows besides its head."""

    template: str
    body: Any
    rows: Sequence[Any] = ()
    extra: dict[str, Any] = field(default_factory=dict)
    hypotheses: list[Hypothesis] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Cites:
    """Turns the refs of one representation into what a row shows of them, without a query per ref."""

    known: dict[str, Cite]

    @classmethod
    def of(cls, representation: Representation) -> "Cites":
        evidence = cited_evidence([representation])
        states, labels = standings(list(evidence.values())), labels_of(evidence.values())
        was = {cite["ref"]: cite for cite in representation.cites}
        return cls({ref: _cite(one, labels[one.pk], states[one.pk].state, was[ref]) for ref, one in evidence.items()})

    def __call__(self, refs: Iterable[str]) -> list[Cite]:
        """The cites of a row; the place of evidence that is cited too is not named twice."""
        cites = [self.known.get(ref) or Cite(ref=ref, label=short(ref)) for ref in refs]
        ours = [cite for cite in cites if cite.evidence_id]
        return ours or cites


def show(representation: Representation, *, target: str = "") -> Shown:
    """What the page shows of a representation of any kind."""
    return SHOWERS[representation.kind](representation, target)


def short(ref: str) -> str:
    """A ref that people can read in a table: the end of its locator and its fragment."""
    parsed = SourceRef.parse(ref)
    tail = "/".join(parsed.locator.split("/")[-2:])
    return f"{tail[:60]}#{parsed.fragment}" if parsed.fragment else tail[:60]


def _timeline(representation: Representation, target: str) -> Shown:
    body = Timeline.model_validate(representation.body)
    cites = Cites.of(representation)
    chart: Chart | None = draw_timeline(body, target=target)
    detail: Detail | None = draw_detail(body, target=target)
    named = {bearing.target for row in body.rows for bearing in row.bears if bearing.name}
    rivals = Hypothesis.objects.in_shoebox(representation.shoebox).order_by("number")
    return Shown(
        template="hypotheses/timeline.html",
        body=body,
        rows=[ShownRow(number, row, cites(row.refs)) for number, row in enumerate(body.rows, 1)],
        extra={"chart": chart, "detail": detail, "undated": cites(body.undated), "span": _span(body)},
        hypotheses=[rival for rival in rivals if str(rival.ref) in named],
    )


def _span(body: Timeline) -> str:
    """The days that a timeline covers, in UTC."""
    if not body.rows:
        return ""
    first, last = body.rows[0].at, body.rows[-1].at
    days = f"{first:%Y-%m-%d}" if first.date() == last.date() else f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"
    return f"{days}, UTC"


def _cite(evidence: Evidence, label: str, state: str, was: dict[str, str]) -> Cite:
    gone = evidence.state in {"rejected", "superseded", "retired"} and was.get("state") != evidence.state
    return Cite(
        ref=str(evidence.ref),
        label=label,
        evidence_id=evidence.public_id,
        state=state,
        was=was.get("anchor_state", ""),
        gone=evidence.state if gone else "",
        words=label_of(evidence),
    )


SHOWERS: dict[str, Callable[[Representation, str], Shown]] = {Representation.Kind.TIMELINE: _timeline}
"""What the page shows of each kind."""
