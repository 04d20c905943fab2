"""Records and messages as sources: what is kept for a workspace, in the shape in which every source is read."""

import difflib
import re
from collections.abc import Iterator

from yoimemory.errors import NotFound
from yoimemory.refs import SourceRef
from yoimemory.sources.blocks import block_passages
from yoimemory.sources.decoding import lines_of
from yoimemory.sources.links import Linker
from yoimemory.sources.models import Message, Snapshot, Workspace
from yoimemory.sources.opener import Missing
from yoimemory.sources.pointers import Node, NotJson, node_at, passages_of_json, read_nodes
from yoimemory.sources.reading import AddedFolder, Document
from yoimemory.sources.texts import language_of

KEPT = "kept"
"""The kind of the folder that holds what is kept, and the name of its reader."""

FOLDER = -1
"""The number of that folder: no added one has it."""

NEAR = 3
_COMPARED_MAX = 2_000
_NAMES = ("title", "name", "label", "summary")


class NotKept(NotFound):
    """No record or message of this address is kept, or not of this revision."""


class KeptTree:
    """What is kept for one workspace, as names and fingerprints; each name is the ref of a source."""

    revision = ""
    folders: tuple[AddedFolder, ...] = ()
    is_added = False

    def __init__(self, workspace: Workspace, linker: Linker) -> None:
        self.workspace, self.linker = workspace, linker

    def files(self, under: str = "") -> dict[str, str]:
        """Every record and message. A record's fingerprint is its latest snapshot."""
        if under:
            return {}
        found: dict[str, str] = {}
        rows = Snapshot.objects.filter(workspace=self.workspace).order_by("taken_at", "pk")
        for pk, locator in rows.values_list("pk", "locator"):
            found[str(SourceRef("record", locator))] = str(pk)
        for public_id in Message.objects.filter(workspace=self.workspace).values_list("public_id", flat=True):
            found[str(SourceRef("message", public_id))] = public_id
        return found

    def document(self, ref: str) -> Document:
        """The record as it stands, or the message. Raises NotKept."""
        return read_kept(self.workspace, SourceRef.parse(ref), linker=self.linker)

    def read(self, path: str, *, limit: int = 0) -> bytes:
        raise Missing(path)

    def chunks(self, path: str) -> Iterator[bytes]:
        raise Missing(path)

    def is_committed(self, path: str) -> bool:
        return False


def kept_folder(workspace: Workspace, linker: Linker) -> AddedFolder:
    """What is kept for a workspace, to be read beside its added folders."""
    return AddedFolder(FOLDER, KEPT, "", KEPT, KeptTree(workspace, linker))


def read_kept(workspace: Workspace, ref: SourceRef, *, linker: Linker | None = None) -> Document:
    """A message, or a record as it stands or stood at the revision (the digest of a snapshot) that the ref names.

    Raises NotKept, with the nearest that are.
    """
    links = linker or Linker(frozenset(), lambda prefix: "")
    if ref.kind == "message":
        message = Message.objects.filter(workspace=workspace, public_id=ref.locator.upper()).first()
        if message is None:
            raise NotKept(f"There is no {ref.bare} here.", hint="The list of messages names them all.")
        return _message(message, links)
    snapshots = Snapshot.objects.of(workspace, ref.locator)
    latest = snapshots.first()
    if latest is None:
        raise NotKept(f"There is no {ref.bare} here.", hint=_nearest(workspace, ref))
    digest = ref.revision.removeprefix("sha256:")
    found = snapshots.filter(digest=digest).first() if ref.revision else latest
    if found is None:
        raise NotKept(
            f"No snapshot of {ref.bare} has the revision {ref.revision[:20]}.",
            hint=f"Open it as it stands: {ref.bare}",
        )
    return _record(found, snapshots.count(), links)


def _nearest(workspace: Workspace, ref: SourceRef) -> str:
    known = Snapshot.objects.filter(workspace=workspace).order_by("locator").values_list("locator", flat=True)
    near = difflib.get_close_matches(ref.locator, list(known.distinct()[:_COMPARED_MAX]), n=NEAR, cutoff=0.5)
    if near:
        return "Nearest: " + ", ".join(str(SourceRef("record", locator)) for locator in near)
    return "GET /api/v1/records lists the records."


def _record(snapshot: Snapshot, count: int, linker: Linker) -> Document:
    about = {"at": snapshot.taken_at, "author": str(snapshot.recorded_by)[:200]}
    ref = SourceRef("record", snapshot.locator)
    root = read_nodes(snapshot.body)
    passages = passages_of_json(root, snapshot.body, **about)
    state = _said(root, snapshot.body, ("status", "state"))
    facts = {
        "snapshots": count, "snapshot": snapshot.public_id, "origin": snapshot.origin,
        "recorded_at": snapshot.recorded_at.isoformat(), "taken_at": snapshot.taken_at.isoformat(),
        **({"state": state[:40]} if state else {}), **({"masked": snapshot.masked} if snapshot.masked else {}),
    }  # fmt: skip
    name = _said(root, snapshot.body, _NAMES)
    return Document(
        ref=ref,
        title=(snapshot.locator if not name or snapshot.locator.endswith(name) else f"{snapshot.locator}: {name}")[
            :500
        ],
        text=snapshot.body,
        authority="authority",
        author=str(snapshot.recorded_by)[:200],
        at=snapshot.taken_at,
        revision=f"sha256:{snapshot.digest}",
        language=language_of(snapshot.body),
        facts=facts,
        passages=passages,
        links=linker.links(passages, ref),
    )


def _said(root: Node, text: str, keys: tuple[str, ...]) -> str:
    """The first short word that a record says of itself under one of these keys."""
    for key in keys:
        node = node_at(root, f"/{key}")
        if node is not None and node.kind in {"string", "number"} and node.end - node.start < 200:
            return re.sub(r"\s+", " ", text[node.start : node.end].strip('"')).strip()
    return ""


def _message(message: Message, linker: Linker) -> Document:
    lines = lines_of(message.text)
    speaker = "agent" if message.relayed else "human"
    blocks = block_passages(lines, 1, len(lines), at=message.said_at, author=message.said_by, speaker=speaker)
    passages = tuple(blocks)
    title = next((line.strip() for line in lines if line.strip()), str(message.ref))
    return Document(
        ref=message.ref,
        title=title[:200],
        text=message.text,
        authority="authority",
        author=message.said_by,
        at=message.said_at,
        revision=f"sha256:{message.digest}",
        language=language_of(message.text),
        facts={
            "origin": message.origin, "captured_by": str(message.captured_by), "relayed": message.relayed,
            "captured_at": message.captured_at.isoformat(), **({"masked": message.masked} if message.masked else {}),
        },
        passages=passages,
        links=linker.links(passages, message.ref),
    )  # fmt: skip


def pointer_lines(document: Document, pointer: str) -> tuple[int, int] | None:
    """The lines of the value that a JSON pointer names; None where the text has no such value."""
    try:
        node = node_at(read_nodes(document.text), pointer)
    except NotJson:
        return None
    return (node.first, node.last) if node is not None else None


def pointer_at(document: Document, first: int, last: int) -> str:
    """The pointer of the smallest value that holds these lines, empty for the whole."""
    try:
        node = read_nodes(document.text)
    except NotJson:
        return ""
    while inner := next((one for one in node.children if one.first <= first and last <= one.last), None):
        node = inner
    return node.pointer


__all__ = ["KEPT", "NotKept", "kept_folder", "pointer_at", "pointer_lines", "read_kept"]
