"""The full-text engine behind the index, chosen by the database's vendor. All vendor SQL lives in here."""

from functools import lru_cache
from types import ModuleType

from django.db import connections


@lru_cache(maxsize=1)
def engine() -> ModuleType:
    """The module that speaks the language of the index database."""
    vendor = connections["index"].vendor
    if vendor != "sqlite":
        raise RuntimeError(f"There is no search backend for {vendor} yet; keep the index in SQLite.")
    from yoimemory.search.backends import sqlite

    return sqlite
