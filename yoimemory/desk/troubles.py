"""What can befall the database files while they are in use, as a sentence for whoever was asking."""

from pathlib import Path

from django.conf import settings
from django.db import DatabaseError
from django.db.utils import DatabaseErrorWrapper

from yoimemory.desk.backups import backups
from yoimemory.errors import Refused

INDEX, DATA = "index", "default"
RETRY_AFTER = 5
"""Seconds after which asking again is worth it."""


class Unserved(Refused):
    """A database file does not serve at this moment; nothing was half-done."""

    status = 503


class DamagedIndex(Unserved):
    """The index cannot be read. It is derived: it is set aside and read anew, and nothing that people made is in it."""


class DamagedData(Unserved):
    """The database of what people made cannot be read."""


class ReadOnlyData(Unserved):
    """A database may not be written."""


class NoRoom(Unserved):
    """The disk of the data folder is full."""


class DiskTrouble(Unserved):
    """The disk did not read or write what it was asked to."""


class Busy(Unserved):
    """Another process was writing for longer than we wait."""


def trouble_of(error: DatabaseError, *, alias: str = "") -> Unserved | None:
    """What befell which file; None for an error that is a fault of ours and must look like one."""
    told = str(error)
    alias = alias or alias_of(error)
    place = Path(settings.HOME) / f"{alias or DATA}.sqlite3"
    if "readonly" in told or "unable to open database file" in told:
        return read_only(place)
    if "is full" in told:
        return NoRoom(
            "There is no room left on the disk of the data folder; nothing was half-done.",
            hint=f"Free some room at {place.parent}, then try again.",
        )
    if "is locked" in told:
        return Busy("Another process writes at this moment, and goes on writing.", hint="Try again in a moment.")
    if "disk I/O error" in told:
        return DiskTrouble(
            f"The disk did not give what {place.name} holds.",
            hint="Look at the disk, and make room for a copy: yoimemory backup --to FILE. Then `yoimemory doctor`.",
        )
    if alias == INDEX and ("no such" in told or _is_damage(told)):
        return DamagedIndex(
            "The index was damaged. It is set aside and read anew from the sources; nothing that people made is in it.",
            hint="Ask again in a moment. Where no server runs, `yoimemory index` reads it.",
        )
    return damaged_data(told) if _is_damage(told) else None


def read_only(place: Path) -> ReadOnlyData:
    """The sentence for a file or a folder that we may not write."""
    what = "data folder" if place.is_dir() else "database"
    return ReadOnlyData(
        f"The {what} {place} may only be read.",
        hint="Give whoever runs yoimemory the right to write it (chmod u+w; where the disk is mounted read-only, mount "
        "it for writing), or set YOIMEMORY_HOME to another folder. Nothing was changed.",
    )


def damaged_data(told: str) -> DamagedData:
    """The sentence for the file that nobody may replace by themselves, naming the newest copy."""
    newest = max(backups(), default=None)
    return DamagedData(
        f"The database {Path(settings.HOME) / 'default.sqlite3'} cannot be read: {told}.",
        hint=f"Nothing was changed. Stop the server and put the newest copy back: yoimemory restore {newest}"
        if newest
        else "Nothing was changed. There is no copy of it in this data folder.",
    )


def alias_of(error: DatabaseError) -> str:
    """Which database an error came from: Django lets every one of them through the wrapper of its connection."""
    step = error.__traceback__
    alias = ""
    while step is not None:
        holder = step.tb_frame.f_locals.get("self")
        if isinstance(holder, DatabaseErrorWrapper):
            alias = str(holder.wrapper.alias)  # type: ignore[attr-defined]
        step = step.tb_next
    return alias


def _is_damage(told: str) -> bool:
    return "malformed" in told or "not a database" in told
