"""Starting on a data folder of another time: older, newer, damaged, or killed while it was brought up to date."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.surfaces.conftest import environment, make_repository, run, start
from yoimemory.cli.ready import DamagedData, ReadOnlyData, _unusable
from yoimemory.desk.backups import faults, verify

KILLED = 137
FIRST_TABLES = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "yoimemory.settings"
import django
django.setup()
from django.apps import apps
from django.core.management import call_command
from django.db.migrations.loader import MigrationLoader
first = {}
for label, name in sorted(MigrationLoader(None).disk_migrations):
    first.setdefault(label, name)
for label, name in first.items():
    if label != "search":
        call_command("migrate", label, name, verbosity=0)
from django.contrib.auth.models import User
from django.utils import timezone
User(username="early", last_login=timezone.now()).save()
"""
"""A data folder as the first version made it, with somebody in it."""
DYING = """
import os, sys
at, count = int(sys.argv[1]), 0
from django.db.migrations.executor import MigrationExecutor
real = MigrationExecutor.apply_migration
def apply(self, state, migration, **kwargs):
    global count
    count += 1
    if count == at:
        with self.connection.schema_editor(atomic=migration.atomic) as editor:
            migration.apply(state, editor)
            os._exit(137)
    return real(self, state, migration, **kwargs)
MigrationExecutor.apply_migration = apply
from yoimemory.cli import main
sys.exit(main(["status"]))
"""
"""A start that is killed in the middle of the n-th migration, after its tables were made and before they count."""


def play(home: Path, program: str, *arguments: str) -> int:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, env=environment(home), capture_output=True, timeout=120, check=False).returncode


def people(path: Path) -> list[str]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        return [row[0] for row in database.execute("SELECT username FROM auth_user")]


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("old")
    assert play(home, FIRST_TABLES) == 0
    return home


@pytest.fixture
def home(old: Path, tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    database = "default.sqlite3"
    with closing(sqlite3.connect(old / database)) as source, closing(sqlite3.connect(home / database)) as goal:
        source.backup(goal)
    return home


class TestAnOlderDataFolder:
    def test_is_copied_before_it_is_brought_up_to_date(self, home: Path) -> None:
        assert run(home, "status").returncode == 4  # no workspace yet

        [copy] = (home / "backups").glob("default-*.sqlite3")
        assert people(copy) == people(home / "default.sqlite3") == ["early"]
        assert verify(copy).rows > 0
        assert run(home, "restore", str(copy), "--yes").returncode == 0
        assert people(home / "default.sqlite3") == ["early"]

    def test_survives_kills_in_three_of_its_migrations(self, home: Path) -> None:
        kills = 0
        for at in (1, 2, 4):
            kills += play(home, DYING, str(at)) == KILLED
            assert list(faults(home / "default.sqlite3")) == []

        assert kills
        assert run(home, "status").returncode == 4
        oldest = min((home / "backups").glob("default-*.sqlite3"))
        assert people(oldest) == people(home / "default.sqlite3") == ["early"]


class TestANewerDataFolder:
    def test_is_refused_and_not_touched(self, home: Path) -> None:
        run(home, "status")
        with closing(sqlite3.connect(home / "default.sqlite3")) as database, database:
            database.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('products', '9999_x', 'x')")

        refused = run(home, "status")

        assert refused.returncode == 3
        assert "written by a newer yoimemory (products.9999_x)" in refused.stderr
        assert "Install that version" in refused.stderr


class TestADamagedDatabase:
    def test_of_what_people_made_is_kept_and_the_last_copy_named(self, home: Path) -> None:
        run(home, "status")
        assert run(home, "backup").returncode == 0
        newest = max((home / "backups").glob("default-*.sqlite3"))
        noise = os.urandom(200_000)
        for end in ("-wal", "-shm"):
            (home / f"default.sqlite3{end}").unlink(missing_ok=True)
        (home / "default.sqlite3").write_bytes(noise)

        refused = run(home, "serve", "--no-open", "--port", "1")
        doctor = run(home, "doctor")

        assert refused.returncode == 3
        assert "cannot be read" in refused.stderr
        assert f"yoimemory restore {newest}" in refused.stderr
        assert (home / "default.sqlite3").read_bytes() == noise
        assert doctor.returncode in {1, 2}
        assert run(home, "restore", str(newest), "--yes").returncode == 0
        assert people(home / "default.sqlite3")
        [kept] = (home / "backups").glob("replaced-*.sqlite3")
        assert kept.read_bytes() == noise

    def test_of_the_index_is_set_aside_and_read_anew_with_a_banner(self, tmp_path: Path) -> None:
        home, root = tmp_path / "home", make_repository(tmp_path / "house")
        assert run(home, "index", str(root)).returncode == 0
        for end in ("-wal", "-shm"):
            (home / f"index.sqlite3{end}").unlink(missing_ok=True)
        (home / "index.sqlite3").write_bytes(os.urandom(200_000))

        server = start(tmp_path, root)
        try:
            server.form(server.link, server.link)
            inbox, page = server.ask("GET", "/").text, server.ask("GET", "/diagnostics/").text
        finally:
            server.process.terminate()
            server.process.wait(60)

        assert "The index was damaged" in server.errors.read_text()
        assert "<b>The index was damaged</b> and set aside" in inbox
        assert "An index was damaged and set aside" in page
        assert len(list(home.glob("damaged-*-index.sqlite3"))) == 1
        assert run(home, "index", str(root)).returncode == 0
        assert run(home, "search", "later clock", cwd=root).returncode == 0


class TestUnusable:
    def test_tells_a_file_that_may_only_be_read(self) -> None:
        from django.db import OperationalError

        error = _unusable(OperationalError("attempt to write a readonly database"))

        assert isinstance(error, ReadOnlyData)
        assert "may only be read" in error.message

    def test_tells_any_other_damage(self) -> None:
        from django.db import DatabaseError

        assert isinstance(_unusable(DatabaseError("malformed")), DamagedData)
