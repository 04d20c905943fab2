"""The last calls of each Worker: kept in memory for a moment and written in batches, since a read must not write."""

import logging
import threading
from collections import deque
from datetime import datetime, timedelta

from django.db import OperationalError, transaction

from yoimemory.access.models import Call, Token

BATCH_ROWS = 100
BATCH_AGE = timedelta(seconds=5)
WAITING_MAX = 2_000
"""So many calls wait for the database; the oldest are let go. They are no history."""

_log = logging.getLogger("yoimemory.access")
_waiting: deque[Call] = deque(maxlen=WAITING_MAX)
_lock = threading.Lock()


def note_call(
    token: Token, *, surface: str, operation: str, status: int, began: datetime, now: datetime, code: str = "",
    run: str = "",
) -> None:  # fmt: skip
    """Remember that a token called, and what came of it."""
    took = max(0, round((now - began).total_seconds() * 1_000))
    call = Call(
        token=token, surface=surface, operation=operation[:80], status=status, code=code[: Call.CODE_MAX],
        run=run[:120], took_ms=min(took, 2**31 - 1), at=began,
    )  # fmt: skip
    with _lock:
        _waiting.append(call)
        due = len(_waiting) >= BATCH_ROWS or now - _waiting[0].at > BATCH_AGE
    if due:
        flush_calls()


def flush_calls() -> int:
    """Write the calls that wait and forget the oldest of each token; return how many were written.

    Nobody fails over it: within a caller's transaction and while the database is locked they wait on.
    """
    with _lock:
        batch = list(_waiting)
        _waiting.clear()
    if not batch:
        return 0
    try:
        with transaction.atomic(durable=True):
            known = set(Token.objects.filter(pk__in={call.token_id for call in batch}).values_list("pk", flat=True))
            Call.objects.bulk_create([call for call in batch if call.token_id in known])
            for token in known:
                _forget_oldest(token)
    except RuntimeError:  # what Django says of a durable block within another one
        _put_back(batch)
        return 0
    except OperationalError as error:
        _put_back(batch)
        _log.warning("%d calls could not be written yet: %s", len(batch), error)
        return 0
    return len(batch)


def _forget_oldest(token: int) -> None:
    first_kept = (
        Call.objects.filter(token=token).order_by("-pk").values_list("pk", flat=True)[Call.KEPT - 1 : Call.KEPT]
    )
    for pk in first_kept:
        Call.objects.filter(token=token, pk__lt=pk).delete()


def _put_back(batch: list[Call]) -> None:
    with _lock:
        _waiting.extendleft(reversed(batch[-WAITING_MAX:]))
