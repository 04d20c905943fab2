"""Skills: `SKILL.md` with its metadata, and the texts beside it. Read, never run."""

import re
from collections.abc import Iterator
from typing import Any

from yoimemory.refs import SourceRef
from yoimemory.sources.blocks import code_passages, headings_of, section_passages
from yoimemory.sources.decoding import lines_of
from yoimemory.sources.frontmatter import FrontMatter, read_front_matter
from yoimemory.sources.places import SKILL_FOLDERS, is_binary_name, place_of
from yoimemory.sources.reading import Document, Tree, Unit, Unreadable
from yoimemory.sources.texts import document, fetch, unreadable
from yoimemory.sources.units import units_of

_KEYS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
_NAME = re.compile(r"[^\W_A-Z]+(?:-[^\W_A-Z]+)*")


class SkillReader:
    """One unit is one skill folder. Of two with one name, the first of SKILL_FOLDERS is the skill."""

    name = "skills"

    def units(self, tree: Tree) -> Iterator[Unit]:
        return units_of(tree, self.name)

    def read(self, tree: Tree, unit: Unit) -> Iterator[Document | Unreadable]:
        folder = place_of(unit.paths[0]).unit
        name = folder.rsplit("/", 1)[-1]
        above = SKILL_FOLDERS[: SKILL_FOLDERS.index(folder[: -len(name) - 1])]
        if any(tree.files(f"{earlier}/{name}") for earlier in above):
            yield unreadable(
                folder, f"Another skill called {name!r} stands in {' or '.join(above)} and is read in its place."
            )
            return
        for path in unit.paths:
            if is_binary_name(path):
                continue
            if place_of(path).ref.locator == name:
                yield from _skill(tree, path, name)
            else:
                yield from _beside(tree, path, name)


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
        "warnings": lint(front, name),
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


def lint(front: FrontMatter, folder: str) -> list[str]:
    """What the skill format asks for and this file does not keep, as sentences. None of it hides the skill."""
    found = []
    name, description = front.text("name"), front.text("description")
    if not name:
        found.append("It has no name.")
    elif len(name) > 64 or not _NAME.fullmatch(name):
        found.append("Its name should be 1 to 64 lower-case letters or digits with single hyphens.")
    elif name != folder:
        found.append(f"Its name {name!r} differs from its folder {folder!r}.")
    if not description:
        found.append("It has no description, so nobody knows when to use it.")
    elif len(description) > 1_024:
        found.append(f"Its description has {len(description):,} characters; 1,024 are allowed.")
    odd = sorted(set(front.values) - _KEYS)
    if odd:
        found.append("It has keys that the format does not know: " + ", ".join(key[:40] for key in odd[:10]) + ".")
    if isinstance(front.values.get("allowed-tools"), list):
        found.append("Its allowed-tools are a list; the format wants one text with spaces.")
    return found


def _beside(tree: Tree, path: str, name: str) -> Iterator[Document | Unreadable]:
    decoded = fetch(tree, path)
    if isinstance(decoded, Unreadable):
        yield decoded
        return
    lines = lines_of(decoded.text)
    ref = place_of(path).ref
    title = f"{name}: {ref.locator.partition('/')[2]}"
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
