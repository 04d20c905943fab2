"""A database that is damaged while the server runs: named, mended where that is safe, nothing people made lost."""

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.surfaces.conftest import Answer, Server, make_repository, run, start

WAIT = 60.0
PAUSE = 0.1


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    base = tmp_path_factory.mktemp("troubled")
    root = make_repository(base / "house")
    assert run(base / "home", "index", str(root)).returncode == 0
    assert run(base / "home", "shoebox", "new", "--question", "Does the later clock win?").returncode == 0
    server = start(base, root)
    server.form(server.link, server.link)
    yield server
    server.process.terminate()
    server.process.wait(WAIT)


def until(server: Server, path: str, status: int, **headers: str) -> Answer:
    """The first answer with this status, asked for again and again."""
    end = time.monotonic() + WAIT
    while True:
        answer = server.ask("GET", path, **headers)
        if answer.status == status or time.monotonic() > end:
            assert answer.status == status, answer.text
            return answer
        time.sleep(PAUSE)


def until_there(folder: Path, pattern: str) -> None:
    """Return once a file of this name lies in the folder."""
    end = time.monotonic() + WAIT
    while not any(folder.glob(pattern)):
        assert time.monotonic() < end
        time.sleep(PAUSE)


def make_noise(home: Path, name: str) -> None:
    """Write noise over the file, as a failing disk or another program would, and over its log."""
    for end in ("", "-wal"):
        path = home / f"{name}.sqlite3{end}"
        if path.exists():
            size = path.stat().st_size
            with path.open("r+b") as file:
                file.write(os.urandom(size))


class TestAnIndexThatIsDamagedWhileServing:
    def test_is_named_set_aside_and_read_anew(self, server: Server) -> None:
        secret = json.loads(run(server.home, "token", "new", "reader", "--scope", "read", "--json").stdout)["token"]
        bearer = {"authorization": f"Bearer {secret}", "cookie": "-"}
        until(server, "/api/v1/search?q=clock", 200, **bearer)
        make_noise(server.home, "index")

        # Threads answer on from what they hold in memory until the file is seen to be noise; nobody has to ask.
        until_there(server.home, "damaged-*-index.sqlite3")
        answers = [server.ask("GET", "/api/v1/search?q=clock", **bearer)]
        while answers[-1].status != 200 or not json.loads(answers[-1].body)["items"]:
            assert len(answers) < WAIT / PAUSE
            time.sleep(PAUSE)
            answers.append(server.ask("GET", "/api/v1/search?q=clock", **bearer))
        inbox, page = server.ask("GET", "/").text, server.ask("GET", "/diagnostics/").text

        assert {answer.status for answer in answers} <= {200, 503}
        for answer in answers:
            if answer.status == 503:
                assert json.loads(answer.body)["code"] == "damaged_index"
                assert answer.headers["retry-after"] == "5"
        assert "<b>The index was damaged</b> and set aside" in inbox
        assert "Delete what was set aside" in page
        assert "Does the later clock win?" in server.ask("GET", "/shoeboxes/").text
        assert len(list(server.home.glob("damaged-*-index.sqlite3"))) == 1
        with closing(sqlite3.connect(server.home / "index.sqlite3")) as index:
            assert index.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
