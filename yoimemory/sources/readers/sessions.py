"""Session logs as JSON lines. An entry's number is its address: records are counted from 1, bad ones too.

Lines with role, content and timestamp are read whole; the tagged lines of some agents are read for
the words they carry (`entries`). A line that cannot be read keeps its number and is reported; an
unfinished last line waits for its end.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from yoimemory.refs import OWN_KINDS, SourceRef
from yoimemory.sources.decoding import Decoded, NotText, clean, decode
from yoimemory.sources.opener import OutsideRoot, Unopenable
from yoimemory.sources.places import session_name
from yoimemory.sources.readers.entries import Entry, read_entry, system_of
from yoimemory.sources.reading import Document, Passage, Tree, Unit, Unreadable
from yoimemory.sources.texts import document, unreadable

LOG_MAX = 128 << 20
LINE_MAX = 16 << 20
ENDINGS = (".jsonl", ".ndjson", ".json", ".log")

_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\x00\x00")
_INJECTED = re.compile(
    r"<((?:injected|relevant|resident|retrieved)?[-_]?(?:memory|memories)(?:[-_]context)?|yoimemory)\b[^>]*>.*?(?:</\1\s*>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_OURS = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(OWN_KINDS)}):[0-9A-HJKMNP-TV-Z]{{26}}(?![0-9A-Za-z])")


class SessionReader:
    """One unit is one log, in the workspace or in an added folder."""

    name = "sessions"

    def units(self, tree: Tree) -> Iterator[Unit]:
        taken: set[str] = set()
        for path, mark in tree.files().items():
            name = session_name(path)
            if name and name not in taken:
                taken.add(name)
                yield Unit(unit_key(name), self.name, mark, (path,))
        for folder in tree.folders:
            if folder.kind != "session":
                continue
            files = folder.tree.files()
            for path, mark in files.items():
                if not path.endswith(ENDINGS) and len(files) > 1:
                    continue
                name = _free_name(path, folder.name, folder.pk, taken)
                taken.add(name)
                yield Unit(unit_key(name), self.name, mark, (path,), folder.pk)

    def read(self, tree: Tree, unit: Unit) -> Iterator[Document | Unreadable]:
        place = tree
        if unit.folder:
            found = next((folder for folder in tree.folders if folder.pk == unit.folder), None)
            if found is None:
                yield unreadable(unit.paths[0], "The added folder is no longer there.")
                return
            place = found.tree
        yield from _log(tree, place, unit)


def unit_key(name: str) -> str:
    return str(SourceRef("session", name))


def _free_name(path: str, folder: str, pk: int, taken: set[str]) -> str:
    """The log's path without ending; with its folder's name in front where two logs are called alike."""
    name = re.sub(r"\.(?:jsonl|ndjson|json|log)$", "", path)
    choices = [name, f"{folder}/{name}", f"added-{pk}/{name}"]
    return next((choice for choice in choices if choice not in taken), choices[-1])


@dataclass(slots=True)
class _Log:
    """What was read of one log so far."""

    lines: int = 0
    records: int = 0
    bad: list[Unreadable] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    system: str = ""
    lossy: bool = False
    pending: bool = False


def _log(tree: Tree, place: Tree, unit: Unit) -> Iterator[Document | Unreadable]:
    path = unit.paths[0]
    try:
        data = place.read(path, limit=LOG_MAX)
        log, entries = _Log(), []
        for number, record in _records(data, log, path):
            log.system = log.system or system_of(record)
            entry = read_entry(record, number)
            if entry.text:
                entries.append(entry)
            else:
                log.kinds[entry.kind] += 1
    except (Unopenable, OutsideRoot, NotText) as error:
        yield unreadable(path, error)
        return
    yield from log.bad
    text, passages = _assemble(entries)
    name = SourceRef.parse(unit.key).locator
    ref = SourceRef("session", f"{log.system or 'plain'}/{name}")
    if not entries and not log.bad and not log.pending:
        return  # an empty log is no fault and nothing to show
    instants = [entry.at for entry in entries if entry.at]
    said = next((entry.text for entry in entries if entry.speaker == "human"), "")
    yield document(
        place,
        path,
        Decoded(text, lossy=log.lossy),
        ref=ref,
        title=said.split("\n", 1)[0][:120] or name,
        authority="authority",
        at=max(instants, default=None),
        passages=passages,
        links=tree.linker.links(passages, ref),
        facts={
            "records": log.records,
            "other": dict(log.kinds.most_common(20)),
            "unreadable": len(log.bad),
            **({"pending": True} if log.pending else {}),
            **({"started_at": min(instants).isoformat()} if instants else {}),
        },
    )


def _records(data: bytes, log: _Log, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """(number, record) of every record that is an object; the rest is noted in the log."""
    if data.startswith(_MARKS):
        decoded = decode(data)
        data, log.lossy = decoded.text.encode("utf-8", "surrogatepass"), decoded.lossy
    data = data.removeprefix(b"\xef\xbb\xbf")
    start, end = 0, len(data)
    while start < end:
        stop = data.find(b"\n", start)
        line, whole = (data[start:stop], True) if stop >= 0 else (data[start:], False)
        start = stop + 1 if stop >= 0 else end
        log.lines += 1
        if line.strip():
            yield from _line(line, log, path, whole=whole)


def _line(line: bytes, log: _Log, path: str, *, whole: bool) -> Iterator[tuple[int, dict[str, Any]]]:
    if len(line) > LINE_MAX:
        log.records += 1
        log.bad.append(
            unreadable(path, f"This line has {len(line):,} bytes; at most {LINE_MAX:,} are read.", log.lines)
        )
        return
    try:
        text = line.decode("utf-8").strip()
    except UnicodeDecodeError:
        text, log.lossy = line.decode("utf-8", "replace").strip(), True
    values, problem = _values(text)
    if problem and not whole and not values:
        log.pending = True
        return
    for value in values:
        log.records += 1
        if isinstance(value, dict):
            yield log.records, value
        else:
            log.bad.append(unreadable(path, "This record is no JSON object.", log.lines))
    if problem:
        log.records += 1
        log.bad.append(unreadable(path, problem, log.lines))


def _values(text: str) -> tuple[list[Any], str]:
    """The JSON values on a line (glued ones are taken apart, a list is its members), and what was wrong after them."""
    decoder, at = json.JSONDecoder(), 0
    found: list[Any] = []
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            if not any(isinstance(value, dict) for value in found):
                return [], "This line is not JSON."
            return found, "The end of this line is not JSON."
        if isinstance(value, list) and value and all(isinstance(member, dict) for member in value):
            found += value
        else:
            found.append(value)
        while at < len(text) and text[at] in " \t\r":
            at += 1
    return found, ""


def _assemble(entries: list[Entry]) -> tuple[str, tuple[Passage, ...]]:
    """The text of a log, its entries joined by an empty line, and a passage for each (or each of its parts)."""
    texts: list[str] = []
    passages: list[Passage] = []
    line = 1
    for entry in entries:
        text, _ = clean(entry.text)
        texts.append(text)
        for piece, offset, speaker in _pieces(text, entry.speaker):
            first = line + text.count("\n", 0, offset)
            passages.append(
                Passage(
                    f"entry-{entry.number}",
                    piece,
                    first,
                    first + piece.count("\n"),
                    heading=entry.heading,
                    speaker=speaker,
                    author=entry.author[:200],
                    at=entry.at,
                    signals=entry.signals,
                )
            )
        line += text.count("\n") + 2
    return "\n\n".join(texts), tuple(passages)


def _pieces(text: str, speaker: str) -> Iterator[tuple[str, int, str]]:
    """Parts of an entry with their speaker: what was injected from memory is told apart from what was said.

    A tool's answer that names one of our records is ours, so it came out of memory as a whole.
    """
    if speaker in {"tool", "harness"} and _OURS.search(text):
        yield text, 0, "memory"
        return
    at = 0
    for match in _INJECTED.finditer(text) if "<" in text else ():
        if text[at : match.start()].strip():
            yield text[at : match.start()].rstrip("\n"), at, speaker
        yield match[0], match.start(), "memory"
        at = match.end()
    rest = text[at:]
    if rest.strip():
        skipped = len(rest) - len(rest.lstrip("\n"))
        yield rest[skipped:], at + skipped, speaker
