"""Other words for what was asked: aliases applied both ways, as far as they held at the instant asked about."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from yoimemory.asking.models import Alias
from yoimemory.sources.models import Workspace

APPLIED_MAX = 12
ALIASES_MAX = 500
SHORTEST = 3
"""Letters from which on a word is looked for in its other number too."""


@dataclass(frozen=True, slots=True)
class Other:
    """Another word to look for, and the sentence that says why."""

    word: str
    told: str
    ended: date | None = None
    """From this day on the other word may mean something else."""


@dataclass(slots=True)
class Others:
    """Other words for single words of a query (in plain form), and for the query as a whole."""

    of_words: dict[str, list[Other]] = field(default_factory=dict)
    of_all: list[Other] = field(default_factory=list)

    def __iter__(self) -> Iterator[Other]:
        yield from (other for others in self.of_words.values() for other in others)
        yield from self.of_all

    def for_word(self, word: str) -> list[str]:
        return [other.word for other in self.of_words.get(plain(word), ())]


def other_words(workspace: Workspace, words: Sequence[str], *, as_of: datetime | None) -> Others:
    """What else to look for beside these words.

    Older texts say the old word, so whoever asks for the new one finds them too. Who asks for the
    old word also finds what it means, unless an instant is asked about at which it no longer did.
    """
    found = Others()
    aliases = list(Alias.objects.in_workspace(workspace).live().order_by("pk")[:ALIASES_MAX]) if words else []
    if not aliases:
        return found
    day = as_of.date() if as_of else None
    said_plainly = [plain(word) for word in words]
    asked, whole = set(said_plainly), f" {' '.join(said_plainly)} "
    count = 0
    for alias in aliases:
        for said, other, ended in _ways(alias, day):
            keys = [key for key in map(plain, spellings(said)) if key in asked or (" " in key and f" {key} " in whole)]
            if count >= APPLIED_MAX or not keys:
                continue
            for key in keys:
                words = [*spellings(other), *([said] if key != plain(said) else [])]
                others = [Other(word, f"{alias.told}.", ended) for word in words]
                (found.of_words.setdefault(key, []) if key in asked else found.of_all).extend(others)
            count += 1
    return found


def spellings(word: str) -> list[str]:
    """A word, and the same in the other number where it is English: who asks for Pods means the Pod too."""
    end = word[-3:].lower()
    if not (len(word) >= SHORTEST and end.isascii() and end.isalpha()):
        return [word]
    if end.endswith("ies"):
        return [word, f"{word[:-3]}y"]
    if word.lower().endswith(("sses", "xes", "zes", "ches", "shes")):
        return [word, word[:-2]]
    if end.endswith("s") and not end.endswith(("ss", "us", "is")):
        return [word, word[:-1]]
    if end.endswith("y") and end[-2] not in "aeiou":
        return [word, f"{word[:-1]}ies"]
    return [word, f"{word}es" if end.endswith(("s", "x", "z", "ch", "sh")) else f"{word}s"]


def _ways(alias: Alias, day: date | None) -> list[tuple[str, str, date | None]]:
    """What is said, what else to look for, and from when on that other word may mean something else."""
    ways: list[tuple[str, str, date | None]] = []
    if day is None or alias.had_begun(day):
        ways.append((alias.meaning, alias.word, alias.until))
    if day is None or alias.held_on(day):
        ways.append((alias.word, alias.meaning, None))
    return ways


def plain(text: str) -> str:
    """A word as it is compared: one form for every width and case, one space between its parts."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).casefold()).strip()
