"""The keeper of the indexer's child: a real process, started when there is work, ended with the server."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from pytest_django.fixtures import Settings

from tests.factories import NOON, make_workspace
from yoimemory.jobs import child
from yoimemory.jobs.child import Keeper
from yoimemory.jobs.lock import INDEXER, held
from yoimemory.jobs.models import Job
from yoimemory.jobs.services import enqueue

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_home(settings: Settings, tmp_path: Path) -> None:
    """Test processes side by side would wait for one another's lock."""
    settings.HOME = tmp_path


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Every child sleeps instead of working: it would look into the real home's database."""
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def sleeping(command: list[str], **options: object) -> subprocess.Popen[bytes]:
        assert command[1:3] == ["-m", "yoimemory.work"]
        started.append(popen(["sleep", "30"], start_new_session=True))
        return started[-1]

    monkeypatch.setattr(child.subprocess, "Popen", sleeping)
    yield started
    for process in started:
        process.kill()
        process.wait()


class TestKeeper:
    def test_starts_a_child_when_there_is_work(self, started: list[subprocess.Popen[bytes]]) -> None:
        keeper = Keeper()
        assert not keeper.look()
        enqueue(Job.Kind.INDEX, workspace=make_workspace(), now=NOON)

        assert keeper.look()
        assert not keeper.look()

        assert len(started) == 1

    def test_starts_another_when_the_child_was_killed_over_it(self, started: list[subprocess.Popen[bytes]]) -> None:
        keeper = Keeper()
        Job.objects.create(
            workspace=make_workspace(), kind=Job.Kind.INDEX, state=Job.State.RUNNING, created_at=NOON, attempts=1
        )
        keeper.look()
        started[0].kill()
        started[0].wait()

        assert keeper.look()

    def test_leaves_it_to_a_process_that_holds_the_lock(self, started: list[subprocess.Popen[bytes]]) -> None:
        enqueue(Job.Kind.INDEX, workspace=make_workspace(), now=NOON)

        with held(settings.HOME / INDEXER):
            assert not Keeper().look()

        assert started == []

    def test_ends_the_child_with_the_server(self, started: list[subprocess.Popen[bytes]]) -> None:
        keeper = Keeper()
        enqueue(Job.Kind.INDEX, workspace=make_workspace(), now=NOON)
        keeper.look()

        began = time.monotonic()
        keeper.stop()

        assert time.monotonic() - began < Keeper.GRACE
        assert started[0].poll() is not None

    def test_kills_a_child_that_will_not_end(
        self, monkeypatch: pytest.MonkeyPatch, started: list[subprocess.Popen[bytes]]
    ) -> None:
        monkeypatch.setattr(Keeper, "GRACE", 0.2)
        keeper = Keeper()
        enqueue(Job.Kind.INDEX, workspace=make_workspace(), now=NOON)
        keeper.look()
        os.kill(started[0].pid, signal.SIGSTOP)  # stopped, so that it does not hear the request to end

        keeper.stop()

        assert started[0].poll() is not None
