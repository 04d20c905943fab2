"""The files of a workspace as products meet them: read through the one confined opener, written under a lock."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from yoimemory.products.texts import FileText, read_text
from yoimemory.sources.models import Workspace
from yoimemory.sources.opener import Missing, digest_of, read_bytes, remove_file, write_bytes

try:
    import fcntl
except ImportError:  # Windows: one server process, so the lock within it is what there is
    fcntl = None  # type: ignore[assignment]

FILE_MAX = 4 << 20
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
    with lock, (folder / f"write-{workspace.public_id}").open("w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
