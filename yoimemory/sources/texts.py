"""What every reader of files does alike: fetch a text, put a document round it, say what could not be read."""

import hashlib
import re
from dataclasses import replace
from typing import Any

from yoimemory.errors import DomainError
from yoimemory.refs import SourceRef
from yoimemory.sources.decoding import Decoded, NotText, clean, decode
from yoimemory.sources.masking import mask
from yoimemory.sources.opener import OutsideRoot, Unopenable, shown
from yoimemory.sources.reading import OUTSIDE, READ_MAX, Document, Link, Passage, Tree, Unreadable

REF_MAX = 2_048
_KANA = re.compile("[\u3041-\u30ff]")
_LATIN = re.compile("[A-Za-z]")


def fetch(tree: Tree, path: str, *, limit: int = READ_MAX) -> Decoded | Unreadable:
    """The text of a file, secrets masked, or why there is none."""
    try:
        decoded = decode(tree.read(path, limit=limit))
        masked = mask(decoded.text)
        return replace(decoded, text=masked.text, masked=masked.counts) if masked.counts else decoded
    except (Unopenable, NotText, OutsideRoot) as error:
        return unreadable(path, error)


def fetch_named(tree: Tree, path: str, ref: SourceRef) -> Decoded | Unreadable:
    """The same for a file whose path is its address, which may be too long for one."""
    if len(str(ref)) > REF_MAX:
        return unreadable(path, f"its path is too long for an address of {REF_MAX:,} characters")
    return fetch(tree, path)


def unreadable(path: str, error: DomainError | str, line: int | None = None) -> Unreadable:
    """A record for the list of what could not be read whole, as a sentence; what it quotes is masked like a text."""
    reason = error if isinstance(error, str) else getattr(error, "reason", error.message)
    sentence = mask(reason[:1].upper() + reason[1:]).text
    return Unreadable(shown(path), sentence if sentence.endswith(".") else sentence + ".", line)


def document(
    tree: Tree,
    path: str,
    decoded: Decoded,
    *,
    ref: SourceRef,
    title: str,
    passages: tuple[Passage, ...],
    links: tuple[Link, ...] = (),
    **about: Any,
) -> Document:
    """A document of one file, with the revision that its bytes have."""
    committed = tree.is_committed(path)
    revision = tree.revision
    if not committed:
        revision = "sha256:" + hashlib.sha256(decoded.text.encode("utf-8", "surrogatepass")).hexdigest()
    about.setdefault("language", language_of(decoded.text))
    if decoded.masked:
        about["facts"] = {**about.get("facts", {}), "masked": decoded.masked}
    found = Document(
        ref=ref,
        title=clean(mask(title.strip()).text[:500])[0] or shown(path),
        text=decoded.text,
        path=shown(path),
        revision=revision,
        uncommitted=not committed,
        lossy=decoded.lossy,
        encoding=decoded.encoding + ("-sig" if decoded.encoding == "utf-8" and decoded.mark else ""),
        passages=tuple(passage if _is_storable(passage) else _cleaned(passage) for passage in passages),
        links=links,
        bytes_digest=decoded.digest,
        **about,
    )
    return noted(found, OUTSIDE) if tree.is_added else found


def noted(found: Document, note: str, **facts: Any) -> Document:
    """A document with a sentence that stands beside it wherever it is shown, and further facts."""
    notes = [*found.facts.get("notes", []), note]
    return replace(found, facts={**found.facts, **facts, "notes": notes})


def _is_storable(passage: Passage) -> bool:
    return not clean(passage.heading + passage.author)[1]


def _cleaned(passage: Passage) -> Passage:
    """A passage named after a file whose name is not UTF-8, so that it can be stored."""
    return replace(passage, heading=clean(passage.heading)[0], author=clean(passage.author)[0])


def language_of(text: str) -> str:
    """`ja`, `en` or `mixed`, by the share of kana and of Latin letters near the start; empty where neither tells."""
    head = text[:20_000]
    if head.isascii() or not _KANA.search(head):
        return "en" if _LATIN.search(head) else ""
    kana, latin = len(_KANA.findall(head)), len(_LATIN.findall(head))
    if kana * 20 < latin:
        return "en"
    return "mixed" if latin > kana else "ja"
