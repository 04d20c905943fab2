"""What befalls the database files is told as a sentence on every surface; a fault of ours stays one."""

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.db import DatabaseError, IntegrityError, OperationalError, connections, transaction
from django.test import Client
from pytest_django.fixtures import Settings

from tests.factories import NOON, make_owner, make_system, make_token, make_workspace
from yoimemory.desk import inbox, mending, troubles, watching
from yoimemory.desk.mending import serving
from yoimemory.desk.troubles import trouble_of
from yoimemory.journal.models import Change
from yoimemory.search import services as search

pytestmark = pytest.mark.django_db
LOCKED = OperationalError("database is locked")


@contextmanager
def pragma(name: str, value: int) -> Iterator[None]:
    """A limit of the engine itself, so that it refuses as it would on a worse machine."""
    raw = connections["default"].connection
    before = raw.execute(f"PRAGMA {name}").fetchone()[0]
    raw.execute(f"PRAGMA {name}={value}")
    try:
        yield
    finally:
        raw.execute(f"PRAGMA {name}={before}")


def write(text: str = "x") -> None:
    Change.objects.create(actor=make_system(), at=NOON, verb="x", subject="y", after={"text": text})


def noise_read() -> DatabaseError:
    """What the engine itself says of a file of noise."""
    with tempfile.NamedTemporaryFile() as file, closing(sqlite3.connect(file.name)) as database:
        file.write(os.urandom(20_000))
        file.flush()
        with pytest.raises(sqlite3.DatabaseError) as caught:
            database.execute("PRAGMA schema_version")
        return DatabaseError(str(caught.value))


def damaged_under(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is raised come from the index, outside the transaction that a test runs in."""
    index = SimpleNamespace(in_atomic_block=False, settings_dict={"NAME": "index.sqlite3"}, close=lambda: None)
    monkeypatch.setattr(mending, "connections", {"index": index})
    monkeypatch.setattr(mending, "trouble_of", lambda error: trouble_of(error, alias="index"))


def raising(error: DatabaseError) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


class TestTroubleOf:
    def test_names_a_database_that_may_only_be_read(self) -> None:
        actor = make_system()

        with pragma("query_only", 1), pytest.raises(DatabaseError) as caught, transaction.atomic():
            Change.objects.create(actor=actor, at=NOON, verb="x", subject="y")

        told = trouble_of(caught.value)
        assert isinstance(told, troubles.ReadOnlyData)
        assert "default.sqlite3 may only be read" in told.message
        assert "chmod u+w" in told.hint

    def test_names_a_full_disk(self) -> None:
        with pragma("max_page_count", 1), pytest.raises(DatabaseError) as caught, transaction.atomic():
            write("x" * 3_000_000)

        told = trouble_of(caught.value)
        assert isinstance(told, troubles.NoRoom)
        assert "Free some room" in told.hint

    @pytest.mark.parametrize(
        ("words", "alias", "kind"),
        [
            ("database disk image is malformed", "index", troubles.DamagedIndex),
            ("file is not a database", "index", troubles.DamagedIndex),
            ("no such table: search_document", "index", troubles.DamagedIndex),
            ("database disk image is malformed", "default", troubles.DamagedData),
            ("unable to open database file", "index", troubles.ReadOnlyData),
            ("disk I/O error", "default", troubles.DiskTrouble),
            ("database is locked", "default", troubles.Busy),
        ],
    )
    def test_tells_which_it_was_and_what_to_do(self, words: str, alias: str, kind: type[troubles.Unserved]) -> None:
        told = trouble_of(OperationalError(words), alias=alias)

        assert type(told) is kind
        assert told.status == 503
        assert told.hint

    @pytest.mark.parametrize(
        "error",
        [OperationalError("no such column: x"), OperationalError("near x: syntax error"), IntegrityError("UNIQUE")],
    )
    def test_leaves_a_fault_of_ours_as_it_is(self, error: DatabaseError) -> None:
        assert trouble_of(error, alias="default") is None
        with pytest.raises(type(error)), serving():
            raise error

    def test_names_the_newest_copy_of_what_people_made(self, settings: Settings, tmp_path: Path) -> None:
        settings.HOME = tmp_path
        (tmp_path / "backups").mkdir()
        copy = tmp_path / "backups" / "default-20260716T120000000000.sqlite3"
        copy.touch()

        told = trouble_of(OperationalError("file is not a database"), alias="default")

        assert told is not None
        assert f"yoimemory restore {copy}" in told.hint


class TestEverySurface:
    def raising(self, *_: object, **__: object) -> None:
        raise LOCKED

    def test_tells_it_on_a_page_of_its_own(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        make_workspace()
        owner = make_owner()
        assert owner.user is not None
        client.force_login(owner.user)
        monkeypatch.setattr(inbox, "index_set_aside", self.raising)

        page = client.get("/")
        part = client.get("/", headers={"HX-Request": "true"})

        assert (page.status_code, page["Retry-After"]) == (503, "5")
        assert "Another process writes at this moment" in page.text
        assert 'href="/"' in page.text
        assert part.status_code == 409
        assert "<html" not in part.text
        assert "Another process writes" in part.text

    def test_tells_it_before_any_view(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        from yoimemory.desk import middleware

        make_workspace()
        owner = make_owner()
        assert owner.user is not None
        client.force_login(owner.user)
        client.raise_request_exception = False
        monkeypatch.setattr(middleware, "actor_for_user", self.raising)

        page = client.get("/")

        assert page.status_code == 503
        assert "Another process writes" in page.text

    def test_tells_it_in_json(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        headers = {"Authorization": f"Bearer {make_token(make_workspace())[1]}"}
        monkeypatch.setattr(search, "index_status", self.raising)

        answer = client.get("/api/v1/index", headers=headers)

        assert (answer.status_code, answer["Retry-After"]) == (503, "5")
        assert answer.json()["code"] == "busy"
        assert answer.json()["hint"] == "Try again in a moment."

    def test_tells_a_damaged_index_and_sees_to_it(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        headers = {"Authorization": f"Bearer {make_token(make_workspace())[1]}"}
        mended = []
        monkeypatch.setattr(mending, "mend_index", lambda **_: mended.append(1))
        damaged_under(monkeypatch)
        monkeypatch.setattr(search, "index_status", raising(noise_read()))

        answer = client.get("/api/v1/index", headers=headers)

        assert (answer.status_code, answer["Retry-After"]) == (503, "5")
        assert answer.json()["code"] == "damaged_index"
        assert "read anew" in answer.json()["message"]
        assert mended == [1]


class TestLookingAtTheIndex:
    def test_sees_to_one_that_cannot_be_read_any_more(self, monkeypatch: pytest.MonkeyPatch) -> None:
        mended = []
        monkeypatch.setattr(mending, "mend_index", lambda **_: mended.append(1))
        damaged_under(monkeypatch)
        monkeypatch.setattr(watching, "read_a_row", raising(noise_read()))

        watching.look_at_index()

        assert mended == [1]

    def test_leaves_a_whole_one_as_it_is(self, monkeypatch: pytest.MonkeyPatch) -> None:
        mended = []
        monkeypatch.setattr(mending, "mend_index", lambda **_: mended.append(1))

        watching.look_at_index()

        assert mended == []


class TestMendingTheIndex:
    def test_is_a_button_for_owners(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        from tests.factories import make_person

        workspace = make_workspace()
        mended = []
        monkeypatch.setattr("yoimemory.desk.diagnostics.mend_index", lambda **_: mended.append(1))
        for person, status in ((make_person(workspace, "reviewer"), 403), (make_owner(), 302)):
            assert person.user is not None
            client.force_login(person.user)
            assert client.post("/diagnostics/mend/").status_code == status

        assert mended == [1]

    def test_forgets_what_was_set_aside(self, client: Client, settings: Settings, tmp_path: Path) -> None:
        settings.HOME = tmp_path
        make_workspace()
        owner = make_owner()
        assert owner.user is not None
        client.force_login(owner.user)
        (tmp_path / "damaged-20260716T120000-index.sqlite3").touch()

        client.post("/diagnostics/forget/")

        assert not list(tmp_path.glob("damaged-*"))

    def test_is_left_to_who_comes_first(
        self, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.HOME = tmp_path
        monkeypatch.setattr(mending, "_mark", lambda: (1, 2))
        monkeypatch.setattr(mending._seen, "mark", (1, 1), raising=False)

        assert mending.mend_index(now=NOON) is None
        assert not list(tmp_path.glob("damaged-*"))
