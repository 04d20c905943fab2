"""Three texts of one file: what was proposed against, what stands there now, and what is proposed."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from yoimemory.products.diffs import split_lines
from yoimemory.products.visible import visible

Region = tuple[int, int, list[str]]


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged text, and how many places both sides changed differently (marked in the text, as git marks them)."""

    text: str
    conflicts: int


@dataclass(frozen=True, slots=True)
class ThreeWay:
    """One place of a file in three texts: what was proposed against, what stands there now, what is proposed."""

    line: int
    was: str
    now: str
    proposed: str
    conflict: bool


def places(base: str, ours: str, theirs: str) -> list[ThreeWay]:
    """Every place where either side changed the base; where both did, differently, a person must decide."""
    lines = split_lines(base)
    found = []
    for kind, left, right, start, end in _regions(lines, split_lines(ours), split_lines(theirs)):
        was = lines[start:end]
        if kind != "same" and not left == right == was:
            conflict = was not in (left, right) and left != right
            before, now, proposed = (visible("".join(text)) for text in (was, right, left))
            found.append(ThreeWay(start + 1, before, now, proposed, conflict))
    return found


def merge(base: str, ours: str, theirs: str) -> Merged:
    """Carry a proposal (`ours`, written against `base`) over to the file as it stands now (`theirs`).

    A place changed on one side only takes that side; changed alike on both, it is taken once.
    What both changed differently stays with both texts, between conflict markers.
    """
    lines = split_lines(base)
    out: list[str] = []
    conflicts = 0
    for kind, left, right, start, end in _regions(lines, split_lines(ours), split_lines(theirs)):
        if kind == "same":
            out += lines[start:end]
        elif left == right or right == lines[start:end]:
            out += left
        elif left == lines[start:end]:
            out += right
        else:
            conflicts += 1
            out += ["<<<<<<< proposed\n", *_ended(left), "=======\n", *_ended(right), ">>>>>>> in the file now\n"]
    return Merged("".join(out), conflicts)


def _regions(
    base: list[str], ours: list[str], theirs: list[str]
) -> Iterator[tuple[str, list[str], list[str], int, int]]:
    """Walk the base; between lines that all three share, hand out what each side made of the gap."""
    shared = list(_shared(base, ours, theirs))
    anchors = [(-1, -1, -1), *shared, (len(base), len(ours), len(theirs))]
    for (b0, o0, t0), (b1, o1, t1) in pairwise(anchors):
        left, right = ours[o0 + 1 : o1], theirs[t0 + 1 : t1]
        if left or right or b1 > b0 + 1:
            yield "changed", left, right, b0 + 1, b1
        if b1 < len(base):
            yield "same", [], [], b1, b1 + 1


def _shared(base: list[str], ours: list[str], theirs: list[str]) -> Iterator[tuple[int, int, int]]:
    in_ours, in_theirs = _kept(base, ours), _kept(base, theirs)
    for index in range(len(base)):
        if index in in_ours and index in in_theirs:
            yield index, in_ours[index], in_theirs[index]


def _kept(base: list[str], other: list[str]) -> dict[int, int]:
    matcher = SequenceMatcher(None, base, other, autojunk=False)
    return {block.a + step: block.b + step for block in matcher.get_matching_blocks() for step in range(block.size)}


def _ended(lines: list[str]) -> list[str]:
    return [*lines[:-1], lines[-1] if lines[-1].endswith("\n") else lines[-1] + "\n"] if lines else []
