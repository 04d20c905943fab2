"""The words that a hit shows: verbatim lines of the passage, where most of what was asked stands together."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from yoimemory.search.analysis import fold

LINES = 3
CHARACTERS = 420
READ_MAX = 40_000
"""Characters of one passage that are looked through for the lines to show."""
PER_WORD = 60

_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_HALF = str.maketrans(
    "ｦｧｨｩｪｫｬｭｮｯｰｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝ",
    "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン",
)
_PLAIN = _WIDE | _HALF
"""Full-width letters and half-width katakana as their plain forms, one character for one, so that places stay."""

_ODD = re.compile("[" + "".join(map(chr, _PLAIN)) + "]")
"""To translate takes long, and few texts have anything to translate."""

Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Snippet:
    """Verbatim text of lines `first` to `last`, the (start, end) spans of matched words in it, and those words.

    `elsewhere` are wanted words that stand in the rest of the passage only.
    """

    text: str
    first: int
    last: int
    marks: list[tuple[int, int]]
    found: list[str]
    elsewhere: list[str]


def cut_snippet(text: str, start_line: int, wanted: Sequence[str]) -> Snippet:
    """Choose the lines of a passage to show."""
    lines = text.split("\n")
    begins = _begins(lines)
    spans = find_spans(text[:READ_MAX], wanted)
    line = _best_line(lines, begins, spans)
    last, size = line, len(lines[line])
    while last + 1 < min(len(lines), line + LINES) and size + len(lines[last + 1]) + 1 <= CHARACTERS:
        last += 1
        size += len(lines[last]) + 1
    while last > line and not lines[last].strip():
        last -= 1
    begin, end = begins[line], begins[last] + len(lines[last])
    if end - begin > CHARACTERS:  # one long line: the part of it that holds the first match
        first = next((span[0] for span in spans if begin <= span[0] < end), begin)
        begin = max(begin, first - CHARACTERS // 3)
        end = min(end, begin + CHARACTERS)
    inside = [span for span in spans if span[0] < end and span[1] > begin]
    found = list(dict.fromkeys(word for _, _, word in inside))
    return Snippet(
        text=text[begin:end],
        first=start_line + line,
        last=start_line + last,
        marks=_merged([(max(a, begin) - begin, min(b, end) - begin) for a, b, _ in inside]),
        found=found,
        elsewhere=[word for word in dict.fromkeys(word for _, _, word in spans) if word not in found],
    )


def _best_line(lines: list[str], begins: list[int], spans: list[Span]) -> int:
    """The line from which a few lines hold most of the wanted words, longer words counting more."""
    if not spans:
        return next((number for number, line in enumerate(lines) if line.strip(" -#`>*|=")), 0)
    by_line: dict[int, list[str]] = {}
    for begin, _, word in spans:
        by_line.setdefault(bisect_right(begins, begin) - 1, []).append(word)
    words = {number: frozenset(own) for number, own in by_line.items()}
    worth = {number: sum(map(_worth, own)) for number, own in words.items()}
    best, most = 0, -1.0
    for line, own in by_line.items():
        bonus = 0.3 * len(own)
        if bonus + sum(worth.get(near, 0.0) for near in range(line, line + LINES)) <= most:
            continue  # even if no word stood in two of these lines
        found = _worth_of(lines, line, words) + bonus
        if found > most:
            best, most = line, found
    return best


def _worth_of(lines: list[str], line: int, words: Mapping[int, frozenset[str]]) -> float:
    """What the words of a line and of those after it, as far as they would be shown, are worth."""
    together, size = words[line], len(lines[line])
    for near in range(line + 1, min(line + LINES, len(lines))):
        size += len(lines[near]) + 1
        if size > CHARACTERS:
            break
        if near in words:
            together |= words[near]
    return sum(map(_worth, together))


@lru_cache(maxsize=4_096)
def _worth(word: str) -> float:
    return 1 + min(len(word), 12) / 12


def find_spans(text: str, wanted: Sequence[str]) -> list[Span]:
    """Where the wanted words stand in a text, by its own code points, in order: (start, end, word)."""
    plain = _plain(text)
    spans: list[Span] = []
    for word, forms, loose in _forms(tuple(wanted)):
        for form in forms:
            at, count = plain.find(form), 0
            while at >= 0 and count < PER_WORD:
                end = at + len(form)
                if loose or _is_word(plain, text, at, end):
                    spans.append((at, end, word))
                    count += 1
                at = plain.find(form, end)
    spans.sort()
    return spans


@lru_cache(maxsize=256)
def _forms(wanted: tuple[str, ...]) -> list[tuple[str, list[str], bool]]:
    """Each wanted word, the spellings to look for, and whether it may stand inside other words (CJK, signs)."""
    found = []
    for word in dict.fromkeys(fold(word).lower().strip() for word in wanted):
        pieces = [piece for piece in re.split(r"[\s_-]+", word) if piece]
        forms = [word] if len(pieces) < 2 else list(dict.fromkeys(mark.join(pieces) for mark in ("_", "-", " ", "")))
        if word:
            found.append((word, forms, not re.search(r"[a-z0-9]", word)))
    return found


def _is_word(plain: str, text: str, at: int, end: int) -> bool:
    """Whether a word begins and (if short) ends here; the parts of `camelCase` are words too."""
    inside = at and plain[at - 1].isascii() and plain[at - 1].isalnum()
    if inside and not (plain[at].isalpha() and text[at].isupper() and not text[at - 1].isupper()):
        return False
    if end - at > 3 or end == len(plain) or not (plain[end].isascii() and plain[end].isalnum()):
        return True
    return text[end].isupper() and not text[end - 1].isupper()


def _plain(text: str) -> str:
    """The text in plain small letters, character for character."""
    if text.isascii():
        return text.lower()
    plain = text.translate(_PLAIN) if _ODD.search(text) else text
    small = plain.lower()
    return small if len(small) == len(plain) else "".join(c.lower() if len(c.lower()) == 1 else c for c in plain)


def _begins(lines: list[str]) -> list[int]:
    return list(accumulate([len(line) + 1 for line in lines[:-1]], initial=0))


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > begin:
            merged.append((begin, end))
    return merged
