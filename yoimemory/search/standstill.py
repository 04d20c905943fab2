"""Remembering how a workspace stood when all of it was in the index, so that a run over no change is short."""

from datetime import datetime
from typing import TYPE_CHECKING

from yoimemory.search.models import Position, Unit

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace

STANDING = "standing"
"""The unit that holds it: it has no documents, only a fingerprint."""


def known_to_stand(workspace: "Workspace", mark: str, *, now: datetime) -> str:
    """The commit that the index holds, if the workspace stands as it did when all was in; else nothing."""
    row = Unit.objects.filter(workspace=workspace.public_id, key=STANDING).first()
    if row is None or row.fingerprint != mark:
        return ""
    position = Position.objects.get(workspace=workspace.public_id)
    Position.objects.filter(pk=position.pk).update(indexed_at=now, beat_at=None)
    return position.commit


def forget_standing(workspace: "Workspace") -> None:
    """A run begins: if it is ended half-way, nothing says that all is in."""
    Unit.objects.filter(workspace=workspace.public_id, key=STANDING).delete()


def note_standing(workspace: "Workspace", mark: str) -> None:
    """All is in, as the workspace stood when the run began."""
    Unit.objects.create(workspace=workspace.public_id, key=STANDING, reader=STANDING, fingerprint=mark)
