"""Copies of what people and Workers made: taken while in use, verified before they count. The index needs none."""

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from urllib.parse import quote

from django.apps import apps
from django.conf import settings
from django.db import connections, router  # noqa: TID251 (backup speaks to SQLite itself)
from django.db.migrations.loader import MigrationLoader
from pydantic import TypeAdapter

from yoimemory.errors import BadInput, Refused

FORMAT = "yoimemory-backup/1"
HEAD = b"SQLite format 3\0"
NEWEST_KEPT, DAYS_KEPT, WEEKS_KEPT, REPLACED_KEPT = 7, 7, 4, 3
_CHUNK = 1 << 20


class BackupFailed(Refused):
    """The copy could not be made, or it is not whole; nothing of it stays."""


class NotABackup(BadInput):
    """The file is no copy of our database."""


class DamagedBackup(Refused):
    """The copy is not what was written: it will not take the place of anything."""


class NewerBackup(Refused):
    """The copy was made by a newer version of the program."""


@dataclass(frozen=True, slots=True)
class Backup:
    """One copy, as its manifest says it."""

    path: str
    made_at: str
    program: str
    digest: str
    bytes: int
    tables: dict[str, int]
    format: str = FORMAT

    @property
    def rows(self) -> int:
        return sum(self.tables.values())


_Manifest = TypeAdapter(Backup)


def folder() -> Path:
    """Where copies lie, private to the owner of the data folder."""
    place = Path(settings.HOME) / "backups"
    place.mkdir(mode=0o700, exist_ok=True)
    return place


def backups() -> list[Path]:
    """The copies of the default database, by name and so by time."""
    return sorted((Path(settings.HOME) / "backups").glob("default-*.sqlite3"))


def back_up(*, now: datetime, to: Path | None = None) -> Backup:
    """Copy the default database while it may be in use, verify the copy, and only then give it its name.

    Without `to` it goes beside the data, where so many are kept as `prune` leaves. Raises BadInput
    for a file that is there already, or BackupFailed (a full disk, a damaged database); then
    nothing stays of it.
    """
    goal = to or folder() / f"default-{now:%Y%m%dT%H%M%S%f}.sqlite3"
    if goal.exists():
        raise BadInput(f"{goal} is there already and is not written over.", hint="Name another file.")
    partial = goal.with_name(f"{goal.name}.partial")
    try:
        connection = connections["default"]
        connection.ensure_connection()
        _copy(connection.connection, partial)
        fault = next(faults(partial), "")
        if fault:
            raise BackupFailed(f"The copy is not whole: {fault}.", hint="Run `yoimemory doctor`.")
        made = _manifest(partial, goal, now)
        _write_whole(_beside(goal), json.dumps(asdict(made), indent=2, sort_keys=True).encode())
        partial.replace(goal)
        _sync_folder(goal.parent)
    except (OSError, sqlite3.Error) as error:
        raise BackupFailed(
            f"No copy was made: {_reason(error)}.", hint="Free some room, or name another folder with --to."
        ) from error
    finally:
        partial.unlink(missing_ok=True)
    if to is None:
        prune()
    return made


def index_set_aside() -> bool:
    """Whether an index was damaged and lies aside for a look, until a person deletes it."""
    return any(Path(settings.HOME).glob("damaged-*-index.sqlite3"))


def prune() -> list[Path]:
    """Let old copies go: the newest stay, and the newest of each of the last days and weeks that have one."""
    every = backups()[::-1]
    keep = set(every[:NEWEST_KEPT])
    for length, kept in (("%Y%m%d", DAYS_KEPT), ("%G%V", WEEKS_KEPT)):
        spans: dict[str, Path] = {}
        for path in every:
            spans.setdefault(_made_at(path).strftime(length), path)
        keep |= set(list(spans.values())[:kept])
    gone = [path for path in every if path not in keep]
    for path in gone:
        path.unlink(missing_ok=True)
        _beside(path).unlink(missing_ok=True)
    return gone


def verify(path: Path) -> Backup:
    """Read a copy from end to end and say what it holds.

    Raises NotABackup, DamagedBackup for one that is not what its manifest says or not whole,
    NewerBackup for one that this version cannot read.
    """
    if path.exists() and not path.is_file():
        raise NotABackup(f"{path} is no file.", hint="Name a file that `yoimemory backup` made.")
    try:
        with path.open("rb") as file:
            head = file.read(len(HEAD))
    except OSError as error:
        raise NotABackup(f"{path} cannot be read: {_reason(error)}.") from error
    if head != HEAD:
        raise NotABackup(f"{path} is no SQLite database.", hint="Name a file that `yoimemory backup` made.")
    if path.with_name(f"{path.name}-wal").exists():
        raise NotABackup(f"{path} is a database in use, no copy of one.", hint="Copy it with `yoimemory backup`.")
    said = _told_by_manifest(path)
    if said is not None and said.digest != _digest(path):
        raise DamagedBackup(f"{path} was changed since it was made: its digest is not the one of its manifest.")
    try:
        for fault in faults(path):
            raise DamagedBackup(f"{path} is damaged: {fault}.", hint="Name an older copy.")
        with closing(_open(path)) as copy:
            _require_ours(copy, path)
    except sqlite3.Error as error:
        raise DamagedBackup(f"{path} is damaged: {error}.", hint="Name an older copy.") from error
    return said or _manifest(path, path, datetime.fromtimestamp(path.stat().st_mtime).astimezone())


def put_in_place(path: Path, *, now: datetime) -> Path | None:
    """Let a verified copy take the place of the default database; return where the replaced one is kept.

    Call it while nobody else has the data folder open. At every moment the folder holds the old
    database or the new one, whole; the replaced one is kept first. Sessions and start links of the
    copy end, and a token that was revoked since stays revoked. The index is let go: it is read anew.
    """
    home = Path(settings.HOME)
    place, staged = home / "default.sqlite3", home / "restoring.sqlite3"
    staged.unlink(missing_ok=True)
    try:
        with closing(_open(path)) as source:
            _copy(source, staged)
        kept = _keep_replaced(place, now=now)
        _end_what_may_not_return(staged, place)
        for alias in connections:
            connections[alias].close()
        _settle(place)
        staged.replace(place)
        _sync_folder(home)
    except (OSError, sqlite3.Error) as error:
        raise BackupFailed(f"Nothing was replaced: {_reason(error)}.", hint="Free some room and try again.") from error
    finally:
        staged.unlink(missing_ok=True)
    for index in home.glob("index.sqlite3*"):
        index.unlink(missing_ok=True)
    return kept


def faults(path: Path) -> Iterator[str]:
    """What is wrong with a database file, read from end to end; nothing where it is whole."""
    try:
        with closing(_open(path)) as copy:
            for (told,) in copy.execute("PRAGMA integrity_check"):
                if told != "ok":
                    yield str(told)
            for row in copy.execute("PRAGMA foreign_key_check"):
                yield f"a row of {row[0]} points to nothing"
    except sqlite3.Error as error:
        yield str(error)


def _open(path: Path) -> sqlite3.Connection:
    """Open a file that nobody writes, without leaving anything beside it."""
    copy = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", uri=True)
    copy.execute("PRAGMA trusted_schema=OFF")
    return copy


def _copy(source: sqlite3.Connection, goal: Path) -> None:
    goal.unlink(missing_ok=True)
    os.close(os.open(goal, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with closing(sqlite3.connect(goal)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, also for a folder that may only be read
    _sync(goal)


def _require_ours(copy: sqlite3.Connection, path: Path) -> None:
    kinds = dict(copy.execute("SELECT type, count(*) FROM sqlite_master GROUP BY type").fetchall())
    virtual = copy.execute("SELECT count(*) FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'").fetchone()[0]
    if set(kinds) - {"table", "index"} or virtual:
        raise NotABackup(f"{path} holds more than tables: it was not made by `yoimemory backup`.")
    names = {row[0] for row in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not {"django_migrations", "sources_workspace", "access_actor"} <= names:
        raise NotABackup(f"{path} is a database of another program.", hint="Name a file that `yoimemory backup` made.")
    known = set(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)
    labels = {label for label, _ in known}
    applied = {(row[0], row[1]) for row in copy.execute("SELECT app, name FROM django_migrations")}
    newer = sorted(f"{label}.{name}" for label, name in applied - known if label in labels)
    if newer:
        raise NewerBackup(
            f"{path} was made by a newer yoimemory ({', '.join(newer[:3])}).",
            hint="Install that version, then restore.",
        )
    if not applied & known:
        raise NotABackup(f"{path} does not say which version made it.", hint="Name an older copy.")
    if known <= applied and (missing := next(_missing(copy), "")):
        raise DamagedBackup(f"{path} has no {missing}, though it says that it has.", hint="Name an older copy.")


def _missing(copy: sqlite3.Connection) -> Iterator[str]:
    """The columns of our tables that a copy of our own version does not have."""
    for model in apps.get_models():
        if router.allow_migrate_model("default", model) and model._meta.managed and not model._meta.proxy:
            table = model._meta.db_table
            there = {row[1] for row in copy.execute("SELECT * FROM pragma_table_info(?)", [table])}
            wanted = {str(field.column) for field in model._meta.concrete_fields}
            yield from (f"{table}.{column}" for column in sorted(wanted - there))


def _keep_replaced(place: Path, *, now: datetime) -> Path | None:
    """Copy what will be replaced: whole where it can be read, byte by byte where it is damaged."""
    if not place.exists():
        return None
    goal = folder() / f"replaced-{now:%Y%m%dT%H%M%S%f}.sqlite3"
    try:
        with closing(sqlite3.connect(place)) as old:
            _copy(old, goal)
    except sqlite3.Error:
        for end in ("", "-wal"):
            part = place.with_name(f"{place.name}{end}")
            if part.exists():
                shutil.copy2(part, goal.with_name(f"{goal.name}{end}"))
                _sync(goal.with_name(f"{goal.name}{end}"))
    _sync_folder(goal.parent)
    for old_one in sorted(folder().glob("replaced-*.sqlite3"))[:-REPLACED_KEPT]:
        for part in folder().glob(f"{old_one.name}*"):
            part.unlink(missing_ok=True)
    return goal


def _end_what_may_not_return(staged: Path, place: Path) -> None:
    """End the sessions and links that the copy holds, and revoke what was revoked since it was made."""
    revoked: list[tuple[str, str]] = []
    if place.exists():
        with suppress(sqlite3.Error), closing(sqlite3.connect(place)) as old:
            told = "SELECT revoked_at, public_id FROM access_token WHERE revoked_at IS NOT NULL"
            revoked = old.execute(told).fetchall()
    with closing(sqlite3.connect(staged)) as copy, copy:
        copy.execute("DELETE FROM django_session")
        copy.execute("DELETE FROM access_startlink")
        copy.executemany(
            "UPDATE access_token SET revoked_at = ? WHERE public_id = ? AND revoked_at IS NULL", revoked
        )  # fmt: skip
    _sync(staged)


def _settle(place: Path) -> None:
    """Bring the log of the old database into its file, so that none is left that the new one would read."""
    if not place.exists():
        return
    with suppress(sqlite3.Error), closing(sqlite3.connect(place)) as old:
        old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for end in ("-wal", "-shm"):
        place.with_name(f"{place.name}{end}").unlink(missing_ok=True)


def _manifest(path: Path, goal: Path, now: datetime) -> Backup:
    with closing(_open(path)) as copy:
        names = [row[0] for row in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        tables = {
            name: int(copy.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0])  # noqa: S608 (names of the schema)
            for name in names
            if '"' not in name
        }
    return Backup(
        path=goal.name, made_at=now.isoformat(), program=_version(), digest=_digest(path),
        bytes=path.stat().st_size, tables=tables,
    )  # fmt: skip


def _told_by_manifest(path: Path) -> Backup | None:
    try:
        told = json.loads(_beside(path).read_text(encoding="utf-8"))
        return _Manifest.validate_python(told) if told.get("format") == FORMAT else None
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedBackup(
            f"The manifest beside {path} cannot be read.", hint="Take it away to restore the copy without it."
        ) from error


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _made_at(path: Path) -> datetime:
    return datetime.strptime(path.stem.removeprefix("default-"), "%Y%m%dT%H%M%S%f").astimezone()


def _digest(path: Path) -> str:
    whole = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            whole.update(chunk)
    return f"sha256:{whole.hexdigest()}"


def _write_whole(path: Path, data: bytes) -> None:
    partial = path.with_name(f"{path.name}.partial")
    with os.fdopen(os.open(partial, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    with suppress(OSError):  # folders cannot be synced everywhere
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _version() -> str:
    try:
        return version("yoimemory")
    except PackageNotFoundError:  # run from a checkout that was never installed
        return ""


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
