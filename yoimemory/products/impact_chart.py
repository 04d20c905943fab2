"""The figures of the impact page: where each bar, point and label stands. Pure geometry, no markup."""

from collections.abc import Sequence
from dataclasses import dataclass

from yoimemory.products.reports import ArmOut, EffectOut, HarmOut, WeekOut, lasted

WIDTH = 672
"""As wide as the column of a page at 1280 pixels, so that what is set in 12 pixels is read in 12."""
COLUMNS = {"observed": 180.5, "recorded": 380.5, "claimed": 530.5}
"""Where the bars of each way of knowing begin; they share one scale."""
ROOM = 110.0
ROW, FIRST_ROW = 30, 125
LEFT, RIGHT, TOP, BOTTOM = 58.0, 664.0, 20.0, 150.0
EXPOSURE_LABELS = {
    "resident_exposure": "shown without asking",
    "query": "asked and answered",
    "source_opened": "source opened",
}


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar with its number; a count of nothing is a number alone."""

    way: str
    x: float
    width: float
    count: int

    @property
    def label_x(self) -> float:
        return self.x + self.width + 6 if self.width else self.x


@dataclass(frozen=True, slots=True)
class Line:
    """One row of bars with its name."""

    label: str
    y: float
    bars: tuple[Bar, ...]
    harm: bool = False


@dataclass(frozen=True, slots=True)
class Effects:
    """The first figure: exposure above the rule on a scale of its own, effects below it."""

    height: float
    exposure: tuple[Line, ...]
    exposure_part: int
    rule_y: float
    head_y: float
    rows: tuple[Line, ...]

    @property
    def known(self) -> bool:
        """Whether any effect is known; harm is none."""
        return any(not row.harm for row in self.rows)


@dataclass(frozen=True, slots=True)
class Point:
    x: float
    y: float
    minutes: float
    week: str


@dataclass(frozen=True, slots=True)
class Weeks:
    """The second figure: the median of each week; weeks without a shoebox have no point and break the line."""

    points: tuple[Point, ...]
    lines: tuple[str, ...]
    ticks: tuple[tuple[float, str], ...]
    labels: tuple[tuple[float, str], ...]


def effects_chart(exposure: dict[str, int], effects: Sequence[EffectOut], harm: Sequence[HarmOut]) -> Effects:
    """Lay out the bars of every effect that is known at all, harm last."""
    shown = [row for row in effects if row.observed or row.recorded or row.claimed]
    top = max([1, *(max(row.observed, row.recorded, row.claimed) for row in shown), *(one.count for one in harm)])
    seen = max([1, *exposure.values()])
    lines = tuple(
        Line(EXPOSURE_LABELS[kind], 20 + 26 * number, (Bar("exposure", 180.0, ROOM * count / seen, count),))
        for number, (kind, count) in enumerate(exposure.items())
    )
    rule = 36.5 + 26 * (len(lines) - 1)
    rows = [
        Line(
            row.label,
            rule + FIRST_ROW - 62.5 + ROW * number,
            tuple(Bar(way, x, ROOM * getattr(row, way) / top, getattr(row, way)) for way, x in COLUMNS.items()),
        )
        for number, row in enumerate(shown)
    ]
    rows += [
        Line(
            f"{one.kind.replace('_', ' ')} (harm)",
            rule + FIRST_ROW - 62.5 + ROW * (len(shown) + number),
            (Bar("harm", COLUMNS["observed"], ROOM * one.count / top, one.count),),
            harm=True,
        )
        for number, one in enumerate(harm)
    ]
    return Effects(
        height=(rows[-1].y if rows else rule + 40) + 17,
        exposure=lines,
        exposure_part=max(1, round(seen / top)),
        rule_y=rule,
        head_y=rule + 22,
        rows=tuple(rows),
    )


def weeks_chart(weeks: Sequence[WeekOut]) -> Weeks:
    """Lay out the medians, week by week."""
    known = [week.median_minutes for week in weeks if week.median_minutes is not None]
    step = _step(max(known, default=0.0))
    top = max(step, step * -(-int(max(known, default=0.0)) // step)) + (step if not known else 0)
    across = (RIGHT - LEFT - 30) / max(1, len(weeks) - 1)
    xs = [LEFT + 15 + across * number for number in range(len(weeks))]

    def y_of(minutes: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * min(minutes, top) / top, 1)

    points = [
        Point(round(x, 1), y_of(week.median_minutes), week.median_minutes, week.week)
        for x, week in zip(xs, weeks, strict=True)
        if week.median_minutes is not None
    ]
    every = max(1, -(-len(weeks) // 13))
    return Weeks(
        points=tuple(points),
        lines=tuple(_runs(weeks, points)),
        ticks=tuple((y_of(minutes), lasted(minutes) if minutes else "0") for minutes in range(0, top + 1, step)),
        labels=tuple(
            (round(x, 1), week.week.partition("-")[2])
            for number, (x, week) in enumerate(zip(xs, weeks, strict=True))
            if number % every == 0
        ),
    )


def _runs(weeks: Sequence[WeekOut], points: Sequence[Point]) -> list[str]:
    by_week = {point.week: f"{point.x},{point.y}" for point in points}
    runs: list[list[str]] = [[]]
    for week in weeks:
        if week.week in by_week:
            runs[-1].append(by_week[week.week])
        elif runs[-1]:
            runs.append([])
    return [" ".join(run) for run in runs if len(run) > 1]


def _step(top: float) -> int:
    """A round step of the axis, so that it has at most six lines."""
    for step in (5, 10, 30, 60, 120, 240, 720, 1_440, 2_880, 7_200, 14_400):
        if top <= 5 * step:
            return step
    return 43_200


CHARTED = ("median_minutes", "contrary", "approved_first", "changes_requested")
MEASURES = {
    "tasks": "tasks",
    "with_evidence": "with accepted evidence",
    "median_minutes": "time to first evidence, median",
    "fastest_minutes": "fastest",
    "slowest_minutes": "slowest",
    "evidence": "accepted evidence",
    "contrary": "contrary evidence found",
    "tasks_with_contrary": "tasks with contrary evidence",
    "reviewed": "reviewed",
    "approved_first": "approved at the first review",
    "changes_requested": "changes requested",
    "reopened": "went back",
}


@dataclass(frozen=True, slots=True)
class ArmBar:
    """One arm's bar of one measure, with its figure in words."""

    arm: str
    y: float
    width: float
    told: str

    @property
    def label_x(self) -> float:
        return 300 + self.width + 6 if self.width else 300


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of both arms on a scale of its own: a bar and a number each, none where nothing is known."""

    label: str
    y: float
    bars: tuple[ArmBar, ...]


def arms_chart(arms: Sequence[ArmOut]) -> tuple[Measure, ...]:
    """Lay out the two arms under one another, measure by measure."""
    rows = []
    for number, name in enumerate(CHARTED):
        values = [getattr(arm, name) for arm in arms]
        top = max([1.0, *(value for value in values if value is not None)])
        y = 20.0 + 52 * number
        bars = tuple(
            ArmBar(arm.arm, y + 18 * place, 2.6 * ROOM * (value or 0) / top, _told(name, value))
            for place, (arm, value) in enumerate(zip(arms, values, strict=True))
        )
        rows.append(Measure(MEASURES[name], y, bars))
    return tuple(rows)


def arms_table(arms: Sequence[ArmOut]) -> list[tuple[str, list[str]]]:
    """Every measure with the figure of each arm, in words."""
    return [(label, [_told(name, getattr(arm, name)) for arm in arms]) for name, label in MEASURES.items()]


def _told(name: str, value: float | None) -> str:
    return lasted(value) if name.endswith("_minutes") else str(value)
