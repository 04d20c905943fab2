"""What the format of skills asks for, and a SKILL.md does not keep: sentences, graded as warnings."""

import posixpath
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from yoimemory.sources.frontmatter import FrontMatter

KEYS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
NAME_MAX = 64
DESCRIPTION_MAX = 1_024
COMPATIBILITY_MAX = 500
LICENSE_MAX = 200
LINES_MAX = 500
TOKENS_MAX = 5_000
CHARACTERS_OF_A_TOKEN = 4

_NAME = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_LINKED = re.compile(r"\]\(<?([^)\s>#]{1,300})")


def lint(front: FrontMatter, folder: str, text: str) -> list[str]:
    """Every rule that the file does not keep. None of it hides the skill."""
    return [
        *_of_the_whole(front, text),
        *_of_the_name(front.text("name"), folder),
        *_of_the_description(front.text("description")),
        *_of_the_others(front.values),
        *_of_the_body(front, text),
    ]


def _of_the_whole(front: FrontMatter, text: str) -> Iterator[str]:
    if not front.values and not front.warnings:
        first = text.strip()
        if "\n" not in first and first.endswith(".md") and " " not in first:
            yield "It is a link that was checked out as text, so it holds nothing but a path."
        else:
            yield "It has no front matter."


def _of_the_name(name: str, folder: str) -> Iterator[str]:
    folded = unicodedata.normalize("NFKC", name)
    if not name:
        yield "It has no name."
        return
    if len(folded) > NAME_MAX or not _NAME.fullmatch(folded) or folded != folded.lower():
        yield f"Its name should be 1 to {NAME_MAX} lower-case letters or digits with single hyphens."
    if folded != unicodedata.normalize("NFKC", folder):
        yield f"Its name {name[:80]!r} differs from its folder {folder!r}."


def _of_the_description(description: str) -> Iterator[str]:
    if not description.strip():
        yield "It has no description, so nobody knows when to use it."
    elif len(description) > DESCRIPTION_MAX:
        yield f"Its description has {len(description):,} characters; {DESCRIPTION_MAX:,} are allowed."


def _of_the_others(values: dict[str, Any]) -> Iterator[str]:
    odd = sorted(set(values) - KEYS)
    if odd:
        yield "It has keys that the format does not know: " + ", ".join(key[:40] for key in odd[:10]) + "."
    if isinstance(values.get("allowed-tools"), list):
        yield "Its allowed-tools are a list; the format wants one text with spaces."
    elif not isinstance(values.get("allowed-tools", ""), str):
        yield "Its allowed-tools are no text; the format wants one text with spaces."
    metadata = values.get("metadata")
    if "metadata" in values and not (
        isinstance(metadata, dict) and all(isinstance(each, str) for each in metadata.values())
    ):
        yield "Its metadata are no list of keys with texts."
    for key, limit in (("compatibility", COMPATIBILITY_MAX), ("license", LICENSE_MAX)):
        value = values.get(key, "")
        if not isinstance(value, str):
            yield f"Its {key} is no text."
        elif len(value) > limit:
            yield f"Its {key} has {len(value):,} characters; {limit} are enough."


def _of_the_body(front: FrontMatter, text: str) -> Iterator[str]:
    lines = text.split("\n")[front.body_line - 1 :]
    body = "\n".join(lines)
    if len(lines) > LINES_MAX:
        yield f"Its body has {len(lines):,} lines; more than {LINES_MAX} are better kept in files beside it."
    elif len(body) > TOKENS_MAX * CHARACTERS_OF_A_TOKEN:
        yield f"Its body has some {len(body) // CHARACTERS_OF_A_TOKEN:,} tokens; at most {TOKENS_MAX:,} are advised."
    deep = [
        target
        for target in dict.fromkeys(_LINKED.findall(body))
        if ":" not in target and posixpath.normpath(target).strip("./").count("/") > 1
    ]
    if deep:
        yield "It points to files more than one folder down: " + ", ".join(deep[:5]) + "."
