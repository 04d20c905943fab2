"""What stands nearest to words that are not there. Bounded by the length of the text, for refusals only."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from evidence.normal import Comparable, plain

ALIKE = 0.4
"""Below this similarity two texts only share common words, and showing one would mislead."""

PIECE_MIN = 12
PIECES_MAX = 4
CANDIDATES = 6
COMMON = 400
LONGEST_WORD = 40
_WORDS = re.compile(r"[^\W_]{2,}")
_FOREIGN = re.compile(r"[^\x00-\u02ff\W]{2,}")
_JOINT = " .…[]()|・-"


@dataclass(frozen=True, slots=True)
class Near:
    """A stretch of text with its lines (from 1) and how alike it is to what was sought."""

    text: str
    start: int
    end: int
    first_line: int
    last_line: int
    similarity: float = 1.0


def nearest(text: str, quote: str, starts: Sequence[int]) -> Near | None:
    """The stretch of whole lines that is most like the quote, or None where nothing is alike."""
    scores = _scored_lines(text, quote, starts)
    height = quote.count("\n") + 1
    best: Near | None = None
    for line, _ in scores.most_common(CANDIDATES):
        for first in {max(line - height + 1, 1), line}:
            near = _window(text, quote, starts, first, min(first + height - 1, len(starts)))
            if near and (best is None or near.similarity > best.similarity):
                best = near
    return best if best and best.similarity >= ALIKE else None


def pieces_of(text: str, quote: str, starts: Sequence[int]) -> list[Near]:
    """The places that a quote was glued from, where all of it stands in the text but not in one piece; else nothing."""
    comparable = Comparable(text)
    rest = plain(quote).strip()
    pieces: list[Near] = []
    while rest:
        length = _longest_prefix(comparable.text, rest)
        piece = rest[:length].rstrip()
        if len(piece) < PIECE_MIN or len(pieces) == PIECES_MAX:
            return []
        at = comparable.text.find(piece)
        start, end = comparable.span(at, at + len(piece))
        pieces.append(_near(text, starts, start, end))
        rest = rest[length:].lstrip(_JOINT)
    return pieces if len(pieces) > 1 else []


def _longest_prefix(text: str, words: str) -> int:
    """How much of the words, from their beginning, stands in the text."""
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        if words[:middle] in text:
            low = middle
        else:
            high = middle - 1
    return low


def _scored_lines(text: str, quote: str, starts: Sequence[int]) -> Counter[int]:
    """Lines by the rarity of the words that they share with the quote."""
    terms = {word for word in _WORDS.findall(quote) if word.isascii()}
    for run in _FOREIGN.findall(quote):
        terms |= {run[at : at + 2] for at in range(len(run) - 1)}
    scores: Counter[int] = Counter()
    for term in terms:
        found: list[int] = []
        at = text.find(term)
        while at >= 0 and len(found) < COMMON:
            found.append(at)
            at = text.find(term, at + 1)
        for line in {bisect_right(starts, at) for at in found}:
            scores[line] += len(term) * 100 // len(found)
    return scores


def _window(text: str, quote: str, starts: Sequence[int], first: int, last: int) -> Near | None:
    """Some whole lines, narrowed to what is like the quote where a line is far longer than it."""
    start = starts[first - 1]
    end = starts[last] if last < len(starts) else len(text)
    if end - start > 3 * len(quote) // 2:
        matcher = SequenceMatcher(None, quote, text[start : start + 20_000], autojunk=False)
        block = matcher.find_longest_match()
        first_at, last_at = start, end
        start = max(start, start + block.b - block.a - len(quote) // 4)
        end = min(end, start + len(quote) * 3 // 2)
        start, end = _whole_words(text, start, end, first_at, last_at)
    stretch = text[start:end].strip()
    if not stretch:
        return None
    similarity = SequenceMatcher(None, quote, stretch, autojunk=False).ratio()
    start = text.index(stretch, start)
    return _near(text, starts, start, start + len(stretch), similarity)


def _whole_words(text: str, start: int, end: int, first: int, last: int) -> tuple[int, int]:
    """The stretch without the words that were cut at its ends; text without spaces stays as it is."""
    if start > first and _is_word(text[start - 1]) and _is_word(text[start]):
        start = next((at for at in range(start, min(start + LONGEST_WORD, end)) if not _is_word(text[at])), start)
    if end < last and _is_word(text[end - 1]) and _is_word(text[end]):
        end = next((at for at in range(end, max(end - LONGEST_WORD, start), -1) if not _is_word(text[at - 1])), end)
    return start, end


def _is_word(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _near(text: str, starts: Sequence[int], start: int, end: int, similarity: float = 1.0) -> Near:
    first, last = bisect_right(starts, start), bisect_right(starts, max(end - 1, start))
    return Near(text[start:end], start, end, first, last, similarity)
