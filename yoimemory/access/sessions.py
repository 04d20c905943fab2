"""Sessions in the database, found by a digest: who reads a copy of the file cannot take one over."""

import hashlib
from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DatabaseSessions
from django.utils import timezone

_KEPT = 40
"""Characters of the digest that fit the column; 160 bits."""


class SessionStore(DatabaseSessions):
    """The key stays in the browser's cookie; the table holds its digest. (Only the synchronous half is used.)"""

    def _get_session_from_db(self) -> Any:
        session = self.model.objects.filter(session_key=_digest(self.session_key)).first()
        if session is None or session.expire_date <= timezone.now():
            self._session_key = None
            return None
        return session

    def exists(self, session_key: str) -> bool:
        return bool(super().exists(_digest(session_key)))

    def create_model_instance(self, data: dict[str, Any]) -> Any:
        session = super().create_model_instance(data)
        session.session_key = _digest(session.session_key)
        return session

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key is not None:
            super().delete(_digest(key))


def _digest(key: str | None) -> str:
    return hashlib.sha256((key or "").encode()).hexdigest()[:_KEPT]
