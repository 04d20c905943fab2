"""Saying, before the work begins, whether a task is worked on with our skills or without."""

import secrets
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Count

from yoimemory.access.models import Actor
from yoimemory.access.services import require_reviewer
from yoimemory.errors import BadInput, NotFound, Refused
from yoimemory.journal.services import record_change
from yoimemory.products.models import Trial
from yoimemory.products.reports import TrialDraft
from yoimemory.refs import SourceRef
from yoimemory.search.lookup import find_document
from yoimemory.sources.models import Workspace

KINDS = ("ticket", "objective")


class AlreadyInTrial(Refused):
    """A task has one arm, and it is not changed once the work has begun."""


def begin_trial(draft: TrialDraft, *, workspace: Workspace, actor: Actor, now: datetime) -> Trial:
    """Say how a task is worked on, and start its clock. Without an arm it is drawn, so that nobody picks.

    Drawn is the arm that has fewer tasks of the same kind; where both have as many, chance decides.
    Raises NotAReviewer, BadInput for a ref that is no task, NotFound, AlreadyInTrial.
    """
    require_reviewer(actor, workspace, to="set up a comparison")
    task = SourceRef.parse(draft.task).source
    if task.kind not in KINDS:
        raise BadInput(f"{task} is no task.", hint="Name a ticket or an objective.", fields={"task": "not a task"})
    if find_document(workspace, task) is None:
        raise NotFound(f"There is no {task} in {workspace}.", hint="Search finds tickets by their words.")
    trial = Trial(
        workspace=workspace, task=str(task), kind=draft.kind, arm=draft.arm or _drawn(workspace, draft.kind), by=actor,
        at=now,
    )  # fmt: skip
    try:
        with transaction.atomic():
            trial.save(force_insert=True)
            record_change(
                task, verb="trial-begun", actor=actor, workspace=workspace, now=now,
                after={"arm": trial.arm, "kind": trial.kind, "drawn": not draft.arm},
            )  # fmt: skip
    except IntegrityError as error:
        raise AlreadyInTrial(f"{task} has its arm already.", hint="Take another task of the same kind.") from error
    return trial


def end_trial(trial: Trial, *, actor: Actor, now: datetime, reason: str) -> Trial:
    """Take a task out of the comparison with a reason; it stays readable. Raises NotAReviewer, BadInput."""
    require_reviewer(actor, trial.workspace, to="change a comparison")
    if not reason.strip():
        raise BadInput("Say why it is taken out.", fields={"reason": "required"})
    with transaction.atomic():
        Trial.objects.filter(pk=trial.pk, ended_at=None).update(ended_at=now, reason=reason.strip()[:300])
        record_change(
            trial.task, verb="trial-ended", actor=actor, workspace=trial.workspace, now=now, reason=reason.strip()
        )
    trial.refresh_from_db()
    return trial


def _drawn(workspace: Workspace, kind: str) -> str:
    counts = dict.fromkeys(Trial.Arm.values, 0)
    rows = Trial.objects.in_workspace(workspace).filter(kind=kind, ended_at=None)
    counts |= dict(rows.values_list("arm").annotate(Count("pk")))
    fewest = min(counts.values())
    return secrets.choice([arm for arm, count in counts.items() if count == fewest])
