"""One intended change, one effect, also over MCP: the key that JSON takes as a header is an argument here."""

import hashlib
import json
from collections.abc import Callable

from django.db import IntegrityError, transaction
from django.utils import timezone

from yoimemory.access.answers import first_answer
from yoimemory.access.models import Answer as Kept
from yoimemory.mcp.answers import Answer
from yoimemory.mcp.arguments import Arguments
from yoimemory.mcp.caller import Caller
from yoimemory.mcp.tools import Tool


def answer_once(tool: Tool, told: Arguments, caller: Caller, run: Callable[[], Answer]) -> Answer:
    """Run a tool that writes once per Worker and key; a retry gets the first answer.

    Keys are those of JSON: a token has one set of them, on every surface. What was refused is not
    kept. Without a key the tool simply runs. Raises KeyReused, StillRunning or OutcomeUnknown.
    """
    key = str(getattr(told, "idempotency_key", ""))
    if not key:
        return run()
    said = told.model_dump_json(exclude={"idempotency_key"}, exclude_defaults=True)
    digest = hashlib.sha256(b"\0".join([b"mcp", tool.name.encode(), said.encode()])).hexdigest()
    holder, now = f"token:{caller.token.pk}", timezone.now()
    Kept.objects.filter(at__lt=now - Kept.KEPT_FOR).delete()
    try:
        with transaction.atomic():
            row = Kept.objects.create(caller=holder, key=key, digest=digest, at=now)
    except IntegrityError:
        kept = first_answer(Kept.objects.get(caller=holder, key=key), digest, field="idempotency_key")
        said_then = json.loads(kept.body)
        return Answer(said_then["text"], said_then["data"])
    try:
        answer = run()
    except BaseException:
        row.delete()
        raise
    row.status, row.body = 200, json.dumps({"text": answer.text, "data": dict(answer.data)})
    row.save(update_fields=["status", "body"])
    return answer
