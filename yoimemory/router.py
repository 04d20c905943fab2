"""Which of the two databases a table lives in.

`index` holds what was read from sources and may be deleted at any time; `default` holds
everything people and Workers made. Nothing in one has a foreign key into the other.
"""

from typing import Any

from django.db.models import Model

INDEX_APPS = frozenset({"search"})


class IndexRouter:
    """Sends the tables of `search` to `index` and all others to `default`."""

    def db_for_read(self, model: type[Model], **hints: Any) -> str:
        return "index" if model._meta.app_label in INDEX_APPS else "default"

    db_for_write = db_for_read

    def allow_relation(self, a: Model, b: Model, **hints: Any) -> bool:
        return (a._meta.app_label in INDEX_APPS) == (b._meta.app_label in INDEX_APPS)

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return (db == "index") == (app_label in INDEX_APPS)
