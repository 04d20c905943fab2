"""What is remembered between runs: how a workspace stood when all of it was in, and what nobody looked after yet."""

from datetime import datetime
from typing import TYPE_CHECKING

from yoimemory.search.history import COMMITS
from yoimemory.search.models import Position, Unit

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace

STANDING = "standing"
"""The unit that holds it: it has no documents, only a fingerprint."""

UNSEEN = "unseen"
"""The unit that is there while nobody has looked after what the last run changed."""

AGAIN = "again"
"""The fingerprint of the commits while all of them are to be read again: no form of writing is called so."""

STEP = 500
"""Units that forget their state in one transaction."""


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


def note_unseen(workspace: "Workspace") -> None:
    """A run changed something that quotes may rest on. Called in the transaction that lets it be found."""
    Unit.objects.filter(workspace=workspace.public_id, key=UNSEEN).delete()
    Unit.objects.create(workspace=workspace.public_id, key=UNSEEN, reader=UNSEEN, fingerprint=UNSEEN)


def unseen(workspace: "Workspace") -> int:
    """The mark of a change that nobody has looked after, since whoever should was ended before; 0 for none."""
    return Unit.objects.filter(workspace=workspace.public_id, key=UNSEEN).values_list("pk", flat=True).first() or 0


def note_seen(mark: int) -> None:
    """All that this mark stood for was looked after."""
    Unit.objects.filter(pk=mark, key=UNSEEN).delete()


def forget_fingerprints(workspace: "Workspace") -> None:
    """Nothing counts as read: who is ended before all is read again leaves the rest of it to the next run."""
    own = Unit.objects.filter(workspace=workspace.public_id)
    own.filter(key=COMMITS).update(fingerprint=AGAIN)
    rows = own.exclude(fingerprint="").exclude(key=COMMITS)
    pks = list(rows.values_list("pk", flat=True))
    for start in range(0, len(pks), STEP):
        rows.filter(pk__in=pks[start : start + STEP]).update(fingerprint="")
