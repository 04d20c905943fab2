"""Dates as sources write them, read strictly: what is no date gives none and stays text."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)? ?(?:Z|z|[+-]\d{2}:?\d{2})?")


def read_instant(value: Any) -> datetime | None:
    """An instant from ISO text (UTC without a zone, midnight for a bare day) or Unix seconds or milliseconds."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_unix(value)
    if not isinstance(value, str):
        return None
    text = value.strip()
    try:
        if _DAY.fullmatch(text):
            return datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)
        if _INSTANT.fullmatch(text):
            found = datetime.fromisoformat(text.replace(",", ".").replace(" +", "+").replace(" -", "-").upper())
            return (found.replace(tzinfo=UTC) if found.tzinfo is None else found).astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    return None


def _from_unix(value: float) -> datetime | None:
    seconds = value / 1000 if abs(value) > 100_000_000_000 else value
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        return None
