"""A stop at the end of a reading, where order is made and quotes are looked at, and a stop of a reading of all."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from pytest_django.fixtures import Settings

from evidence.models import Placement
from evidence.schemas import EvidenceDraft
from evidence.services import extract_evidence
from tests.factories import NOON, make_person, make_shoebox
from tests.search.index_rows import Rows, rows_by
from tests.search.stopping import take_short_steps
from tests.sources.repository import Repo
from yoimemory import work
from yoimemory.cli import main
from yoimemory.jobs.models import Job
from yoimemory.jobs.services import enqueue
from yoimemory.search.models import Document, Position
from yoimemory.search.services import unseen
from yoimemory.sources.models import Workspace
from yoimemory.sources.services import register_workspace

pytestmark = pytest.mark.django_db(databases=["default", "index"])

NOTES = 20
IN_THE_INDEX = ["putting the index in order", "counting", "naming", "dating", "done"]
AFTER_IT = ["placing quotes again", "looking what stands", "looking where"]


@pytest.fixture(autouse=True)
def _small(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take_short_steps(settings, tmp_path / "home", monkeypatch, BATCH_DOCUMENTS=3, TIDY_AFTER=1)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "work")
    for number in range(NOTES):
        made.write(f"docs/note-{number:02d}.md", f"# Note {number}\n\nThe lock number {number} is stale.\n")
    made.commit("Write the notes")
    made.ticket("00001KCNTR01A", thread="<!-- event: comment author: h at: 2026-07-01T00:00:00Z -->\n\nSo.\n")
    made.commit("Open a ticket")
    return made


@pytest.fixture
def workspace(repo: Repo) -> Workspace:
    return register_workspace(repo.root, now=NOON)[0]


@pytest.fixture
def person(client: Client, workspace: Workspace) -> Client:
    user = make_person(workspace).user
    assert user is not None
    client.force_login(user)
    return client


def read(workspace: Workspace, watch: Callable[[int, int, str], None] | None = None, **wishes: Any) -> Job:
    job = enqueue(Job.Kind.INDEX, workspace=workspace, now=NOON, arguments=wishes)
    work.work_off(watch)
    job.refresh_from_db()
    return job


def stop_at(person: Client, note: str, after: int = 0) -> Callable[[int, int, str], None]:
    """What stops the reading on its page as it comes to a step."""

    def watch(done: int, total: int, told: str) -> None:
        job = Job.objects.running().first()
        if told.startswith(note) and done >= after and job is not None:
            person.post(f"/jobs/{job.public_id}/stop/")

    return watch


def rows() -> Rows:
    def fetch(sql: str) -> list[Any]:
        with connections["index"].cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall()

    return rows_by(fetch)


def quote(workspace: Workspace, words: str) -> int:
    draft = EvidenceDraft(
        ref="doc:docs/note-00.md", quote=words, relation="contextualizes", why="It is about the lock."
    )
    box = make_shoebox(workspace)
    return extract_evidence(box, [draft], actor=make_person(workspace), now=NOON).stored[0].pk


class TestAStopWhileTheIndexIsPutInOrder:
    @pytest.mark.parametrize("step", IN_THE_INDEX)
    def test_is_heard_and_the_next_run_ends_as_one_would(
        self, repo: Repo, workspace: Workspace, person: Client, step: str
    ) -> None:
        read(workspace)
        undisturbed = rows()
        repo.write("docs/note-00.md", "# Note 0\n\nThe lock is free.\n")
        repo.commit("Free it")
        stopped = read(workspace, stop_at(person, step))
        state = person.get("/api/v1/index").json()

        went_on = read(workspace)

        after = rows()
        assert (stopped.state, stopped.result) == ("stopped", {})
        assert (state["running"], state["job"]["state"], state["behind"]) == (False, "stopped", 1)
        assert Position.objects.get(workspace=workspace.public_id).beat_at is None
        assert (went_on.state, went_on.result["changed"]) == ("done", 0)
        assert after["position"] != undisturbed["position"]
        read(workspace, full=True)
        assert rows() == after


class TestAStopWhileQuotesAreLookedAt:
    @pytest.mark.parametrize("step", AFTER_IT)
    def test_leaves_none_of_them_out(self, repo: Repo, workspace: Workspace, person: Client, step: str) -> None:
        read(workspace)
        pk = quote(workspace, "The lock number 0 is stale.")
        read(workspace)
        repo.write("docs/note-00.md", "# Note 0\n\nNothing of it is left.\n")
        repo.commit("Take it away")
        before = Placement.objects.filter(evidence=pk).count()
        stopped = read(workspace, stop_at(person, step))
        left = unseen(workspace)

        went_on = read(workspace)

        latest = Placement.objects.filter(evidence=pk).order_by("pk").last()
        assert latest is not None
        assert (stopped.state, bool(left)) == ("stopped", True)
        assert (went_on.state, unseen(workspace)) == ("done", 0)
        assert Placement.objects.filter(evidence=pk).count() > before
        assert latest.state in {"orphaned", "source-changed"}
        assert person.get("/api/v1/index").json()["job"]["state"] == "done"

    def test_is_told_at_the_terminal(
        self, workspace: Workspace, person: Client, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        watch = stop_at(person, "placing quotes again")
        monkeypatch.setattr("yoimemory.cli.index.Bar.__call__", lambda _, *told: watch(*told))

        code = main(["index", "--workspace", workspace.slug])

        told = capsys.readouterr()
        assert code != 0
        assert "What was read stays" in told.err
        assert "Go on: yoimemory index" in told.err


class TestAStoppedReadingOfAll:
    @pytest.mark.parametrize("after", [1, 9, 15, NOTES])
    def test_is_gone_on_with_and_ends_as_one_run_would(
        self, repo: Repo, workspace: Workspace, person: Client, monkeypatch: pytest.MonkeyPatch, after: int
    ) -> None:
        read(workspace)
        undisturbed = rows()
        Document.objects.filter(workspace=workspace.public_id).update(title="Damaged")
        stopped = read(workspace, stop_at(person, "", after), full=True)
        damaged = Document.objects.filter(title="Damaged").count()

        went_on = read(workspace)

        assert stopped.state == "stopped"
        assert damaged > 0
        assert (went_on.state, rows()) == ("done", undisturbed)
        assert Document.objects.filter(title="Damaged").count() == 0
