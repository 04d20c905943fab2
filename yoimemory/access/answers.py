"""One intended change, one effect: the stored answer to an `Idempotency-Key`."""

import hashlib
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.utils import timezone

from yoimemory.access.models import Answer
from yoimemory.errors import BadInput, Refused

HEADER = "Idempotency-Key"
_KEPT = ("Content-Type", "Location", "ETag")


class KeyReused(BadInput):
    """The key was used for another change before."""


class StillRunning(Refused):
    """The first request with this key has not been answered yet."""


class OutcomeUnknown(Refused):
    """The server ended while the first request with this key ran."""


def answer_once(request: Any, run: Callable[[], HttpResponse]) -> HttpResponse:
    """Run a change once per caller and key; a retry gets the first answer.

    The key is taken in a transaction of its own before the change begins, since no write
    transaction may span the reading of files: so one key never has two effects, and after a
    crash between effect and answer a retry is told that the outcome is unknown, never run again.
    What was refused is not kept: it had no effect. Without the header the change simply runs.

    Raises KeyReused, StillRunning or OutcomeUnknown.
    """
    key = request.headers.get(HEADER, "").strip()
    if not key:
        return run()
    if len(key) > Answer.KEY_MAX:
        raise BadInput(f"An {HEADER} has at most {Answer.KEY_MAX} characters.", fields={HEADER: "too long"})
    caller = f"token:{request.token.pk}" if request.token else f"user:{request.user.pk}"
    digest = hashlib.sha256(b"\0".join([request.method.encode(), request.get_full_path().encode(), request.body]))
    now = timezone.now()
    Answer.objects.filter(at__lt=now - Answer.KEPT_FOR).delete()
    try:
        with transaction.atomic():
            row = Answer.objects.create(caller=caller, key=key, digest=digest.hexdigest(), at=now)
    except IntegrityError:
        return _again(first_answer(Answer.objects.get(caller=caller, key=key), digest.hexdigest()))
    try:
        response = run()
    except BaseException:
        row.delete()
        raise
    if response.status_code >= HTTPStatus.BAD_REQUEST:
        row.delete()
        return response
    row.status, row.body = response.status_code, response.content.decode()
    row.headers = {name: response[name] for name in _KEPT if response.has_header(name)}
    row.save(update_fields=["status", "body", "headers"])
    return response


def first_answer(row: Answer, digest: str, *, field: str = HEADER) -> Answer:
    """The row as it is, once it holds the answer to the same change; `field` is where the key was told.

    Raises KeyReused, StillRunning or OutcomeUnknown.
    """
    if row.digest != digest:
        raise KeyReused(
            f"This {field} was used for another request before.",
            hint="Use one key per intended change, and the same key only to retry it.",
            fields={field: "used before"},
        )
    if row.status is None:
        if timezone.now() - row.at < Answer.LOST_AFTER:
            raise StillRunning("The first request with this key is still running.", hint="Wait a second, then retry.")
        raise OutcomeUnknown(
            "The server ended while the first request with this key was running.",
            hint="Read whether the record was made; if not, send the request with a new key.",
        )
    return row


def _again(row: Answer) -> HttpResponse:
    response = HttpResponse(row.body, status=row.status, headers=row.headers)
    response["Idempotency-Replayed"] = "true"
    return response
