"""A long reading that a person stops: what was read stays, and the next one goes on from there (S43, in small)."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from tests.factories import NOON, make_person, make_workspace
from tests.search.stopping import take_short_steps
from yoimemory import work
from yoimemory.jobs.models import Job
from yoimemory.jobs.services import enqueue
from yoimemory.search.models import Document, Position
from yoimemory.search.services import indexing
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db(databases=["default", "index"])

FILES, AT = 60, 20


@pytest.fixture(autouse=True)
def _small(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take_short_steps(settings, tmp_path / "home", monkeypatch, BATCH_DOCUMENTS=5, LOOKED_AT_ONCE=10)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "many"
    root.mkdir()
    for number in range(FILES):
        (root / f"note-{number:03d}.md").write_text(f"# Note {number}\n\nThe lock number {number} is stale.\n")
    return make_workspace(root=str(root))


@pytest.fixture
def person(client: Client, workspace: Workspace) -> Client:
    user = make_person(workspace).user
    assert user is not None
    client.force_login(user)
    return client


def _held(workspace: Workspace) -> set[str]:
    return set(Document.objects.filter(workspace=workspace.public_id).values_list("ref", flat=True))


def _read_and_stop(workspace: Workspace, how: Any) -> Job:
    """Read, and stop as soon as some of it is in."""
    job = enqueue(Job.Kind.INDEX, workspace=workspace, now=NOON)

    def stop_half_way(done: int, total: int, note: str) -> None:
        if done >= AT and Job.objects.running().exists():
            how(job)

    work.work_off(stop_half_way)
    job.refresh_from_db()
    return job


class TestAStoppedReading:
    def test_keeps_what_was_read_and_is_gone_on_with(self, workspace: Workspace, person: Client) -> None:
        pages: list[int] = []

        def by_page(job: Job) -> None:
            pages.append(person.get("/search/", {"q": "stale"}).status_code)
            pages.append(person.post(f"/jobs/{job.public_id}/stop/").status_code)

        stopped = _read_and_stop(workspace, by_page)
        half = _held(workspace)
        enqueue(Job.Kind.INDEX, workspace=workspace, now=NOON)
        work.work_off()
        enqueue(Job.Kind.INDEX, workspace=workspace, now=NOON)
        work.work_off()

        went_on, nothing = Job.objects.order_by("pk")[1:]
        assert pages == [200, 302]
        assert (stopped.state, stopped.result) == ("stopped", {})
        assert "What was read stays" in stopped.note
        assert AT <= len(half) < FILES
        assert (went_on.state, went_on.result["changed"]) == ("done", FILES - len(half))
        assert nothing.result["changed"] == 0
        assert len(_held(workspace)) == FILES

    def test_is_no_longer_under_way_but_behind(self, workspace: Workspace, person: Client) -> None:
        _read_and_stop(workspace, lambda job: person.post(f"/jobs/{job.public_id}/stop/"))

        state = person.get("/api/v1/index").json()
        found = person.get("/api/v1/search", {"q": "stale"}).json()

        assert (state["running"], state["waiting"], state["job"]["state"]) == (False, False, "stopped")
        assert Position.objects.get(workspace=workspace.public_id).beat_at is None
        assert "index_behind" in json.dumps(found)

    def test_lets_the_next_one_look_at_every_quote(self, workspace: Workspace, person: Client) -> None:
        """What the stopped one changed is not among what the next one does."""
        _read_and_stop(workspace, lambda job: person.post(f"/jobs/{job.public_id}/stop/"))

        after = indexing.index_workspace(workspace, now=NOON)
        later = indexing.index_workspace(workspace, now=NOON, full=True)

        assert (after.after_break, later.after_break) == (True, False)

    def test_can_be_stopped_before_anything_is_written(self, workspace: Workspace, person: Client) -> None:
        job = enqueue(Job.Kind.INDEX, workspace=workspace, now=NOON)

        def stop_at_once(*_: Any) -> None:
            person.post(f"/jobs/{job.public_id}/stop/")

        work.work_off(stop_at_once)

        job.refresh_from_db()
        assert job.state == "stopped"
        assert _held(workspace) == set()


class TestStopping:
    def test_over_json_ends_what_waits(self, workspace: Workspace, person: Client) -> None:
        enqueue(Job.Kind.INDEX, workspace=workspace, now=NOON)
        token = person.get("/sources/").context["csrf_token"]

        told = person.post("/api/v1/index/stop", headers={"X-CSRFToken": str(token)})

        assert (told.status_code, told.json()["job"]["state"]) == (200, "stopped")
        assert Job.objects.open().count() == 0

    def test_of_what_has_ended_changes_nothing(self, workspace: Workspace, person: Client) -> None:
        done = Job.objects.create(workspace=workspace, kind="index", state="done", created_at=NOON, ended_at=NOON)

        answer = person.post(f"/jobs/{done.public_id}/stop/", headers={"HX-Request": "true"})

        done.refresh_from_db()
        assert (answer.status_code, done.state) == (200, "done")

    def test_is_offered_while_the_work_is_open(self, workspace: Workspace, person: Client) -> None:
        job = enqueue(Job.Kind.INDEX, workspace=workspace, now=NOON)

        assert "Stop the reading" in person.get(f"/jobs/{job.public_id}/").text
        assert "Stop the reading" in person.get("/diagnostics/").text
        person.post(f"/jobs/{job.public_id}/stop/")
        assert "Stop the reading" not in person.get(f"/jobs/{job.public_id}/").text
