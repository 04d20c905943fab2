"""A repository to write in, and how to read all of it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.factories import NOON
from tests.sources.repository import Repo
from yoimemory.sources.models import Workspace
from yoimemory.sources.readers import READERS
from yoimemory.sources.reading import Document, Unreadable
from yoimemory.sources.services import register_workspace
from yoimemory.sources.trees import open_tree

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "work")


@pytest.fixture
def register() -> Callable[[Path], Workspace]:
    return lambda root: register_workspace(root, now=NOON)[0]


def read_all(workspace: Workspace, revision: str = "") -> tuple[dict[str, Document], list[Unreadable]]:
    """Every document of a tree by its ref, and everything that could not be read."""
    documents: dict[str, Document] = {}
    unreadable: list[Unreadable] = []
    with open_tree(workspace, revision) as tree:
        for reader in READERS:
            for unit in reader.units(tree):
                for found in reader.read(tree, unit):
                    if isinstance(found, Unreadable):
                        unreadable.append(found)
                    else:
                        assert str(found.ref) not in documents, "two documents have one address"
                        documents[str(found.ref)] = found
    return documents, unreadable


def shared(*parts: str) -> Path:
    """A file of the shared folder, or a skip that says why."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"The shared folder with {'/'.join(parts)} is not beside this checkout.")
    return path
