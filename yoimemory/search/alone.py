"""One run at a time over the index of a workspace, among the threads of this process and among processes.

The indexer of a server holds a lock of its own, but runs begin elsewhere too. Two at once would each take
what the other has half written for what a killed run left, and take it away.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from yoimemory.jobs.lock import held

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace


@contextmanager
def alone(workspace: "Workspace") -> Iterator[None]:
    """Wait until no other run is over this workspace. The system frees it for the next one however this one ends."""
    folder = Path(settings.HOME) / "locks"
    folder.mkdir(mode=0o700, exist_ok=True)
    with held(folder / f"index-{workspace.public_id}", wait=True):
        yield
