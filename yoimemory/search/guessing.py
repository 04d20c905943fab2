"""What may have been meant by a word that stands nowhere: the nearest words of the index."""

import difflib
import re

from yoimemory.search.analysis import STOP_WORDS, words_of
from yoimemory.search.backends import engine
from yoimemory.search.query import Typed

SHORTEST = 4
WORDS_MAX = 3
LIKENESS = 0.75
"""One letter wrong in five, or two in ten; below that a guess is noise."""


def did_you_mean(query: str, typed: Typed, *, limit: int = 3) -> list[str]:
    """Queries in which each word that stands nowhere is replaced by one that does, the likeliest first."""
    if typed.text or not typed.words:
        return []
    store = engine()
    spoken = {word: words_of(word) for word in typed.words}
    known = store.frequencies({part for parts in spoken.values() for part in parts})
    lost = [
        word
        for word, parts in spoken.items()
        if len(parts) == 1 and parts[0] not in known and parts[0] not in STOP_WORDS and len(parts[0]) >= SHORTEST
    ][:WORDS_MAX]
    nearest = {word: near for word in lost if (near := _nearest(spoken[word][0], limit))}
    if not nearest:
        return []
    guesses = []
    for choice in range(max(map(len, nearest.values()))):
        guess = query
        for word, near in nearest.items():
            place = rf"(?<![\w:]){re.escape(word)}(?!\w)"
            guess = re.sub(place, near[min(choice, len(near) - 1)], guess)
        guesses.append(guess)
    return list(dict.fromkeys(guess for guess in guesses if guess != query))[:limit]


def _nearest(word: str, limit: int) -> list[str]:
    """The words of the index most like one, of those as like the more frequent first."""
    store = engine()
    longest, shortest = len(word) + 2, max(len(word) - 2, 2)
    near = store.words_like(word[:2], shortest=shortest, longest=longest)
    if not difflib.get_close_matches(word, near, n=1, cutoff=LIKENESS):
        near = store.words_like(word[:1], shortest=shortest, longest=longest)
    close = difflib.get_close_matches(word, near, n=limit * 3, cutoff=LIKENESS)
    order = sorted(close, key=lambda each: (-_likeness(word, each), -near[each], each))
    return order[:limit]


def _likeness(word: str, other: str) -> float:
    return round(difflib.SequenceMatcher(None, other, word).ratio(), 2)
