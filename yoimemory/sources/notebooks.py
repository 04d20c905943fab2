"""Notebooks as text: cells one below the other, their outputs short and labelled. Nothing in them is run."""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from yoimemory.sources.blocks import Heading, block_passages, headings_of
from yoimemory.sources.decoding import clean
from yoimemory.sources.masking import mask
from yoimemory.sources.reading import Passage

OUTPUT_MAX = 2_000
"""Characters of the output of one cell."""

CELLS_MAX = 5_000

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


class NoNotebook(Exception):
    """The text is no notebook; carries the reason and, where known, the line."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


@dataclass(slots=True)
class Notebook:
    """A notebook as it is read: text, passages, headings, the language of its code, what could not be read."""

    lines: list[str] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    title: str = ""
    language: str = ""
    cells: int = 0
    outputs: int = 0
    problems: list[str] = field(default_factory=list)
    masked: Counter[str] = field(default_factory=Counter)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def read_notebook(source: str, *, name: str) -> Notebook:
    """The cells of a notebook of any format since the third. Raises NoNotebook."""
    try:
        parsed = json.loads(source, strict=False)  # a mask over several lines keeps their ends, within a string too
    except RecursionError as error:
        raise NoNotebook("The notebook is nested too deep.") from error
    except ValueError as error:
        raise NoNotebook("The notebook is not JSON.", getattr(error, "lineno", None)) from error
    cells = _cells(parsed)
    if cells is None:
        raise NoNotebook("The file has no list of cells, so it is no notebook.")
    notebook = Notebook(language=_language(parsed))
    path: list[Heading] = []
    for number, cell in enumerate(cells[:CELLS_MAX], start=1):
        if not isinstance(cell, dict):
            notebook.problems.append(f"Cell {number} is no object and was passed by.")
            continue
        _take(notebook, cell, number, path, name)
    if len(cells) > CELLS_MAX:
        notebook.problems.append(f"It has {len(cells):,} cells; the first {CELLS_MAX:,} are read.")
    notebook.cells = len(cells)
    return notebook


def _cells(parsed: Any) -> list[Any] | None:
    if not isinstance(parsed, dict):
        return None
    if isinstance(parsed.get("cells"), list):
        return list(parsed["cells"])
    sheets = parsed.get("worksheets")
    if not isinstance(sheets, list):
        return None
    found: list[Any] = []
    for sheet in sheets:
        if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list):
            found += sheet["cells"]
    return found


def _language(parsed: Any) -> str:
    metadata = parsed.get("metadata") if isinstance(parsed, dict) else None
    for key, inner in (("kernelspec", "language"), ("language_info", "name")):
        about = metadata.get(key) if isinstance(metadata, dict) else None
        if isinstance(about, dict) and isinstance(about.get(inner), str):
            return str(about[inner])[:40]
    return ""


def _take(notebook: Notebook, cell: dict[str, Any], number: int, path: list[Heading], name: str) -> None:
    kind = cell.get("cell_type")
    kind = kind if isinstance(kind, str) else "unknown"
    text = _told(notebook, words_in(cell.get("source", cell.get("input"))))
    if kind == "heading" and text:  # the third format had cells that are headings
        level = cell.get("level")
        text = "#" * (level if isinstance(level, int) and 0 < level < 7 else 1) + " " + text
        kind = "markdown"
    if kind == "markdown":
        for heading in headings_of(text):
            path[:] = [above for above in path if above.level < heading.level] + [heading]
            notebook.title = notebook.title or heading.text
    above = " > ".join(heading.text for heading in path) or name
    if text.strip():
        _add(notebook, text, f"{above} > cell {number} ({kind[:20]})")
    output = _told(notebook, _output(cell.get("outputs")))
    if output:
        notebook.outputs += 1
        _add(notebook, f"[output of cell {number}]\n{output}", f"{above} > output of cell {number}")


def _told(notebook: Notebook, text: str) -> str:
    """The text without the secrets that stood in JSON in another form, or in several strings."""
    masked = mask(text)
    notebook.masked.update(masked.counts)
    return masked.text


def _add(notebook: Notebook, text: str, heading: str) -> None:
    if notebook.lines:
        notebook.lines.append("")
    first = len(notebook.lines) + 1
    notebook.lines += clean(text)[0].split("\n")
    notebook.passages += block_passages(notebook.lines, first, len(notebook.lines), heading=heading[:300])


def _output(outputs: Any) -> str:
    """The texts of a cell's outputs; pictures and pages are named, not shown."""
    parts: list[str] = []
    for each in outputs[:100] if isinstance(outputs, list) else ():
        if not isinstance(each, dict):
            continue
        inner = each.get("data")
        data: dict[str, Any] = inner if isinstance(inner, dict) else each
        text = words_in(each.get("text")) or words_in(data.get("text/plain"))
        if isinstance(each.get("ename"), str):
            trace = each.get("traceback")
            text = words_in(trace, "\n") or f"{each['ename']}: {words_in(each.get('evalue'))}"
        pictures = sorted(key for key in data if isinstance(key, str) and key.startswith(("image/", "text/html")))
        parts += [text] if text.strip() else [f"[{', '.join(pictures)[:80]}]"] if pictures else []
    text = _ANSI.sub("", "\n".join(parts)).strip("\n")
    return text if len(text) <= OUTPUT_MAX else text[:OUTPUT_MAX] + "\n[… the rest of this output is left out]"


def words_in(value: Any, between: str = "") -> str:
    """A text that may be one string or a list of them."""
    if isinstance(value, str):
        return value.rstrip("\n")
    if isinstance(value, list):
        return between.join(each for each in value if isinstance(each, str)).rstrip("\n")
    return ""
