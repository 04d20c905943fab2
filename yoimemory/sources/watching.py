"""Noticing that sources changed while serving: a look at names and times, every second where that is cheap.

Looking works on every file system and needs no notifications. It costs one `stat` a file, so the
pause between two looks is never shorter than ten times what a look took.
"""

import hashlib
import logging
import threading
from datetime import datetime
from time import monotonic

from django.db import DatabaseError, connections  # noqa: TID251 (only to close this thread's connections)
from django.utils import timezone

from yoimemory.errors import DomainError
from yoimemory.jobs.models import Job
from yoimemory.jobs.services import enqueue
from yoimemory.sources.models import Workspace
from yoimemory.sources.readers.sessions import logs_of
from yoimemory.sources.trees import open_tree

_log = logging.getLogger("yoimemory.sources")


def mark_of(workspace: Workspace) -> str:
    """A digest that changes whenever a file, an added log or the commit of a workspace changes.

    Raises NotAWorkspace or Unopenable when the workspace cannot be opened.
    """
    digest = hashlib.sha256()
    with open_tree(workspace) as tree:
        digest.update(tree.revision.encode())
        for path, mark in tree.files().items():
            digest.update(f"\n{path}\t{mark}".encode("utf-8", "surrogateescape"))
        for folder in tree.folders:
            for path, mark in logs_of(folder.tree):
                digest.update(f"\n{folder.pk}\t{path}\t{mark}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


class Watcher:
    """Asks for an index run whenever a workspace changed since the last look."""

    EVERY = 1.0
    """Seconds between two looks at workspaces that are quickly looked at."""

    SHARE = 10
    """A pause is at least so many times as long as the look before it."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._marks: dict[int, str] = {}

    def start(self) -> None:
        """Begin to look, in a thread of its own."""
        self._thread = threading.Thread(target=self._watch, name="sources-watcher", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(5.0)

    def look(self, *, now: datetime) -> int:
        """Look at every workspace once; return how many changed. What is seen first is no change."""
        changed = 0
        for workspace in Workspace.objects.order_by("pk"):
            try:
                mark = mark_of(workspace)
            except DomainError:
                continue  # unplugged or moved: health tells of it, and it may come back
            before = self._marks.get(workspace.pk)
            self._marks[workspace.pk] = mark
            if before is not None and before != mark:
                enqueue(Job.Kind.INDEX, workspace=workspace, now=now)
                changed += 1
        return changed

    def _watch(self) -> None:
        pause = 0.0
        try:
            while not self._stopped.wait(pause):
                start = monotonic()
                try:
                    self.look(now=timezone.now())
                except DatabaseError as error:
                    _log.warning("The watcher could not look at the sources and tries again: %s", error)
                pause = max(self.EVERY, self.SHARE * (monotonic() - start))
        finally:
            connections.close_all()
