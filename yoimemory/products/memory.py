"""Memory records of a Yoi workspace in their exact file format: read, checked and written as Yoi's own tools do.

A record is Markdown behind a front matter. Editing one replaces the lines that change and leaves
every other byte; nothing is dumped anew.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from yoimemory.products.lint import SLUG_MAX, Lint, distance, is_slug
from yoimemory.sources.frontmatter import FrontMatter, read_front_matter

FOLDER = ".yoi/memory"
BODY_MAX = {"summary": 20_000, "decision": 8_000, "request": 8_000}
STATUSES = ("open", "resolved", "replaced")
LARGE, MANY_SOURCES, ALIKE, ALIKE_FROM = 1_500, 10, 2, 3
_RECORD = re.compile(r"\.yoi/memory/(?:(?P<summary>summary)|(?P<kind>decision|request)s/(?P<slug>[^/]+))\.md")
_NUMBER = re.compile(r"[0-9]+")

Read = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Record:
    """Which record a path is: its kind, and its slug (empty for the summary)."""

    kind: str
    slug: str = ""

    @property
    def path(self) -> str:
        return f"{FOLDER}/summary.md" if self.kind == "summary" else f"{FOLDER}/{self.kind}s/{self.slug}.md"


def record_at(path: str) -> Record | None:
    """The record that lives at this path, or None."""
    match = _RECORD.fullmatch(path)
    if match is None:
        return None
    return Record("summary") if match["summary"] else Record(match["kind"], match["slug"])


def lint_record(path: str, text: str, *, read: Read, slugs: Iterable[str] = ()) -> Lint:
    """Check a record as Yoi's own linter does, before it is written.

    `read` gives the text of another record's path (to follow `replaced_by`), `slugs` are those of
    the records of the same kind.
    """
    lint, record = Lint(), record_at(path)
    if record is None:
        lint.errors.append("A memory record is summary.md, decisions/<slug>.md or requests/<slug>.md.")
        return lint
    if record.slug and not is_slug(record.slug):
        lint.errors.append(
            f"{record.slug[:80]!r} is no slug: lower-case letters, digits and single hyphens, at most {SLUG_MAX}."
        )
    front = read_front_matter(text)
    if not front.values and not front.warnings:
        lint.errors.append("It has no front matter; a record begins with a line of three hyphens.")
        return lint
    lint.errors += [f"Line {line}: {reason}" for line, reason in front.warnings]
    _check_times(record, front, lint)
    body = "\n".join(text.split("\n")[front.body_line - 1 :])
    if len(body) > BODY_MAX[record.kind]:
        lint.errors.append(f"The body has {len(body):,} characters; a {record.kind} holds {BODY_MAX[record.kind]:,}.")
    if record.kind == "summary":
        _check_range(front.values.get("last_rewritten_from_range"), "last_rewritten_from_range", lint)
        return lint
    _check_sources(front, body, lint)
    if record.kind == "decision":
        _check_status(record, front, lint, lambda other: text if other == path else read(other))
    near = sorted(slug for slug in slugs if slug != record.slug and distance(slug, record.slug) <= ALIKE)
    if len(near) + 1 >= ALIKE_FROM:
        lint.warnings.append(f"Its name is nearly that of {', '.join(near)}: perhaps they are one record.")
    return lint


def render_record(
    record: Record, body: str, *, now: datetime, status: str = "open", sources: Iterable[tuple[str, int, int]] = ()
) -> str:
    """A new record as Yoi writes one."""
    at = stamp(now)
    lines = ["---", f"created_at: {at}", f"updated_at: {at}"]
    if record.kind != "summary":
        listed = list(sources)
        lines.append("sources:" if listed else "sources: []")
        lines += [f"- segment_id: {segment}\n  range: [{first}, {last}]" for segment, first, last in listed]
    if record.kind == "decision":
        lines.append(f"status: {status}")
    return "\n".join([*lines, "---", body.strip("\n"), ""])


def rewrite_record(text: str, *, now: datetime, body: str | None = None, **values: str) -> str:
    """An existing record with these values and this body; lines that do not change stay as they are."""
    for key, value in {**values, "updated_at": stamp(now)}.items():
        text = set_value(text, key, value)
    if body is None:
        return text
    kept = text.split("\n")[: read_front_matter(text).body_line - 1]
    return "\n".join([*kept, body.strip("\n"), ""])


def set_value(text: str, key: str, value: str) -> str:
    """The text with one plain value of its front matter set, in its line or in a new last one."""
    front = read_front_matter(text)
    lines = text.split("\n")
    if key in front.lines:
        lines[front.lines[key] - 1] = f"{key}: {value}"
    else:
        lines.insert(front.body_line - 2, f"{key}: {value}")
    return "\n".join(lines)


def stamp(now: datetime) -> str:
    return f"{now:%Y-%m-%dT%H:%M:%SZ}"


def _check_times(record: Record, front: FrontMatter, lint: Lint) -> None:
    required = ("updated_at",) if record.kind == "summary" else ("created_at", "updated_at")
    for key in ("created_at", "updated_at"):
        value = front.text(key)
        if not value:
            if key in required:
                lint.errors.append(f"{key} is missing.")
            continue
        try:
            at = datetime.fromisoformat(value)
        except ValueError:
            lint.errors.append(f"{key} is {value[:40]!r}; write a time such as 2026-07-16T08:00:00Z.")
            continue
        if at.tzinfo is None:
            lint.errors.append(f"{key} has no zone; write a time such as 2026-07-16T08:00:00Z.")


def _check_sources(front: FrontMatter, body: str, lint: Lint) -> None:
    sources = front.values.get("sources")
    if not isinstance(sources, list):
        lint.errors.append("sources is missing; write `sources: []` where there are none.")
        return
    for number, source in enumerate(sources, start=1):
        if not isinstance(source, dict):
            lint.errors.append(f"Source {number} is no entry with segment_id and range.")
            continue
        if not isinstance(source.get("segment_id"), str):
            older = " (session_id is the older form)" if "session_id" in source else ""
            lint.errors.append(f"Source {number} has no segment_id{older}.")
        _check_range(source.get("range", ""), f"The range of source {number}", lint)
    if len(sources) <= 1 and len(body) >= LARGE:
        lint.warnings.append(f"It has {len(body):,} characters and at most one source: little importance for its size.")
    if len(sources) > MANY_SOURCES:
        lint.warnings.append(f"It has {len(sources)} sources: perhaps it is several records.")


def _check_range(value: Any, name: str, lint: Lint) -> None:
    if value is None:
        return
    numbers = value if isinstance(value, list) else []
    if len(numbers) != 2 or not all(isinstance(one, str) and _NUMBER.fullmatch(one) for one in numbers):
        lint.errors.append(f"{name} is two numbers, such as [12, 18].")
    elif int(numbers[0]) > int(numbers[1]):
        lint.errors.append(f"{name} ends before it begins.")


def _check_status(record: Record, front: FrontMatter, lint: Lint, read: Read) -> None:
    status, target = front.text("status"), front.text("replaced_by")
    if status not in STATUSES:
        lint.errors.append(f"status is {status[:40]!r}; it is {', '.join(STATUSES[:-1])} or {STATUSES[-1]}.")
    if status == "replaced" and not target:
        lint.warnings.append("It is replaced, and replaced_by does not say by which decision.")
    if not target:
        return
    if not is_slug(target):
        lint.errors.append(f"replaced_by is {target[:80]!r}, which is no slug.")
        return
    chain = [record.slug]
    for slug in _followed(target, read):
        chain.append(slug)
        if slug in chain[:-1]:
            lint.errors.append(f"replaced_by goes round in a circle: {' → '.join(chain)}.")
            return
    if len(chain) == 1:
        lint.errors.append(f"replaced_by names {target}, and there is no such decision.")


def _followed(slug: str, read: Read) -> Iterator[str]:
    """The decisions along `replaced_by`, for as long as they exist; a circle goes on for ever."""
    while slug:
        text = read(Record("decision", slug).path) if is_slug(slug) else None
        if text is None:
            return
        yield slug
        slug = read_front_matter(text).text("replaced_by")
