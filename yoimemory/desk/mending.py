"""A damaged index, set aside while the server runs and read anew; each thread takes up the new file by itself."""

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connections  # noqa: TID251 (the file itself is replaced)
from django.utils import timezone

from yoimemory.desk.troubles import INDEX, DamagedIndex, Unserved, trouble_of
from yoimemory.jobs.lock import held
from yoimemory.jobs.models import Job
from yoimemory.jobs.services import enqueue
from yoimemory.sources.models import Workspace

LOCK = "migrate.lock"
_log = logging.getLogger("yoimemory.index")
_seen = threading.local()


@contextmanager
def serving() -> Iterator[None]:
    """Do one call of a caller's: over the index file that is in place, with what befalls a database as a sentence.

    Raises one of the Unserved; an error that is a fault of ours goes on as it is.
    """
    let_go_if_replaced()
    try:
        yield
    except DatabaseError as error:
        trouble = told_of(error)
        if trouble is None:
            raise
        raise trouble from error


def told_of(error: DatabaseError) -> Unserved | None:
    """The sentence for what befell a database; a damaged index is mended on the way. None for a fault of ours."""
    trouble = trouble_of(error)
    if isinstance(trouble, DamagedIndex) and not connections[INDEX].in_atomic_block:
        mend_index(now=timezone.now())
    return trouble


def mend_index(*, now: datetime) -> Path | None:
    """Set the index aside and ask for all sources to be read anew; return where it lies.

    Several threads find the same damage: who comes after another finds a file that is not the one
    it had open, lets that go, and does nothing more.
    """
    with held(Path(settings.HOME) / LOCK, wait=True):
        opened = getattr(_seen, "mark", None)
        if opened is not None and opened != _mark():
            let_go_if_replaced()
            return None
        aside = replace_index(now)
    _seen.mark = _mark()
    return aside


def replace_index(now: datetime) -> Path:
    """Keep the damaged index for a look, only the newest; make an empty one and ask for all sources to be read.

    Call it under the lock of the migrations.
    """
    connections[INDEX].close()
    home, stamp = Path(settings.HOME), f"{now:%Y%m%dT%H%M%S}"
    forget_damaged()
    for path in home.glob("index.sqlite3*"):
        path.rename(path.with_name(f"damaged-{stamp}-{path.name}"))
    call_command("migrate", database=INDEX, verbosity=0, interactive=False)
    for path in home.glob("index.sqlite3*"):
        path.chmod(0o600)
    aside = home / f"damaged-{stamp}-index.sqlite3"
    _log.error("The index was damaged. It is kept as %s and read anew from the sources.", aside)
    for workspace in Workspace.objects.order_by("pk"):
        enqueue(Job.Kind.INDEX, workspace=workspace, now=now)
    return aside


def forget_damaged() -> int:
    """Delete what was set aside; return how many files that were."""
    gone = list(Path(settings.HOME).glob("damaged-*"))
    for path in gone:
        path.unlink(missing_ok=True)
    return len(gone)


def let_go_if_replaced() -> None:
    """Close this thread's connection to an index whose file is no longer the one in its place."""
    connection = connections[INDEX]
    if connection.in_atomic_block:
        return
    mark = _mark()
    if getattr(_seen, "mark", mark) != mark:
        connection.close()
    _seen.mark = mark


def _mark() -> tuple[int, int] | None:
    """What tells the file in the index's place from another."""
    try:
        found = os.stat(connections[INDEX].settings_dict["NAME"])  # noqa: PTH116 (the name may be text)
    except OSError:
        return None
    return found.st_dev, found.st_ino
