"""A look at the index file now and then: what a connection holds in memory hides that the file under it was damaged."""

import logging
import threading
from contextlib import suppress

from django.db import DatabaseError, connections  # noqa: TID251 (the file is opened anew for each look)

from yoimemory.desk.mending import serving
from yoimemory.desk.troubles import INDEX, Unserved
from yoimemory.search.models import Document

_log = logging.getLogger("yoimemory.index")


def look_at_index() -> None:
    """Open the index anew and read a row; one that is damaged is set aside and read anew."""
    with suppress(Unserved), serving():  # what is not damage is told to whoever asks for a page
        read_a_row()


def read_a_row() -> bool:
    """Read through a connection that holds nothing yet; say whether there is a row."""
    connection = connections[INDEX]
    if not connection.in_atomic_block:
        connection.close()
    return Document.objects.exists()


class IndexWatch:
    """Looks at the index while the server runs, in a thread of its own."""

    LOOK = 5.0
    """Seconds between two looks: each opens the file and reads a few pages of it."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="index-watch", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """End; a replacing that has begun is finished first."""
        self._stopped.set()
        self._thread.join(5.0)

    def _run(self) -> None:
        while not self._stopped.wait(self.LOOK):
            try:
                look_at_index()
            except (DatabaseError, OSError) as error:
                _log.warning("The index could not be looked at; that is tried again: %s", error)
            finally:
                connections.close_all()
