"""Memory records: those of Yoi in `.yoi/memory`, and the notes that other agents keep. Generated, so never canon.

Of other agents: `.serena/memories` and `.codex/memories` in the workspace, and folders that were added.
"""

import json
from collections.abc import Iterator
from typing import Any

from yoimemory.refs import SourceRef
from yoimemory.sources.blocks import headings_of, section_passages
from yoimemory.sources.dates import read_instant
from yoimemory.sources.decoding import lines_of
from yoimemory.sources.frontmatter import FrontMatter, read_front_matter
from yoimemory.sources.places import place_of
from yoimemory.sources.readers.memorylogs import is_memory_log, read_memory_log
from yoimemory.sources.reading import AddedFolder, Document, Link, Tree, Unit, Unreadable
from yoimemory.sources.texts import document, fetch, unreadable
from yoimemory.sources.units import added_units, folder_of, units_of

STATUSES = ("open", "resolved", "replaced")


class MemoryReader:
    """One unit is one record."""

    name = "memory"

    def units(self, tree: Tree) -> Iterator[Unit]:
        yield from units_of(tree, self.name)
        for folder in tree.folders:
            if folder.kind == "memory":
                yield from added_units(folder, self.name, (".md",))

    def read(self, tree: Tree, unit: Unit) -> Iterator[Document | Unreadable]:
        if not unit.folder:
            for path in unit.paths:
                ref = place_of(path).ref
                yield from read_memory_log(tree, path, ref) if is_memory_log(ref) else _record(tree, path, ref)
            return
        folder = folder_of(tree, unit)
        if folder is None:
            yield unreadable(unit.paths[0], "The added folder is no longer there.")
            return
        for path in unit.paths:
            yield from _record(folder.tree, path, _added_ref(tree, folder, path))


def _added_ref(tree: Tree, folder: AddedFolder, path: str) -> SourceRef:
    """The address of a note in an added folder: whose it is, then its path; the folder's name where two are alike."""
    name = path.removesuffix(".md")
    earlier = [each for each in tree.folders if each.kind == "memory" and each.format == folder.format]
    label = folder.format if folder.format not in {"", "auto"} else "plain"
    if earlier[0].pk != folder.pk:
        label = f"{label}-{folder.name}"
    return SourceRef("memory", f"{label}/{name}")


def _record(tree: Tree, path: str, ref: SourceRef) -> Iterator[Document | Unreadable]:
    decoded = fetch(tree, path)
    if isinstance(decoded, Unreadable):
        yield decoded
        return
    front = read_front_matter(decoded.text) if path.endswith(".md") else FrontMatter()
    for line, reason in front.warnings:
        yield unreadable(path, reason, line)
    status = front.text("status")
    if status and status not in STATUSES:
        yield unreadable(
            path,
            f"The status {status[:40]!r} is none that is known; it is shown as it stands.",
            front.lines.get("status"),
        )
    headings = headings_of(decoded.text, skip=front.body_line - 1)
    slug = ref.locator.rsplit("/", 1)[-1]
    title = front.text("title") or next((heading.text for heading in headings), "") or slug.replace("-", " ")
    at = read_instant(front.text("updated_at") or front.text("created_at"))
    signals = ("superseded",) if status == "replaced" else ()
    passages = section_passages(lines_of(decoded.text), headings, title=title, speaker="memory", at=at, signals=signals)
    facts: dict[str, Any] = {
        key: front.text(key) for key in ("status", "created_at", "updated_at", "replaced_by") if front.text(key)
    }
    if isinstance(front.values.get("sources"), list):
        facts["sources"] = front.values["sources"][:100]
    if path.endswith(".json"):
        facts |= _staged(decoded.text)
    links: list[Link] = []
    if front.text("replaced_by"):
        kind = ref.locator.partition("/")[0]
        links.append(
            Link("replaced_by", str(SourceRef("memory", f"{kind}/{front.text('replaced_by')}")), where="L1", at=at)
        )
    yield document(
        tree,
        path,
        decoded,
        ref=ref,
        title=title,
        authority="memory",
        at=at,
        facts=facts,
        passages=passages,
        links=(*links, *tree.linker.links(passages, ref, path=path)),
    )


def _staged(text: str) -> dict[str, Any]:
    """What a staged candidate holds: lists by kind in the earlier form, one claim of a kind in the later."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return {"kinds": []}
    if not isinstance(parsed, dict):
        return {"kinds": []}
    found: dict[str, Any] = {"kinds": sorted(str(key)[:40] for key, value in parsed.items() if isinstance(value, list))}
    if isinstance(parsed.get("claim"), str):
        found["candidate"] = str(parsed.get("kind") or "")[:40]
    return found
