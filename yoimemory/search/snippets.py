"""The words that a hit shows: verbatim lines of the passage, where most of what was asked stands together."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from yoimemory.search.analysis import fold

LINES = 3
CHARACTERS = 420


@dataclass(frozen=True, slots=True)
class Snippet:
    """Verbatim text of lines `first` to `last`, and the (start, end) spans of matched words in it."""

    text: str
    first: int
    last: int
    marks: list[tuple[int, int]]
    found: list[str]


def cut_snippet(text: str, start_line: int, wanted: Sequence[str]) -> Snippet:
    """Choose the lines of a passage to show."""
    lines = text.split("\n")
    spans = find_spans(text, wanted)
    best, score = 0, -1.0
    begins = _begins(lines)
    by_line: dict[int, dict[str, int]] = {}
    number = 0
    for begin, _, word in spans:
        while number + 1 < len(lines) and begins[number + 1] <= begin:
            number += 1
        by_line.setdefault(number, {}).setdefault(word, 0)
        by_line[number][word] += 1
    for line in sorted(by_line):
        words: set[str] = set()
        size = 0
        for near in range(line, min(line + LINES, len(lines))):
            size += len(lines[near])
            if size > CHARACTERS and near > line:
                break
            words.update(by_line.get(near, ()))
        worth = sum(1 + min(len(word), 12) / 12 for word in words) + 0.3 * len(by_line[line])
        if worth > score:
            best, score = line, worth
    if not spans:
        best = next((number for number, line in enumerate(lines) if line.strip(" -#`")), 0)
    return _cut(text, lines, begins, best, start_line, spans)


def _cut(
    text: str, lines: list[str], begins: list[int], line: int, start_line: int, spans: list[tuple[int, int, str]]
) -> Snippet:
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
    marks = _merged([(max(a, begin) - begin, min(b, end) - begin) for a, b, _ in spans if a < end and b > begin])
    found = list(dict.fromkeys(word for a, b, word in spans if a < end and b > begin))
    return Snippet(text[begin:end], start_line + line, start_line + last, marks, found)


def find_spans(text: str, wanted: Sequence[str]) -> list[tuple[int, int, str]]:
    """Where the wanted words stand in a text, by its own code points, in order."""
    if not wanted:
        return []
    folded, offsets = _folded(text)
    pattern = _pattern(tuple(wanted))
    spans = []
    for match in pattern.finditer(folded):
        begin, end = match.span()
        if offsets:
            begin, end = offsets[begin], offsets[end - 1] + 1
        if end > begin:
            spans.append((begin, end, match[0].lower()))
    return spans


@lru_cache(maxsize=64)
def _pattern(wanted: tuple[str, ...]) -> "re.Pattern[str]":
    """Any of the words; short Latin ones only where a word begins, so that `c` does not mark every c."""
    forms = []
    for word in sorted({fold(word) for word in wanted if word.strip()}, key=len, reverse=True):
        pieces = [re.escape(piece) for piece in re.split(r"[\s_-]+", word) if piece]
        form = r"[\s_-]*".join(pieces) if pieces else re.escape(word)
        if word.isascii() and re.fullmatch(r"\w+", word):
            form = rf"(?<![^\W_]){form}" if len(word) > 3 else rf"(?<![^\W_]){form}(?![^\W_])"
            if len(word) > 3:
                form += rf"|(?<=[a-z0-9]){re.escape(word.capitalize())}"
        forms.append(form)
    return re.compile("|".join(f"(?:{form})" for form in forms) or r"(?!)", re.IGNORECASE)


def _folded(text: str) -> tuple[str, list[int]]:
    """The text in plain forms, and for each of its characters the one it came from (empty: the same)."""
    if text.isascii() or unicodedata.is_normalized("NFKC", text):
        return text, []
    out: list[str] = []
    offsets: list[int] = []
    index = 0
    while index < len(text):
        end = index + 1
        # Combining marks belong to what they stand on, half-width voicing marks too.
        while end < len(text) and (unicodedata.combining(text[end]) or text[end] in "\uff9e\uff9f"):
            end += 1
        plain = unicodedata.normalize("NFKC", text[index:end])
        out.append(plain)
        offsets.extend([index] * (len(plain) - 1) + [end - 1] if plain else [])
        index = end
    return "".join(out), offsets


def _begins(lines: list[str]) -> list[int]:
    begins, at = [], 0
    for line in lines:
        begins.append(at)
        at += len(line) + 1
    return begins


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > begin:
            merged.append((begin, end))
    return merged
