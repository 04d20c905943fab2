"""Amounts in sentences."""


def amount(count: int, noun: str) -> str:
    """A number with its noun, as in "1 commit" and "1,200 commits"; the noun is one that takes an s."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
