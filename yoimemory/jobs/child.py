"""The keeper of the indexer: one child process that works while a job waits, ended with the server."""

import logging
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress

from django.conf import settings
from django.db import DatabaseError, connection  # noqa: TID251 (only to close this thread's connection)

from yoimemory.jobs.lock import INDEXER, is_free
from yoimemory.jobs.models import Job

_log = logging.getLogger("yoimemory.jobs")


class Keeper:
    """Starts `python -m yoimemory.work` when a job waits, and again when the child was lost over one."""

    EVERY = 0.3
    """Seconds between two looks: a change of a source is to be in the index within two."""

    GRACE = 5.0
    """Seconds that the child has to put its job back when the server ends."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin to look after jobs, in a thread of its own."""
        self._thread = threading.Thread(target=self._keep, name="indexer-keeper", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread and the child."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(self.GRACE)
        if self._child is None or self._child.poll() is not None:
            return
        self._child.terminate()
        try:
            self._child.wait(self.GRACE)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(self._child.pid, signal.SIGKILL)
            self._child.wait()

    def look(self) -> bool:
        """Start a child if there is work and nobody does it; say whether one was started."""
        if self._child is not None and self._child.poll() is None:
            return False
        if not Job.objects.open().exists() or not is_free(settings.HOME / INDEXER):
            return False
        # Its own session, so that Ctrl-C reaches the server alone, which then ends the child in order.
        self._child = subprocess.Popen(  # noqa: S603 (our own interpreter and module, no input of anyone)
            [sys.executable, "-m", "yoimemory.work", "--parent", str(os.getpid())],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "YOIMEMORY_HOME": str(settings.HOME)},
        )
        return True

    def _keep(self) -> None:
        try:
            while not self._stopped.wait(self.EVERY):
                try:
                    self.look()
                except DatabaseError as error:
                    _log.warning("The keeper could not look for jobs and tries again: %s", error)
        finally:
            connection.close()
