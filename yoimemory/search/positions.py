"""Where the index of a workspace stands, and how far behind the workspace it is."""

from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING

from django.utils import timezone

from yoimemory.errors import DomainError
from yoimemory.jobs.models import Job
from yoimemory.search.models import Position
from yoimemory.search.schemas import IndexPosition
from yoimemory.sources.git import count_commits, head_of
from yoimemory.sources.watchstate import watch_state

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace

LOST_AFTER = timedelta(seconds=15)
"""A run that gave no sign of life for this long was killed; the next one goes on where it stopped."""
FRESH_SECONDS = 3.0
"""How long a count of commits is kept: each costs two git processes, and every answer shows it."""

_behind: dict[tuple[int, str], tuple[float, int | None, bool]] = {}


def index_status(workspace: "Workspace") -> IndexPosition:
    """Where the index stands. `behind` counts the commits that it lacks."""
    row = Position.objects.filter(workspace=workspace.public_id).first()
    waiting, problem = _work(workspace)
    if row is None:
        return IndexPosition(
            commit="", branch="", indexed_at=None, behind=None, dirty=False, running=False, waiting=waiting,
            problem=problem,
        )  # fmt: skip
    running = row.beat_at is not None and timezone.now() - row.beat_at < LOST_AFTER
    behind, dirty = _distance(workspace, row) if row.indexed_at else (None, False)
    return IndexPosition(
        commit=row.commit,
        branch=row.branch,
        indexed_at=row.indexed_at,
        behind=behind,
        dirty=dirty,
        running=running,
        revision=row.revision,
        percent=min(99, 100 * row.done // row.total) if running and row.total else None,
        waiting=waiting,
        problem=problem,
    )


def _work(workspace: "Workspace") -> tuple[bool, str]:
    """Whether a reading waits or runs, and why changes come in late or not at all."""
    last = Job.objects.filter(workspace=workspace, kind=Job.Kind.INDEX).order_by("-pk").only("state", "note").first()
    if last is not None and last.state == Job.State.FAILED:
        return True, f"The last reading of the sources failed: {last.note}"
    watch = watch_state(workspace)
    return last is not None and last.is_open, watch.problem if watch else ""


def _distance(workspace: "Workspace", row: Position) -> tuple[int | None, bool]:
    """Commits between the index and HEAD, and whether the work tree holds changes."""
    if not workspace.has_git or not row.commit:
        return None, row.dirty
    key = (workspace.pk, row.commit)
    kept = _behind.get(key)
    if kept and monotonic() - kept[0] < FRESH_SECONDS:
        return kept[1], kept[2]
    try:
        head = head_of(workspace)
        behind = count_commits(workspace, row.commit, head.commit) if head.commit and head.commit != row.commit else 0
    except DomainError:
        return None, row.dirty  # the repository is gone or broken; Diagnostics says so, and the index still answers
    if len(_behind) > 100:
        _behind.clear()
    _behind[key] = (monotonic(), behind, head.dirty)
    return behind, head.dirty
