"""Making the data folder ready: tables of this version, after a copy of what people made."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connections  # noqa: TID251 (backup speaks to SQLite itself)
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from yoimemory.errors import Refused
from yoimemory.jobs.lock import held

BACKUPS_KEPT = 7
_LOCK = "migrate.lock"


class NewerData(Refused):
    """The data folder was written by a newer version of the program."""


class DamagedData(Refused):
    """The database of what people made cannot be read."""


def make_ready() -> None:
    """Bring both databases to this version's tables; two processes that start together take turns.

    Raises NewerData, or DamagedData; neither touches the file.
    """
    with held(settings.HOME / _LOCK, wait=True):
        try:
            _migrate("default")
        except DatabaseError as error:
            newest = max(backups(), default=None)
            raise DamagedData(
                f"The database {settings.HOME / 'default.sqlite3'} cannot be read: {error}.",
                hint=f"Nothing was changed. The newest copy is {newest}." if newest else "There is no copy of it yet.",
            ) from error
        try:
            _migrate("index")
        except DatabaseError:
            _set_index_aside()
            _migrate("index")


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
            back_up()
        call_command("migrate", database=alias, verbosity=0, interactive=False)
        _keep_private(alias)


def _keep_private(alias: str) -> None:
    for path in Path(settings.HOME).glob(f"{alias}.sqlite3*"):
        with suppress(OSError):
            path.chmod(0o600)


def backups() -> list[Path]:
    """The copies of the default database, by name and so by time."""
    return sorted((Path(settings.HOME) / "backups").glob("default-*.sqlite3"))


def back_up() -> Path:
    """Copy the default database while it may be in use; the copy is whole or not there."""
    folder = Path(settings.HOME) / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    goal = folder / f"default-{timezone.now():%Y%m%dT%H%M%S%f}.sqlite3"
    partial = goal.with_suffix(".partial")
    connection = connections["default"]
    connection.ensure_connection()
    with closing(sqlite3.connect(partial)) as copy:
        connection.connection.backup(copy)
    partial.chmod(0o600)
    partial.replace(goal)
    for old in backups()[:-BACKUPS_KEPT]:
        old.unlink()
    return goal


def _set_index_aside() -> None:
    """The index is derived: a damaged one is kept for a look and built anew."""
    connections["index"].close()
    stamp = f"{timezone.now():%Y%m%dT%H%M%S}"
    for path in Path(settings.HOME).glob("index.sqlite3*"):
        path.rename(path.with_name(f"damaged-{stamp}-{path.name}"))
