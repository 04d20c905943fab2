"""The stretch of a timeline that is looked at: from a day, to a day, in one lane; and the steps that lead there."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms

from hypotheses.chart import Dated

MONTHS_MAX = 18
"""Beyond so many months the steps are years."""


class WindowForm(forms.Form):
    """Reads the stretch: both days count, and an empty one leaves that side open."""

    since = forms.DateField(required=False, widget=forms.DateInput(attrs={"type": "date"}), label="From")
    until = forms.DateField(required=False, widget=forms.DateInput(attrs={"type": "date"}), label="to")
    lane = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)
    toward = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        read = self.cleaned_data
        if read.get("since") and read.get("until") and read["since"] > read["until"]:
            raise forms.ValidationError("The first day is after the last. Change one of them.")
        return read

    @property
    def problem(self) -> str:
        """The first thing that is wrong, as a sentence."""
        for name, found in self.errors.get_json_data().items():
            return (
                f"{self.data.get(name, '')!r} is no day. Write it as 2026-07-16."
                if name in self.fields
                else str(found[0]["message"])
            )
        return ""


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of days and a lane; where nothing is named, all of it."""

    since: date | None = None
    until: date | None = None
    lane: str = ""
    toward: str = ""

    @classmethod
    def of(cls, form: WindowForm) -> "Window":
        """What was asked for; what could not be read narrows nothing."""
        if not form.is_valid():
            return cls(toward=form.cleaned_data.get("toward", ""))
        return cls(**form.cleaned_data)

    @property
    def whole(self) -> bool:
        return not (self.since or self.until or self.lane)

    def holds(self, row: Dated) -> bool:
        day = row.at.date()
        inside = (not self.since or day >= self.since) and (not self.until or day <= self.until)
        return inside and self.lane in {"", row.lane}

    def query(self, **changes: Any) -> str:
        """The address of another stretch, keeping the rest."""
        asked = {"toward": self.toward, "lane": self.lane, "since": self.since, "until": self.until} | changes
        return "?" + urlencode({name: value for name, value in asked.items() if value})


@dataclass(frozen=True, slots=True)
class Step:
    """One link of the zoom: a month, a year, a lane, or all of it."""

    label: str
    query: str
    current: bool


def steps_of(rows: Sequence[Dated], window: Window) -> list[Step]:
    """All days, then each month (or year) in which there are rows. None where one step would hold everything."""
    days = sorted({row.at.date() for row in rows})
    months = list(dict.fromkeys((day.year, day.month) for day in days))
    spans = [_month(year, month) for year, month in months]
    if len(months) > MONTHS_MAX:
        years = dict.fromkeys(day.year for day in days)
        spans = [(str(year), date(year, 1, 1), date(year, 12, 31)) for year in years]
    if len(spans) < 2:
        return []
    every = Step("all days", window.query(since=None, until=None), not (window.since or window.until))
    return [every, *(_step(window, *span) for span in spans)]


def lanes_of(names: Sequence[str], window: Window) -> list[Step]:
    """All lanes, then each. None where there is only one."""
    if len(names) < 2:
        return []
    every = Step("all lanes", window.query(lane=""), not window.lane)
    return [every, *(Step(name, window.query(lane=name), window.lane == name) for name in names)]


def _step(window: Window, label: str, since: date, until: date) -> Step:
    return Step(label, window.query(since=since, until=until), (window.since, window.until) == (since, until))


def _month(year: int, month: int) -> tuple[str, date, date]:
    first = date(year, month, 1)
    after = date(year + month // 12, month % 12 + 1, 1)
    return f"{year}-{month:02d}", first, after - timedelta(days=1)
