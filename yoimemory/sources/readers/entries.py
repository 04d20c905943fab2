"""What one record of a session log says: who speaks, which words, when. Unknown records say nothing and are counted."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from yoimemory.sources.dates import read_instant
from yoimemory.sources.decoding import clean

_SPEAKERS = {
    "user": "human", "human": "human", "assistant": "agent", "agent": "agent", "model": "agent", "gemini": "agent",
    "tool": "tool", "function": "tool", "tool_result": "tool", "system": "harness", "developer": "harness",
    "memory": "memory",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """One record: its number from 1, its words (empty for bookkeeping) and who said them."""

    number: int
    kind: str
    text: str = ""
    speaker: str = ""
    author: str = ""
    heading: str = ""
    at: datetime | None = None
    signals: tuple[str, ...] = ()


def system_of(record: dict[str, Any]) -> str:
    """Which agent's log this record comes from; `plain` for role and content, empty where it does not tell."""
    if "role" in record and ("content" in record or "text" in record):
        return "plain"
    if isinstance(record.get("kind"), str):
        return "yoi"
    if isinstance(record.get("message"), dict) and isinstance(record.get("type"), str):
        return "claude"
    if isinstance(record.get("payload"), dict) and isinstance(record.get("type"), str):
        return "codex"
    return ""


def read_entry(record: dict[str, Any], number: int) -> Entry:
    """One record as an entry, whatever shape it has; never raises."""
    system = system_of(record)
    at = read_instant(record.get("timestamp") or record.get("ts") or record.get("time") or record.get("created_at"))
    if system == "plain":
        said = _Said(
            _word(record.get("role")), _words(record.get("content", record.get("text"))), _word(record.get("name"))
        )
    elif system == "claude":
        said = _claude(record)
    elif system == "codex":
        said = _codex(record["payload"], _word(record["type"]))
    elif system == "yoi":
        said = _yoi(record)
    else:
        said = _Said(_word(record.get("type")), "")
    speaker = said.speaker or _SPEAKERS.get(said.role, "harness")
    failed = ("failed",) if record.get("is_error") is True or said.failed else ()
    return Entry(
        number,
        said.role or "unknown",
        clean(said.text)[0],
        speaker,
        said.name,
        heading=said.name or said.role,
        at=at,
        signals=failed,
    )


@dataclass(frozen=True, slots=True)
class _Said:
    role: str
    text: str
    name: str = ""
    speaker: str = ""
    failed: bool = False


def _word(value: Any) -> str:
    return clean(value.strip()[:80])[0] if isinstance(value, str) else ""


def _words(content: Any) -> str:
    """The text of a content field: a string, or the texts of its blocks."""
    if isinstance(content, str):
        return content.strip("\n")
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ""
    return "\n".join(part for part in (_block(block) for block in content) if part).strip("\n")


def _block(block: Any) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, dict):
        return ""
    kind = block.get("type") or block.get("kind")
    if kind in {"tool_use", "tool_call", "function_call"}:
        call = block.get("input", block.get("arguments"))
        call = call if isinstance(call, str) else json.dumps(call, ensure_ascii=False)
        return f"{_word(block.get('name'))} {call}".strip()
    for key in ("text", "content", "output", "summary"):
        if isinstance(block.get(key), str):
            return str(block[key])
        if isinstance(block.get(key), list):
            return _words(block[key])
    return ""


def _claude(record: dict[str, Any]) -> _Said:
    message = record["message"]
    role, content = _word(message.get("role")) or _word(record.get("type")), message.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    results = [block for block in blocks if block.get("type") == "tool_result"]
    failed = any(block.get("is_error") is True for block in results)
    is_note = record.get("isMeta") is True or record.get("isCompactSummary") is True
    speaker = "tool" if results else "harness" if is_note else ""
    words = [block for block in blocks if block.get("type") != "thinking"] if blocks else content
    return _Said(role, _words(words), speaker=speaker, failed=failed)


def _codex(payload: dict[str, Any], kind: str) -> _Said:
    what = _word(payload.get("type"))
    if kind == "response_item" and what == "message":
        return _Said(_word(payload.get("role")), _words(payload.get("content")))
    if kind == "response_item" and what.endswith("_output"):
        return _Said("tool", _words(payload.get("output")))
    if kind == "response_item" and what.endswith("_call"):
        return _Said("assistant", _block({**payload, "type": "tool_call"}), name=_word(payload.get("name")))
    return _Said(what or kind, "")


def _yoi(record: dict[str, Any]) -> _Said:
    kind, item = _word(record.get("kind")), record.get("item")
    if kind == "user_input":
        return _Said("user", _words(record.get("segments", record.get("text"))))
    if kind in {"assistant_item", "tool_result"} and isinstance(item, dict):
        speaker = "tool" if item.get("kind") == "tool_result" else "agent"
        text = (
            _words(item.get("content")) if item.get("kind") == "message" else _block({**item, "type": item.get("kind")})
        )
        return _Said(
            "tool" if speaker == "tool" else "assistant",
            text,
            name=_word(item.get("name")),
            failed=item.get("is_error") is True,
        )
    if kind in {"tool_result", "assistant_item"}:
        return _Said("tool" if kind == "tool_result" else "assistant", _words(record.get("output", record.get("text"))))
    if kind == "run_errored":
        return _Said("system", _words(record.get("message")), failed=True)
    if kind == "system_item":
        return _Said("system", _words(item if isinstance(item, dict) else record.get("text")))
    return _Said(kind, "")
