"""The session store of Yoi: a segment a file, tagged lines, times in milliseconds.

A segment that was compacted or forked repeats the history before it in its first line. That is
not read again: the segment names the one it goes on from.
"""

from typing import Any

from yoimemory.sources.formats.entries import Said, block, first_line, word, words

_NOT_SENT = frozenset({"notify", "worker_event", "system_reminder", "wakeup"})
_KNOWLEDGE = frozenset({"knowledge", "workflow"})


def is_yoi(record: dict[str, Any]) -> bool:
    """Whether a record has the tag of this store."""
    return isinstance(record.get("kind"), str) and "type" not in record and "messages" not in record


class Yoi:
    """One segment."""

    def __init__(self, log: str) -> None:
        self.title, self.parent = "", ""
        self._log = log
        self._trigger = ""
        self._facts: dict[str, Any] = {}

    def survey(self, number: int, record: dict[str, Any]) -> None:
        kind = word(record.get("kind"))
        if kind == "segment_start":
            self._begin(record)
        if kind == "user_input" and not self.title:
            self.title = first_line(_input(record))

    def _begin(self, record: dict[str, Any]) -> None:
        for key in ("compacted_from", "forked_from"):
            origin = record.get(key)
            if isinstance(origin, dict) and word(origin.get("segment_id")):
                self._facts[key] = word(origin["segment_id"])
                folder = word(origin.get("session_id")) or self._log.rpartition("/")[0].rpartition("/")[2]
                above = self._log.rpartition("/")[0].rpartition("/")[0]
                steps = [above, folder, word(origin["segment_id"])]
                self.parent = "/".join(step for step in steps if step)
        history = record.get("history")
        if isinstance(history, list) and history:
            self._facts["repeated_before"] = len(history)

    def said(self, number: int, record: dict[str, Any]) -> Said:
        kind, item = word(record.get("kind")), record.get("item")
        if kind == "invoke":
            self._trigger = word(record.get("trigger"))
            return Said(kind)
        if kind == "user_input":
            return Said("user", _input(record), speaker="harness" if self._trigger in _NOT_SENT else "")
        if kind in {"assistant_item", "tool_result"}:
            role = "tool" if kind == "tool_result" else "assistant"
            if isinstance(item, dict):
                return _item(item, role)
            return Said(role, words(record.get("output", record.get("text"))))
        if kind == "run_errored":
            return Said("system", words(record.get("message")), failed=True)
        if kind == "system_item":
            return _system(item if isinstance(item, dict) else record)
        if kind == "extension":
            return Said(kind, kind=f"extension {word(record.get('domain'))}".strip())
        return Said(kind)

    def facts(self) -> dict[str, Any]:
        return dict(self._facts)


def _input(record: dict[str, Any]) -> str:
    segments = record.get("segments", record.get("text"))
    if not isinstance(segments, list):
        return words(segments)
    return "\n".join(part for part in (_segment(each) for each in segments) if part).strip("\n")


def _segment(segment: Any) -> str:
    if isinstance(segment, dict) and segment.get("kind") == "file_ref":
        return f"@{word(segment.get('path'), 500)}" if word(segment.get("path")) else ""
    return block(segment)


def _item(item: dict[str, Any], role: str) -> Said:
    kind = word(item.get("kind"))
    if kind == "reasoning":
        return Said(role, kind="reasoning")
    if kind == "message":
        return Said(role, words(item.get("content")))
    if kind == "tool_result" or role == "tool":
        summary = words(item.get("summary"))
        text = words(item.get("content")) or words(item.get("output")) or summary
        heading = f"tool: {first_line(summary)}" if summary and summary != text else ""
        return Said("tool", text, name=word(item.get("name")), failed=item.get("is_error") is True, heading=heading)
    return Said(role, block({**item, "type": kind}), name=word(item.get("name")))


def _system(item: dict[str, Any]) -> Said:
    kind = word(item.get("kind"))
    speaker = "memory" if kind in _KNOWLEDGE else "tool" if kind == "file_attachment" else ""
    return Said("system", words(item) or words(item.get("message")), speaker=speaker, kind=f"system {kind}".strip())
