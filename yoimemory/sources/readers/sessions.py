"""Session logs as JSON lines. An entry's number is its address: records are counted from 1, bad ones too.

A log is read in pieces and never held whole. One that is long comes as several documents, cut where
an entry ends: the first has the log's own address, the others `/part-2` and on. Numbers go on from
part to part, parts that are full never change, and `session:<system>/<name>#entry-N` leads to the
part that has the entry. A line that cannot be read keeps its number and is reported; an unfinished
last line waits for its end. Secrets are masked before anything else looks at the words.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from yoimemory.amounts import amount
from yoimemory.refs import OWN_KINDS, SourceRef
from yoimemory.sources.decoding import Decoded
from yoimemory.sources.formats import Reading
from yoimemory.sources.formats.aider import aider_records
from yoimemory.sources.formats.entries import Entry
from yoimemory.sources.masking import mask
from yoimemory.sources.opener import OutsideRoot, Unopenable
from yoimemory.sources.places import AIDER_LOG, session_name, whole_name
from yoimemory.sources.reading import AddedFolder, Document, Link, Passage, Tree, Unit, Unreadable
from yoimemory.sources.records import Log, records_in
from yoimemory.sources.streams import unpacked
from yoimemory.sources.texts import document, unreadable

PART_CHARACTERS = 500_000
"""Characters after which a long log goes on in a document of its own."""

PACKED = ".jsonl.zst"
ENDINGS = (".jsonl", ".ndjson", ".json", ".log", PACKED)
_PASSED_BY = (".trace.jsonl", ".meta.json", "sessions-index.json")

_INJECTED = re.compile(
    r"<((?:injected|relevant|resident|retrieved)?[-_]?(?:memory|memories)(?:[-_]context)?|yoimemory|system-reminder)"
    r"\b[^>]*>.*?(?:</\1\s*>|\Z)",
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
            for path, mark in logs_of(folder.tree):
                name = _free_name(path, folder.name, folder.pk, taken)
                taken.add(name)
                yield Unit(unit_key(name), self.name, mark, (path,), folder.pk)

    def read(self, tree: Tree, unit: Unit, *, only: SourceRef | None = None) -> Iterator[Document | Unreadable]:
        """The parts of a log; with `only`, the one that a ref names, which ends the reading where it ends."""
        place, system = tree, ""
        if unit.folder:
            found = next((folder for folder in tree.folders if folder.pk == unit.folder), None)
            if found is None:
                yield unreadable(unit.paths[0], "The added folder is no longer there.")
                return
            place, system = found.tree, _chosen(found)
        try:
            yield from _LogReader(tree, place, unit, system, only).documents()
        except (Unopenable, OutsideRoot) as error:
            yield unreadable(unit.paths[0], error)


def logs_of(tree: Tree) -> Iterator[tuple[str, str]]:
    """(path, fingerprint) of every log of an added folder; of a packed one and a plain one, the plain one."""
    files = tree.files()
    for path, mark in files.items():
        is_log = path.endswith((*ENDINGS, AIDER_LOG)) and not path.endswith(_PASSED_BY)
        if len(files) > 1 and not is_log:
            continue
        if path.endswith(PACKED) and path.removesuffix(".zst") in files:
            continue
        yield path, mark


def is_aider(path: str, system: str) -> bool:
    """Whether a log is the Markdown of Aider: by its name, or since somebody said so."""
    return path.endswith(AIDER_LOG) or system == "aider"


def _chosen(folder: AddedFolder) -> str:
    return "" if folder.format == "auto" else folder.format


def unit_key(name: str) -> str:
    return str(SourceRef("session", name))


def _free_name(path: str, folder: str, pk: int, taken: set[str]) -> str:
    """The log's path without ending; with its folder's name in front where two logs are called alike."""
    name = re.sub(r"(?:\.(?:jsonl\.zst|jsonl|ndjson|json|log)|(?<=\.aider\.chat\.history)\.md)$", "", path)
    choices = [name, f"{folder}/{name}", f"added-{pk}/{name}"]
    return next((choice for choice in choices if choice not in taken), choices[-1])


@dataclass(slots=True)
class _Part:
    """What was gathered for one document of a log."""

    number: int = 1
    entries: list[Entry] = field(default_factory=list)
    size: int = 0
    masked: Counter[str] = field(default_factory=Counter)
    cited: int = 0


class _LogReader:
    """Reads one log, twice: for what is true of all of it, then entry by entry."""

    def __init__(self, tree: Tree, place: Tree, unit: Unit, system: str, only: SourceRef | None) -> None:
        self._tree, self._place, self._path = tree, place, unit.paths[0]
        self._name = SourceRef.parse(unit.key).locator
        self._is_aider = is_aider(self._path, system)
        self._about = Reading(self._name, "aider" if self._is_aider else system)
        self._log, self._only = Log(self._path), only
        self._kinds: Counter[str] = Counter()

    def _records(self, log: Log) -> Iterator[tuple[int, dict[str, Any]]]:
        chunks = self._place.chunks(self._path)
        if self._path.endswith(".zst"):
            chunks = unpacked(chunks, log.note)
        return aider_records(chunks, log) if self._is_aider else records_in(chunks, log)

    def documents(self) -> Iterator[Document | Unreadable]:
        for number, record in self._records(Log(self._path)):
            self._about.survey(number, record)
        part = _Part()
        for number, record in self._records(self._log):
            yield from self._faults()
            entry = self._about.entry(number, record)
            if not entry.text:
                self._kinds[entry.kind] += 1
                continue
            if part.size >= PART_CHARACTERS:
                yield from self._meant(part, last=False)
                part = _Part(part.number + 1)
            self._take(part, entry)
        yield from self._faults()
        if not part.entries and self._log.records and not self._about.system and not self._log.faults:
            yield unreadable(
                self._path, f"None of its {amount(self._log.records, 'record')} is of a kind of log we know."
            )
        elif part.entries or self._log.records or self._log.pending:
            yield from self._meant(part, last=True)  # an empty log is no fault and nothing to show

    def _faults(self) -> Iterator[Unreadable]:
        bad, self._log.bad = self._log.bad, []
        yield from bad

    def _take(self, part: _Part, entry: Entry) -> None:
        masked = mask(entry.text)
        part.masked.update(masked.counts)
        part.cited += entry.cited
        part.entries.append(replace(entry, text=masked.text))
        part.size += len(masked.text) + 2

    def _meant(self, part: _Part, *, last: bool) -> Iterator[Document]:
        """The document of a part, unless another is asked for: to make one takes as long as to read it."""
        entries = self._only.entries if self._only else None
        if entries:
            is_meant = last or part.entries[-1].number >= entries[0]
        else:
            is_meant = self._only is None or self._ref(part) == self._only.bare
        if is_meant:
            yield self._document(part, last=last)
        self._log.lossy = False

    def _ref(self, part: _Part) -> SourceRef:
        name = f"{self._about.system or 'plain'}/{self._name}"
        return SourceRef("session", name if part.number == 1 else f"{name}/part-{part.number}")

    def _document(self, part: _Part, *, last: bool) -> Document:
        log, about = self._log, self._about
        text, passages = _assemble(part.entries)
        ref = self._ref(part)
        whole = SourceRef("session", whole_name(ref.locator) if part.number > 1 else ref.locator)
        instants = [entry.at for entry in part.entries if entry.at]
        title = mask(about.title).text or self._name
        facts: dict[str, Any] = {}
        if part.number > 1 or not last:
            facts |= {"part": part.number, "entries": [part.entries[0].number, part.entries[-1].number]}
        if last:
            facts |= {"records": log.records, "other": dict(self._kinds.most_common(20)), "unreadable": log.faults}
            facts |= about.facts()
        facts |= {"pending": True} if last and log.pending else {}
        facts |= {"masked": dict(part.masked)} if part.masked else {}
        facts |= {"memories_cited": part.cited} if part.cited else {}
        facts |= {"started_at": min(instants).isoformat()} if instants else {}
        return document(
            self._place,
            self._path,
            Decoded(text, lossy=log.lossy),
            ref=ref,
            title=title if part.number == 1 else f"{title} (part {part.number})",
            authority="authority",
            at=max(instants, default=None),
            passages=passages,
            links=(*self._relatives(whole, ref), *self._tree.linker.links(passages, ref)),
            facts=facts,
        )

    def _relatives(self, whole: SourceRef, ref: SourceRef) -> Iterator[Link]:
        """What a part belongs to, and what a sub-agent's log or a later segment hangs on."""
        if ref != whole:
            yield Link("parent", str(whole))
        elif self._about.parent:
            yield Link("parent", str(SourceRef("session", f"{self._about.system}/{self._about.parent}")))


def _assemble(entries: list[Entry]) -> tuple[str, tuple[Passage, ...]]:
    """The text of a log, its entries joined by an empty line, and a passage for each (or each of its parts)."""
    passages: list[Passage] = []
    line = 1
    for entry in entries:
        for piece, offset, speaker in _pieces(entry.text, entry.speaker):
            first = line + entry.text.count("\n", 0, offset)
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
        line += entry.text.count("\n") + 2
    return "\n\n".join(entry.text for entry in entries), tuple(passages)


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
        yield match[0], match.start(), "harness" if match[1].lower() == "system-reminder" else "memory"
        at = match.end()
    rest = text[at:]
    if rest.strip():
        skipped = len(rest) - len(rest.lstrip("\n"))
        yield rest[skipped:], at + skipped, speaker
