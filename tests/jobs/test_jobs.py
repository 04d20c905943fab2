"""Long work: asked for once, claimed once, reported on, taken up when it was lost."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from pytest_django.fixtures import Settings

from tests.factories import NOON, make_workspace
from yoimemory import work
from yoimemory.desk import indexing
from yoimemory.errors import Refused
from yoimemory.jobs.lock import INDEXER, held, is_free
from yoimemory.jobs.models import Job, JobQuerySet
from yoimemory.jobs.services import enqueue, fail, finish, give_back, put_back, report
from yoimemory.search.services import IndexRun
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db

INDEX = Job.Kind.INDEX


@pytest.fixture(autouse=True)
def _own_home(settings: Settings, tmp_path: Path) -> None:
    """Test processes side by side would wait for one another's lock."""
    settings.HOME = tmp_path


@pytest.fixture
def workspace() -> Workspace:
    return make_workspace(slug="house")


def _running(workspace: Workspace, **fields: Any) -> Job:
    fields = {"state": Job.State.RUNNING, "attempts": 1, "pid": 1, "created_at": NOON, **fields}
    return Job.objects.create(workspace=workspace, kind=INDEX, **fields)


class TestEnqueue:
    def test_joins_what_already_waits(self, workspace: Workspace) -> None:
        first = enqueue(INDEX, workspace=workspace, now=NOON)
        second = enqueue(INDEX, workspace=workspace, now=NOON, arguments={"full": True})

        first.refresh_from_db()
        assert first == second
        assert first.arguments == {"full": True}

    def test_is_work_of_its_own_when_what_waited_begins_in_that_moment(
        self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first, read = enqueue(INDEX, workspace=workspace, now=NOON), JobQuerySet.first

        def begun(jobs: JobQuerySet) -> Job | None:
            job = read(jobs)
            Job.objects.filter(pk=first.pk).update(state=Job.State.RUNNING)
            return job

        monkeypatch.setattr(JobQuerySet, "first", begun)
        second = enqueue(INDEX, workspace=workspace, now=NOON, arguments={"full": True})

        assert second != first
        assert (second.state, second.arguments) == ("waiting", {"full": True})

    def test_waits_behind_what_runs(self, workspace: Workspace) -> None:
        running = _running(workspace)

        waiting = enqueue(INDEX, workspace=workspace, now=NOON)

        assert waiting != running
        assert Job.objects.open().count() == 2

    def test_is_apart_for_each_workspace(self, workspace: Workspace) -> None:
        enqueue(INDEX, workspace=workspace, now=NOON)
        enqueue(INDEX, workspace=make_workspace(), now=NOON)

        assert Job.objects.waiting().count() == 2


class TestClaim:
    def test_takes_the_oldest_once(self, workspace: Workspace) -> None:
        older = enqueue(INDEX, workspace=workspace, now=NOON)
        newer = enqueue(INDEX, workspace=make_workspace(), now=NOON)

        taken = [Job.objects.claim(now=NOON, pid=7) for _ in range(3)]

        assert taken == [older, newer, None]
        assert taken[0] is not None
        assert (taken[0].state, taken[0].pid, taken[0].attempts) == ("running", 7, 1)


class TestProgress:
    def test_is_written_while_it_runs(self, workspace: Workspace) -> None:
        job = _running(workspace)

        report(job, done=30, total=120, note="x" * 400, now=NOON)

        job.refresh_from_db()
        assert (job.percent, len(job.note), job.beat_at) == (25, 300, NOON)

    def test_ends_with_a_result_or_a_sentence(self, workspace: Workspace) -> None:
        good, bad = _running(workspace), _running(make_workspace())

        finish(good, result={"changed": 1}, now=NOON)
        fail(bad, note="The folder is gone.", now=NOON)

        good.refresh_from_db()
        bad.refresh_from_db()
        assert (good.state, good.result, good.ended_at) == ("done", {"changed": 1}, NOON)
        assert (bad.state, bad.note) == ("failed", "The folder is gone.")


class TestPutBack:
    def test_lets_lost_work_wait_again(self, workspace: Workspace) -> None:
        job = _running(workspace, arguments={"full": True})

        assert put_back(now=NOON) == 1

        job.refresh_from_db()
        assert (job.state, job.arguments, job.pid) == ("waiting", {"full": True}, None)

    def test_gives_up_after_some_attempts(self, workspace: Workspace) -> None:
        job = _running(workspace, attempts=Job.ATTEMPTS_MAX)

        assert put_back(now=NOON) == 0

        job.refresh_from_db()
        assert job.state == "failed"
        assert "start it again" in job.note

    def test_leaves_it_to_the_one_that_waits(self, workspace: Workspace) -> None:
        job = _running(workspace)
        waiting = enqueue(INDEX, workspace=workspace, now=NOON)

        put_back(now=NOON)

        job.refresh_from_db()
        assert job.state == "failed"
        assert Job.objects.waiting().get() == waiting

    def test_does_not_count_what_was_stopped_on_purpose(self, workspace: Workspace) -> None:
        job = _running(workspace, attempts=2)

        give_back(job)

        job.refresh_from_db()
        assert (job.state, job.attempts) == ("waiting", 1)


class TestLock:
    def test_is_held_by_one(self, tmp_path: Path) -> None:
        path = tmp_path / "lock"

        with held(path) as first, held(path) as second:
            assert (first, second) == (True, False)
            assert not is_free(path)

        assert is_free(path)


class TestWorkOff:
    @pytest.fixture
    def runs(self, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
        runs: list[dict[str, Any]] = []

        def index(workspace: Workspace, *, progress: Any, **asked: Any) -> IndexRun:
            runs.append({"workspace": workspace, **asked})
            progress(1, 2, "half-way")
            if workspace.slug == "gone":
                raise Refused("The folder is gone.", hint="Bring it back.")
            if workspace.slug == "bug":
                raise ZeroDivisionError
            if workspace.slug == "stop":
                raise SystemExit(143)
            return IndexRun(commit="a" * 40, added=3, seconds=0.123)

        monkeypatch.setattr(indexing, "index_workspace_and_recheck", index)
        return runs

    def test_does_all_that_waits(self, workspace: Workspace, runs: list[dict[str, Any]]) -> None:
        seen: list[tuple[int, int, str]] = []
        enqueue(INDEX, workspace=workspace, now=NOON, arguments={"full": True, "revision": "b" * 40})
        enqueue(INDEX, workspace=make_workspace(), now=NOON)

        assert work.work_off(lambda *told: seen.append(told))

        assert [(run["full"], run["revision"]) for run in runs] == [(True, "b" * 40), (False, "")]
        assert seen == [(1, 2, "half-way")] * 2
        job = Job.objects.order_by("pk")[0]
        assert (job.state, job.total, job.result["commit"], job.result["seconds"]) == ("done", 2, "a" * 40, 0.12)

    def test_takes_up_what_was_lost(self, workspace: Workspace, runs: list[dict[str, Any]]) -> None:
        job = _running(workspace)

        work.work_off()

        job.refresh_from_db()
        assert (job.state, job.attempts) == ("done", 2)

    def test_leaves_all_to_whoever_is_at_it(self, workspace: Workspace, runs: list[dict[str, Any]]) -> None:
        enqueue(INDEX, workspace=workspace, now=NOON)

        with held(settings.HOME / INDEXER):
            assert not work.work_off()

        assert runs == []

    def test_goes_on_after_a_refusal_and_after_a_fault(
        self, runs: list[dict[str, Any]], caplog: pytest.LogCaptureFixture
    ) -> None:
        for slug in ("gone", "bug", "fine"):
            enqueue(INDEX, workspace=make_workspace(slug=slug), now=NOON)

        work.work_off()

        notes = dict(Job.objects.values_list("workspace__slug", "note"))
        states = dict(Job.objects.values_list("workspace__slug", "state"))
        assert states == {"gone": "failed", "bug": "failed", "fine": "done"}
        assert notes["gone"] == "The folder is gone. Bring it back."
        assert "fault of ours" in notes["bug"]
        assert "ZeroDivisionError" in caplog.text

    def test_puts_its_job_back_when_stopped(self, runs: list[dict[str, Any]]) -> None:
        job = enqueue(INDEX, workspace=make_workspace(slug="stop"), now=NOON)

        with pytest.raises(SystemExit):
            work.work_off()

        job.refresh_from_db()
        assert (job.state, job.attempts) == ("waiting", 0)
        assert is_free(settings.HOME / INDEXER)
