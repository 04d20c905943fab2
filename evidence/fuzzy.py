"""The stretch of a text that is most like some words, by edit distance, and how near the next best comes."""

from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from re import Pattern, compile, escape

from evidence.nearest import nearest

try:
    import edlib  # type: ignore[import-not-found]
except ImportError:  # no wheel for every platform; then whole lines are compared, which is coarser
    edlib = None

SEARCHED_MAX = 4_000_000
"""Characters of a text that is searched for what is like a quote."""

SYMBOLS_MAX = 250
"""Distinct characters that are told apart; edlib raises above 256 of both texts together."""

OTHER, RARE = "\0", "\1"
"""What stands for every character that the words do not hold, and for their rarest ones."""


@dataclass(frozen=True, slots=True)
class Like:
    """A stretch that is like the words. `gap` is how much less alike the best stretch apart from it is."""

    start: int
    end: int
    similarity: float
    gap: float


def most_like(text: str, words: str, *, budget: float) -> Like | None:
    """The stretch with the fewest edits, within a share of the words' length; None where there is none."""
    if not words or not text.strip("\0 \n") or len(text) > SEARCHED_MAX:
        return None
    if edlib is None:
        return _by_lines(text, words, budget)
    searched, sought = _told_apart(text, words)
    most = int(len(words) * budget)
    found = _nearest_spans(searched, sought, most)
    if not found:
        return None
    spans, distance = found
    start, end = min(spans, key=lambda span: (abs(span[1] - span[0] - len(words)), span[0]))
    similarity = _similarity(distance, words)
    if any(until <= start or at >= end for at, until in spans):
        return Like(start, end, similarity, 0.0)
    rest = searched[:start] + OTHER * (end - start) + searched[end:]
    rival = _nearest_spans(rest, sought, most)
    gap = similarity - (_similarity(rival[1], words) if rival else 0.0)
    return Like(start, end, similarity, gap)


def alikeness(one: str, other: str) -> float:
    """How alike two short texts are, from 0 to 1."""
    if one == other:
        return 1.0
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _similarity(distance: int, words: str) -> float:
    return 1 - distance / len(words)


def _nearest_spans(searched: str, sought: str, most: int) -> tuple[list[tuple[int, int]], int] | None:
    answer = edlib.align(sought, searched, mode="HW", task="locations", k=most)
    if answer["editDistance"] < 0:
        return None
    spans = [(at or 0, until + 1) for at, until in answer["locations"]]  # its ends are inclusive
    return spans, answer["editDistance"]


def _told_apart(text: str, words: str) -> tuple[str, str]:
    """Both texts with few enough distinct characters; no offset changes."""
    counted = Counter(words)
    kept = [char for char, _ in counted.most_common(SYMBOLS_MAX)]
    rare = set(counted) - set(kept)
    if rare:
        rarest = compile(f"[{''.join(map(escape, rare))}]")
        text, words = rarest.sub(RARE, text), rarest.sub(RARE, words)
        kept.append(RARE)
    return _others("".join(sorted(kept))).sub(OTHER, text), words


@lru_cache(maxsize=64)
def _others(kept: str) -> Pattern[str]:
    return compile(f"[^{''.join(map(escape, kept))}]")


def _by_lines(text: str, words: str, budget: float) -> Like | None:
    starts = [0, *(at + 1 for at, char in enumerate(text) if char == "\n")]
    near = nearest(text, words, starts)
    if near is None or near.similarity < 1 - budget / 2:
        return None
    rest = text[: near.start] + "\0" * (near.end - near.start) + text[near.end :]
    rival = nearest(rest, words, starts)
    return Like(near.start, near.end, near.similarity, near.similarity - (rival.similarity if rival else 0.0))
