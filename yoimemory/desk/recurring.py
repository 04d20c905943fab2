"""Something that is done now and then while the server runs, in a thread of its own."""

import logging
import threading
from collections.abc import Callable

from django.db import DatabaseError, connections  # noqa: TID251 (only to close this thread's connections)

_log = logging.getLogger("yoimemory.recurring")
STOP_SECONDS = 5.0


class Recurring:
    """Does `act` after `first` seconds and then every `every`; what fails is told in the log and tried again."""

    def __init__(self, name: str, act: Callable[[], object], *, first: float, every: float) -> None:
        self._name, self._act, self._first, self._every = name, act, first, every
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; what has begun is finished first, if it does not take long."""
        self._stopped.set()
        self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        wait = self._first
        while not self._stopped.wait(wait):
            try:
                self._act()
            except (DatabaseError, OSError) as error:
                _log.warning("The %s did not succeed; it is tried again: %s", self._name, error)
            finally:
                connections.close_all()
            wait = self._every
