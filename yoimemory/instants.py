"""A point in time as machines send it: in UTC without a zone, and none that no calendar can carry to UTC."""

import re
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def in_utc(at: datetime) -> datetime:
    """The same instant in UTC. Raises ValueError at the ends of the calendar."""
    try:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError:
        raise ValueError("this time lies before or after every year that can be kept") from None


def day_end(value: object) -> object:
    """Of a day written alone its last moment, as people say "as of the 14th"; anything else as it is."""
    return f"{value}T23:59:59.999999Z" if isinstance(value, str) and _DAY.fullmatch(value) else value


Instant = Annotated[datetime, AfterValidator(in_utc)]
"""The type of an instant in every draft; a bare one would be stored as the server's own time, or not at all."""

End = Annotated[datetime, BeforeValidator(day_end), AfterValidator(in_utc)]
"""An instant up to which something is asked: a day alone is meant with all that happened on it."""
