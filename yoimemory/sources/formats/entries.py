"""What one record of a session log comes to: who speaks, which words, when; and how words lie in JSON."""

import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from yoimemory.sources.dates import read_instant
from yoimemory.sources.decoding import clean

SPEAKERS = {
    "user": "human", "human": "human", "assistant": "agent", "agent": "agent", "model": "agent", "gemini": "agent",
    "tool": "tool", "function": "tool", "tool_result": "tool", "system": "harness", "developer": "harness",
    "memory": "memory",
}  # fmt: skip

_FOOTER = re.compile(r"\n*<oai-mem-citation>.*?(?:</oai-mem-citation>|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Entry:
    """One record: its number from 1, its words (empty for bookkeeping) and who said them.

    `cited` counts the memories that a footer of the words names; the footer itself is no part of them.
    """

    number: int
    kind: str
    text: str = ""
    speaker: str = ""
    author: str = ""
    heading: str = ""
    at: datetime | None = None
    signals: tuple[str, ...] = ()
    cited: int = 0


@dataclass(frozen=True, slots=True)
class Said:
    """What a format found in a record. `kind` counts it where it has no words."""

    role: str
    text: str = ""
    name: str = ""
    speaker: str = ""
    failed: bool = False
    kind: str = ""
    heading: str = ""


def entry_of(record: dict[str, Any], number: int, said: Said) -> Entry:
    """A record as an entry, from what its format found in it."""
    text, cited = without_footer(clean(said.text)[0])
    failed = record.get("is_error") is True or said.failed
    return Entry(
        number,
        said.kind or said.role or "unknown",
        text,
        said.speaker or SPEAKERS.get(said.role, "harness"),
        said.name,
        heading=said.heading or said.name or said.role,
        at=read_instant(record.get("timestamp") or record.get("ts") or record.get("time") or record.get("created_at")),
        signals=("failed",) if failed else (),
        cited=cited,
    )


def without_footer(text: str) -> tuple[str, int]:
    """Words without the footer in which an agent lists the memories it used: those are events of use, not words."""
    if "<oai-mem-citation>" not in text:
        return text, 0
    cited = sum(max(1, found.group().count("|note=")) for found in _FOOTER.finditer(text))
    return _FOOTER.sub("", text), cited


def word(value: Any, limit: int = 80) -> str:
    """A short label out of JSON; empty for anything that is no text."""
    return clean(value.strip()[:limit])[0] if isinstance(value, str) else ""


def first_line(text: str) -> str:
    """What a log is called after the first words of a person in it."""
    return next((line.strip()[:120] for line in text.split("\n") if line.strip()), "")


def words(content: Any) -> str:
    """The text of a content field: a string, or the texts of its blocks."""
    if isinstance(content, str):
        return content.strip("\n")
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ""
    return "\n".join(part for part in (block(each) for each in content) if part).strip("\n")


def block(value: Any) -> str:
    """The text of one block of content; a call is its name and its arguments."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return ""
    kind = word(value.get("type")) or word(value.get("kind"))
    if kind in {"tool_use", "tool_call", "function_call"}:
        call = value.get("input", value.get("arguments"))
        call = call if isinstance(call, str) else json.dumps(call, ensure_ascii=False)
        return f"{word(value.get('name'))} {call}".strip()
    for key in ("text", "content", "output", "summary", "refusal"):
        if isinstance(value.get(key), str):
            return str(value[key])
        if isinstance(value.get(key), list):
            return words(value[key])
    return ""
