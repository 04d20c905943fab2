"""The dependency graph of the sample's first scenario: what blocked at its instant, and no longer did later."""

import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hypotheses.kinds.dependency_graph import DependencyGraph, build_dependency_graph
from shoebox.models import Shoebox
from tests.factories import NOON, make_shoebox
from yoimemory.search.services import index_workspace
from yoimemory.sources.models import Workspace
from yoimemory.sources.services import register_workspace

SAMPLES = Path(__file__).resolve().parents[2].parent / "shared" / "samples"

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not SAMPLES.is_dir(), reason="The sample workspace is not beside this checkout."),
]

SKILLS, WORKFLOW, KNOWLEDGE = (f"ticket:{name}" for name in ("00001KXKMX0QM", "00001KXKJGYGD", "00001KXKP2A71"))
QUEUED = datetime(2026, 7, 15, 21, 26, 30, tzinfo=UTC)
CLOSED = datetime(2026, 7, 15, 23, 1, 21, tzinfo=UTC)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """The sample's tickets, indexed; the rest of it says nothing of dependencies."""
    whole, root = tmp_path / "whole", tmp_path / "sample"
    maker = str(SAMPLES / "make_workspace.py")
    subprocess.run([sys.executable, maker, str(whole)], check=True, capture_output=True, timeout=120)
    shutil.copytree(whole / ".yoi", root / ".yoi")
    workspace, _ = register_workspace(root, now=NOON)
    index_workspace(workspace, now=NOON)
    return workspace


def graph_at(workspace: Workspace, at: datetime) -> DependencyGraph:
    shoebox: Shoebox = make_shoebox(workspace, task=SKILLS, as_of=at)
    return build_dependency_graph(shoebox, [])


def test_the_ticket_was_blocked_when_it_was_queued_and_no_longer_later(workspace: Workspace) -> None:
    then, later = graph_at(workspace, QUEUED), graph_at(workspace, CLOSED)

    waits = {(edge.source, edge.target) for edge in then.edges if edge.kind == "depends_on"}
    assert {(SKILLS, WORKFLOW), (SKILLS, KNOWLEDGE)} <= waits
    assert {node.ref: node.state for node in then.nodes if node.ref in {SKILLS, WORKFLOW, KNOWLEDGE}} == {
        SKILLS: "queued", WORKFLOW: "inprogress", KNOWLEDGE: "queued",
    }  # fmt: skip
    assert [node.ref for node in then.nodes if node.blocked and node.ref == SKILLS] == [SKILLS]
    assert {(edge.source, edge.target) for edge in later.edges if edge.kind == "depends_on"} >= waits
    assert not any(edge.blocking for edge in later.edges if edge.source == SKILLS and edge.kind == "depends_on")
    assert not any(node.blocked for node in later.nodes if node.ref == SKILLS)

    assert not any(node.circle for node in then.nodes)
