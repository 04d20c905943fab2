"""The copy of the day: taken when something was written since the last one, a bounded number kept."""

import os
from pathlib import Path

import pytest
from django.db import OperationalError
from django.utils import timezone
from pytest_django.fixtures import Settings

from yoimemory.desk import daily
from yoimemory.desk.backups import BackupFailed

NOW = timezone.now()


@pytest.fixture
def home(tmp_path: Path, settings: Settings) -> Path:
    settings.HOME = tmp_path
    (tmp_path / "backups").mkdir()
    return tmp_path


def at(path: Path, hours_ago: float) -> None:
    path.touch()
    os.utime(path, (NOW.timestamp() - hours_ago * 3600,) * 2)


class TestIsDue:
    @pytest.mark.parametrize(
        ("written", "copied", "due"),
        [(1, None, True), (1, 25, True), (30, 25, False), (1, 23, False), (None, None, False), (None, 30, False)],
    )
    def test_when_the_newest_copy_is_a_day_old_and_something_was_written(
        self, home: Path, written: float | None, copied: float | None, due: bool
    ) -> None:
        if written is not None:
            at(home / "default.sqlite3", 100)
            at(home / "default.sqlite3-wal", written)
        if copied is not None:
            at(home / "backups" / "default-20260716T120000000000.sqlite3", copied)

        assert daily.is_due(now=NOW) is due


class TestCopyIfDue:
    def test_takes_one_and_no_second(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        at(home / "default.sqlite3", 1)
        taken = []

        def back_up(**_: object) -> None:
            at(home / "backups" / "default-20260716T120000000000.sqlite3", 0)
            taken.append(1)

        monkeypatch.setattr(daily, "back_up", back_up)

        daily.copy_if_due(now=NOW)
        daily.copy_if_due(now=NOW)

        assert len(taken) == 1

    @pytest.mark.parametrize("error", [BackupFailed("No copy was made."), OperationalError("database is locked")])
    def test_goes_on_without_one_that_cannot_be_made(
        self, home: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, caplog: pytest.LogCaptureFixture
    ) -> None:
        at(home / "default.sqlite3", 1)

        def fail(**_: object) -> None:
            raise error

        monkeypatch.setattr(daily, "back_up", fail)

        assert daily.copy_if_due(now=NOW) is None
        assert "The copy of the day was not made" in caplog.text


class TestDailyCopy:
    def test_looks_by_itself_and_ends(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        import threading

        looked = threading.Event()
        monkeypatch.setattr(daily, "copy_if_due", lambda **_: looked.set())
        monkeypatch.setattr(daily, "FIRST", 0.0)
        copier = daily.daily_copy()

        copier.start()
        seen = looked.wait(30)
        copier.stop()

        assert seen
        assert not copier._thread.is_alive()

    def test_goes_on_after_a_look_that_failed(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        import threading

        looks: list[int] = []
        again = threading.Event()

        def fail_once(**_: object) -> None:
            looks.append(1)
            if len(looks) == 1:
                raise OSError("gone")
            again.set()

        monkeypatch.setattr(daily, "copy_if_due", fail_once)
        monkeypatch.setattr(daily, "FIRST", 0.0)
        monkeypatch.setattr(daily, "LOOK", 0.0)
        copier = daily.daily_copy()

        copier.start()
        seen = again.wait(30)
        copier.stop()

        assert seen
