"""Reading sources from the terminal, and where the index stands."""

import argparse
import sys
import time
from typing import TYPE_CHECKING, Any

from yoimemory.amounts import amount
from yoimemory.cli.run import DONE, NOTHING, REFUSED, caller, now, registered, say, show_json, warn, workspace_of

if TYPE_CHECKING:
    from yoimemory.jobs.models import Job
    from yoimemory.sources.models import Workspace

_WIDTH = 30
_LOOK = 0.3


class Bar:
    """A progress bar on standard error; silent when that is no terminal."""

    def __init__(self) -> None:
        self._shows = sys.stderr.isatty()
        self._length = 0

    def __call__(self, done: int, total: int, note: str) -> None:
        if not self._shows:
            return
        filled = _WIDTH * done // total if total else 0
        line = f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {done} of {total or '?'}  {note[:60]}"
        sys.stderr.write("\r" + line.ljust(self._length))
        sys.stderr.flush()
        self._length = len(line)

    def end(self) -> None:
        """Take the bar away."""
        if self._shows and self._length:
            sys.stderr.write("\r" + " " * self._length + "\r")
            sys.stderr.flush()


def index(arguments: argparse.Namespace) -> int:
    """Read a workspace and return when it is done; a server that indexes already does the work for us."""
    from yoimemory.jobs.models import Job
    from yoimemory.jobs.services import enqueue
    from yoimemory.search.models import Document
    from yoimemory.sources.git import resolve_revision
    from yoimemory.work import work_off

    workspace = registered(arguments.path) if arguments.path else workspace_of(arguments)
    if arguments.stop:
        return _stop(workspace, as_json=arguments.json)
    # An unknown revision is refused here, before anything is asked for.
    revision = resolve_revision(workspace, arguments.revision) if arguments.revision else ""
    wishes = {"revision": revision, **({"full": True} if arguments.full else {})}
    job = enqueue(Job.Kind.INDEX, workspace=workspace, now=now(), arguments=wishes)
    bar = Bar()
    while (job := Job.objects.get(pk=job.pk)).is_open:
        if not work_off(bar):
            bar(job.done, job.total, job.note)
            time.sleep(_LOOK)
    bar.end()
    held = Document.objects.filter(workspace=workspace.public_id).count()
    if arguments.json:
        show_json({"workspace": workspace.slug, "state": job.state, "note": job.note, "documents": held, **job.result})
    else:
        _tell(job, workspace.slug, held)
    if job.state in {Job.State.FAILED, Job.State.STOPPED}:
        return REFUSED
    return DONE if held else NOTHING


def _stop(workspace: "Workspace", *, as_json: bool) -> int:
    """Stop what reads this workspace, in whichever process."""
    from yoimemory.jobs.models import Job
    from yoimemory.jobs.services import stop

    stopped = stop(Job.Kind.INDEX, workspace=workspace, who=str(caller()), now=now())
    if as_json:
        show_json({"workspace": workspace.slug, "stopped": stopped})
    elif stopped:
        say(f"The reading of {workspace.slug} ends. What was read stays; go on: yoimemory index")
    else:
        say(f"Nothing reads {workspace.slug} now.")
    return DONE if stopped else NOTHING


def _tell(job: "Job", slug: str, held: int) -> None:
    if job.state == "failed":
        warn(f"{slug} was not read: {job.note}")
        return
    if job.state == "stopped":
        warn(f"{job.note} It was at {job.done} of {job.total or '?'}; {held} documents are in. Go on: yoimemory index")
        return
    result: dict[str, Any] = job.result
    at = f" at {result['commit'][:8]}" if result.get("commit") else ""
    say(
        f"{slug}{at}: {held} documents; {result['changed']} changed, {result['removed']} removed, "
        f"{result['unreadable']} not readable, in {result['seconds']} s."
    )
    if result["unreadable"]:
        say("What could not be read, and why: yoimemory status")
    if not held:
        say("Nothing could be read. Is this the right folder?")


def status(arguments: argparse.Namespace) -> int:
    """Say where the index stands, what runs, and what could not be read."""
    from yoimemory.jobs.models import Job
    from yoimemory.search.models import Document, Unreadable
    from yoimemory.search.services import index_status

    workspace = workspace_of(arguments)
    position = index_status(workspace)
    records = Unreadable.objects.filter(workspace=workspace.public_id).order_by("path", "line")
    unreadable = list(records.values("path", "line", "reason"))
    held = Document.objects.filter(workspace=workspace.public_id).count()
    job = Job.objects.filter(workspace=workspace).open().order_by("pk").first()
    if arguments.json:
        running = {"state": job.state, "done": job.done, "total": job.total} if job else None
        show_json(
            {
                "workspace": workspace.slug, "index": position.model_dump(mode="json"), "documents": held,
                "job": running, "unreadable": unreadable,
            }
        )  # fmt: skip
        return DONE
    if position.indexed_at is None and held:
        say(f"{workspace.slug} was not read whole yet: {amount(held, 'document')} are in. Go on: yoimemory index")
    elif position.indexed_at is None:
        say(f"{workspace.slug} was not read yet. Read it: yoimemory index")
    else:
        at = f" at {position.commit[:12]}" if position.commit else ""
        behind = f", {amount(position.behind, 'commit')} behind" if position.behind else ""
        say(f"{workspace.slug}{at}{behind}: {held} documents, read {position.indexed_at:%Y-%m-%d %H:%M} UTC.")
    if job:
        say(f"Reading is {job.state}" + (f", {job.done} of {job.total}." if job.total else "."))
    for record in unreadable:
        place = f"{record['path']}:{record['line']}" if record["line"] else record["path"]
        say(f"not readable  {place}  {record['reason']}")
    return DONE
