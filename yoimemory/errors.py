"""What can go wrong, as every surface tells it: one family of errors, whole sentences, one shape.

Specific classes sit beside the verb that raises them and derive from one of these.
"""

import re


class DomainError(Exception):
    """Something a caller can understand and act on.

    `message` is a whole sentence for people, `hint` says what to do next, `fields` names the
    inputs concerned with what is wrong with each.
    """

    status = 400

    def __init__(self, message: str, *, hint: str = "", fields: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.message, self.hint, self.fields = message, hint, fields or {}

    @property
    def code(self) -> str:
        """The stable name of this error, from its class: `StaleVersion` is `stale_version`."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()


class Refused(DomainError):
    """A rule of the domain stands against it."""

    status = 409


class StaleVersion(Refused):
    """The record was changed since the caller read it."""

    status = 412


class BadInput(DomainError):
    """What was sent cannot be read as what is asked for."""

    status = 422


class NotFound(DomainError):
    """No such thing; the hint names the nearest that exist."""

    status = 404


class Forbidden(DomainError):
    """The caller may not do this, whatever the data."""

    status = 403
