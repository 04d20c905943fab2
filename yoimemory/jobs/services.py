"""Verbs of long work: ask for it, report on it, end it, and take up what was lost."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction

from yoimemory.errors import Refused
from yoimemory.jobs.models import Job

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace


ASKED_MAX = 10
"""So often work is asked for anew when another process was faster."""


def enqueue(kind: str, *, workspace: "Workspace", now: datetime, arguments: dict[str, Any] | None = None) -> Job:
    """Ask for long work. One waiting job of a kind says all that two would: its arguments are joined."""
    for _ in range(ASKED_MAX):
        try:
            with transaction.atomic():
                waiting = Job.objects.waiting().filter(workspace=workspace, kind=kind).first()
                if waiting is None:
                    return Job.objects.create(workspace=workspace, kind=kind, arguments=arguments or {}, created_at=now)
                joined = {**waiting.arguments, **(arguments or {})}
                # Another process may begin it in this moment; what is asked for now is then work of its own.
                if Job.objects.waiting().filter(pk=waiting.pk).update(arguments=joined):
                    waiting.arguments = joined
                    return waiting
        except IntegrityError:  # another process asked in the same moment; join what it asked for
            continue
    raise Refused("Others ask for the same work at this moment.", hint="Ask again in a second.")


def report(job: Job, *, done: int, total: int, note: str, now: datetime) -> bool:
    """Say how far a running job is; False when somebody stopped it meanwhile, so that its process ends the work."""
    job.done, job.total, job.note = done, total, note[:300]
    told = Job.objects.running().filter(pk=job.pk).update(done=job.done, total=job.total, note=job.note, beat_at=now)
    return bool(told)


def stop(kind: str, *, workspace: "Workspace", who: str, now: datetime) -> int:
    """Stop what waits or runs of a kind; return how many jobs that were.

    One that runs ends with its next report of progress. It is over for everybody at once, and work
    that is asked for from now on is work of its own.
    """
    note = f"Stopped by {who}. What was read stays, and the next reading goes on from there."[:300]
    jobs = Job.objects.open().filter(workspace=workspace, kind=kind)
    return jobs.update(state=Job.State.STOPPED, note=note, ended_at=now)


def finish(job: Job, *, result: dict[str, Any], now: datetime) -> None:
    """End a job well."""
    job.state, job.result = Job.State.DONE, result
    Job.objects.filter(pk=job.pk).update(state=job.state, result=result, ended_at=now, note="")


def fail(job: Job, *, note: str, now: datetime) -> None:
    """End a job with the sentence that says why."""
    job.state, job.note = Job.State.FAILED, note[:300]
    Job.objects.filter(pk=job.pk).update(state=job.state, note=job.note, ended_at=now)


def put_back(*, now: datetime) -> int:
    """Put jobs back whose process is gone; return how many wait again.

    Only the holder of the indexer's lock calls this: as nobody else works, whatever runs is lost.
    A job that was begun too often ends as failed, so that one bad source cannot keep us busy for ever.
    """
    count = 0
    for job in Job.objects.running().order_by("pk"):
        if job.attempts >= Job.ATTEMPTS_MAX:
            fail(job, note=f"Stopped {job.attempts} times without an end; start it again to try once more.", now=now)
        elif Job.objects.waiting().filter(workspace=job.workspace, kind=job.kind).exists():
            fail(job, note="Stopped; a newer one was already waiting.", now=now)
        else:
            count += Job.objects.running().filter(pk=job.pk).update(state=Job.State.WAITING, pid=None)
    return count


def give_back(job: Job) -> None:
    """Put a job back that was stopped on purpose, without counting it as an attempt."""
    if Job.objects.waiting().filter(workspace=job.workspace, kind=job.kind).exists():
        Job.objects.filter(pk=job.pk).delete()
    else:
        Job.objects.running().filter(pk=job.pk).update(state=Job.State.WAITING, pid=None, attempts=job.attempts - 1)
