"""Cutting a text into passages: by headings, by blocks, by top-level definitions. Lines count from 1."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markdown_it import MarkdownIt

from yoimemory.refs import lines_fragment
from yoimemory.sources.reading import Passage

LINES_MAX = 80
"""Lines of one passage; a search hit should fit a screen."""

CHARACTERS_MAX = 16_000
"""Characters of one passage; a longer line is cut into several passages of one address."""

MARKDOWN_MAX = 512 << 10
"""A longer Markdown text is cut like plain text, since parsing has its price."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its line, its depth from 1, its words."""

    line: int
    level: int
    text: str


def slug_of(heading: str) -> str:
    """The name of a heading in a fragment: lower case, words joined by hyphens, letters of any script."""
    folded = unicodedata.normalize("NFC", heading).lower()
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", folded)).strip("-_")


def _block_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "maxNesting": 20}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])  # headings and lines only: words inside are not looked at
    return parser


_PARSER = _block_parser()


def headings_of(text: str, *, skip: int = 0) -> list[Heading]:
    """The headings of a Markdown text outside fences and lists. The first `skip` lines are front matter."""
    if len(text) > MARKDOWN_MAX or not ("#" in text or "\n==" in text or "\n--" in text):
        return []
    # A lone carriage return would count as a line for the parser and does not for us.
    lines = [
        "" if number < skip else line.rstrip("\r").replace("\r", " ") for number, line in enumerate(text.split("\n"))
    ]
    plain = _plain_headings(lines)
    return _parsed_headings("\n".join(lines)) if plain is None else plain


_ATX = re.compile(r"(#{1,6})(?:[ \t](.*))?$")
_CLOSING_MARKS = re.compile(r"(?:^|[ \t])#+$")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_DOUBTFUL = re.compile(r" {1,3}#{1,6}(?:[ \t]|$)|[ \t>*+\-0-9.)]+(?:`{3}|~{3})")
_UNDERLINE = re.compile(r"[ \t]*(?:=+|[|:-][|: \t-]*)[ \t]*$")


def _plain_headings(lines: Sequence[str]) -> list[Heading] | None:
    """The headings where a look at each line tells them: marks and fences at the start of a line.

    None where blocks in blocks, underlined headings or tables take a parser, which is many times slower.
    """
    found: list[Heading] = []
    fence = ""
    for number, line in enumerate(lines, start=1):
        if fence:
            closing = line.strip()
            if closing and not closing.strip(fence[0]) and len(closing) >= len(fence) and not line.startswith("    "):
                if line[0] == "\t":
                    return None
                fence = ""
            continue
        if not line or (line[0] not in "#`~ \t>*+-=|:" and not line[0].isdigit()):
            continue
        if match := _ATX.match(line):
            words = _CLOSING_MARKS.sub("", (match[2] or "").strip(" \t"))
            found.append(Heading(number, len(match[1]), re.sub(r"[*`_]", "", words).strip()))
        elif match := _FENCE.match(line):
            fence = match[1] or match[2]
        elif _DOUBTFUL.match(line) or (number > 1 and _underlines(line, lines[number - 2])):
            return None
    return found


def _underlines(line: str, above: str) -> bool:
    """Whether a line may make the one above a heading, or a row of a table that would else be one."""
    if not _UNDERLINE.match(line) or not above.strip():
        return False
    return "|" not in line or above.lstrip().startswith("#")


def _parsed_headings(body: str) -> list[Heading]:
    found = []
    tokens = _PARSER.parse(body)
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            words = re.sub(r"[*`_]", "", tokens[index + 1].content).strip()
            found.append(Heading(token.map[0] + 1, int(token.tag[1:]), words))
    return found


def section_passages(
    lines: Sequence[str], headings: Sequence[Heading], *, title: str = "", **about: Any
) -> tuple[Passage, ...]:
    """One passage per section, cut further where it is long; `heading` is the path of headings above it."""
    found: list[Passage] = []
    path: list[Heading] = []
    borders = [Heading(1, 0, title), *headings]
    for index, heading in enumerate(borders):
        last = borders[index + 1].line - 1 if index + 1 < len(borders) else len(lines)
        if heading.level:
            path = [above for above in path if above.level < heading.level] + [heading]
        words = " > ".join(part.text for part in path) or title
        found += block_passages(lines, heading.line, last, heading=words, **about)
    return tuple(found)


def block_passages(lines: Sequence[str], first: int, last: int, **about: Any) -> Iterator[Passage]:
    """Passages of at most LINES_MAX lines between two lines, cut at empty lines where there are some."""
    start = first
    while start <= last:
        while start <= last and not lines[start - 1].strip():
            start += 1
        if start > last:
            return
        end = min(last, start + LINES_MAX - 1)
        if end < last:
            for candidate in range(end, start + LINES_MAX // 2, -1):
                if not lines[candidate - 1].strip():
                    end = candidate
                    break
        end, rest = _within_size(lines, start, end)
        stop = end
        while stop > start and not lines[stop - 1].strip():
            stop -= 1
        yield from _passages(lines, start, stop, about)
        start = rest


def _within_size(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """Shorten a block that holds too many characters; never below one line."""
    size = 0
    for number in range(start, end + 1):
        size += len(lines[number - 1]) + 1
        if size > CHARACTERS_MAX and number > start:
            return number - 1, number
    return end, end + 1


def _passages(lines: Sequence[str], start: int, stop: int, about: dict[str, Any]) -> Iterator[Passage]:
    text = "\n".join(lines[start - 1 : stop])
    whole = Passage(lines_fragment(start, stop), text, start, stop, **about)
    if len(text) <= CHARACTERS_MAX * 2:
        yield whole
        return
    for begin in range(0, len(text), CHARACTERS_MAX):
        yield replace(whole, text=text[begin : begin + CHARACTERS_MAX])


_DEFINITION = re.compile(
    r"(?:export |default |declare |pub(?:\([a-z:]+\))? |public |private |protected |static |final |abstract |"
    r"async |unsafe |extern(?: \"C\")? |const |inline )*"
    r"(?:def|class|fn|func|function\*?|struct|enum|trait|impl(?:<[^>]*>)?|interface|type|module|mod|namespace|object|record|"
    r"macro_rules!|defmodule|package|union|sub|CREATE (?:TABLE|VIEW|INDEX|FUNCTION))[ \t(]+([\w:.$<>&' ]*\w)?"
)
_LEADING = re.compile(r"(?:@|#\[|//|/\*|\*|#(?![!\[])|--|\"\"\")")


def definitions_of(lines: Sequence[str]) -> list[Heading]:
    """Top-level definitions by their first line, decorators and comments above included."""
    found: list[Heading] = []
    for number, line in enumerate(lines, start=1):
        if not line or line[0] in " \t}" or len(line) > 500:
            continue
        match = _DEFINITION.match(line)
        if match:
            start = number
            while start > 1 and lines[start - 2] and _LEADING.match(lines[start - 2]):
                start -= 1
            if found and start <= found[-1].line:
                start = number
            found.append(Heading(start, 1, (match[1] or line[:80]).strip()))
    return found


def code_passages(
    lines: Sequence[str], definitions: Sequence[Heading] | None = None, **about: Any
) -> tuple[Passage, ...]:
    """Passages of code: neighbouring small definitions together, each long one in blocks."""
    borders = [Heading(1, 1, ""), *(definitions_of(lines) if definitions is None else definitions)]
    found: list[Passage] = []
    start, names = 1, [borders[0].text]
    for index, border in enumerate(borders):
        end = borders[index + 1].line - 1 if index + 1 < len(borders) else len(lines)
        if end - start + 1 > LINES_MAX and border.line > start:
            found += block_passages(lines, start, border.line - 1, heading=_names(names), **about)
            start, names = border.line, []
        names.append(border.text)
    found += block_passages(lines, start, len(lines), heading=_names(names), **about)
    return tuple(found)


def _names(names: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(name for name in names if name))[:300]
