"""Applying a unified diff that a caller sent instead of a whole file: exactly, or not at all."""

import re

from yoimemory.errors import BadInput
from yoimemory.products.diffs import split_lines

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@.*")


class BadPatch(BadInput):
    """The patch is no unified diff of one file, or does not fit the file word for word."""


def apply_patch(text: str, patch: str) -> str:
    """The text with the patch applied. Every context and removed line must stand exactly where the patch says.

    Raises BadPatch, naming the line of the patch that does not fit. Nothing is guessed: a patch
    that would fit a little further down is refused.
    """
    old, out, at = split_lines(text), [], 0
    lines = split_lines(patch)
    number, hunks = _first_hunk(lines), 0
    while number < len(lines):
        match = _HUNK.match(lines[number])
        if match is None:
            raise _bad(number, "is neither a hunk nor a part of one")
        start = max(int(match[1]) - (0 if match[2] == "0" else 1), 0)
        if start < at or start > len(old):
            raise _bad(number, "names lines that the file does not have in this order")
        out += old[at:start]
        at, number, made = _take_hunk(old, lines, number + 1, start, int(match[2] or 1), int(match[4] or 1))
        out += made
        hunks += 1
    if not hunks:
        raise BadPatch("The patch holds no hunk.", hint="Send a unified diff of one file, as `git diff` writes it.")
    return "".join(out + old[at:])


def _first_hunk(lines: list[str]) -> int:
    for number, line in enumerate(lines):
        if line.startswith("@@"):
            return number
    return len(lines)


def _take_hunk(
    old: list[str], lines: list[str], number: int, at: int, left: int, right: int
) -> tuple[int, int, list[str]]:
    out: list[str] = []
    while left or right:
        if number >= len(lines):
            raise _bad(number, "is missing: the hunk is shorter than it says")
        sign, body = lines[number][:1], lines[number][1:]
        if number + 1 < len(lines) and lines[number + 1].startswith("\\"):
            body = body.removesuffix("\n")
        if sign in {" ", "-"} or lines[number] == "\n":
            found = old[at] if at < len(old) else ""
            if found != (body if sign in {" ", "-"} else "\n"):
                raise _bad(number, f"expects {body.strip()[:80]!r}, the file has {found.strip()[:80]!r}")
            at, left = at + 1, left - 1
        if sign in {" ", "+"} or lines[number] == "\n":
            out.append(body if sign in {" ", "+"} else "\n")
            right -= 1
        if sign not in {" ", "-", "+", "\n"} or left < 0 or right < 0:
            raise _bad(number, "does not belong into this hunk")
        number += 1
        if number < len(lines) and lines[number].startswith("\\"):
            number += 1
    return at, number, out


def _bad(number: int, what: str) -> BadPatch:
    return BadPatch(
        f"Line {number + 1} of the patch {what}.",
        hint="Read the file as it stands and make the patch again, or send the whole new content.",
        fields={"patch": "does not fit"},
    )
