"""The last few texts that were read: of a commit, which never changes, and of a log that is as it was.

A person reads a page, then quotes from it several times: the text is at hand then, and a quote from
a long one is checked in the time that its words take. Of the working tree nothing is kept here but
parts of logs, since each is reached only by going through the log; whether it is as it was, its
inode, size and times tell.
"""

import re
from collections import OrderedDict
from dataclasses import replace
from threading import Lock

from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import is_meant, log_units, read_document
from yoimemory.sources.reading import Document
from yoimemory.sources.trees import open_tree

KINDS = frozenset({"doc", "code"})
LOG = "session"
CHARACTERS_MAX = 8_000_000
"""Of all texts that are held together."""

WORDS_ONLY = " words only"
"""Marks what was read without its links; no ref holds a space."""

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_held: OrderedDict[tuple[int, str], Document] = OrderedDict()
_lock = Lock()


def read_recent(workspace: Workspace, ref: SourceRef, *, with_links: bool = True) -> Document:
    """As `read_document`, from what is held where the ref names a file at a commit by its full id. Raises alike."""
    if ref.kind in KINDS and _COMMIT.fullmatch(ref.revision):
        names = (str(ref.part("")), *(() if with_links else (f"{ref.part('')}{WORDS_ONLY}",)))
        with _lock:
            for key in ((workspace.pk, name) for name in names):
                if key in _held:
                    _held.move_to_end(key)
                    return _held[key]
    if ref.kind == LOG and (not ref.revision or ref.revision.startswith("sha256:")):
        found = _of_log(workspace, replace(ref, revision=""), with_links=with_links)
        if ref.revision in {"", f"sha256:{found.digest}"}:
            return found
    return _kept(workspace, read_document(workspace, ref, with_links=with_links), "" if with_links else WORDS_ONLY)


def _of_log(workspace: Workspace, ref: SourceRef, *, with_links: bool) -> Document:
    """A part of a log as it stands. Its state is asked for first, so that what comes in between is read again."""
    with open_tree(workspace, with_links=False) as tree:
        state = " ".join(f"{unit.key} {unit.fingerprint}" for unit in log_units(tree, ref))
    for mark in ("",) if with_links else ("", WORDS_ONLY):
        prefix = f"{state}{mark} {LOG}:"
        with _lock:
            for (pk, name), document in _held.items():
                if pk == workspace.pk and state and name.startswith(prefix) and is_meant(document, ref):
                    _held.move_to_end((pk, name))
                    return document
    document = read_document(workspace, ref, with_links=with_links)
    if state:
        _hold((workspace.pk, f"{state}{'' if with_links else WORDS_ONLY} {document.ref}"), document)
    return document


def _kept(workspace: Workspace, document: Document, mark: str) -> Document:
    """Hold a text of a commit, and let the oldest go."""
    if document.ref.kind in KINDS and not document.uncommitted and _COMMIT.fullmatch(document.revision):
        _hold((workspace.pk, f"{document.ref.at(document.revision)}{mark}"), document)
    return document


def _hold(key: tuple[int, str], document: Document) -> None:
    with _lock:
        _held[key] = document
        while len(_held) > 1 and sum(len(each.text) for each in _held.values()) > CHARACTERS_MAX:
            _held.popitem(last=False)
        if len(document.text) > CHARACTERS_MAX:
            _held.clear()
