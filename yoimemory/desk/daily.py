"""A copy of what people made, once a day while the server runs and something was written since."""

import logging
import threading
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connections  # noqa: TID251 (only to close this thread's connections)
from django.utils import timezone

from yoimemory.desk.backups import Backup, back_up, backups
from yoimemory.errors import DomainError

EVERY = timedelta(days=1)
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


class DailyCopy:
    """Looks now and then, in a thread of its own, whether the copy of the day is due."""

    FIRST = 60.0
    """Seconds after the start: not while the pages are first opened."""

    LOOK = 600.0

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="daily-copy", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """End; a copy in the making is finished first, and leaves nothing if it is cut."""
        self._stopped.set()
        self._thread.join(5.0)

    def _run(self) -> None:
        wait = self.FIRST
        while not self._stopped.wait(wait):
            try:
                copy_if_due(now=timezone.now())
            finally:
                connections.close_all()
            wait = self.LOOK
