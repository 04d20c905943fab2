"""Making the data folder ready: tables of this version, after a copy of what people made."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connections  # noqa: TID251 (the tables are made before there are any models)
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from yoimemory.desk.backups import back_up, backups
from yoimemory.errors import Refused
from yoimemory.jobs.lock import IN_USE, held

_LOCK = "migrate.lock"


class NewerData(Refused):
    """The data folder was written by a newer version of the program."""


class DamagedData(Refused):
    """The database of what people made cannot be read."""


class ReadOnlyData(Refused):
    """The database of what people made may not be written."""


class BeingRestored(Refused):
    """A copy is taking the place of the data at this moment."""


@contextmanager
def in_use() -> Iterator[None]:
    """Say that this process has the data folder open. Raises BeingRestored while a copy is put in place."""
    with held(Path(settings.HOME) / IN_USE, together=True) as mine:
        if not mine:
            raise BeingRestored("A copy is being put in place of the data.", hint="Try again in a moment.")
        yield


def make_ready(*, thorough: bool = False) -> None:
    """Bring both databases to this version's tables; two processes that start together take turns.

    `thorough`: look into both files first, so that damage is told at the start and not on some page.
    Raises NewerData, ReadOnlyData or DamagedData; none of them touches the file.
    """
    with held(settings.HOME / _LOCK, wait=True):
        try:
            _look_into("default", thorough=thorough)
            _migrate("default")
        except DatabaseError as error:
            raise _unusable(error) from error
        try:
            _look_into("index", thorough=thorough)
            _migrate("index")
        except DatabaseError:
            aside = _set_index_aside()
            sys.stderr.write(f"The index was damaged. It is kept as {aside} and read anew from the sources.\n")
            _migrate("index")


def _look_into(alias: str, *, thorough: bool) -> None:
    """Raise DatabaseError if the file is damaged, as far as a look at the start can tell."""
    if not thorough:
        return
    with connections[alias].cursor() as cursor:
        cursor.execute("PRAGMA quick_check(1)")
        told = cursor.fetchone()[0]
    if told != "ok":
        raise DatabaseError(told)


def _unusable(error: DatabaseError) -> Refused:
    place = settings.HOME / "default.sqlite3"
    if "readonly" in str(error):
        return ReadOnlyData(
            f"The database {place} may only be read.",
            hint="Give its owner the right to write it and its folder. Nothing was changed.",
        )
    newest = max(backups(), default=None)
    return DamagedData(
        f"The database {place} cannot be read: {error}.",
        hint=f"Nothing was changed. The newest copy is {newest}: yoimemory restore {newest}"
        if newest
        else "Nothing was changed. There is no copy of it in this data folder.",
    )


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
            back_up(now=timezone.now())
        call_command("migrate", database=alias, verbosity=0, interactive=False)
        _keep_private(alias)


def _keep_private(alias: str) -> None:
    for path in Path(settings.HOME).glob(f"{alias}.sqlite3*"):
        with suppress(OSError):
            path.chmod(0o600)


def _set_index_aside() -> Path:
    """The index is derived: a damaged one is kept for a look and built anew."""
    connections["index"].close()
    home, stamp = Path(settings.HOME), f"{timezone.now():%Y%m%dT%H%M%S}"
    for old in home.glob("damaged-*"):
        old.unlink(missing_ok=True)  # one is enough for a look
    for path in home.glob("index.sqlite3*"):
        path.rename(path.with_name(f"damaged-{stamp}-{path.name}"))
    return home / f"damaged-{stamp}-index.sqlite3"
