"""Making the data folder ready: tables of this version, after a copy of what people made."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connections, transaction  # noqa: TID251 (the tables are made before there are any models)
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from yoimemory.desk.backups import BackupFailed, back_up
from yoimemory.desk.mending import LOCK, replace_index
from yoimemory.desk.troubles import Busy, NoRoom, ReadOnlyData, damaged_data, read_only, trouble_of
from yoimemory.errors import Refused
from yoimemory.jobs.lock import IN_USE, held


class NewerData(Refused):
    """The data folder was written by a newer version of the program."""


class NoCopyFirst(Refused):
    """What people made could not be copied before its tables are changed."""


class BeingRestored(Refused):
    """A copy is taking the place of the data at this moment."""


@contextmanager
def in_use() -> Iterator[None]:
    """Say that this process has the data folder open.

    Raises BeingRestored while a copy is put in place, and ReadOnlyData where nothing may be written.
    """
    _require_writable(Path(settings.HOME))
    with held(Path(settings.HOME) / IN_USE, together=True) as mine:
        if not mine:
            raise BeingRestored("A copy is being put in place of the data.", hint="Try again in a moment.")
        yield


def _require_writable(home: Path) -> None:
    """Look before anything is opened: SQLite opens what it may only read, and fails at the first write."""
    for place in (home, home / "default.sqlite3", home / "index.sqlite3"):
        if place.exists() and not os.access(place, os.W_OK):
            raise read_only(place)


def make_ready(*, thorough: bool = False) -> None:
    """Bring both databases to this version's tables; two processes that start together take turns.

    `thorough`: look into both files first, so that damage is told at the start and not on some page.
    Raises NewerData, ReadOnlyData, NoRoom or DamagedData; none of them touches the file.
    """
    with held(settings.HOME / LOCK, wait=True):
        try:
            _look_into("default", thorough=thorough)
            _migrate("default")
        except DatabaseError as error:
            raise trouble_of(error, alias="default") or damaged_data(str(error)) from error
        try:
            _look_into("index", thorough=thorough)
            _migrate("index")
        except DatabaseError as error:
            if isinstance(trouble := trouble_of(error, alias="index"), NoRoom | ReadOnlyData | Busy):
                raise trouble from error
            aside = replace_index(timezone.now())
            sys.stderr.write(f"The index was damaged. It is kept as {aside} and read anew from the sources.\n")


def _look_into(alias: str, *, thorough: bool) -> None:
    """Raise DatabaseError if the file is damaged, as far as a look at the start can tell."""
    if not thorough:
        return
    with connections[alias].cursor() as cursor:
        cursor.execute("PRAGMA quick_check(1)")
        told = cursor.fetchone()[0]
    if told != "ok":
        raise DatabaseError(told)


def _migrate(alias: str) -> None:
    executor = MigrationExecutor(connections[alias])
    known, applied = set(executor.loader.disk_migrations), set(executor.loader.applied_migrations)
    ours = {label for label, _ in known}
    newer = {f"{label}.{name}" for label, name in applied - known if label in ours}
    if newer:
        raise NewerData(
            f"The data folder was written by a newer yoimemory ({', '.join(sorted(newer))}).",
            hint="Install that version, or set YOIMEMORY_HOME to another folder. Nothing was changed.",
        )
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        if alias == "default" and applied:
            _copy_first()
        # The index is derived: one that was left half-way is set aside; and its space is handed back by a statement
        # that no transaction may hold.
        with _all_or_nothing(alias) if alias == "default" else nullcontext():
            call_command("migrate", database=alias, verbosity=0, interactive=False)
        _keep_private(alias)


def _copy_first() -> None:
    """Keep what people made as it is, before its tables change. Raises NoCopyFirst."""
    try:
        back_up(now=timezone.now())
    except BackupFailed as error:
        raise NoCopyFirst(
            f"The data is of an older version, and is not touched without a copy. {error.message}",
            hint=f"Free some room at {settings.HOME}, then start again.",
        ) from error


@contextmanager
def _all_or_nothing(alias: str) -> Iterator[None]:
    """One transaction over all migrations: whenever it is killed, the tables are those of before or those of after.

    Django writes down that a migration was made after its tables stand; killed between the two, it
    would stumble over them at every start.
    """
    connection = connections[alias]
    connection.disable_constraint_checking()  # as the schema editor asks for before a transaction; it checks by itself
    try:
        with transaction.atomic(using=alias):
            yield
    finally:
        connection.enable_constraint_checking()


def _keep_private(alias: str) -> None:
    for path in Path(settings.HOME).glob(f"{alias}.sqlite3*"):
        with suppress(OSError):
            path.chmod(0o600)
