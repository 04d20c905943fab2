"""Writing history. Changes are written with the record they tell of; events of reads are written in batches."""

import logging
import threading
import time
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import OperationalError, transaction

from yoimemory.journal.models import Change, Event

if TYPE_CHECKING:
    from yoimemory.access.models import Actor
    from yoimemory.sources.models import Workspace

BATCH_ROWS = 50
BATCH_AGE = timedelta(seconds=5)
KEPT_ROWS = 5_000
"""So many events wait while the database is locked; older ones are let go, and the log says how many."""

_log = logging.getLogger("yoimemory.journal")
_waiting: list[Event] = []
_lock = threading.Lock()
_locked_at = float("-inf")
"""When a batch could last not be written, on the clock of the process: reads do not wait for that again and again."""


def record_change(
    subject: object,
    *,
    verb: str,
    actor: "Actor",
    workspace: "Workspace | None",
    now: datetime,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    reason: str = "",
) -> Change:
    """Add one row of history. Call it in the transaction that makes the change."""
    return Change.objects.create(
        workspace=workspace,
        actor=actor,
        at=now,
        verb=verb,
        subject=str(subject)[:200],
        before=before or {},
        after=after or {},
        reason=reason,
    )


def record_event(
    kind: str,
    *,
    workspace: "Workspace",
    actor: "Actor | None",
    now: datetime,
    subjects: Iterable[object] = (),
    detail: dict[str, Any] | None = None,
) -> None:
    """Note a low-level event. A read must not wait for a write, so events are kept and written in batches."""
    event = Event(
        workspace=workspace,
        actor=actor,
        kind=kind,
        at=now,
        subjects=[str(subject) for subject in subjects],
        detail=detail or {},
    )
    with _lock:
        _waiting.append(event)
        due = len(_waiting) >= BATCH_ROWS or now - _waiting[0].at > BATCH_AGE
        rested = time.monotonic() - _locked_at > BATCH_AGE.total_seconds()
    if due and rested:
        flush_events()


def flush_events() -> int:
    """Write the events that wait; return how many. Called at a full batch, and at the end of the process.

    Nobody fails over it: within a caller's transaction, which may roll back, and while the database is
    locked they go on waiting.
    """
    global _locked_at
    with _lock:
        batch, _waiting[:] = list(_waiting), []
    if not batch:
        return 0
    try:
        with transaction.atomic(durable=True):
            Event.objects.bulk_create(batch)
    except RuntimeError:  # what Django says of a durable block within another one
        _put_back(batch)
        return 0
    except OperationalError as error:
        _put_back(batch)
        _locked_at = time.monotonic()
        _log.warning("%d events could not be written yet: %s", len(batch), error)
        return 0
    return len(batch)


def _put_back(batch: list[Event]) -> None:
    with _lock:
        _waiting[:0] = batch
        lost = max(0, len(_waiting) - KEPT_ROWS)
        del _waiting[:lost]
    if lost:
        _log.error("%d events were let go: they waited too long for the database", lost)
