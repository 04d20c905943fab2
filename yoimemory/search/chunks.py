"""Passages of a document as they are indexed: the reader's own, and what no passage covers, in pieces."""

import re
from collections.abc import Iterator

from yoimemory.refs import lines_fragment
from yoimemory.sources.reading import Document, Passage

PIECE_LINES = 80
PIECE_CHARACTERS = 20_000


def passages_of(document: Document, most: int) -> list[Passage]:
    """The passages of a document in order, without a gap: every line with a word on it can be found.

    Of more than `most` of them the last ones stand together in one.
    """
    found = _all_passages(document)
    return found if len(found) <= most else [*found[: most - 1], _together(found[most - 1 :])]


def _together(passages: list[Passage]) -> Passage:
    first, last = passages[0].start_line, max(passage.end_line for passage in passages)
    text = "\n".join(passage.text for passage in passages)
    return Passage(fragment=lines_fragment(first, last), text=text, start_line=first, end_line=last)


def _all_passages(document: Document) -> list[Passage]:
    known = sorted(document.passages, key=lambda passage: passage.start_line)
    if not known:
        lines = document.text.split("\n")
        return list(_pieces(lines, 1, len(lines)))
    covered = sum(len(passage.text) for passage in known)
    if covered >= len(document.text) - len(known) * 2:
        return list(document.passages)
    lines = document.text.split("\n")
    found, upto = list(document.passages), 0
    for passage in known:
        found.extend(_pieces(lines, upto + 1, passage.start_line - 1))
        upto = max(upto, passage.end_line)
    found.extend(_pieces(lines, upto + 1, len(lines)))
    return found


def _pieces(lines: list[str], first: int, last: int) -> Iterator[Passage]:
    """Lines `first` to `last` (from 1, inclusive) in pieces, without those that hold no text."""
    while first <= last:
        end, size = first - 1, 0
        while end < min(last, first + PIECE_LINES - 1) and (size < PIECE_CHARACTERS or end < first):
            size += len(lines[end]) + 1
            end += 1
        text = "\n".join(lines[first - 1 : end])
        if re.search(r"\w", text):
            yield Passage(fragment=lines_fragment(first, end), text=text, start_line=first, end_line=end)
        first = end + 1
