"""How the pages of this floor answer a refusal."""

from yoimemory.errors import DomainError


def sentence(error: DomainError) -> str:
    """The error as a page shows it: what stands against it, and what to do next."""
    return f"{error.message} {error.hint}".strip()


def status(error: DomainError) -> int:
    """409 where the record or a rule stands against it, 422 where the input does: the two that htmx swaps in."""
    return 409 if error.status in {403, 409, 412} else 422
