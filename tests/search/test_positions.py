"""Where the index stands says that a change waits, that the last reading failed, and why changes come in late."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.factories import NOON, make_workspace
from yoimemory.jobs.models import Job
from yoimemory.jobs.services import enqueue, fail
from yoimemory.search.schemas import SearchQuery
from yoimemory.search.services import index_status, index_workspace, search_sources
from yoimemory.sources.models import Workspace
from yoimemory.sources.watchstate import WatchState, forget_states, note_state

pytestmark = pytest.mark.django_db(databases=["default", "index"])


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "a.md").write_text("# A\n\nwords\n")
    workspace = make_workspace(tmp_path)
    index_workspace(workspace, now=NOON)
    yield workspace
    forget_states()


class TestIndexStatus:
    def test_says_that_a_noticed_change_waits(self, home: Workspace) -> None:
        assert not index_status(home).waiting

        enqueue(Job.Kind.INDEX, workspace=home, now=NOON)

        assert index_status(home).waiting
        answer = search_sources(SearchQuery(query="nowhere"), workspace=home, now=NOON)
        assert answer.nothing == "index_behind"

    def test_says_that_the_last_reading_failed(self, home: Workspace) -> None:
        fail(enqueue(Job.Kind.INDEX, workspace=home, now=NOON), note="The disk is full.", now=NOON)

        status = index_status(home)

        assert (status.waiting, status.problem) == (True, "The last reading of the sources failed: The disk is full.")

    def test_says_why_changes_come_in_late(self, home: Workspace) -> None:
        note_state(home.pk, WatchState(False, "Its files are looked at in turns."))

        assert index_status(home).problem == "Its files are looked at in turns."
        answer = search_sources(SearchQuery(query="nowhere"), workspace=home, now=NOON)
        assert answer.nothing == "empty"
