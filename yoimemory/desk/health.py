"""Whether we are well: what `doctor`, the diagnostics page and the readiness address look at."""

import os
import re
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connections  # noqa: TID251 (doctor asks SQLite itself)
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_safe

from yoimemory import BUNDLED_SQLITE
from yoimemory.desk.backups import backups, index_set_aside
from yoimemory.desk.findings import Finding
from yoimemory.desk.middleware import workspaces_of
from yoimemory.desk.upkeep import upkeep
from yoimemory.errors import DomainError
from yoimemory.journal.models import Change, Event
from yoimemory.search.models import Document, Unreadable
from yoimemory.search.services import index_status
from yoimemory.sources.models import Workspace
from yoimemory.sources.process import Child
from yoimemory.sources.shadow import environment, git_program

DISK_MIN = 500 << 20
GIT_MIN = (2, 39, 4)
GIT_SECONDS = 5.0
UNREADABLE_SHOWN = 20
CLOCK_SLACK = timedelta(minutes=5)
BACKUP_AGE = timedelta(days=7)
NETWORK_TYPES = ("nfs", "cifs", "smb", "fuse", "9p", "virtiofs", "sshfs", "afs", "glusterfs", "ceph")


def examine(*, thorough: bool = False, workspaces: bool = True) -> list[Finding]:
    """Look at everything, or at this server alone; `thorough` reads the databases from end to end."""
    findings = [*_sqlite(), *_home()]
    if not os.access(settings.HOME, os.W_OK):
        return findings  # SQLite opens nothing where it may keep no log beside the file
    findings += [*_git(), *_databases(thorough=thorough)]
    if any(finding.level == "finding" and finding.check.startswith("database") for finding in findings):
        return findings  # what stands in a damaged database is not worth a look
    waiting = {alias: count for alias, count in unapplied().items() if count}
    if waiting:
        names = " and ".join(waiting)
        message = f"The tables of {names} are older than the program, or not made yet."
        return [
            *findings,
            Finding("finding", "migrations", message, "Start the server: it mends this."),
        ]
    now = timezone.now()
    findings.append(Finding("ok", "migrations", "Both databases have the tables of this version."))
    findings += [*_clock(now), *_copies(now)]
    if not workspaces:
        return findings
    return findings + [finding for workspace in _all() for finding in _workspace(workspace, now)] + _no_workspace()


def _databases(*, thorough: bool) -> Iterator[Finding]:
    for alias, remedy in (
        ("default", "Stop the server and put the newest copy back: yoimemory restore FILE (copies lie in `backups`)."),
        (
            "index",
            "Set it aside and let the sources be read anew: on the Diagnostics page, or delete index.sqlite3* in the "
            "data folder and run `yoimemory index`. Nothing that people made is in it.",
        ),
    ):
        try:
            with connections[alias].cursor() as cursor:
                cursor.execute("PRAGMA integrity_check" if thorough else "PRAGMA quick_check")
                faults = [row[0] for row in cursor.fetchall() if row[0] != "ok"]
                cursor.execute("PRAGMA foreign_key_check")
                faults += [f"a row of {row[0]} points to nothing" for row in cursor.fetchall()]
        except DatabaseError as error:
            faults = [str(error)]
        if faults:
            yield Finding(
                "finding", f"database {alias}", f"The database is damaged: {faults[0]}.", remedy,
                action="mend" if alias == "index" else "",
            )  # fmt: skip
        else:
            yield Finding("ok", f"database {alias}", "The database is whole.")


def unapplied() -> dict[str, int]:
    """How many migrations each database still needs."""
    counts = {}
    for alias in connections:
        executor = MigrationExecutor(connections[alias])
        counts[alias] = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    return counts


def _sqlite() -> Iterator[Finding]:
    version = tuple(int(part) for part in sqlite3.sqlite_version.split("."))
    safe = version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51) or (3, 44, 6) <= version < (3, 45)
    origin = "bundled" if BUNDLED_SQLITE else "of this Python"
    if safe:
        yield Finding("ok", "sqlite", f"SQLite {sqlite3.sqlite_version} ({origin}) is free of the WAL-reset fault.")
    else:
        yield Finding(
            "finding",
            "sqlite",
            f"SQLite {sqlite3.sqlite_version} ({origin}) may lose committed pages in rare cases.",
            "Install pysqlite3 for this platform, or a Python that is built with SQLite 3.51.3 or newer.",
        )


def _git() -> Iterator[Finding]:
    try:
        version = git_version()
    except DomainError as error:
        yield Finding("finding", "git", error.message, error.hint)
        return
    if version < GIT_MIN:
        told = ".".join(str(part) for part in version)
        yield Finding("finding", "git", f"Git {told} lacks security fixes.", "Install git 2.39.4 or newer.")
    else:
        yield Finding("ok", "git", f"Git {'.'.join(str(part) for part in version)} serves.")


def git_version() -> tuple[int, ...]:
    """The version of the git that we run. Raises one of the GitProblems."""
    home = Path(settings.HOME)
    with Child([git_program(), "version"], env=environment(home), cwd=home, total=GIT_SECONDS) as child:
        told = b"".join(child.chunks()).decode("ascii", "replace")
    return tuple(int(part) for part in re.findall(r"\d+", told)[:3])


def _home() -> Iterator[Finding]:
    home = Path(settings.HOME)
    free = shutil.disk_usage(home).free
    if free < DISK_MIN:
        yield Finding("finding", "disk", f"Only {free >> 20} MB are free.", "Free at least 500 MB beside the data.")
    else:
        yield Finding("ok", "disk", f"{free >> 30} GB are free.")
    if os.name == "posix" and stat.S_IMODE(home.stat().st_mode) & 0o077:
        yield Finding("finding", "permissions", "Others may read the data folder.", "chmod 700 the data folder.")
    closed = [path for path in (home, *sorted(home.glob("*.sqlite3"))) if not os.access(path, os.W_OK)]
    if closed:
        yield Finding(
            "finding", "writing", f"{closed[0]} may only be read, so nothing can be kept.",
            "Give whoever runs yoimemory the right to write it: chmod u+w, or mount the disk for writing.",
            tuple(str(path) for path in closed),
        )  # fmt: skip
    kind = _filesystem(home)
    if kind.startswith(NETWORK_TYPES):
        yield Finding(
            "finding", "file system", f"The data folder lies on {kind}, where SQLite's locks are not safe.",
            "Set YOIMEMORY_HOME to a folder on a local disk.",
        )  # fmt: skip


def _filesystem(path: Path) -> str:
    """The type of the file system, from the mount table where there is one."""
    try:
        mounts = Path("/proc/mounts").read_text().splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    for line in mounts:
        _, point, found, *_ = line.split(" ")
        inside = point == "/" or str(path) == point or str(path).startswith(f"{point}/")
        if inside and len(point) >= len(best):
            best, kind = point, found
    return kind


def _clock(now: datetime) -> Iterator[Finding]:
    """A clock that was set back gives new records the time of old ones."""
    newest = [model.objects.order_by("-at").values_list("at", flat=True).first() for model in (Change, Event)]
    latest = max((at for at in newest if at is not None), default=now)
    if latest > now + CLOCK_SLACK:
        yield Finding(
            "finding", "clock", f"The clock stands before the last record, which is of {latest:%Y-%m-%d %H:%M} UTC.",
            "Set this machine's clock right; what is written until then carries a wrong time.",
        )  # fmt: skip


def _copies(now: datetime) -> Iterator[Finding]:
    """Whether what people made exists twice, and what is left of an index that was set aside."""
    newest = max(backups(), default=None)
    age = now.timestamp() - newest.stat().st_mtime if newest else None
    if age is not None and age < BACKUP_AGE.total_seconds():
        yield Finding("ok", "backup", f"The newest copy of what people made is {_ago(age)} old.")
    elif Change.objects.exists():
        said = "There is no copy of what people made" if age is None else f"The newest copy is {_ago(age or 0)} old"
        yield Finding("note", "backup", f"{said}.", "Make one: yoimemory backup", action="backup")
    if index_set_aside():
        yield Finding(
            "note", "damaged index", "An index was damaged and set aside; it was read anew from the sources.",
            "Look at the disk, then delete what was set aside: damaged-* in the data folder.", action="forget",
        )  # fmt: skip


def _ago(seconds: float) -> str:
    hours = int(seconds // 3600)
    return f"{hours} hour{'' if hours == 1 else 's'}" if hours < 48 else f"{hours // 24} days"


def _no_workspace() -> list[Finding]:
    if Workspace.objects.exists():
        return []
    return [Finding("note", "workspaces", "No workspace is registered.", "Register one: yoimemory serve PATH.")]


def examine_workspace(workspace: Workspace, *, now: datetime) -> list[Finding]:
    """What limits trust in the records of one workspace, beside the index and what could not be read."""
    return [*_folder(workspace, workspace.slug), *upkeep(workspace, now=now)]


def _folder(workspace: Workspace, name: str) -> Iterator[Finding]:
    if not workspace.path.is_dir():
        yield Finding(
            "finding", name, "Its folder is gone.",
            f"Bring it back; after a move to another machine: yoimemory restore FILE --root {workspace.slug}=PATH",
        )  # fmt: skip
    elif not os.access(workspace.path, os.W_OK):
        yield Finding(
            "note", name, "Its folder may only be read: proposals can be judged, but nothing can be applied.",
            "Copy the patch or the comment from the proposal's page, or give the right to write.",
        )  # fmt: skip


def _workspace(workspace: Workspace, now: datetime) -> Iterator[Finding]:
    name = f"workspace {workspace.slug}"
    yield from _folder(workspace, name)
    if not workspace.path.is_dir():
        return
    position = index_status(workspace)
    if position.indexed_at is None:
        yield Finding("finding", name, "It was not read yet.", "Run `yoimemory index`, or start the server.")
    elif position.behind:
        commits = f"{position.behind} commit{'s' if position.behind > 1 else ''}"
        yield Finding("finding", name, f"The index is {commits} behind.", "Run `yoimemory index`.", action="index")
    else:
        held = Document.objects.filter(workspace=workspace.public_id).count()
        yield Finding("ok", name, f"The index holds {held} documents and is up to date.")
    unreadable = Unreadable.objects.filter(workspace=workspace.public_id).order_by("path", "line")
    for record in unreadable[:UNREADABLE_SHOWN]:
        place = f"{record.path}, line {record.line}" if record.line else record.path
        yield Finding("finding", f"{name}, unreadable", f"{place}: {record.reason}", "Mend the file, then index again.")
    more = unreadable.count() - UNREADABLE_SHOWN
    if more > 0:
        yield Finding(
            "finding", f"{name}, unreadable", f"{more} more could not be read.", "The diagnostics page lists all."
        )  # fmt: skip
    for found in upkeep(workspace, now=now):
        yield replace(found, check=f"{name}, {found.check}")


@require_safe
def livez(request: HttpRequest) -> HttpResponse:
    """Answer that the process is alive, without touching a database."""
    return HttpResponse(status=200, content_type="text/plain")


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer whether pages can be served: databases, migrations, disk. People who are logged in hear of their own."""
    checks = {"databases": _answers(), "disk": shutil.disk_usage(settings.HOME).free >= DISK_MIN}
    checks["migrations"] = checks["databases"] and not any(unapplied().values())
    ready = all(checks.values())
    body: dict[str, object] = {"ready": ready}
    if ready and request.user.is_authenticated:
        own = workspaces_of(request.user)
        positions = {workspace.slug: index_status(workspace).model_dump(mode="json") for workspace in own}
        body |= {"checks": checks, "index": positions}
    return JsonResponse(body, status=200 if ready else 503)


def _all() -> list[Workspace]:
    return list(Workspace.objects.order_by("pk"))


def _answers() -> bool:
    try:
        for alias in connections:
            with connections[alias].cursor() as cursor:
                cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


urlpatterns = [path("livez", livez, name="livez"), path("readyz", readyz, name="readyz")]
