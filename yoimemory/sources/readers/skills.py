"""Skills: `SKILL.md` with its metadata, and the texts beside it. Read, never run."""

from collections.abc import Iterator
from typing import Any

from yoimemory.refs import SourceRef
from yoimemory.sources.blocks import code_passages, headings_of, section_passages
from yoimemory.sources.decoding import lines_of
from yoimemory.sources.frontmatter import read_front_matter
from yoimemory.sources.places import SKILL_FOLDERS, is_binary_name, place_of
from yoimemory.sources.reading import AddedFolder, Document, Tree, Unit, Unreadable
from yoimemory.sources.skillrules import lint
from yoimemory.sources.texts import document, fetch, unreadable
from yoimemory.sources.units import folder_of, together, unit_key, units_of


class SkillReader:
    """One unit is one skill folder. Of two with one name, the first of SKILL_FOLDERS is the skill, then added ones."""

    name = "skills"

    def units(self, tree: Tree) -> Iterator[Unit]:
        yield from units_of(tree, self.name)
        for folder in tree.folders:
            if folder.kind == "skill":
                yield from _added(folder)

    def read(self, tree: Tree, unit: Unit) -> Iterator[Document | Unreadable]:
        place: Tree | None = tree
        earlier: tuple[str, ...] = SKILL_FOLDERS
        if unit.folder:
            folder = folder_of(tree, unit)
            place = folder.tree if folder else None
            root = unit.paths[0].rpartition("/")[0]  # its SKILL.md is the first of its paths
            name = root.rpartition("/")[2] or (folder.name if folder else "")
        else:
            root = place_of(unit.paths[0]).unit
            name = root.rpartition("/")[2]
            earlier = SKILL_FOLDERS[: SKILL_FOLDERS.index(root[: -len(name) - 1])]
        if place is None:
            yield unreadable(unit.paths[0], "The added folder is no longer there.")
        elif any(tree.files(f"{above}/{name}") for above in earlier):
            where = " or ".join(earlier)
            yield unreadable(root or name, f"Another skill called {name!r} stands in {where} and is read in its place.")
        else:
            yield from _documents(place, unit.paths, root, name)


def _added(folder: AddedFolder) -> Iterator[Unit]:
    """The skills of an added folder: folders in it with a SKILL.md, or the folder itself."""
    files = folder.tree.files()
    for path in files:
        root, _, last = path.rpartition("/")
        if last.lower() != "skill.md":
            continue
        name = root.rsplit("/", 1)[-1] or folder.name
        own = {each: mark for each, mark in files.items() if not root or each.startswith(root + "/")}
        key = unit_key(SkillReader.name, f"added-{folder.pk}/{name}")
        yield Unit(key, SkillReader.name, together(own), (path, *(each for each in own if each != path)), folder.pk)


def _documents(tree: Tree, paths: tuple[str, ...], root: str, name: str) -> Iterator[Document | Unreadable]:
    for path in paths:
        within = path[len(root) + 1 :] if root else path
        if is_binary_name(path):
            continue
        if within.lower() == "skill.md":
            yield from _skill(tree, path, name)
        else:
            yield from _beside(tree, path, SourceRef("skill", f"{name}/{within}"))


def _skill(tree: Tree, path: str, name: str) -> Iterator[Document | Unreadable]:
    decoded = fetch(tree, path)
    if isinstance(decoded, Unreadable):
        yield decoded
        return
    front = read_front_matter(decoded.text)
    for line, reason in front.warnings:
        yield unreadable(path, reason, line)
    headings = headings_of(decoded.text, skip=front.body_line - 1)
    ref = SourceRef("skill", name)
    passages = section_passages(lines_of(decoded.text), headings, title=name)
    facts: dict[str, Any] = {
        "description": front.text("description")[:2_000],
        "warnings": lint(front, name, decoded.text),
        **{key: front.text(key) for key in ("license", "compatibility", "allowed-tools") if front.text(key)},
    }
    yield document(
        tree,
        path,
        decoded,
        ref=ref,
        title=front.text("name") or name,
        authority="procedure",
        facts=facts,
        passages=passages,
        links=tree.linker.links(passages, ref, path=path),
    )


def _beside(tree: Tree, path: str, ref: SourceRef) -> Iterator[Document | Unreadable]:
    decoded = fetch(tree, path)
    if isinstance(decoded, Unreadable):
        yield decoded
        return
    lines = lines_of(decoded.text)
    name, _, within = ref.locator.partition("/")
    title = f"{name}: {within}"
    is_prose = path.endswith(".md")
    passages = section_passages(lines, headings_of(decoded.text), title=title) if is_prose else code_passages(lines)
    yield document(
        tree,
        path,
        decoded,
        ref=ref,
        title=title,
        authority="procedure",
        passages=passages,
        links=tree.linker.links(passages, ref, path=path),
    )
