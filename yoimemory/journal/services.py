"""Writing history. Changes are written with the record they tell of; events of reads are written in batches."""

import threading
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from yoimemory.journal.models import Change, Event

if TYPE_CHECKING:
    from yoimemory.access.models import Actor
    from yoimemory.sources.models import Workspace

BATCH_ROWS = 50
BATCH_AGE = timedelta(seconds=5)

_waiting: list[Event] = []
_lock = threading.Lock()


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
    if due:
        flush_events()


def flush_events() -> int:
    """Write the events that wait; return how many. Called at a full batch, and at the end of the process."""
    with _lock:
        batch, _waiting[:] = list(_waiting), []
    Event.objects.bulk_create(batch)
    return len(batch)
