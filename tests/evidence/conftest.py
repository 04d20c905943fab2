"""A small workspace on disk, a shoebox over it, and the people round it."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from shoebox.models import Shoebox
from tests.evidence.repository import Repository, make_repository
from tests.factories import make_person, make_shoebox, make_worker
from yoimemory.access.models import Actor
from yoimemory.sources.models import Workspace


@dataclass
class Desk:
    """What most tests of evidence need."""

    repository: Repository
    workspace: Workspace
    shoebox: Shoebox
    reviewer: Actor
    member: Actor
    worker: Actor


@pytest.fixture
def desk(tmp_path: Path, db: None) -> Desk:
    """A registered workspace with one shoebox, a reviewer, a member and a Worker."""
    repository = make_repository(tmp_path / "ws")
    workspace = repository.register()
    shoebox = make_shoebox(workspace)
    return Desk(
        repository=repository,
        workspace=workspace,
        shoebox=shoebox,
        reviewer=make_person(workspace, "reviewer", "rin"),
        member=make_person(workspace, "member", "mika"),
        worker=make_worker(workspace),
    )
