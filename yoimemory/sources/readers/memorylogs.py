"""What the memory of Yoi writes down of itself: which records were used or shown, and what was done to them."""

import json
from collections.abc import Iterator
from typing import Any

from yoimemory.refs import SourceRef, lines_fragment
from yoimemory.sources.dates import read_instant
from yoimemory.sources.decoding import clean, lines_of
from yoimemory.sources.reading import Document, Passage, Tree, Unreadable
from yoimemory.sources.texts import document, fetch, unreadable

RECORDS_MAX = 500
"""Memory records whose uses are counted in the facts of a usage log."""

LINES_EACH = 40
_WORDS = {"use": "used", "resident_exposure": "shown unasked"}


def is_memory_log(ref: SourceRef) -> bool:
    return ref.locator.startswith(("usage/", "audit/"))


def read_memory_log(tree: Tree, path: str, ref: SourceRef) -> Iterator[Document | Unreadable]:
    """A log of JSON lines: by stretches of lines, with the uses of each record counted."""
    decoded = fetch(tree, path)
    if isinstance(decoded, Unreadable):
        yield decoded
        return
    lines = lines_of(decoded.text)
    uses: dict[str, dict[str, int]] = {}
    instants = []
    for number, line in enumerate(lines, start=1):
        record = _record(line)
        if record is None:
            yield unreadable(path, "This line is no JSON object.", number)
        elif record:
            at = read_instant(record.get("occurred_at") or record.get("timestamp") or record.get("at"))
            instants += [at] if at else []
            _count(record, uses)
    passages = []
    for start in range(0, len(lines), LINES_EACH):
        first, last = start + 1, min(start + LINES_EACH, len(lines))
        text = "\n".join(lines[start:last])
        passages.append(Passage(lines_fragment(first, last), text, first, last, speaker="harness"))
    kind = "Usage of memory records" if ref.locator.startswith("usage/") else "Audit log of memory records"
    yield document(
        tree,
        path,
        decoded,
        ref=ref,
        title=kind,
        authority="memory",
        at=max(instants, default=None),
        passages=tuple(passages),
        facts={"lines": len(lines), **({"uses": uses} if uses else {})},
    )


def _record(line: str) -> dict[str, Any] | None:
    """The object on a line; an empty one for an empty line, None for what is none."""
    if not line.strip():
        return {}
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _count(record: dict[str, Any], uses: dict[str, dict[str, int]]) -> None:
    """Add an event to what is known of the records it names: `uses["decision/use-files"]["used"]`."""
    word = _WORDS.get(str(record.get("event")), "")
    named = record.get("records")
    for each in named if word and isinstance(named, list) else ():
        if isinstance(each, dict) and isinstance(each.get("kind"), str):
            slug = each.get("slug")
            name = clean(f"{each['kind']}/{slug}" if isinstance(slug, str) and slug else each["kind"])[0][:200]
            if name in uses or len(uses) < RECORDS_MAX:
                counts = uses.setdefault(name, {})
                counts[word] = counts.get(word, 0) + 1
