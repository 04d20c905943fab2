"""The verbs of the index: search it, build it, say where it stands."""

from yoimemory.search.beat import Progress, RunStopped
from yoimemory.search.positions import index_status
from yoimemory.search.services.indexing import IndexRun, index_workspace
from yoimemory.search.services.searching import search_sources
from yoimemory.search.standstill import note_seen, unseen

__all__ = [
    "IndexRun",
    "Progress",
    "RunStopped",
    "index_status",
    "index_workspace",
    "note_seen",
    "search_sources",
    "unseen",
]
