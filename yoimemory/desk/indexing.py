"""Indexing as every surface asks for it: read what changed, then look again at what was quoted from it."""

from datetime import datetime
from typing import TYPE_CHECKING

from evidence.services import derive_markers, recheck_anchors
from yoimemory.search.services import IndexRun, index_workspace, note_seen, unseen
from yoimemory.sources.services import import_records

if TYPE_CHECKING:
    from yoimemory.search.services import Progress
    from yoimemory.sources.models import Workspace


def index_workspace_and_recheck(
    workspace: "Workspace",
    *,
    now: datetime,
    revision: str = "",
    full: bool = False,
    progress: "Progress | None" = None,
) -> IndexRun:
    """Bring the index up to date, place again every anchor whose source changed, and see what cites our records.

    `progress` may end it between any two steps by raising RunStopped; the next run goes on from there.
    Raises NoSuchRevision and what keeps a workspace from being opened.
    """
    from yoimemory.products.services import observe_impact

    last = (0, 0)

    def told(done: int, total: int, note: str) -> None:
        nonlocal last
        last = (done, total)
        if progress is not None:
            progress(done, total, note)

    import_records(workspace, now=now)
    left = unseen(workspace)
    run = index_workspace(workspace, now=now, revision=revision, full=full, progress=told)
    # Nobody looked after what a run changed that was ended, in the index or here.
    after_break = bool(left) or run.after_break
    mark = unseen(workspace)
    touched = {ref.source for ref in (*run.changed, *run.removed)}
    told(*last, "placing quotes again")
    # Also where nothing changed: a commit may have come or gone.
    recheck_anchors(workspace, None if after_break else touched, now=now)
    told(*last, "looking what stands against what is quoted")
    derive_markers(workspace, now=now)
    if touched or run.added or after_break:
        told(*last, "looking where our records are cited")
        observe_impact(workspace, now=now)
    note_seen(mark)
    return run
