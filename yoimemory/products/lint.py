"""What is wrong with a record before it is written: errors stop a proposal, warnings stand beside it."""

import re
from dataclasses import dataclass, field

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
SLUG_MAX = 64


@dataclass(slots=True)
class Lint:
    """Whole sentences, in the order in which they were found."""

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def is_slug(text: str) -> bool:
    """Lower-case letters and digits, in words joined by single hyphens; 1 to 64 characters."""
    return len(text) <= SLUG_MAX and bool(SLUG.fullmatch(text))


def distance(one: str, other: str) -> int:
    """How many letters must be changed, added or taken out to make one word of the other."""
    before = list(range(len(other) + 1))
    for number, left in enumerate(one, start=1):
        row = [number]
        for column, right in enumerate(other, start=1):
            row.append(min(row[-1] + 1, before[column] + 1, before[column - 1] + (left != right)))
        before = row
    return before[-1]
