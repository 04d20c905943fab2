"""How far a source is trusted: said by people, of the whole source, with a reason."""

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction

from yoimemory.access.models import Actor
from yoimemory.access.services import require_reviewer
from yoimemory.errors import BadInput
from yoimemory.journal.services import record_change
from yoimemory.journal.stale import stale_version
from yoimemory.markers.models import Reliability
from yoimemory.refs import OWN_KINDS, SourceRef

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace


@transaction.atomic
def set_reliability(
    source: SourceRef,
    *,
    grade: str,
    reason: str,
    workspace: "Workspace",
    actor: Actor,
    now: datetime,
    version: int | None = None,
) -> Reliability:
    """Say how far a source is trusted here, as a person with the reviewer role. It holds for all of the source.

    The grade before stands in the history. Raises NotAReviewer, BadInput or StaleVersion.
    """
    require_reviewer(actor, workspace, to="say how reliable a source is")
    reason, whole = reason.strip(), source.source
    if source.kind in OWN_KINDS:
        raise BadInput("Only a source is more or less reliable, not a record of ours.", fields={"source": "ours"})
    if grade not in Reliability.Grade.values:
        raise BadInput(
            f"There is no grade {grade!r}.", hint=f"Grades are {', '.join(Reliability.Grade.values)}.",
            fields={"grade": "unknown"},
        )  # fmt: skip
    if not reason or len(reason) > Reliability.REASON_MAX:
        raise BadInput(
            f"Say why, in at most {Reliability.REASON_MAX} characters: the grade is read with its reason.",
            fields={"reason": "required"},
        )
    row = Reliability.objects.filter(workspace=workspace, source=str(whole)).first()
    before = {"grade": row.grade} if row else {}
    if row is None:
        row = Reliability(workspace=workspace, source=str(whole), version=0)
    elif version is not None and version != row.version:
        raise stale_version(whole, workspace=workspace, version=version)
    row.grade, row.reason, row.set_by, row.set_at, row.version = grade, reason, actor, now, row.version + 1
    row.save()
    record_change(
        whole, verb="reliability-set", actor=actor, workspace=workspace, now=now,
        before=before, after={"grade": grade}, reason=reason,
    )  # fmt: skip
    return row
