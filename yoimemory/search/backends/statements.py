"""Running statements on the index database, and values as it stores them."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from django.db import connections, transaction

from yoimemory.search.packing import unpack

ALIAS = "index"
STEP = 500


def fetch(sql: str, params: Sequence[Any]) -> list[Any]:
    """All rows that a statement answers."""
    wrapper = connections[ALIAS]
    with wrapper.cursor() as cursor:
        if "holds(" in sql:
            wrapper.connection.create_function("holds", 2, _holds, deterministic=True)
        cursor.execute(sql, params)
        rows: list[Any] = cursor.fetchall()
        return rows


def marks(values: Sequence[Any]) -> str:
    """A place in a statement for each of these values."""
    return ", ".join(["%s"] * len(values))


def _holds(packed: bytes, text: str) -> bool:
    """Whether a packed text holds another, as it stands or in small letters."""
    whole = unpack(packed)
    return text in whole or text.lower() in whole.lower()


def in_short_steps(sql: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Change many rows, a few at a time, so that whoever else writes has its turn between."""
    for start in range(0, len(rows), STEP):
        with transaction.atomic(using=ALIAS), connections[ALIAS].cursor() as cursor:
            cursor.executemany(sql, rows[start : start + STEP])


@lru_cache(maxsize=4_096)
def stored_time(at: datetime | None) -> str | None:
    """An instant as Django stores it, for rows that are written past its ORM."""
    if at is None:
        return None
    if at.tzinfo is not UTC:
        with suppress(OverflowError):  # on the first or the last day there is, where some hours make no difference
            at = at.astimezone(UTC)
    return at.replace(tzinfo=None).isoformat(sep=" ")
