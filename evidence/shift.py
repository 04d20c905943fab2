"""What became of the lines of a text in a later state of it: which still stand, and which are new.

Lines are compared as a reader compares them: white space at their ends and between their words, curly
quotes and line ends make no difference. Lines that occur once in both states are matched first and
in order; what lies between is compared closely where it is short enough, and is a change otherwise.
"""

from bisect import bisect_left
from collections import Counter
from difflib import SequenceMatcher
from functools import cached_property

from evidence import gate
from evidence.normal import plain

CLOSE_MAX = 160_000
"""Pairs of lines that are compared closely; a larger stretch without a common unique line is a change."""
DEPTH_MAX = 40


class Shift:
    """Two states of one text, and where the lines of the earlier one stand in the later one."""

    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new

    @cached_property
    def old_starts(self) -> list[int]:
        return gate.line_starts(self.old)

    @cached_property
    def new_starts(self) -> list[int]:
        return gate.line_starts(self.new)

    @cached_property
    def forward(self) -> list[int]:
        """For each line of the old text the line where it stands in the new one (both from 0), or -1."""
        old, new = _keys(self.old), _keys(self.new)
        lines = [-1] * len(old)
        _match(old, new, (0, len(old)), (0, len(new)), lines, 0)
        return lines

    @cached_property
    def backward(self) -> dict[int, int]:
        """For each line of the new text that stood in the old one, the line where it stood."""
        return {there: line for line, there in enumerate(self.forward) if there >= 0}

    def lines_of(self, start: int, end: int) -> tuple[int, int]:
        """First and last line of a span of the old text, from 0."""
        return gate.place_of(self.old_starts, start)[0] - 1, gate.place_of(self.old_starts, max(end - 1, start))[0] - 1

    def projected(self, first: int, last: int) -> tuple[int, int] | None:
        """The lines in which these old lines stand now, where all of them stand there in one piece."""
        there = self.forward[first : last + 1]
        if there[0] < 0 or there != list(range(there[0], there[0] + len(there))):
            return None
        return there[0], there[-1]

    def region(self, first: int, last: int) -> tuple[int, int]:
        """What took the place of these old lines: new lines from, and up to (exclusive), may be empty."""
        before = next((self.forward[line] for line in range(first - 1, -1, -1) if self.forward[line] >= 0), -1)
        count = len(self.forward)
        after = next(
            (self.forward[line] for line in range(last + 1, count) if self.forward[line] >= 0), len(self.new_starts)
        )
        return before + 1, max(after, before + 1)

    def span(self, first: int, until: int) -> tuple[int, int]:
        """The offsets of new lines, from `first` up to `until` (exclusive), with their line ends."""
        count = len(self.new_starts)
        start = self.new_starts[first] if first < count else len(self.new)
        return start, self.new_starts[until] if until < count else len(self.new)

    def is_fresh(self, start: int, end: int, own: tuple[int, int]) -> bool:
        """Whether a span of the new text lies only in lines that are new, or that are the quote's own."""
        first = gate.place_of(self.new_starts, start)[0] - 1
        last = gate.place_of(self.new_starts, max(end - 1, start))[0] - 1
        stood = (self.backward.get(line) for line in range(first, last + 1))
        return all(line is None or own[0] <= line <= own[1] for line in stood)

    @cached_property
    def fresh(self) -> str:
        """The new text with every line that stood in the old one blanked out; offsets stay as they are."""
        pieces, count = [], len(self.new_starts)
        for line, start in enumerate(self.new_starts):
            end = self.new_starts[line + 1] if line + 1 < count else len(self.new)
            stood = line in self.backward
            pieces.append("\0" * (end - start) if stood else self.new[start:end])
        return "".join(pieces)


def _keys(text: str) -> list[str]:
    lines = text.split("\n")
    if text.isascii():
        return [" ".join(line.split()) for line in lines]
    return [plain(line).strip() for line in lines]


def _match(
    old: list[str], new: list[str], a: tuple[int, int], b: tuple[int, int], lines: list[int], depth: int
) -> None:
    """Match the lines of two stretches (ends exclusive) into `lines`."""
    (a1, a2), (b1, b2) = a, b
    while a1 < a2 and b1 < b2 and old[a1] == new[b1]:
        lines[a1] = b1
        a1, b1 = a1 + 1, b1 + 1
    while a1 < a2 and b1 < b2 and old[a2 - 1] == new[b2 - 1]:
        a2, b2 = a2 - 1, b2 - 1
        lines[a2] = b2
    if a1 == a2 or b1 == b2:
        return
    anchors = _unique(old, new, (a1, a2), (b1, b2)) if depth < DEPTH_MAX else []
    if anchors:
        at, there = a1, b1
        for line, landed in [*anchors, (a2, b2)]:
            _match(old, new, (at, line), (there, landed), lines, depth + 1)
            if line < a2:
                lines[line] = landed
            at, there = line + 1, landed + 1
    elif (a2 - a1) * (b2 - b1) <= CLOSE_MAX:
        for block in SequenceMatcher(None, old[a1:a2], new[b1:b2], autojunk=False).get_matching_blocks():
            if any(old[a1 + block.a : a1 + block.a + block.size]):  # blank lines alone say nothing
                for step in range(block.size):
                    lines[a1 + block.a + step] = b1 + block.b + step


def _unique(old: list[str], new: list[str], a: tuple[int, int], b: tuple[int, int]) -> list[tuple[int, int]]:
    """The longest run, in order, of lines that occur once in each stretch."""
    many_old, many_new = Counter(old[slice(*a)]), Counter(new[slice(*b)])
    where = {new[line]: line for line in range(*b) if many_new[new[line]] == 1}
    pairs = [(line, where[old[line]]) for line in range(*a) if many_old[old[line]] == 1 and old[line] in where]
    tails: list[int] = []
    last: list[int] = []
    before = [-1] * len(pairs)
    for index, (_, there) in enumerate(pairs):
        at = bisect_left(tails, there)
        before[index] = last[at - 1] if at else -1
        tails[at : at + 1] = [there]
        last[at : at + 1] = [index]
    chosen = []
    index = last[-1] if last else -1
    while index >= 0:
        chosen.append(pairs[index])
        index = before[index]
    return chosen[::-1]
