"""Records and messages that are kept for a workspace, and the files of record folders that could not be kept."""

from collections.abc import Iterator

from yoimemory.refs import SourceRef
from yoimemory.sources.imports import faults_of, record_files
from yoimemory.sources.kept import KEPT, KeptTree
from yoimemory.sources.reading import Document, Tree, Unit, Unreadable


class KeptReader:
    """One unit is one record with its latest snapshot, one message, or one file of a record folder."""

    name = KEPT

    def units(self, tree: Tree) -> Iterator[Unit]:
        for folder in tree.folders:
            if isinstance(folder.tree, KeptTree):
                for ref, mark in folder.tree.files().items():
                    yield Unit(ref, self.name, mark, (ref,), folder.pk)
            elif folder.kind == "record":
                for path, mark in record_files(folder.tree):
                    key = str(SourceRef("doc", path)).partition(":")[2]
                    yield Unit(f"{KEPT}:{folder.pk}/{key}", self.name, mark, (path,), folder.pk)

    def read(self, tree: Tree, unit: Unit) -> Iterator[Document | Unreadable]:
        folder = next((folder for folder in tree.folders if folder.pk == unit.folder), None)
        if folder is None:
            return
        if isinstance(folder.tree, KeptTree):
            yield folder.tree.document(unit.paths[0])
        else:
            yield from faults_of(folder, unit.paths[0])
