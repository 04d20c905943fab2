"""A point in time as machines send it: in UTC without a zone, and none that no calendar can carry to UTC."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator


def in_utc(at: datetime) -> datetime:
    """The same instant in UTC. Raises ValueError at the ends of the calendar."""
    try:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError:
        raise ValueError("this time lies before or after every year that can be kept") from None


Instant = Annotated[datetime, AfterValidator(in_utc)]
"""The type of an instant in every draft; a bare one would be stored as the server's own time, or not at all."""
