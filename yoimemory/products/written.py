"""Artifacts that were written into the workspace: which shoebox, where, and whether they still stand."""

from datetime import datetime

from django.db.models import QuerySet
from pydantic import BaseModel

from yoimemory.products.models import Export
from yoimemory.sources.models import Workspace


class WrittenOut(BaseModel):
    """A shoebox that was written into the workspace as an artifact; `state` says whether it stands there."""

    id: str
    shoebox: str
    question: str
    folder: str
    files: list[str]
    digest: str
    state: str
    by: str
    at: datetime

    @classmethod
    def of(cls, row: Export) -> "WrittenOut":
        return cls(
            id=row.public_id, shoebox=str(row.shoebox.ref), question=row.shoebox.question, folder=row.folder,
            files=[writing.path for writing in row.writings.all()], digest=row.digest, state=row.state, by=str(row.by),
            at=row.at,
        )  # fmt: skip


def written_artifacts(workspace: Workspace, shoebox: str = "", state: str = "") -> QuerySet[Export]:
    """The exports of this workspace, of one shoebox or in one state where that is asked."""
    rows = Export.objects.filter(shoebox__workspace=workspace).select_related("shoebox", "by")
    if shoebox:
        rows = rows.filter(shoebox__public_id=shoebox.removeprefix("shoebox:"))
    if state:
        rows = rows.filter(state=state)
    return rows.prefetch_related("writings")
