"""Noticing that sources changed while serving: the system tells, and where it does not, we look in turns.

The system's word (inotify, FSEvents, …) costs nothing while nothing happens, at any size. A look costs
one `stat` a file, so the pause between two looks is never shorter than ten times what a look took.
A watched workspace is looked at too, now and then, since the system may lose a word.
"""

import hashlib
import logging
import threading
from collections.abc import Collection, Iterable
from datetime import datetime
from pathlib import Path
from time import monotonic

from django.db import DatabaseError, connections  # noqa: TID251 (only to close this thread's connections)
from django.utils import timezone
from watchfiles import Change, watch

from yoimemory.errors import DomainError
from yoimemory.jobs.models import Job
from yoimemory.jobs.services import enqueue
from yoimemory.sources.beside import mark_of_refs
from yoimemory.sources.git import open_git
from yoimemory.sources.linked import uncommitted
from yoimemory.sources.models import AddedSource, Workspace
from yoimemory.sources.readers.sessions import logs_of
from yoimemory.sources.trees import open_tree
from yoimemory.sources.watched import TooMany, Watched, watched
from yoimemory.sources.watchstate import WatchState, forget_states, note_state

UNNAMEABLE = "Unable to decode path"
"""What the library says of a change of a file whose name is not UTF-8; it has no error of its own for it."""

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
    if git := open_git(workspace):
        digest.update(mark_of_refs(git).encode())
        for file in uncommitted(git):
            digest.update(f"\n{file.tree}\t{file.path}\t{file.mark}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


class Watcher:
    """Asks for an index run whenever a workspace changed."""

    EVERY = 1.0
    """Seconds between two looks at workspaces that are quickly looked at."""

    SHARE = 10
    """A pause is at least so many times as long as the look before it."""

    SAFETY = 60.0
    """Seconds between two looks at a workspace of which the system tells."""

    GATHER = 250
    """Milliseconds for which changes are gathered before they are acted on."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._marks: dict[int, str] = {}
        self._watched: dict[int, Watched] = {}
        self._due: dict[int, float] = {}

    def start(self) -> None:
        """Begin to watch, in a thread of its own."""
        self._thread = threading.Thread(target=self._run, name="sources-watcher", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(5.0)
        forget_states()

    def look(self, *, now: datetime, only: Iterable[Workspace] | None = None) -> int:
        """Look at these workspaces, or all, once; return how many changed. What is seen first is no change."""
        changed = 0
        for workspace in Workspace.objects.order_by("pk") if only is None else only:
            start = monotonic()
            try:
                mark = mark_of(workspace)
            except DomainError as error:
                note_state(workspace.pk, WatchState(False, f"{error.message} Changes are not noticed until then."))
                continue  # unplugged or moved: health tells of it too, and it may come back
            finally:
                pause = self.SAFETY if workspace.pk in self._watched else self.EVERY
                self._due[workspace.pk] = monotonic() + max(pause, self.SHARE * (monotonic() - start))
            before = self._marks.get(workspace.pk)
            self._marks[workspace.pk] = mark
            if before is not None and before != mark:
                enqueue(Job.Kind.INDEX, workspace=workspace, now=now)
                changed += 1
        return changed

    def name_folders(self) -> list[str]:
        """Find out which folders are to be watched; a workspace that cannot be watched is looked at in turns."""
        self._watched.clear()
        for workspace in Workspace.objects.order_by("pk"):
            try:
                found = watched(workspace)
                reason = found.reason
            except TooMany as error:
                found, reason = None, str(error)
            except DomainError:
                continue
            if found is None or reason:
                note_state(workspace.pk, WatchState(False, _slow(reason)))
                continue
            self._watched[workspace.pk] = found
            note_state(workspace.pk, WatchState(True))
        return sorted({folder for found in self._watched.values() for folder in found.folders})

    def told(self, changes: Collection[tuple[Change, str]], *, now: datetime) -> bool:
        """Act on what the system says has changed; say whether folders appeared, so that they are named anew."""
        anew = False
        for found in self._watched.values():
            own = [
                (change, path)
                for change, path in changes
                if path.rpartition("/")[0] in found.folders and found.concerns(path)
            ]
            opened = any(change == Change.added and _is_folder(path) for change, path in own)
            anew = anew or opened
            if own and (opened or found.reads(path for _, path in own)):
                enqueue(Job.Kind.INDEX, workspace=found.workspace, now=now)
        return anew

    def _run(self) -> None:
        try:
            while not self._stopped.is_set():
                try:
                    self._watch()
                except DatabaseError as error:
                    _log.warning("The watcher could not look at the sources and tries again: %s", error)
                    self._stopped.wait(self.EVERY)
        finally:
            connections.close_all()

    def _watch(self) -> None:
        """Watch until the folders are to be named anew."""
        folders = self.name_folders()
        known = _registered()
        self._look_in_turns()
        self._due.clear()  # what changed between this look and the first word of the system is seen by a second look
        if not folders:
            while not self._stopped.wait(self.EVERY) and _registered() == known:
                self._look_in_turns()
            return
        try:
            for changes in watch(
                *folders, watch_filter=None, debounce=self.GATHER, step=50, stop_event=self._stopped,
                rust_timeout=int(self.EVERY * 1000), yield_on_timeout=True, raise_interrupt=False, recursive=False,
            ):  # fmt: skip
                anew = bool(changes) and self.told(changes, now=timezone.now())
                if anew or _registered() != known:
                    return
                self._look_in_turns()
        except (OSError, RuntimeError) as error:  # too many watches for this system, or a folder just went away
            if UNNAMEABLE in str(error):
                # A file whose name is no text has changed. What it is cannot be told, so everything is looked at
                # once, and watching goes on: one odd name must not make every other change a slow one.
                self._due.clear()
                self._look_in_turns()
                self._stopped.wait(self.EVERY)
                return
            self._fall_back(error)

    def _fall_back(self, error: Exception) -> None:
        """Look in turns for as long as nothing else changes, then try again."""
        _log.warning("The system does not tell of changes: %s", error)
        for pk in self._watched:
            note_state(pk, WatchState(False, _slow("The system cannot watch this many folders at once")))
        self._watched.clear()
        self._due.clear()
        known, until = _registered(), monotonic() + self.SAFETY
        while not self._stopped.wait(self.EVERY) and _registered() == known and monotonic() < until:
            self._look_in_turns()

    def _look_in_turns(self) -> None:
        """Look at the workspaces whose turn it is."""
        due = [one for one in Workspace.objects.order_by("pk") if monotonic() >= self._due.get(one.pk, 0.0)]
        if due:
            self.look(now=timezone.now(), only=due)


def _is_folder(path: str) -> bool:
    return Path(path).is_dir() and not Path(path).is_symlink()


def _slow(reason: str) -> str:
    return f"{reason}: its files are looked at in turns, so a change is noticed later than usual."


def _registered() -> tuple[list[int], list[int]]:
    """Which workspaces and further places there are."""
    return (
        list(Workspace.objects.order_by("pk").values_list("pk", flat=True)),
        list(AddedSource.objects.order_by("pk").values_list("pk", flat=True)),
    )
