"""The indexer's process: works off waiting jobs, one at a time, and ends when none is left."""

import argparse
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any

import django

Progress = Callable[[int, int, str], None]

LINGER = 60.0
"""Seconds that the indexer of a server waits for more: to start it anew takes longer than most readings."""

LOOK_EVERY = 0.2

REPORT_EVERY = 0.3
"""Seconds between two reports of progress: often enough to look alive, rare enough not to keep the disk busy."""

_log = logging.getLogger("yoimemory.work")


def main(arguments: list[str] | None = None) -> int:
    """Work off what waits. Does nothing when another process is already at it."""
    parser = argparse.ArgumentParser(prog="python -m yoimemory.work", description=__doc__)
    parser.add_argument("--parent", type=int, help="end when this process is gone")
    parent = parser.parse_args(arguments).parent
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if parent:
        threading.Thread(target=_follow, args=[parent], daemon=True).start()
    with suppress(OSError):
        os.nice(5)  # pages and answers come first
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "yoimemory.settings")
    django.setup()
    work_off(linger=LINGER if parent else 0.0)
    return 0


def work_off(watch: Progress | None = None, *, linger: float = 0.0) -> bool:
    """Do every waiting job under the indexer's lock; False when another process holds it.

    With `linger` it stays for so many seconds after the last one, and does what comes meanwhile.
    """
    from django.conf import settings

    from yoimemory.jobs.lock import INDEXER, held
    from yoimemory.jobs.models import Job
    from yoimemory.jobs.services import put_back

    with held(settings.HOME / INDEXER) as mine:
        if not mine:
            return False
        put_back(now=_now())
        idle = time.monotonic()
        while True:
            if job := Job.objects.claim(now=_now(), pid=os.getpid()):
                _do(job, watch)
                idle = time.monotonic()
            elif time.monotonic() - idle >= linger:
                break
            else:
                time.sleep(LOOK_EVERY)
    return True


def _do(job: Any, watch: Progress | None) -> None:
    from yoimemory.desk.mending import serving
    from yoimemory.errors import DomainError
    from yoimemory.jobs.services import fail, finish, give_back
    from yoimemory.search.services import RunStopped

    try:
        with serving():
            finish(job, result=_index(job, watch), now=_now())
    except RunStopped:
        _log.info("The job %s was stopped by a person", job.public_id)  # its row says so already
    except DomainError as error:
        fail(job, note=f"{error.message} {error.hint}".strip(), now=_now())
    except (SystemExit, KeyboardInterrupt):
        give_back(job)
        raise
    except Exception:
        # The last resort of this process: the job must not stay as if it ran, nor stop the others.
        _log.exception("The job %s broke off", job.public_id)
        fail(job, note="It broke off through a fault of ours; the log of the server has the details.", now=_now())


def _index(job: Any, watch: Progress | None) -> dict[str, Any]:
    from yoimemory.desk.indexing import index_workspace_and_recheck
    from yoimemory.jobs.services import report
    from yoimemory.search.services import RunStopped

    last = 0.0

    def progress(done: int, total: int, note: str) -> None:
        nonlocal last
        if watch is not None:
            watch(done, total, note)
        if time.monotonic() - last >= REPORT_EVERY:
            last = time.monotonic()
            if not report(job, done=done, total=total, note=note, now=_now()):
                raise RunStopped

    run = index_workspace_and_recheck(
        job.workspace,
        now=_now(),
        revision=job.arguments.get("revision", ""),
        full=job.arguments.get("full", False),
        progress=progress,
    )
    return {
        "commit": run.commit,
        "changed": len(run.changed),
        "removed": len(run.removed),
        "added": run.added,
        "unreadable": run.unreadable,
        "seconds": round(run.seconds, 2),
    }


def _follow(parent: int) -> None:
    """End with the server, also when it was killed and could not say so."""
    while os.getppid() == parent:
        time.sleep(1)
    os.kill(os.getpid(), signal.SIGTERM)


def _now() -> datetime:
    from django.utils import timezone

    return timezone.now()


if __name__ == "__main__":
    sys.exit(main())
