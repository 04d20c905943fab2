"""Decision records among the docs: which status one has, what it takes the place of, what took its own."""

import re
from collections.abc import Iterator

from yoimemory.sources.blocks import Heading
from yoimemory.sources.reading import Link

_FOLDER = re.compile(r"(?:^|/)(?:adrs?|decisions|decision-records)/", re.IGNORECASE)
_LINE = re.compile(r"[ \t]{0,3}(?:[*-][ \t]+)?\**Status\**[ \t]*:\**[ \t]*(.+)", re.IGNORECASE)
_KNOWN = ("superseded", "deprecated", "rejected", "accepted", "proposed")
_EDGES = (
    ("replaced_by", re.compile(r"(?:superseded|replaced)[ -]by\b(.*)", re.IGNORECASE)),
    ("supersedes", re.compile(r"(?:super[sc]edes|replaces)\b(.*)", re.IGNORECASE)),
)
_LINKED = re.compile(r"\]\(<?([^)\s>#]+)")


def is_decision(path: str) -> bool:
    """Whether a file lies where decision records lie."""
    return bool(_FOLDER.search(path))


def status_lines(lines: list[str], headings: list[Heading], *, front: str = "") -> list[str]:
    """What a record says of its status: in front matter, in a line `Status:`, or in the section of that name."""
    if front:
        return [front]
    for index, heading in enumerate(headings):
        if heading.text.strip().lower() == "status":
            end = headings[index + 1].line - 1 if index + 1 < len(headings) else len(lines)
            return [line.strip() for line in lines[heading.line : end] if line.strip()][:20]
    return [match[1].strip() for line in lines[:40] if (match := _LINE.fullmatch(line.rstrip("\r")))][:1]


def status_word(said: list[str]) -> str:
    """The status in one word: proposed, accepted, rejected, deprecated, superseded; empty where none is known."""
    text = " ".join(said).lower()
    return next((word for word in _KNOWN if word in text), "")


def decision_links(said: list[str], targets: dict[str, str]) -> Iterator[Link]:
    """The records that the status names, `targets` being the addresses of the links as they are written."""
    for line in said:
        for kind, pattern in _EDGES:
            match = pattern.search(line)
            for written in _LINKED.findall(match[1]) if match else ():
                if written in targets:
                    yield Link(kind, targets[written], where="", note=line[:200])
