"""The last few texts that were read at a commit. What a commit holds never changes, so they need no second look.

A person reads a page, then quotes from it several times: the text is at hand then, and a quote from
a long one is checked in the time that its words take. Nothing of the working tree is kept here.
"""

import re
from collections import OrderedDict
from threading import Lock

from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import read_document
from yoimemory.sources.reading import Document

KINDS = frozenset({"doc", "code"})
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
    return _kept(workspace, read_document(workspace, ref, with_links=with_links), "" if with_links else WORDS_ONLY)


def _kept(workspace: Workspace, document: Document, mark: str) -> Document:
    """Hold a text of a commit, and let the oldest go."""
    if document.ref.kind in KINDS and not document.uncommitted and _COMMIT.fullmatch(document.revision):
        with _lock:
            _held[workspace.pk, f"{document.ref.at(document.revision)}{mark}"] = document
            while len(_held) > 1 and sum(len(each.text) for each in _held.values()) > CHARACTERS_MAX:
                _held.popitem(last=False)
            if len(document.text) > CHARACTERS_MAX:
                _held.clear()
    return document
