"""An indexer that is killed at any moment leaves whole documents only, and the next run ends where one run would."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.search.index_rows import Rows, rows_by

ROOT = Path(__file__).resolve().parents[2]
TICKETS, FILES, COMMITS = 40, 60, 60


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small repository with enough in it that indexing takes a while."""
    folder = tmp_path_factory.mktemp("repository")
    for number in range(TICKETS):
        ticket = folder / ".yoi" / "tickets" / f"00001KXKMX{number:03d}"
        ticket.mkdir(parents=True)
        (ticket / "item.md").write_text(
            f"---\ntitle: 'Lock {number} の再構築'\nstate: 'ready'\ncreated_at: '2026-07-01T00:00:00Z'\n"
            f"updated_at: '2026-07-01T00:00:00Z'\n---\n\n" + f"The lock of worker {number} is stale.\n" * 40
        )
        (ticket / "thread.md").write_text(
            "".join(
                f"<!-- event: comment author: hana at: 2026-07-0{n}T00:00:00Z -->\n\n"
                f"## Note {n}\n\n失敗した {number}\n\n---\n\n"
                for n in range(1, 6)
            )
        )
    for number in range(FILES):
        path = folder / "src" / f"part{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"def worker_{number}_{n}():\n    return {n}\n\n\n" for n in range(60)))
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    for number in range(COMMITS):
        (folder / "log.txt").write_text(f"{number}\n")
        git(folder, "add", "log.txt")
        git(folder, "commit", "-q", "-m", f"Step {number}")
    return folder


@pytest.fixture(scope="module")
def undisturbed(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Rows, float]:
    """What one run leaves, and how long it takes."""
    home = tmp_path_factory.mktemp("undisturbed")
    process = start(home, repository)
    begin = time.monotonic()
    assert wait_for(process, "done")
    return rows_of(home), time.monotonic() - begin


class TestKilledIndex:
    def test_ends_like_an_undisturbed_run(
        self, repository: Path, undisturbed: tuple[Rows, float], tmp_path: Path
    ) -> None:
        kill_and_compare(repository, undisturbed, tmp_path, times=3)

    @pytest.mark.slow
    def test_ends_so_after_many_kills(self, repository: Path, undisturbed: tuple[Rows, float], tmp_path: Path) -> None:
        kill_and_compare(repository, undisturbed, tmp_path, times=100)


def kill_and_compare(repository: Path, undisturbed: tuple[Rows, float], home: Path, *, times: int) -> None:
    rows, seconds = undisturbed
    moments = random.Random(7)
    for number in range(times):
        if number % 20 == 0:
            for file in home.glob("index.sqlite3*"):
                file.unlink()
        process = start(home, repository)
        time.sleep(moments.uniform(0, seconds))
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
        check_whole(home, rows)
    process = start(home, repository)
    assert wait_for(process, "done")
    assert rows_of(home) == rows


def start(home: Path, repository: Path) -> "subprocess.Popen[str]":
    """A process that is about to index."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.search.index_once", str(repository)],
        cwd=ROOT,
        env={**os.environ, "YOIMEMORY_HOME": str(home)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def wait_for(process: "subprocess.Popen[str]", line: str) -> bool:
    out, _ = process.communicate(timeout=120)
    return process.returncode == 0 and line in out


def check_whole(home: Path, expected: Rows) -> None:
    """Every document that is there is whole, and the file is sound."""
    with index_of(home) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        for table in ("search_part", "search_whole"):
            database.execute(f"INSERT INTO {table}({table}) VALUES ('integrity-check')")
        database.rollback()
    for ref, parts in rows_of(home)["passages"].items():
        assert parts == expected["passages"][ref], ref


def rows_of(home: Path) -> Rows:
    """All that the index of a home says."""
    with index_of(home) as database:
        return rows_by(lambda sql: database.execute(sql).fetchall())


class index_of:  # noqa: N801 - used like a function
    """The index database of a home, opened by itself and closed again."""

    def __init__(self, home: Path) -> None:
        self.database = sqlite3.connect(home / "index.sqlite3")

    def __enter__(self) -> sqlite3.Connection:
        return self.database

    def __exit__(self, *exc: object) -> None:
        self.database.close()


def git(folder: Path, *args: str) -> None:
    who = {"GIT_AUTHOR_NAME": "hana", "GIT_AUTHOR_EMAIL": "hana@example.invalid"}
    who |= {"GIT_COMMITTER_NAME": "hana", "GIT_COMMITTER_EMAIL": "hana@example.invalid"}
    subprocess.run(["git", *args], cwd=folder, check=True, env={**os.environ, **who}, timeout=30)
