"""What a change does, line by line and word by word; as rows for a page and as a patch that git applies."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from yoimemory.products.visible import count_hidden, pieces

CONTEXT = 3
ROWS_MAX = 6_000
_EXACT_UP_TO = 4_000
_WORDS_UP_TO = 1_500
_ALIKE = 0.3
_TOKEN = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+|\s+|.", re.DOTALL)
_PLAIN_PATH = re.compile(r"[^\x00-\x1f\x7f\"\\]+")

Opcode = tuple[str, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of one line: `changed` words are underlined, a `hidden` character is spelled out."""

    text: str
    changed: bool = False
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a diff. `kind` is same, add, del, or gap (then `skipped` lines are not shown)."""

    kind: str
    old: int | None = None
    new: int | None = None
    pieces: tuple[Piece, ...] = ()
    skipped: int = 0
    unended: bool = False


@dataclass(frozen=True, slots=True)
class Diff:
    """A change as a page shows it: all rows, what it adds and takes away, and what a reader cannot see in it."""

    rows: tuple[Row, ...]
    added: int
    removed: int
    hidden: int
    left_out: int = 0


def split_lines(text: str) -> list[str]:
    """The lines of a text, each with its line feed; only a line feed ends a line."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def compare(before: str, after: str, *, context: int = CONTEXT) -> Diff:
    """Compare two texts whole, show the changed lines with their surroundings."""
    old, new = split_lines(before), split_lines(after)
    codes = opcodes(old, new)
    rows = tuple(_rows(old, new, codes, context))
    added = sum(j2 - j1 for tag, _, _, j1, j2 in codes if tag in {"insert", "replace"})
    removed = sum(i2 - i1 for tag, i1, i2, _, _ in codes if tag in {"delete", "replace"})
    return Diff(
        rows=rows[:ROWS_MAX],
        added=added,
        removed=removed,
        hidden=count_hidden(after),
        left_out=max(0, len(rows) - ROWS_MAX),
    )


def opcodes(old: list[str], new: list[str]) -> list[Opcode]:
    """How to turn one list of lines into the other; common ends are cut off first, so small edits stay cheap."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    codes: list[Opcode] = [("equal", 0, head, 0, head)] if head else []
    if left and right and len(left) + len(right) > 10 * _EXACT_UP_TO:
        codes.append(("replace", head, len(old) - tail, head, len(new) - tail))
    elif left or right:
        matcher = SequenceMatcher(None, left, right, autojunk=len(left) + len(right) > _EXACT_UP_TO)
        codes += [(tag, i1 + head, i2 + head, j1 + head, j2 + head) for tag, i1, i2, j1, j2 in matcher.get_opcodes()]
    if tail:
        codes.append(("equal", len(old) - tail, len(old), len(new) - tail, len(new)))
    return codes


def patch_of(before: str | None, after: str, path: str) -> str:
    """The change as a unified diff; `before` is None for a new file."""
    old, new = split_lines(before or ""), split_lines(after)
    hunks = [_hunk(old, new, group) for group in _groups(opcodes(old, new))]
    if not hunks:
        return ""
    left = "/dev/null" if before is None else _quoted(f"a/{path}")
    return f"--- {left}\n+++ {_quoted(f'b/{path}')}\n" + "".join(hunks)


def _rows(old: list[str], new: list[str], codes: list[Opcode], context: int) -> Iterator[Row]:
    for number, (tag, i1, i2, j1, j2) in enumerate(codes):
        if tag == "equal":
            yield from _same(old, i1, i2, j1, first=number == 0, last=number == len(codes) - 1, context=context)
            continue
        left, right = old[i1:i2], new[j1:j2]
        marked = [_words(a, b) for a, b in zip(left, right, strict=False)]
        for offset, line in enumerate(left):
            words = marked[offset][0] if offset < len(marked) else [(_body(line), False)]
            yield Row("del", old=i1 + offset + 1, pieces=_visible(words), unended=not line.endswith("\n"))
        for offset, line in enumerate(right):
            words = marked[offset][1] if offset < len(marked) else [(_body(line), False)]
            yield Row("add", new=j1 + offset + 1, pieces=_visible(words), unended=not line.endswith("\n"))


def _same(
    old: list[str], start: int, end: int, new_start: int, *, first: bool, last: bool, context: int
) -> Iterator[Row]:
    length = end - start
    head = 0 if first else context
    tail = 0 if last else context
    hide = length - head - tail
    for index in range(start, end):
        offset = index - start
        if hide > 1 and offset == head:
            yield Row("gap", skipped=hide)
        if hide > 1 and head <= offset < length - tail:
            continue
        line = old[index]
        yield Row(
            "same", old=index + 1, new=new_start + offset + 1, pieces=_visible([(_body(line), False)]),
            unended=not line.endswith("\n"),
        )  # fmt: skip


def _words(before: str, after: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Both lines in runs, those words marked that differ; nothing is marked where hardly a word stayed."""
    left, right = _TOKEN.findall(_body(before)), _TOKEN.findall(_body(after))
    plain = [(_body(before), False)], [(_body(after), False)]
    if len(left) > _WORDS_UP_TO or len(right) > _WORDS_UP_TO:
        return plain
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return plain
    out: tuple[list[tuple[str, bool]], list[tuple[str, bool]]] = [], []
    for changed, i1, i2, j1, j2 in _phrases(matcher.get_opcodes(), left):
        for side, run in ((0, "".join(left[i1:i2])), (1, "".join(right[j1:j2]))):
            if run:
                out[side].append((run, changed))
    return out


def _phrases(codes: Sequence[Opcode], left: list[str]) -> list[tuple[bool, int, int, int, int]]:
    """The opcodes with changed words joined to phrases: a blank between two changed words changed with them."""
    phrases: list[tuple[bool, int, int, int, int]] = []
    for number, (tag, i1, i2, j1, j2) in enumerate(codes):
        between = 0 < number < len(codes) - 1 and not "".join(left[i1:i2]).strip()
        changed = tag != "equal" or between
        if phrases and phrases[-1][0] == changed:
            _, a1, _, b1, _ = phrases.pop()
            phrases.append((changed, a1, i2, b1, j2))
        else:
            phrases.append((changed, i1, i2, j1, j2))
    return phrases


def _visible(words: Iterable[tuple[str, bool]]) -> tuple[Piece, ...]:
    return tuple(Piece(text, changed, hidden) for run, changed in words for text, hidden in pieces(run))


def _body(line: str) -> str:
    return line.removesuffix("\n")


def _groups(codes: list[Opcode]) -> Iterator[list[Opcode]]:
    group: list[Opcode] = []
    for number, (tag, i1, i2, j1, j2) in enumerate(codes):
        if tag != "equal":
            group.append((tag, i1, i2, j1, j2))
            continue
        keep_head, keep_tail = (0 if number == 0 else CONTEXT), (0 if number == len(codes) - 1 else CONTEXT)
        if i2 - i1 <= keep_head + keep_tail:
            group.append((tag, i1, i2, j1, j2))
            continue
        if keep_head:
            group.append((tag, i1, i1 + keep_head, j1, j1 + keep_head))
        if any(entry[0] != "equal" for entry in group):
            yield group
        group = [(tag, i2 - keep_tail, i2, j2 - keep_tail, j2)] if keep_tail else []
    if any(entry[0] != "equal" for entry in group):
        yield group


def _hunk(old: list[str], new: list[str], group: list[Opcode]) -> str:
    i1, i2, j1, j2 = group[0][1], group[-1][2], group[0][3], group[-1][4]
    lines = [f"@@ -{_range(i1, i2)} +{_range(j1, j2)} @@\n"]
    for tag, a, b, c, d in group:
        if tag == "equal":
            lines += [_marked(" ", line) for line in old[a:b]]
            continue
        lines += [_marked("-", line) for line in old[a:b]]
        lines += [_marked("+", line) for line in new[c:d]]
    return "".join(lines)


def _range(start: int, end: int) -> str:
    length = end - start
    return f"{start if length == 0 else start + 1}" + ("" if length == 1 else f",{length}")


def _marked(sign: str, line: str) -> str:
    return sign + line if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


def _quoted(path: str) -> str:
    if _PLAIN_PATH.fullmatch(path):
        return path + ("\t" if " " in path else "")  # git ends a name with blanks by a tab
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(f"\\{ord(char):03o}" if ord(char) < 32 or ord(char) == 127 else char for char in escaped) + '"'
