"""Skills as the Agent Skills rules want them: one SKILL.md a folder, its name the folder's."""

import re

from yoimemory.products.lint import SLUG_MAX, Lint, is_slug
from yoimemory.sources.frontmatter import read_front_matter

DESCRIPTION_MAX = 1_024
COMPATIBILITY_MAX = 500
KEYS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
_SKILL = re.compile(r"(?:.*/)?skills/(?P<name>[^/]+)/SKILL\.md", re.IGNORECASE)


def lint_skill(path: str, text: str) -> Lint:
    """Check a SKILL.md; any other file of a skill passes."""
    lint, match = Lint(), _SKILL.fullmatch(path)
    if match is None:
        return lint
    front = read_front_matter(text)
    if not front.values and not front.warnings:
        lint.errors.append("It has no front matter; a skill begins with a line of three hyphens.")
        return lint
    lint.errors += [f"Line {line}: {reason}" for line, reason in front.warnings]
    name, description = front.text("name"), front.text("description")
    if not is_slug(name):
        lint.errors.append(
            f"name is {name[:80]!r}; it is lower-case letters, digits and single hyphens, at most {SLUG_MAX}."
        )
    elif name != match["name"]:
        lint.errors.append(f"name is {name!r} and the folder is {match['name']!r}; they must be the same.")
    if not 1 <= len(description) <= DESCRIPTION_MAX:
        lint.errors.append(f"description has {len(description):,} characters; it has 1 to {DESCRIPTION_MAX:,}.")
    if len(front.text("compatibility")) > COMPATIBILITY_MAX:
        lint.errors.append(f"compatibility has at most {COMPATIBILITY_MAX} characters.")
    metadata = front.values.get("metadata", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        lint.errors.append("metadata is a list of names, each with one text.")
    lint.errors += [f"{key} is no key of a skill." for key in sorted(set(front.values) - KEYS)]
    if "allowed-tools" in front.values:
        lint.warnings.append("allowed-tools gives no right to anything; whoever runs the skill decides.")
    if not "\n".join(text.split("\n")[front.body_line - 1 :]).strip():
        lint.errors.append("It has no instructions below the front matter.")
    return lint
