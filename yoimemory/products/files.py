"""The files of a workspace as products meet them: read through the one confined opener, written under a lock."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

from yoimemory.errors import Refused
from yoimemory.jobs.lock import held
from yoimemory.products.texts import FileText, read_text
from yoimemory.sources.models import Workspace
from yoimemory.sources.opener import (
    Changed,
    Missing,
    digest_of,
    open_at,
    open_root,
    read_bytes,
    remove_file,
    write_bytes,
)

try:
    import fcntl
except ImportError:  # Windows: the ticket backend's lock cannot be taken there
    fcntl = None  # type: ignore[assignment]


class BackendBusy(Refused):
    """The other writer of ticket files is at work."""


FILE_MAX = 4 << 20
TICKET_LOCK = ".ticket-backend.lock"
_BY_HAND = "Try again in a moment, or copy the text into the ticket by hand."
_locks: dict[int, threading.Lock] = {}
_guard = threading.Lock()


def bytes_now(workspace: Workspace, path: str) -> bytes | None:
    """What the file holds at this moment; None where there is no such file.

    Raises OutsideRoot or Unopenable: a link is never followed, in whatever part of the path.
    """
    try:
        return read_bytes(workspace.path, path, limit=FILE_MAX)
    except Missing:
        return None


def digest_now(workspace: Workspace, path: str) -> str:
    """The digest of the file at this moment, empty where there is no such file."""
    data = bytes_now(workspace, path)
    return "" if data is None else digest_of(data)


def text_now(workspace: Workspace, path: str) -> FileText | None:
    """The words of the file at this moment; None where there is no such file. Raises NotText."""
    data = bytes_now(workspace, path)
    return None if data is None else read_text(data, path=path)


def exists(workspace: Workspace, path: str) -> bool:
    return bytes_now(workspace, path) is not None


def put(workspace: Workspace, path: str, data: bytes | None, *, expect_digest: str) -> None:
    """Make the file hold exactly this, or take it away (`None`), if it holds what the caller saw.

    Raises Changed when it does not, and what the opener raises; then nothing was written.
    """
    if data is None:
        remove_file(workspace.path, path, expect_digest=expect_digest)
    else:
        write_bytes(workspace.path, path, data, expect_digest=expect_digest)


@contextmanager
def writing_lock(workspace: Workspace) -> Iterator[None]:
    """Let one writer at a time into a workspace, among the threads of this process and among processes."""
    with _guard:
        lock = _locks.setdefault(workspace.pk, threading.Lock())
    folder = Path(settings.HOME) / "locks"
    folder.mkdir(mode=0o700, exist_ok=True)
    with lock, held(folder / f"write-{workspace.public_id}", wait=True):
        yield


@contextmanager
def ticket_lock(workspace: Workspace, tickets: str) -> Iterator[None]:
    """Hold the lock file of the ticket backend while a thread is written, as the backend itself does.

    Raises BackendBusy when the backend holds it, or where files cannot be locked.
    """
    path = f"{tickets}/{TICKET_LOCK}"
    if bytes_now(workspace, path) is None:
        with suppress(Changed):  # it appeared meanwhile: the backend made it
            write_bytes(workspace.path, path, b"", expect_digest="")
    with open_root(workspace.path) as root:
        descriptor = open_at(root, path)
        try:
            if fcntl is None:
                raise BackendBusy("Files cannot be locked here as the ticket backend locks them.", hint=_BY_HAND)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise BackendBusy("The ticket backend is writing at this moment.", hint=_BY_HAND) from error
            yield
        finally:
            os.close(descriptor)
