"""Logs of Gemini CLI: a head, then messages; lines that patch the head, and lines that go back.

A message with an id that came before takes the place of the earlier one, and `$rewindTo` sets aside
what followed from a message on. Both are shown where they stand, the later as what counts.
"""

from typing import Any

from yoimemory.sources.formats.entries import Said, block, first_line, word, words

_TYPES = frozenset({"user", "gemini", "info", "error", "warning"})
REWOUND = "set aside by a rewind"


def is_gemini(record: dict[str, Any]) -> bool:
    """Whether a record is the head or a message of such a log, or changes one."""
    if "$set" in record or "$rewindTo" in record:
        return True
    if "projectHash" in record and "sessionId" in record:
        return True
    return word(record.get("type")) in _TYPES and "id" in record and "content" in record and "message" not in record


class Gemini:
    """Which messages were replaced or set aside, by number."""

    def __init__(self) -> None:
        self.title, self.parent = "", ""
        self._at: dict[str, int] = {}
        self._replaced: set[int] = set()
        self._aside: set[int] = set()

    def survey(self, number: int, record: dict[str, Any]) -> None:
        name = word(record.get("id"))
        back = word(record.get("$rewindTo"))
        if back in self._at:
            first = self._at[back]
            gone = {each for each in self._at.values() if each >= first}
            self._aside |= gone
            self._at = {key: each for key, each in self._at.items() if each not in gone}
        elif name:
            if name in self._at:
                self._replaced.add(self._at[name])
            self._at[name] = number
        if not self.title and record.get("type") == "user":
            self.title = first_line(words(record.get("content")))

    def said(self, number: int, record: dict[str, Any]) -> Said:
        kind = word(record.get("type"))
        if kind not in _TYPES:
            return Said(kind or "head", kind="head" if "projectHash" in record else kind or "change of the head")
        if number in self._replaced:
            return Said(kind, kind="replaced")
        calls = record.get("toolCalls")
        parts = [words(record.get("content"))]
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                parts.append(block({"type": "tool_call", "name": call.get("name"), "arguments": call.get("args")}))
                parts.append(words(call.get("resultDisplay")))
        text = "\n".join(part for part in parts if part)
        role = {"user": "user", "gemini": "gemini"}.get(kind, "system")
        heading = f"{role}, {REWOUND}" if number in self._aside else ""
        return Said(role, text, failed=kind == "error", heading=heading)

    def facts(self) -> dict[str, Any]:
        return {"set_aside": len(self._aside)}
