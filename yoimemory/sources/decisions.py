"""Decision records among the docs: which status one has, when, by whom, what it takes the place of, what took its own.

Known are the forms of Nygard (adr-tools), MADR 2 to 4, log4brains, reStructuredText, AsciiDoc and free ones.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from yoimemory.refs import SourceRef
from yoimemory.sources.blocks import Heading, slug_of
from yoimemory.sources.frontmatter import FrontMatter
from yoimemory.sources.links import linked
from yoimemory.sources.reading import Link

_FOLDER = re.compile(r"(?:^|/)(?:adrs?|decisions|decision-records)/", re.IGNORECASE)
_NAMED = re.compile(r"(?:adr[-_]?)?([0-9]{3,5})[-_].+\.(?:md|markdown|rst|adoc|asciidoc|txt|org)", re.IGNORECASE)
_NUMBER = re.compile(r"(?:adr[-_]?)?0*([0-9]{1,8})[-_]", re.IGNORECASE)
_HEAD_LINES = 40
_FIELD = re.compile(r"[ \t]{0,3}(?:[*-][ \t]+|:)?[*_]*([A-Za-z][A-Za-z -]{2,20}?)[*_]*[ \t]*:[*_]*[ \t]*(.+)")
_KNOWN = ("superseded", "deprecated", "rejected", "accepted", "proposed")
_ALSO = {
    "superceded": "superseded", "replaced": "superseded", "obsolete": "deprecated", "declined": "rejected",
    "approved": "accepted", "adopted": "accepted", "decided": "accepted", "draft": "proposed", "pending": "proposed",
    "in review": "proposed", "open": "proposed",
}  # fmt: skip
_EDGES = (
    ("replaced_by", re.compile(r"(?:super[sc]eded|replaced|obsoleted)[*_]*[ -]by\b(.*)", re.IGNORECASE)),
    ("supersedes", re.compile(r"(?:super[sc]edes|replaces|obsoletes)\b(.*)", re.IGNORECASE)),
    ("related", re.compile(r"(?:amends|amended by|clarifies|clarified by|extends|extended by)\b(.*)", re.IGNORECASE)),
)
_WRITTEN = re.compile(
    r"\]\(<?([^)\s>#]+)|`[^`<]*<([^`>]+)>`_|:doc:`(?:[^`<]*<)?([^`>]+?)>?`|(?:link|xref):([^\[\s#]+)|<<([^,>#]+)"
)
_BY_NUMBER = re.compile(
    r"(?:\bADR|\brecord|\bdecision|#|\bno\.?)[ -]*#?0*([0-9]{1,8})\b|(?<![\w./-])0*([0-9]{1,5})(?![\w/-])",
    re.IGNORECASE,
)
_DAY = re.compile(r"(?<![0-9])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")


@dataclass(frozen=True, slots=True)
class Decision:
    """What a record says of itself: its status in its own words and in one, its date, its links."""

    said: str = ""
    status: str = "unknown"
    date: str = ""
    deciders: str = ""
    links: tuple[Link, ...] = field(default=())


def is_decision(path: str) -> bool:
    """Whether a file lies where decision records lie."""
    return bool(_FOLDER.search(path))


def is_named_as_decision(path: str) -> bool:
    """Whether a file is called as decision records are, so that it is one if its folder holds them."""
    return bool(_NAMED.fullmatch(path.rsplit("/", 1)[-1]))


def read_decision(
    path: str, lines: list[str], headings: list[Heading], front: FrontMatter, neighbours: Sequence[str]
) -> Decision:
    """What a record says; `neighbours` are the paths of its folder, among which numbers and titles are looked up."""
    fields = _fields(lines)
    said = status_lines(lines, headings, front=front.text("status") or fields.get("status", ""))
    edges = [*said, *(f"{key} {fields[key]}" for key in ("supersedes", "superseded by", "amends") if key in fields)]
    edges += [f"supersedes {each}" for each in front.texts("supersedes")]
    edges += [f"superseded by {each}" for key in ("superseded_by", "superseded-by") for each in front.texts(key)]
    day = _DAY.search(front.text("date") or fields.get("date", "")) or _DAY.search(" ".join(said))
    deciders = front.texts("decision-makers") or front.texts("deciders")
    return Decision(
        said[0][:200] if said else "",
        status_word(said) or "unknown",
        day[0] if day else "",
        (", ".join(deciders) or fields.get("deciders", ""))[:300],
        tuple({(link.kind, link.target): link for link in _links(edges, path, neighbours)}.values()),
    )


def _fields(lines: list[str]) -> dict[str, str]:
    """Lines of `Name: value` near the top, with or without a bullet; the first of each name."""
    found: dict[str, str] = {}
    for line in lines[:_HEAD_LINES]:
        if match := _FIELD.fullmatch(line.rstrip("\r")):
            found.setdefault(match[1].strip().lower(), match[2].strip())
    return found


def status_lines(lines: list[str], headings: list[Heading], *, front: str = "") -> list[str]:
    """What a record says of its status: in the section of that name, or in front matter or a line `Status:`."""
    for index, heading in enumerate(headings):
        if heading.text.strip().lower() == "status":
            end = headings[index + 1].line - 1 if index + 1 < len(headings) else len(lines)
            own = [line.strip() for line in lines[heading.line : end] if line.strip() and not _is_ruler(line)]
            if own:
                return ([front] if front else []) + own[:20]
    if front:
        return [front]
    first = next((line.strip() for line in lines[1:_HEAD_LINES] if line.strip() and not line.startswith("#")), "")
    return [first] if status_word([first.split(" ", 1)[0]]) and len(first) < 200 else []


def _is_ruler(line: str) -> bool:
    return not line.strip().strip("=-~^+*'`\"#")


def status_word(said: list[str]) -> str:
    """The status in one word: proposed, accepted, rejected, deprecated, superseded; empty where none is known."""
    text = " ".join(said).lower()
    known = next((word for word in _KNOWN if re.search(rf"\b{word}\b", text)), "")
    return known or next((word for also, word in _ALSO.items() if re.search(rf"\b{also}\b", text)), "")


def _links(said: list[str], path: str, neighbours: Sequence[str]) -> Iterator[Link]:
    for line in said:
        for kind, pattern in _EDGES:
            if match := pattern.search(line):
                for target in _targets(match[1], path, neighbours):
                    if target != str(SourceRef("doc", path)):
                        yield Link(kind, target, where="", note=line[:200])


def _targets(text: str, path: str, neighbours: Sequence[str]) -> Iterator[str]:
    """The records that words name: by a link, else by a number, else by a title or a name."""
    written = [next(part for part in groups if part) for groups in _WRITTEN.findall(text)]
    if written:
        for each in written:
            own = f".{path.rsplit('.', 1)[-1]}"
            found = linked(each, "", path) or linked(each + own, "", path)
            if found:
                yield found
        return
    numbers = {int(one or other) for one, other in _BY_NUMBER.findall(_DAY.sub("", text))}
    by_number = [each for each in neighbours if (match := _NUMBER.match(_name(each))) and int(match[1]) in numbers]
    yield from (str(SourceRef("doc", each)) for each in by_number)
    wanted = slug_of(re.sub(r"^[:\s]+", "", text))
    for each in neighbours if wanted and not by_number else ():
        stem = slug_of(_name(each).rsplit(".", 1)[0])
        if wanted in {stem, slug_of(_NUMBER.sub("", _name(each)).rsplit(".", 1)[0])}:
            yield str(SourceRef("doc", each))


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]
