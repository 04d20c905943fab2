"""Reading one source live, from disk or from git, by its ref."""

import difflib
import re
from collections.abc import Iterator
from dataclasses import replace

from yoimemory.errors import BadInput, NotFound, Refused
from yoimemory.refs import OWN_KINDS, SourceRef
from yoimemory.sources.blocks import slug_of
from yoimemory.sources.decoding import lines_of
from yoimemory.sources.git import NoSuchRevision
from yoimemory.sources.history import NoHistory, NotShown, read_branch, read_commit, read_diff, read_worktree, unmerged
from yoimemory.sources.kept import NotKept, pointer_lines, read_kept
from yoimemory.sources.links import RECORD_ID, Linker
from yoimemory.sources.models import Workspace
from yoimemory.sources.outline import symbol_lines
from yoimemory.sources.places import (
    SESSION_FOLDERS,
    TRACKER_FILES,
    has_entry,
    is_binary_name,
    paths_of,
    place_of,
    whole_name,
)
from yoimemory.sources.readers import READERS, tracked
from yoimemory.sources.readers.sessions import SessionReader, unit_key
from yoimemory.sources.reading import READ_MAX, AddedFolder, Document, Tree, Unit, Unreadable
from yoimemory.sources.standins import gone_ticket, stand_in
from yoimemory.sources.texts import fetch, noted
from yoimemory.sources.trees import WorkingTree, open_tree

SESSIONS = SessionReader()
_READERS = {reader.name: reader for reader in READERS}
_READER_OF = {"ticket": "tickets", "objective": "objectives", "doc": "docs", "code": "code", "session": "sessions",
              "memory": "memory", "skill": "skills"}  # fmt: skip
_HISTORY = {"commit": read_commit, "diff": read_diff, "branch": read_branch, "worktree": read_worktree}
_KEPT = frozenset({"record", "message"})
_COMPARED_MAX = 2_000
_OLD_ID = re.compile(r"[0-9]{8}-[0-9]{6}(?:-|$)")
_STAMP = len("20260527-000001")


class SourceGone(NotFound):
    """There is no such source, or not at that revision; the hint names the nearest that exist."""


class UnreadableSource(Refused):
    """The source is there but cannot be read."""


def read_document(workspace: Workspace, ref: SourceRef, *, with_links: bool = True) -> Document:
    """The source that a ref names, as it is right now or was at the ref's revision.

    The fragment is looked at only for an entry of a long session log: then the part that holds it comes.

    Whoever wants its words only does without the links, which are half the work of reading a long text.
    The document carries the revision that was read. A ref with a digest gives the text as it
    stands if it still has that digest.
    Raises SourceGone, UnreadableSource, or BadInput for a ref that names no source.
    """
    if ref.kind in OWN_KINDS:
        raise BadInput(f"{ref} is a record of ours, not a source.", hint="Open it under its own page.")
    try:
        if ref.kind in _HISTORY:
            return _HISTORY[ref.kind](workspace, ref)
        if ref.kind in _KEPT:
            return read_kept(workspace, ref)
        digest = ref.revision if ref.revision.startswith("sha256:") else ""
        with open_tree(workspace, "" if digest else ref.revision, with_links=with_links) as tree:
            found = _read(tree, ref)
    except (NoSuchRevision, NoHistory, NotKept) as error:
        raise SourceGone(error.message, hint=error.hint) from error
    except NotShown as error:
        raise UnreadableSource(error.message, hint=error.hint) from error
    if ref.revision and not digest and (note := unmerged(workspace, found.revision)):
        found = noted(replace(found, authority="semi"), note, unmerged=True)
    if digest and f"sha256:{found.digest}" != digest:
        raise SourceGone(
            f"{ref.bare} no longer has the text that this ref names, and that text was never committed.",
            hint=f"Open it as it stands: {ref.bare}",
        )
    return found


def _read(tree: Tree, ref: SourceRef) -> Document:
    wanted = ref.bare
    problems: list[Unreadable] = []
    parts: list[Document] = []
    for found in candidates(tree, ref, whole=False):
        if isinstance(found, Unreadable):
            problems.append(found)
        elif is_meant(found, ref):
            return found
        elif found.ref.source == wanted:
            parts.append(found)
    concerned = [problem for problem in problems if place_of(problem.path).ref == wanted or ref.kind == "session"]
    if concerned:
        raise UnreadableSource(f"{wanted} cannot be read. {concerned[0].reason}")
    rest = stand_in(tree, ref, parts)
    if rest is not None:
        return rest
    if is_binary_name(ref.locator) and place_of(ref.locator).ref == wanted and ref.locator in tree.files(ref.locator):
        raise UnreadableSource(f"{wanted} cannot be read. It is binary, not text.")
    renamed = _by_old_id(tree, ref)
    if renamed:
        return _read(tree, renamed)
    gone = gone_ticket(tree, ref)
    near = [str(wanted.at(gone.commit))] if gone else [*_at_head(tree, wanted), *nearest(tree, wanted)]
    at = f" at {ref.revision[:12]}" if ref.revision else ""
    raise SourceGone(
        f"There is no {wanted}{at} in this workspace.",
        hint="Nearest: " + ", ".join(near) if near else "Search for it, or list the sources to see what is here.",
    )


def _at_head(tree: Tree, ref: SourceRef) -> list[str]:
    """A file that HEAD has and the working tree has no longer, at that commit."""
    if ref.kind not in {"doc", "code"} or not isinstance(tree, WorkingTree):
        return []
    return [str(ref.at(tree.revision))] if ref.locator in tree.head_files(ref.locator) else []


def candidates(tree: Tree, ref: SourceRef, *, whole: bool = True) -> Iterator[Document | Unreadable]:
    """What lies where a source of this address can lie, the likeliest place first.

    Of a log all parts come, or, unless the `whole` of it is to be seen, the one that the ref names.
    """
    reader = _READERS.get(_READER_OF.get(ref.kind, ""))
    if reader is None:
        return
    if ref.kind == "session":
        for unit in log_units(tree, ref):
            yield from SESSIONS.read(_log_places(tree, ref), unit, only=None if whole else ref)
        return
    places = paths_of(ref)
    groups = [places[:1], places[1:]] if ref.kind == "ticket" else [places]
    for group in groups:
        narrowed = _Narrowed(tree, group)
        for unit in reader.units(narrowed) if group or tree.folders else ():
            yield from reader.read(narrowed, unit)
    if ref.kind == "ticket":
        yield from tracked(_Narrowed(tree, TRACKER_FILES), ref)


def _by_old_id(tree: Tree, ref: SourceRef) -> SourceRef | None:
    """The present address of a ticket that is named by an id it had before, where a map of ids tells just one."""
    head, slash, rest = ref.locator.partition("/")
    if ref.kind != "ticket" or not _OLD_ID.match(head):
        return None
    maps = [path for path in tree.files(".yoi/tickets") if path.endswith("/artifacts/id-migration-map.txt")]
    found: set[str] = set()
    for path in maps:
        text = fetch(tree, path)
        for line in [] if isinstance(text, Unreadable) else lines_of(text.text):
            old, _, new = line.strip().partition(" ")
            if old == head:
                found = {new.strip()}
                break
            if old[:_STAMP] == head[:_STAMP]:
                found.add(new.strip())
    new = found.pop() if len(found) == 1 else ""
    return replace(ref, locator=new + slash + rest) if re.fullmatch(RECORD_ID, new) else None


def _log_places(tree: Tree, ref: SourceRef) -> "_Narrowed":
    return _Narrowed(tree, (*SESSION_FOLDERS, *(paths_of(ref) if ref.locator.startswith("aider/") else ())))


def log_units(tree: Tree, ref: SourceRef) -> list[Unit]:
    """The log that a ref names; a name that ends like a part is a part's, unless a log is called so."""
    units = {unit.key: unit for unit in SESSIONS.units(_log_places(tree, ref))}
    names = (ref.locator, whole_name(ref.locator))
    keys = [unit_key(name.partition("/")[2] or name) for name in names]
    return [units[key] for key in dict.fromkeys(keys) if key in units]


def is_meant(found: Document, ref: SourceRef) -> bool:
    """Whether a document is what a ref names; of a long log, the part with the entry that it names."""
    if ref.kind == "session" and ref.entries and whole_name(found.ref.locator) == whole_name(ref.locator):
        return has_entry(found.facts, ref.entries[0])
    return found.ref == ref.bare


class _Narrowed:
    """A tree of which only some folders or files are looked at."""

    def __init__(self, tree: Tree, places: tuple[str, ...]) -> None:
        self._tree, self._places = tree, places

    @property
    def revision(self) -> str:
        return self._tree.revision

    @property
    def folders(self) -> tuple[AddedFolder, ...]:
        return self._tree.folders

    @property
    def is_added(self) -> bool:
        return self._tree.is_added

    @property
    def linker(self) -> Linker:
        return self._tree.linker

    def files(self, under: str = "") -> dict[str, str]:
        if under:
            return self._tree.files(under)
        return {path: mark for place in self._places for path, mark in self._tree.files(place).items()}

    def read(self, path: str, *, limit: int = READ_MAX) -> bytes:
        return self._tree.read(path, limit=limit)

    def chunks(self, path: str) -> Iterator[bytes]:
        return self._tree.chunks(path)

    def is_committed(self, path: str) -> bool:
        return self._tree.is_committed(path)


def nearest(tree: Tree, ref: SourceRef, limit: int = 3) -> list[str]:
    """The sources of a tree whose addresses are nearest to one that is not there."""
    paths = list(tree.files())
    if ref.kind in {"doc", "code"}:
        name, folder = ref.locator.rsplit("/", 1)[-1], ref.locator.rpartition("/")[0]
        alike = [path for path in paths if path == ref.locator or path.rsplit("/", 1)[-1].lower() == name.lower()]
        beside = [path for path in paths if path.rpartition("/")[0] == folder and path not in alike]
        rest = [path for path in paths if place_of(path).ref.kind in {"doc", "code"}]
        near = difflib.get_close_matches(ref.locator, (beside or rest)[:_COMPARED_MAX], n=limit, cutoff=0.6)
        return list(dict.fromkeys(str(place_of(path).ref) for path in [*alike, *near]))[:limit]
    refs = dict.fromkeys(str(place_of(path).ref) for path in paths if place_of(path).ref.kind == ref.kind)
    whole = dict.fromkeys(str(SourceRef.parse(text).source) for text in list(refs)[: _COMPARED_MAX * 4])
    if ref.kind == "ticket" and str(SourceRef("objective", ref.source.locator)) in _objectives(paths):
        return [str(SourceRef("objective", ref.source.locator))]
    if str(ref.source) in whole:  # the ticket is there, a part of it is not
        return [text for text in refs if SourceRef.parse(text).source == ref.source][:limit]
    return difflib.get_close_matches(str(ref.source), list(whole)[:_COMPARED_MAX], n=limit, cutoff=0.7)


def _objectives(paths: list[str]) -> set[str]:
    return {str(place_of(path).ref) for path in paths if path.startswith(".yoi/objectives/")}


def fragment_lines(document: Document, fragment: str) -> tuple[int, int] | None:
    """First and last line of a part of a document, from 1; None when it has no such part."""
    ref = document.ref.part(fragment)
    count = len(lines_of(document.text))
    if ref.lines:
        first, last = ref.lines
        return (first, min(last, count)) if first <= count else None
    if fragment.startswith("/"):
        return pointer_lines(document, fragment)
    if ref.event is not None:
        wanted = {f"event-{ref.event}"}
    elif ref.entries:
        wanted = {
            f"entry-{number}" for number in range(ref.entries[0], min(ref.entries[1], ref.entries[0] + 10_000) + 1)
        }
    elif ref.named:
        return _named_lines(document, *ref.named)
    else:
        return None
    spans = [(passage.start_line, passage.end_line) for passage in document.passages if passage.fragment in wanted]
    return (min(first for first, _ in spans), max(last for _, last in spans)) if spans else None


def _named_lines(document: Document, kind: str, name: str) -> tuple[int, int] | None:
    if kind == "symbol":
        return symbol_lines(document.path, document.text, name)
    spans = list(_heading_spans(document, name))
    return (spans[0][0], spans[-1][1]) if spans else None


def _heading_spans(document: Document, slug: str) -> Iterator[tuple[int, int]]:
    """Spans of the passages that stand below the first heading of this name."""
    path = ""
    for passage in document.passages:
        words = passage.heading.split(" > ")
        slugs = [slug_of(word) for word in words]
        if not path and slug in slugs:
            path = " > ".join(words[: slugs.index(slug) + 1])
        if path and (passage.heading == path or passage.heading.startswith(path + " > ")):
            yield passage.start_line, passage.end_line
