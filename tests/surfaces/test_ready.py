"""Starting on a data folder of another time: older, newer, damaged, or killed while it was brought up to date."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.surfaces.conftest import environment, make_repository, run, start
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
LEFT_BEHIND = """
import os, pathlib, shutil, sys
from django.db.migrations.executor import MigrationExecutor
home, out = pathlib.Path(os.environ["YOIMEMORY_HOME"]), pathlib.Path(sys.argv[1])
real_record = MigrationExecutor.record_migration
count = 0
def keep(alias, migration, when):
    global count
    count += 1
    place = out / f"{count:03}-{alias}-{migration.app_label}-{migration.name}-{when}"
    place.mkdir()
    for path in home.glob(f"{alias}.sqlite3*"):
        shutil.copy2(path, place / path.name)
def record(self, migration):
    keep(self.connection.alias, migration, "made")
    real_record(self, migration)
    keep(self.connection.alias, migration, "recorded")
MigrationExecutor.record_migration = record
from yoimemory.cli import main
sys.exit(main(["status"]))
"""
"""A start that keeps, at two moments of every migration, the files that a kill would leave at that moment."""
SMALL_DISK = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
from yoimemory.cli import main
sys.exit(main(["status"]))
"""
"""A start on a disk that is full beyond 100 kB a file."""
PLAIN = """
import ctypes, sys
if sys.platform == "linux":
    for right in (1, 2, 3):  # to pass over permissions, to read anything, to act as any owner
        ctypes.CDLL(None).prctl(24, right, 0, 0, 0)
import os
os.execv(sys.executable, [sys.executable, "-m", "yoimemory.cli", *sys.argv[1:]])
"""
"""The command line without what lets root pass over the permissions of files."""


def play(home: Path, program: str, *arguments: str) -> int:
    return played(home, program, *arguments).returncode


def played(home: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, env=environment(home), capture_output=True, text=True, timeout=120, check=False)


def words_of(path: Path) -> str:
    """Everything that a database holds, as one text; opened as after a kill, so that its log is read too."""
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")]
        rows = {name: database.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}
        return repr((database.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall(), rows))


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


@pytest.fixture(scope="module")
def opened(old: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The older data folder after its first start with this version; it is copied, never used itself."""
    home = tmp_path_factory.mktemp("opened") / "home"
    shutil.copytree(old, home)
    assert run(home, "status").returncode == 4
    return home


@pytest.fixture
def ready(opened: Path, tmp_path: Path) -> Iterator[Path]:
    """A data folder of one's own that this version has opened."""
    home = Path(shutil.copytree(opened, tmp_path / "home"))
    yield home
    for place in (home, *home.iterdir()):
        place.chmod(0o700)


class TestAnOlderDataFolder:
    def test_is_copied_before_it_is_brought_up_to_date(self, ready: Path) -> None:
        home = ready

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

    def test_is_the_old_one_or_the_new_one_after_a_kill_at_any_moment(self, home: Path, tmp_path: Path) -> None:
        left = tmp_path / "left"
        left.mkdir()
        old = words_of(home / "default.sqlite3")

        assert play(home, LEFT_BEHIND, str(left)) == 4  # no workspace yet

        moments = sorted(left.glob("*-default-*"))
        assert len(moments) > 20
        assert [place.name for place in moments if words_of(place / "default.sqlite3") != old] == []
        assert words_of(home / "default.sqlite3") != old

    @pytest.mark.slow
    def test_has_an_index_again_after_a_kill_in_each_of_its_migrations(self, home: Path, tmp_path: Path) -> None:
        left = tmp_path / "left"
        left.mkdir()
        assert play(home, LEFT_BEHIND, str(left)) == 4
        moments = sorted(left.glob("*-index-search-*"))

        for place in moments:
            for old_one in home.glob("index.sqlite3*"):
                old_one.unlink()
            for path in place.iterdir():
                shutil.copy2(path, home / path.name)
            assert run(home, "status").returncode == 4, place.name
            assert list(faults(home / "index.sqlite3")) == [], place.name
            assert people(home / "default.sqlite3") == ["early"]

        assert len(moments) >= 8


class TestADataFolderThatMayOnlyBeRead:
    @pytest.mark.parametrize(("name", "mode"), [("default.sqlite3", 0o400), ("index.sqlite3", 0o400), (".", 0o500)])
    def test_is_named_with_what_to_do(self, ready: Path, name: str, mode: int) -> None:
        before = {path.name: path.read_bytes() for path in ready.glob("*.sqlite3")}
        (ready / name).chmod(mode)

        refused = played(ready, PLAIN, "status")

        assert refused.returncode == 3, refused.stderr
        assert f"{ready / name} may only be read" in refused.stderr
        assert "chmod u+w" in refused.stderr
        assert "Traceback" not in refused.stderr
        assert {path.name: path.read_bytes() for path in ready.glob("*.sqlite3")} == before

    @pytest.mark.parametrize(("name", "mode"), [("default.sqlite3", 0o400), (".", 0o500)])
    def test_is_a_finding_of_doctor(self, ready: Path, name: str, mode: int) -> None:
        (ready / name).chmod(mode)

        examined = played(ready, PLAIN, "doctor", "--json")

        assert examined.returncode == 1, examined.stderr
        [found] = [one for one in json.loads(examined.stdout)["findings"] if one["check"] == "writing"]
        assert found["level"] == "finding"
        assert "chmod u+w" in found["remedy"]


class TestAFullDisk:
    def test_lets_no_older_data_be_touched_without_a_copy(self, home: Path) -> None:
        before = words_of(home / "default.sqlite3")

        refused = played(home, SMALL_DISK)

        assert refused.returncode == 3
        assert "is not touched without a copy" in refused.stderr
        assert f"Free some room at {home}" in refused.stderr
        assert words_of(home / "default.sqlite3") == before
        assert run(home, "status").returncode == 4

    def test_is_named_where_a_new_folder_is_made(self, tmp_path: Path) -> None:
        refused = played(tmp_path / "home", SMALL_DISK)

        assert refused.returncode == 3
        assert "Traceback" not in refused.stderr
        assert "disk" in refused.stderr
        assert run(tmp_path / "home", "status").returncode == 4


class TestANewerDataFolder:
    def test_is_refused_and_not_touched(self, ready: Path) -> None:
        with closing(sqlite3.connect(ready / "default.sqlite3")) as database, database:
            database.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('products', '9999_x', 'x')")

        refused = run(ready, "status")

        assert refused.returncode == 3
        assert "written by a newer yoimemory (products.9999_x)" in refused.stderr
        assert "Install that version" in refused.stderr


class TestADamagedDatabase:
    def test_of_what_people_made_is_kept_and_the_last_copy_named(self, ready: Path) -> None:
        home = ready
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
