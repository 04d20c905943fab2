"""Copies of what people made: whole or not there, verified before they count, put back without losing what stands."""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from tests.surfaces.conftest import Server, environment, git, make_repository, run, start
from yoimemory.cli import ready
from yoimemory.cli.keeping import _open
from yoimemory.desk import backups
from yoimemory.desk.troubles import DamagedData
from yoimemory.errors import BadInput, Refused

KILLED = 137
PROGRAM = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "yoimemory.settings"
import django
django.setup()
from yoimemory.cli import main
def die_at(at):
    count = 0
    def dying(real):
        def step(*args, **kwargs):
            nonlocal count
            count += 1
            if count == at:
                os._exit(137)
            return real(*args, **kwargs)
        return step
    for name in ("replace", "rename", "unlink", "fsync"):
        setattr(os, name, dying(getattr(os, name)))
for line in sys.stdin:
    child = os.fork()
    if not child:
        die_at(int(line))
        try:
            code = main(sys.argv[1:])
        except SystemExit as ended:
            code = ended.code
        os._exit(code)
    print("ended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""The command line, for each number n it is told, in a process that ends without a word at the n-th change of a file.

What is loaded is loaded once: the processes are copies of one that has not yet opened anything.
"""
WRITER = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "yoimemory.settings"
import django
django.setup()
from django.db import transaction
from django.utils import timezone
from yoimemory.journal.models import Event
from yoimemory.sources.models import Workspace
workspace, number = Workspace.objects.get(), 0
while True:
    number += 1
    with transaction.atomic():
        for _ in range(2):
            Event.objects.create(workspace=workspace, kind="query", subjects=[f"doc:n{number}.md"], at=timezone.now())
    print(number, flush=True)
"""
"""Somebody who writes all the time, two rows at once; each number is said once both stand."""
SMALL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
from yoimemory.cli import main
sys.exit(main(sys.argv[1:]))
"""
"""The command line on a disk that is full beyond 400 kB a file."""


def play(home: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(
        command, env=environment(home), capture_output=True, text=True, timeout=120, check=False
    )  # fmt: skip


def killed_at_each_step(home: Path, *arguments: str) -> Iterator[tuple[int, int]]:
    """Run a command again and again, killed one change of a file later each time; yield the step and how it ended."""
    command = [sys.executable, "-c", PROGRAM, *arguments]
    with subprocess.Popen(
        command, env=environment(home), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as player:
        assert player.stdin is not None
        assert player.stdout is not None
        for step in range(1, 30):
            player.stdin.write(f"{step}\n")
            player.stdin.flush()
            ended = next(line for line in player.stdout if line.startswith("ended "))
            yield step, int(ended.split()[1])
        player.stdin.close()


def contents(path: Path) -> dict[str, str]:
    """The digest of every row of every table, by table; what ends with a restore is left out."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: hashlib.sha256(repr(database.execute(f'SELECT * FROM "{name}"').fetchall()).encode()).hexdigest()
            for name in names
            if name not in {"django_session", "access_startlink"}
        }


def numbers_in(path: Path) -> dict[int, int]:
    """How many rows of each number a copy holds."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        asked = "SELECT subjects, count(*) FROM journal_event WHERE subjects LIKE '%doc:n%' GROUP BY 1"
        told = database.execute(asked).fetchall()
        return {int(subjects.split("doc:n")[1].split(".")[0]): count for subjects, count in told}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a workspace, a token and a shoebox, and a copy `copy.sqlite3` of it beside."""
    base = tmp_path_factory.mktemp("filled")
    root = make_repository(base / "house")
    home = base / "home"
    assert run(home, "index", str(root)).returncode == 0
    assert run(home, "token", "new", "early", "--scope", "read").returncode == 0
    assert run(home, "shoebox", "new", "--question", "Does the later clock win?").returncode == 0
    assert run(home, "backup", "--to", str(base / "copy.sqlite3")).returncode == 0
    return base


@pytest.fixture(scope="module")
def late(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same data folder with one token more; it is copied, never used itself."""
    home = tmp_path_factory.mktemp("late") / "home"
    shutil.copytree(filled / "home", home, symlinks=True)
    assert run(home, "token", "new", "late", "--scope", "read").returncode == 0
    return home


@pytest.fixture
def home(late: Path, tmp_path: Path) -> Path:
    """A data folder of one's own with the same data, and one token more."""
    return Path(shutil.copytree(late, tmp_path / "home", symlinks=True))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("served")
    running = start(folder, make_repository(folder / "house"))
    yield running
    running.process.terminate()
    running.process.wait(60)


class TestBackUp:
    def test_holds_every_row_and_says_so(self, filled: Path) -> None:
        told = json.loads((filled / "copy.sqlite3.json").read_text())

        assert contents(filled / "copy.sqlite3") == contents(filled / "home" / "default.sqlite3")
        assert told["format"] == "yoimemory-backup/1"
        assert told["tables"]["shoebox_shoebox"] == 1
        assert (filled / "copy.sqlite3").stat().st_mode & 0o077 == 0

    def test_is_taken_while_a_server_runs(self, server: Server) -> None:
        made = run(server.home, "backup", "--json", cwd=server.root)

        assert made.returncode == 0, made.stderr
        assert backups.verify(Path(json.loads(made.stdout)["path"])).rows > 0

    def test_is_complete_and_restorable_while_somebody_writes_all_the_time(self, home: Path, tmp_path: Path) -> None:
        command = [sys.executable, "-c", WRITER]
        with subprocess.Popen(command, env=environment(home), stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            try:
                copies = []
                for number in range(2):
                    acknowledged = int(writer.stdout.readline())
                    made = run(home, "backup", "--to", str(tmp_path / f"{number}.sqlite3"), "--json")
                    assert made.returncode == 0, made.stderr
                    copies.append((Path(json.loads(made.stdout)["path"]), acknowledged))
                assert writer.poll() is None
            finally:
                writer.kill()

        for path, acknowledged in copies:
            told, rows = backups.verify(path), numbers_in(path)
            assert told.tables["journal_event"] >= 2 * acknowledged
            assert set(rows.values()) == {2}, "no pair is torn"
            assert len(rows) == max(rows) >= acknowledged, "none that was acknowledged is missing"
        other = tmp_path / "elsewhere"
        assert run(other, "restore", str(copies[-1][0]), "--yes").returncode == 0
        assert contents(other / "default.sqlite3") == contents(copies[-1][0])

    def test_writes_over_no_file(self, home: Path, tmp_path: Path) -> None:
        (tmp_path / "mine").write_text("mine")

        refused = run(home, "backup", "--to", str(tmp_path / "mine"))

        assert refused.returncode == 2
        assert "is there already" in refused.stderr
        assert (tmp_path / "mine").read_text() == "mine"

    def test_stays_out_of_workspaces(self, filled: Path) -> None:
        refused = run(filled / "home", "backup", "--to", str(filled / "house" / "copy.sqlite3"))

        assert refused.returncode == 2
        assert "lies inside the workspace house" in refused.stderr
        assert git(filled / "house", "status", "--porcelain") == ""

    def test_leaves_nothing_on_a_full_disk(self, home: Path, tmp_path: Path) -> None:
        refused = play(home, SMALL, "backup", "--to", str(tmp_path / "copy.sqlite3"))

        assert refused.returncode == 3
        assert "No copy was made" in refused.stderr
        assert [path.name for path in tmp_path.iterdir()] == ["home"]
        assert run(home, "status").returncode == 0

    def test_keeps_a_bounded_number(self, tmp_path: Path, settings: Settings) -> None:
        settings.HOME = tmp_path
        now = datetime(2026, 7, 16, 12, tzinfo=UTC)
        for hours in range(0, 24 * 60, 6):
            name = f"default-{now - timedelta(hours=hours):%Y%m%dT%H%M%S%f}.sqlite3"
            (backups.folder() / name).touch()
            (backups.folder() / f"{name}.json").touch()

        gone = backups.prune()

        kept = [path.name[8:16] for path in backups.backups()]
        assert len(gone) == 240 - len(kept)
        assert 7 <= len(kept) <= 18
        assert kept[-1] == "20260716"
        assert len(set(kept)) >= 9, "the last days and weeks each keep one"
        assert len(list(backups.folder().iterdir())) == 2 * len(kept)


class TestVerify:
    def test_passes_a_copy_that_is_whole(self, filled: Path) -> None:
        assert backups.verify(filled / "copy.sqlite3").tables["access_token"] == 1

    def test_refuses_a_changed_byte(self, filled: Path, tmp_path: Path) -> None:
        data = bytearray((filled / "copy.sqlite3").read_bytes())
        data[-100] ^= 0xFF
        (tmp_path / "copy.sqlite3").write_bytes(data)
        (tmp_path / "copy.sqlite3.json").write_bytes((filled / "copy.sqlite3.json").read_bytes())

        with pytest.raises(backups.DamagedBackup, match="changed since it was made"):
            backups.verify(tmp_path / "copy.sqlite3")

    def test_refuses_a_damaged_one_without_its_manifest(self, filled: Path, tmp_path: Path) -> None:
        data = (filled / "copy.sqlite3").read_bytes()
        (tmp_path / "copy.sqlite3").write_bytes(data[:8192] + b"\x5a" * 20_000 + data[28_192:])

        with pytest.raises(backups.DamagedBackup, match="is damaged"):
            backups.verify(tmp_path / "copy.sqlite3")

    @pytest.mark.parametrize("data", [b"", b"hello", b"SQLite format 3\0"])
    def test_refuses_what_is_no_database(self, tmp_path: Path, data: bytes) -> None:
        (tmp_path / "x").write_bytes(data)

        with pytest.raises((backups.NotABackup, backups.DamagedBackup)):
            backups.verify(tmp_path / "x")

    @pytest.mark.parametrize(
        ("sql", "said"),
        [
            ("CREATE TRIGGER t AFTER INSERT ON access_token BEGIN DELETE FROM access_actor; END", "more than tables"),
            ("ALTER TABLE access_actor RENAME TO other_actor", "another program"),
            ("INSERT INTO django_migrations (app, name, applied) VALUES ('products', '9999_later', 'x')", "newer"),
            ("CREATE VIRTUAL TABLE told USING fts5(words)", "more than tables"),
            ("DELETE FROM django_migrations", "does not say which version"),
            ("ALTER TABLE access_actor RENAME COLUMN name TO called", "has no access_actor.name"),
            ("DROP TABLE sources_message", "has no sources_message"),
        ],
    )
    def test_refuses_what_we_did_not_make(self, filled: Path, tmp_path: Path, sql: str, said: str) -> None:
        copy = tmp_path / "copy.sqlite3"
        copy.write_bytes((filled / "copy.sqlite3").read_bytes())
        with closing(sqlite3.connect(copy)) as database, database:
            database.execute("PRAGMA foreign_keys=OFF")
            database.execute(sql)

        with pytest.raises((backups.NotABackup, backups.NewerBackup, backups.DamagedBackup), match=said):
            backups.verify(copy)

    def test_opens_no_pipe(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "copy.sqlite3")

        with pytest.raises(backups.NotABackup, match="is no file"):
            backups.verify(tmp_path / "copy.sqlite3")

    @pytest.mark.parametrize("change", [{"tables": "x"}, {"made_at": 5}, {"tables": {"a": "x"}}, None])
    def test_refuses_a_manifest_that_is_none(self, filled: Path, tmp_path: Path, change: dict[str, Any] | None) -> None:
        copy = tmp_path / "copy.sqlite3"
        copy.write_bytes((filled / "copy.sqlite3").read_bytes())
        told = json.loads((filled / "copy.sqlite3.json").read_text())
        written = "[" * 100_000 if change is None else json.dumps(told | change)
        copy.with_name("copy.sqlite3.json").write_text(written)

        with pytest.raises(backups.DamagedBackup, match="manifest"):
            backups.verify(copy)


class TestRestore:
    def test_brings_back_every_row_and_keeps_what_stood(self, filled: Path, home: Path) -> None:
        done = run(home, "restore", str(filled / "copy.sqlite3"), "--yes", "--json")

        [kept] = (home / "backups").glob("replaced-*.sqlite3")
        assert json.loads(done.stdout)["replaced"] == str(kept)
        assert contents(home / "default.sqlite3") == contents(filled / "copy.sqlite3")
        assert run(home, "restore", str(kept), "--yes").returncode == 0
        assert "late" in run(home, "token", "list").stdout

    def test_refuses_while_a_server_runs(self, filled: Path, server: Server) -> None:
        refused = run(server.home, "restore", str(filled / "copy.sqlite3"), "--yes")
        answer = server.ask("GET", "/livez")

        assert refused.returncode == 3
        assert "is running on this data folder" in refused.stderr
        assert answer.status == 200

    def test_asks_who_sits_there(self, filled: Path, home: Path) -> None:
        refused = run(home, "restore", str(filled / "copy.sqlite3"))

        assert refused.returncode == 2
        assert "nobody is here to be asked" in refused.stderr

    def test_looks_before_it_touches(self, home: Path, tmp_path: Path) -> None:
        (tmp_path / "noise").write_bytes(b"SQLite format 3\0" + b"\x5a" * 50_000)
        before = contents(home / "default.sqlite3")

        refused = run(home, "restore", str(tmp_path / "noise"), "--yes")

        assert refused.returncode in {2, 3}
        assert contents(home / "default.sqlite3") == before

    def test_brings_back_no_token_that_was_revoked_since(self, filled: Path, home: Path) -> None:
        assert run(home, "token", "revoke", "early").returncode == 0

        assert run(home, "restore", str(filled / "copy.sqlite3"), "--yes").returncode == 0

        [token] = json.loads(run(home, "token", "list", "--json").stdout)
        assert token["revoked_at"]

    def test_leaves_the_old_or_the_new_one_whenever_it_is_killed(self, filled: Path, home: Path) -> None:
        late, early = contents(home / "default.sqlite3"), contents(filled / "copy.sqlite3")
        seen = []

        for step, code in killed_at_each_step(home, "restore", str(filled / "copy.sqlite3"), "--yes"):
            stands = contents(home / "default.sqlite3")
            assert stands in (late, early), f"step {step}"
            seen.append(stands == early)
            if code != KILLED or seen[-1]:
                break

        assert seen[-1]
        assert len(seen) > 4, "it was killed at several moments"
        assert seen[:-1] == [False] * (len(seen) - 1)
        assert run(home, "status").returncode == 0
        assert not list(home.glob("restoring*"))

    def test_replaces_nothing_on_a_full_disk(self, filled: Path, home: Path) -> None:
        before = contents(home / "default.sqlite3")

        refused = play(home, SMALL, "restore", str(filled / "copy.sqlite3"), "--yes")

        assert refused.returncode == 3
        assert "Nothing was replaced" in refused.stderr
        assert contents(home / "default.sqlite3") == before

    def test_moves_to_another_machine(self, filled: Path, tmp_path: Path) -> None:
        moved = make_repository(tmp_path / "elsewhere")
        other = tmp_path / "other"

        done = run(other, "restore", str(filled / "copy.sqlite3"), "--yes", "--root", f"house={moved}")
        indexed = run(other, "index", "--workspace", "house", "--json")

        assert done.returncode == 0, done.stderr
        assert json.loads(indexed.stdout)["documents"]
        assert "Does the later clock win?" in run(other, "shoebox", "list", "--workspace", "house").stdout

    def test_names_the_folders_that_are_not_there(self, filled: Path, tmp_path: Path) -> None:
        copy = tmp_path / "copy.sqlite3"
        copy.write_bytes((filled / "copy.sqlite3").read_bytes())
        with closing(sqlite3.connect(copy)) as database, database:
            database.execute("UPDATE sources_workspace SET root = '/no/such', identity = '/no/such'")

        done = run(tmp_path / "home", "restore", str(copy), "--yes")

        assert "The folder of house is not on this machine" in done.stdout
        assert run(tmp_path / "home", "doctor").returncode == 1

    def test_is_not_for_tokens(self, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        from yoimemory.cli import main

        monkeypatch.setenv("YOIMEMORY_TOKEN", "yoim_x")

        assert main(["restore", str(filled / "copy.sqlite3"), "--yes"]) == 3


class TestOpening:
    def test_that_fails_says_that_the_copy_is_in_place_and_where_the_old_data_lies(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(**_: object) -> None:
            raise DamagedData("The data is damaged.", hint="Nothing was changed.")

        monkeypatch.setattr(ready, "make_ready", fail)

        with pytest.raises(Refused, match="is in place, and cannot be opened: The data is damaged") as told:
            _open(tmp_path / "copy.sqlite3", tmp_path / "replaced")

        assert str(tmp_path / "replaced") in told.value.hint
        assert "Nothing was changed" not in f"{told.value.message} {told.value.hint}"


class TestMoveWorkspace:
    @pytest.mark.django_db
    def test_takes_no_folder_of_another(self, tmp_path: Path) -> None:
        from tests.factories import NOON
        from yoimemory.sources.moving import move_workspace
        from yoimemory.sources.services import register_workspace

        first = register_workspace(make_repository(tmp_path / "a"), now=NOON)[0]
        register_workspace(make_repository(tmp_path / "b"), now=NOON)

        with pytest.raises(BadInput, match="is the workspace b"):
            move_workspace(first, tmp_path / "b")
