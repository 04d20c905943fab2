"""Many at once against the real server on SQLite: nothing fails, nothing is lost, nothing comes twice (S37, S41).

Shortened here; the whole minute runs under the marker `slow`, and `python -m bench.workers` measures it.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.conftest import Server, make_repository, run, start

WRITERS, READERS = 8, 20


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server without a throttle, with one shoebox."""
    folder = tmp_path_factory.mktemp("busy")
    server = start(folder, make_repository(folder / "house"), YOIMEMORY_CALLS_A_MINUTE="0")
    yield server
    server.stop()


class Worker:
    """A Worker over the wire."""

    def __init__(self, server: Server) -> None:
        made = run(server.home, "token", "new", "many", "--scope", "propose", "--json", cwd=server.root)
        self.server, self.secret = server, json.loads(made.stdout)["token"]

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None, key: str = "") -> tuple[int, Any]:
        headers = {"authorization": f"Bearer {self.secret}", "content_type": "application/json", "cookie": ""}
        if key:
            headers["idempotency_key"] = key
        answer = self.server.ask(method, f"/api/v1{path}", json.dumps(body) if body else "", **headers)
        return answer.status, json.loads(answer.body)

    def shoebox(self) -> str:
        status, made = self.ask("POST", "/shoeboxes", {"question": "Which clock wins?", "gather": False})
        assert status == 201, made
        return str(made["ref"])

    def claims(self, shoebox: str) -> list[str]:
        """Every claim of a shoebox, page by page."""
        rows, cursor = [], ""
        while True:
            _, page = self.ask("GET", f"/hypotheses?shoebox={shoebox}&limit=200&cursor={cursor}")
            rows += [row["claim"] for row in page["items"]]
            cursor = page["next_cursor"]
            if not cursor:
                return rows


@pytest.fixture(scope="module")
def worker(busy: Server) -> Worker:
    return Worker(busy)


def loose(worker: Worker, root: Path, seconds: float) -> tuple[list[str], list[int], list[str]]:
    """Let writers, readers and an indexer work at once; what was acknowledged, every status, what is stored."""
    shoebox, end = worker.shoebox(), time.monotonic() + seconds
    acknowledged: list[str] = []
    statuses: list[int] = []
    lock = threading.Lock()

    def until_the_end(do: Callable[[int, int], None]) -> Callable[[int], None]:
        def loop(number: int) -> None:
            count = 0
            while time.monotonic() < end:
                count += 1
                do(number, count)

        return loop

    def write(number: int, count: int) -> None:
        claim = f"Writer {number} says this at {count}."
        status, _ = worker.ask("POST", "/hypotheses", {"shoebox": shoebox, "claim": claim}, key=f"{number}-{count}")
        with lock:
            statuses.append(status)
            acknowledged.extend([claim] if status == 201 else [])

    def read(number: int, count: int) -> None:
        paths = ("/search?q=clock", f"/shoeboxes/{shoebox.partition(':')[2]}", "/evidence", "/hypotheses", "/index")
        status, _ = worker.ask("GET", paths[count % len(paths)])
        with lock:
            statuses.append(status)

    def index(number: int, count: int) -> None:
        (root / f"note-{number}-{count}.md").write_text(f"# Note {count}\n\nThe clock says {count}.\n")
        done = run(worker.server.home, "index", str(root), "--json")
        with lock:
            statuses.append(200 if done.returncode == 0 else 599)

    with ThreadPoolExecutor(WRITERS + READERS + 1) as pool:
        work = [pool.submit(until_the_end(write), number) for number in range(WRITERS)]
        work += [pool.submit(until_the_end(read), number) for number in range(READERS)]
        work += [pool.submit(until_the_end(index), 0)]
        for each in work:
            each.result()
    return acknowledged, statuses, worker.claims(shoebox)


class TestManyAtOnce:
    def test_lose_nothing_double_nothing_and_see_no_lock(self, busy: Server, worker: Worker) -> None:
        acknowledged, statuses, stored = loose(worker, busy.root, 3)

        assert set(statuses) <= {200, 201}
        assert acknowledged
        assert sorted(stored) == sorted(acknowledged)
        assert "locked" not in busy.errors.read_text()

    @pytest.mark.slow
    def test_do_so_for_a_whole_minute(self, busy: Server, worker: Worker) -> None:
        acknowledged, statuses, stored = loose(worker, busy.root, 60)

        assert set(statuses) <= {200, 201}
        assert sorted(stored) == sorted(acknowledged)


class TestOneKeyAtOnce:
    def test_has_one_effect_and_one_answer(self, worker: Worker) -> None:
        shoebox, gate = worker.shoebox(), threading.Barrier(WRITERS)
        body = {"shoebox": shoebox, "claim": "The tablets agree before they sync."}

        def send(_: int) -> tuple[int, Any]:
            gate.wait(30)
            return worker.ask("POST", "/hypotheses", body, key="the-same")

        with ThreadPoolExecutor(WRITERS) as pool:
            answers = list(pool.map(send, range(WRITERS)))
        later = worker.ask("POST", "/hypotheses", body, key="the-same")

        assert {status for status, _ in answers} <= {201, 409}
        assert {made["id"] for status, made in [*answers, later] if status == 201} == {later[1]["id"]}
        assert all("running" in made["message"] or made["hint"] for status, made in answers if status == 409)
        assert worker.claims(shoebox) == [body["claim"]]

    def test_is_remembered_after_a_restart(self, tmp_path: Path) -> None:
        server = start(tmp_path, make_repository(tmp_path / "house"))
        worker = Worker(server)
        body = {"shoebox": worker.shoebox(), "claim": "The tablets agree before they sync."}
        first = worker.ask("POST", "/hypotheses", body, key="kept")
        server.stop()

        worker.server = start(tmp_path, server.root, home=server.home)
        try:
            again = worker.ask("POST", "/hypotheses", body, key="kept")
            other = worker.ask("POST", "/hypotheses", {**body, "claim": "Something else entirely."}, key="kept")

            assert again == first
            assert other[0] == 422
            assert worker.claims(body["shoebox"]) == [body["claim"]]
        finally:
            worker.server.stop()
