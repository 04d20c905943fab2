"""Two runs over one workspace: the second waits for the first."""

import subprocess
import sys
import threading
from datetime import UTC, datetime

import pytest
from django.conf import settings

from tests.search.shelf import Shelf, doc
from yoimemory.jobs.lock import is_free
from yoimemory.search.alone import alone
from yoimemory.search.models import Document
from yoimemory.search.services import index_workspace

HOLD = """
import sys, time
from pathlib import Path
from yoimemory.jobs.lock import held
with held(Path(sys.argv[1])) as mine:
    print(mine, flush=True)
    time.sleep(60)
"""
"""Another process that is over the same workspace."""


@pytest.mark.django_db(transaction=True, databases=["default", "index"])
class TestAlone:
    def test_lets_a_run_wait_until_the_other_one_is_over(self, shelf: Shelf) -> None:
        order: list[str] = []

        def second() -> None:
            with alone(shelf.workspace):
                order.append("second")

        waiting = threading.Thread(target=second)

        def told(done: int, total: int, note: str) -> None:
            if not order:
                waiting.start()
                waiting.join(0.2)
                order.append("first")

        shelf.put(doc("doc:a.md", "one"), doc("doc:b.md", "two"))
        index_workspace(shelf.workspace, now=datetime.now(UTC), progress=told)
        waiting.join(10)

        assert order == ["first", "second"]
        assert Document.objects.count() == 2

    def test_lets_another_process_in_first_until_that_was_killed(self, shelf: Shelf) -> None:
        with alone(shelf.workspace):
            pass  # the folder of the locks is there now
        path = settings.HOME / "locks" / f"index-{shelf.workspace.public_id}"
        waiting = threading.Thread(target=index_workspace, args=[shelf.workspace], kwargs={"now": datetime.now(UTC)})
        waiting_ended_early = True

        with subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE) as other:
            assert other.stdout is not None
            other.stdout.readline()
            waiting.start()
            waiting.join(0.2)
            waiting_ended_early = not waiting.is_alive()
            other.kill()
        waiting.join(10)

        assert not waiting_ended_early
        assert not waiting.is_alive()

    def test_is_over_when_the_run_broke_off(self, shelf: Shelf) -> None:
        with pytest.raises(RuntimeError), alone(shelf.workspace):
            raise RuntimeError

        assert is_free(settings.HOME / "locks" / f"index-{shelf.workspace.public_id}")
