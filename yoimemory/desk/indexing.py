"""Indexing as every surface asks for it: read what changed, then look again at what was quoted from it."""

from datetime import datetime
from typing import TYPE_CHECKING

from evidence.services import derive_markers, recheck_anchors
from yoimemory.search.services import IndexRun, index_workspace
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

    Raises NoSuchRevision and what keeps a workspace from being opened.
    """
    from yoimemory.products.services import observe_impact

    import_records(workspace, now=now)
    run = index_workspace(workspace, now=now, revision=revision, full=full, progress=progress)
    touched = {ref.source for ref in (*run.changed, *run.removed)}
    # Also where nothing changed: a commit may have come or gone. Nobody looked after what a broken-off run changed.
    recheck_anchors(workspace, None if run.after_break else touched, now=now)
    derive_markers(workspace, now=now)
    if touched or run.added or run.after_break:
        observe_impact(workspace, now=now)
    return run
