"""Headings of texts that are no Markdown: reStructuredText, AsciiDoc, Org. Lines count from 1."""

import io
import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from yoimemory.sources.blocks import Heading

PARSED_MAX = 256 << 10
"""Characters of a reStructuredText that is given to a parser; a longer one is looked through line by line."""

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*")
_TABLE = re.compile(r"(?:=+(?: +=+)+|\+[-=+]+\+)")
_DIRECTIVE = re.compile(r"(?:\.\.(?:\s|$)|:[a-z-]+:)")


def rst_headings(text: str, lines: Sequence[str]) -> list[Heading]:
    """The sections of a reStructuredText. Nothing that it includes or names is opened."""
    found, is_sure = _adorned(lines)
    if is_sure or len(text) > PARSED_MAX:
        return found
    parsed = _parsed(text, lines)
    return found if parsed is None else parsed


def _adorned(lines: Sequence[str]) -> tuple[list[Heading], bool]:
    """Titles by the signs below them, and whether nothing here could be taken for one that is none."""
    found: list[Heading] = []
    styles: list[tuple[str, bool]] = []
    sure = True
    for index, line in enumerate(lines):
        sign = line.rstrip()
        if _TABLE.fullmatch(sign):
            sure = False
        if len(sign) < 2 or not _ADORNMENT.fullmatch(sign) or index == 0:
            continue
        title = lines[index - 1].rstrip()
        over = index > 1 and lines[index - 2].rstrip() == sign
        if not title.strip() or _ADORNMENT.fullmatch(title) or _DIRECTIVE.match(title):
            continue
        if (title[0].isspace() and not over) or (len(sign) < len(title.strip()) and len(sign) < 4):
            continue
        if len(sign) < len(title.rstrip()) or (index > 1 and not over and lines[index - 2].strip()):
            sure = False
            continue
        if (sign[0], over) not in styles:
            styles.append((sign[0], over))
        level = styles.index((sign[0], over)) + 1
        found.append(Heading(index if not over else index - 1, level, title.strip()[:300]))
    return found, sure


def _parsed(text: str, lines: Sequence[str]) -> list[Heading] | None:
    """The sections by a parser that opens no file, runs no transform and says nothing; None where it gives up."""
    nodes: Any = import_module("docutils.nodes")
    parser: Any = import_module("docutils.parsers.rst").Parser
    settings: Any = import_module("docutils.frontend").get_default_settings(parser)
    vars(settings).update(_SETTINGS, warning_stream=io.StringIO())
    document: Any = import_module("docutils.utils").new_document("source", settings)
    try:
        parser().parse(text, document)
    except (RecursionError, ValueError, TypeError, LookupError, AttributeError, AssertionError, nodes.NodeFound):
        return None
    found: list[Heading] = []
    for section in document.findall(nodes.section):
        title, line, level, above = section[0].astext(), section.line or 1, 1, section.parent
        while isinstance(above, nodes.section):
            level, above = level + 1, above.parent
        while line > 1 and (line > len(lines) or _ADORNMENT.fullmatch(lines[line - 1].rstrip() or "x")):
            line -= 1
        if line > 1 and _ADORNMENT.fullmatch(lines[line - 2].rstrip() or "x"):
            line -= 1
        found.append(Heading(line, level, title.strip()[:300]))
    return found


_SETTINGS = {
    "file_insertion_enabled": False, "raw_enabled": False, "_disable_config": True, "report_level": 5,
    "halt_level": 5, "syntax_highlight": "none", "line_length_limit": 100_000,
}  # fmt: skip

_ASCIIDOC = re.compile(r"(={1,6}) +(\S.*)")
_ASCIIDOC_FENCE = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|={4,}|\*{4,}|_{4,}|```.*|--)")
_ORG = re.compile(r"(\*{1,8}) +(?:(?:TODO|DONE) +)?(\S.*)")
_ORG_FENCE = re.compile(r"#\+(begin|end)_\w+", re.IGNORECASE)


def asciidoc_headings(lines: Sequence[str]) -> list[Heading]:
    """Titles of an AsciiDoc text, outside delimited blocks."""
    found: list[Heading] = []
    fence = ""
    for number, line in enumerate(lines, start=1):
        sign = line.rstrip()
        if _ASCIIDOC_FENCE.fullmatch(sign):
            fence = "" if fence == sign[:4] else fence or sign[:4]
        elif not fence and (match := _ASCIIDOC.fullmatch(sign)):
            found.append(Heading(number, len(match[1]), match[2].rstrip(" =")[:300]))
    return found


def org_headings(lines: Sequence[str]) -> list[Heading]:
    """Headlines of an Org text, outside blocks."""
    found: list[Heading] = []
    inside = False
    for number, line in enumerate(lines, start=1):
        if match := _ORG_FENCE.match(line.strip()):
            inside = match[1].lower() == "begin"
        elif not inside and (match := _ORG.fullmatch(line.rstrip())):
            found.append(Heading(number, len(match[1]), match[2][:300]))
    return found
