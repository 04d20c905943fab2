"""The chat history of Aider, which is Markdown: `####` lines are the user, `>` lines the tool, the rest the assistant.

The file may begin in the middle of a chat. What an assistant writes may look like the other two, so
a code fence of its own is left whole.
"""

import re
from collections.abc import Iterator
from typing import Any

from yoimemory.sources.decoding import clean
from yoimemory.sources.records import Log
from yoimemory.sources.streams import LINE_MAX, as_utf8, lines_in

ENTRY_MAX = 1_000_000
"""Characters after which a long turn goes on as a further entry."""

FENCE_LINES = 500
"""A fence that is not closed after so many lines is taken for none."""

_START = re.compile(r"# aider chat started at (\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2})?)?.*")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")


def aider_records(chunks: Iterator[bytes], log: Log) -> Iterator[tuple[int, dict[str, Any]]]:
    """(number, record) of every turn, as records of role, content and the time at which its chat began."""
    turn = _Turn(log)
    for line, length, _ in lines_in(as_utf8(chunks)):
        log.lines += 1
        if length > LINE_MAX:
            log.note(f"This line has {length:,} bytes; at most {LINE_MAX:,} are read.")
            continue
        text, lost = clean(line.decode("utf-8", "replace").rstrip("\r"))
        log.lossy = log.lossy or lost or "\ufffd" in text
        yield from turn.take(text)
    yield from turn.end()


class _Turn:
    """The turn that is being gathered."""

    def __init__(self, log: Log) -> None:
        self._log, self._role, self._lines, self._size = log, "", list[str](), 0
        self._started = ""
        self._fence, self._fenced = "", 0

    def take(self, line: str) -> Iterator[tuple[int, dict[str, Any]]]:
        if start := _START.fullmatch(line):
            yield from self.end()
            self._fence, self._started = "", start[1] or ""
            self._role, self._lines = "system", [line[2:]]
            yield from self.end()
            return
        role, words = self._told(line)
        if not line.strip() and not self._fence:
            role = self._role if self._role == "assistant" else ""
            if not role:
                yield from self.end()
                return
        if role != self._role or self._size > ENTRY_MAX:
            yield from self.end()
        self._role = role
        self._lines.append(words)
        self._size += len(words)

    def _told(self, line: str) -> tuple[str, str]:
        """Who says a line, and the line without its marks; two spaces end each marked line."""
        if self._fence:
            self._fenced += 1
            closes = line.strip().startswith(self._fence) and not line.strip().strip(self._fence[0])
            if closes or self._fenced > FENCE_LINES:
                self._fence = ""
            return "assistant", line
        if line.startswith("#### "):
            return "user", line[5:].rstrip()
        if line.startswith("> ") or line == ">":
            return "tool", line[2:].rstrip()
        if match := _FENCE.match(line):
            self._fence, self._fenced = match[1], 0
        return "assistant", line

    def end(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The turn as a record, if it has words."""
        content = "\n".join(self._lines).strip("\n")
        if content.strip():
            self._log.records += 1
            yield self._log.records, {"role": self._role, "content": content, "timestamp": self._started}
        self._role, self._lines, self._size = "", [], 0
