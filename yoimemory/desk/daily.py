"""A copy of what people made, once a day while the server runs and something was written since."""

import logging
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from yoimemory.desk.backups import Backup, back_up, backups
from yoimemory.desk.recurring import Recurring
from yoimemory.errors import DomainError

EVERY = timedelta(days=1)
FIRST = 60.0
"""Seconds after the start: not while the pages are first opened."""
LOOK = 600.0
_log = logging.getLogger("yoimemory.backup")


def is_due(*, now: datetime) -> bool:
    """Whether the newest copy is a day old, or missing, and the database was written since."""
    home = Path(settings.HOME)
    written = max(
        (path.stat().st_mtime for path in (home / "default.sqlite3", home / "default.sqlite3-wal") if path.exists()),
        default=0.0,
    )
    newest = max(backups(), default=None)
    if newest is None:
        return written > 0
    made = newest.stat().st_mtime
    return written > made and now.timestamp() - made >= EVERY.total_seconds()


def copy_if_due(*, now: datetime) -> Backup | None:
    """Take the copy of the day; one that cannot be made is told in the log, and by doctor once it is a week old."""
    if not is_due(now=now):
        return None
    try:
        return back_up(now=now)
    except (DomainError, DatabaseError) as error:
        _log.warning("The copy of the day was not made: %s", error)
        return None


def daily_copy() -> Recurring:
    """Look now and then whether the copy of the day is due."""
    return Recurring("copy of the day", lambda: copy_if_due(now=timezone.now()), first=FIRST, every=LOOK)
