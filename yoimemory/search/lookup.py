"""Reads of the index by address: documents, links both ways, the nearest to a text that is no address."""

import difflib
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.db.models import Max, Min, Q, QuerySet

from yoimemory.refs import BadRef, SourceRef
from yoimemory.search.backends import engine
from yoimemory.search.models import Document, Link
from yoimemory.sources.places import has_entry, whole_name

if TYPE_CHECKING:
    from yoimemory.sources.models import Workspace

_SHA = re.compile(r"[0-9a-f]{7,64}", re.IGNORECASE)
_ID = re.compile(r"[0-9A-HJKMNP-TV-Z]{13}")
_PLACE = re.compile(r"(.+?)(?::(\d+)(?:-(\d+))?|#L(\d+)(?:-L?(\d+))?)?")


def find_document(workspace: "Workspace", ref: SourceRef) -> Document | None:
    """The document at this address, whatever revision and fragment it names; None if the index holds none.

    Of a session log in several parts it is the part with the entry that the fragment names.
    """
    found = Document.objects.filter(workspace=workspace.public_id, ref=str(ref.bare)).first()
    if ref.kind != "session" or not ref.entries or found is None or not found.facts.get("entries"):
        return found
    parts = Document.objects.filter(workspace=workspace.public_id, ref__startswith=f"{whole_name(str(ref.bare))}/part-")
    wanted = ref.entries[0]
    return next((part for part in parts if has_entry(part.facts, wanted)), found)


def find_documents(workspace: "Workspace", sources: Iterable[str]) -> list[Document]:
    """All documents of these sources (a ticket's item, thread, resolution and artifacts), in order of ref."""
    wanted = list(dict.fromkeys(sources))
    found: list[Document] = []
    for start in range(0, len(wanted), 500):
        found += Document.objects.filter(source__in=wanted[start : start + 500])
    # Asked for both, the engine would go through all documents of the workspace instead of the few of these sources.
    found = [document for document in found if document.workspace == workspace.public_id]
    return sorted(found, key=lambda document: document.ref)


def last_document() -> int:
    """The number of the document that was read last: what is read or changed from now on has a higher one."""
    return Document.objects.aggregate(last=Max("pk"))["last"] or 0


def documents_holding(workspace: "Workspace", text: str) -> list[tuple[str, str]]:
    """The documents with a passage that holds a text as it stands: (ref, source), in order of ref."""
    holding: list[tuple[str, str]] = engine().documents_holding(text, workspace.public_id)
    return holding


def links_to(workspace: "Workspace", source: SourceRef) -> list[Link]:
    """What points at this source or a part of it, with the documents that do."""
    return list(
        Link.objects.filter(document__workspace=workspace.public_id, target_source=str(source.source))
        .exclude(document__source=str(source.source))
        .select_related("document")
        .order_by("pk")
    )


def first_links_to(workspace: "Workspace", source: SourceRef, limit: int) -> list[Link]:
    """One link from each of the first documents that point at this source, for a page that shows only so many."""
    pointing = Link.objects.filter(document__workspace=workspace.public_id, target_source=str(source.source))
    others = pointing.exclude(document__source=str(source.source))
    first = others.values("document").annotate(first=Min("pk")).order_by("first").values_list("first", flat=True)
    return list(Link.objects.filter(pk__in=list(first[:limit])).select_related("document").order_by("pk"))


def named_by(workspace: "Workspace", text: str) -> SourceRef | None:
    """The source that a text names by itself: a ref, a ticket id, a commit id, a path. None if it names none."""
    text = text.strip().strip("`'\"")
    if not text or len(text) > 2_048 or any(ord(char) < 32 for char in text):
        return None
    try:
        ref = SourceRef.parse(text)
    except BadRef:
        return _by_id(workspace, text) or _by_path(workspace, text)
    if find_document(workspace, ref):
        return ref
    return _by_id(workspace, ref.locator, part=ref.fragment) if ref.kind == "commit" else None


def nearest_refs(workspace: "Workspace", text: str, limit: int = 5) -> list[str]:
    """Addresses of the index that are most like a text, best first."""
    kind, _, locator = text.rpartition(":") if ":" in text[:12] else ("", "", text)
    locator = locator.split("#")[0].split("@")[0].strip()
    if not locator:
        return []
    rows = Document.objects.filter(workspace=workspace.public_id)
    if kind and (same := rows.filter(kind=kind)).exists():
        rows = same
    name = locator.rstrip("/").rsplit("/", 1)[-1]
    close = _close(rows, name) or _close(rows, name[: max(4, len(name) * 2 // 3)])
    if len(close) < limit:
        close += [ref for ref in rows.order_by("-pk").values_list("ref", flat=True)[:2_000] if ref not in set(close)]
    ranked = sorted(close, key=lambda ref: -difflib.SequenceMatcher(None, locator, ref.partition(":")[2]).ratio())
    return ranked[:limit]


def _close(rows: QuerySet[Document], name: str) -> list[str]:
    return list(rows.filter(Q(ref__icontains=name) | Q(title__icontains=name)).values_list("ref", flat=True)[:500])


def _by_id(workspace: "Workspace", text: str, part: str = "") -> SourceRef | None:
    """A ticket or objective by its id, a commit by its id or the start of it, if only one has it."""
    rows = Document.objects.filter(workspace=workspace.public_id)
    if _ID.fullmatch(text.upper()):
        named = [f"{kind}:{each}" for each in dict.fromkeys((text, text.upper())) for kind in ("ticket", "objective")]
        found_there = {row.ref: row for row in rows.filter(ref__in=named)}
        row = next((found_there[ref] for ref in named if ref in found_there), None)
        if row or text == text.upper():
            return SourceRef.parse(row.ref) if row else None
    if _SHA.fullmatch(text) and re.search(r"\d", text):
        start = f"commit:{text.lower()}"
        found = list(rows.filter(ref__gte=start, ref__lt=start + "g").values_list("ref", flat=True)[:2])
        return SourceRef.parse(found[0]).part(part) if len(found) == 1 else None
    return None


def _by_path(workspace: "Workspace", text: str) -> SourceRef | None:
    """A file by its path (`@path`, too) or, if only one ends so, its end; `path:12` and `path#L12` name a line."""
    match = _PLACE.fullmatch(text.removeprefix("@").removeprefix("./"))
    if match is None or " " in match[1].strip() or not re.search(r"[/.]", match[1]):
        return None
    path = match[1]
    rows = Document.objects.filter(workspace=workspace.public_id).exclude(ref__contains="@")  # as branches have it
    found = list(rows.filter(path=path)[:2]) or list(rows.filter(path__endswith=f"/{path}")[:2])
    if len(found) != 1:
        return None
    first, last = match[2] or match[4], match[3] or match[5]
    fragment = f"L{first}" + (f"-L{last}" if last else "") if first and int(first) else ""
    return SourceRef.parse(found[0].ref).part(fragment)
