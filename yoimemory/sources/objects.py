"""Objects of a JSON text, one at a time: a list of them, lines of them, or several lists behind one another.

A whole export is never held: no more than one object, and a piece of what comes after it.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from yoimemory.sources.streams import as_utf8

OBJECT_MAX = 4 << 20
"""Characters of one object; a longer one is reported and passed by."""

DONE_MAX = 1 << 14
"""Characters that are held though they were read. Every error of the parser counts the lines of them all again."""

FAULTS_MAX = 1_000
"""Faults of one file that are told one by one."""

VAIN_MAX, FAULT_COSTS = 64 << 20, 1 << 10
"""Characters of one file that are read in vain, over and over, before the rest is passed by; what a fault costs."""

_BETWEEN = re.compile(r"[\s,\[\]]*")
_RESUME = re.compile(r"\}\s*+,?\s*+(?=\{)|\n(?=\{)")


class Objects:
    """Reads objects from pieces of bytes. `faults` says what was passed by: a line and a reason."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._held, self._at, self._line = as_utf8(chunks), "", 0, 1
        self._rest = b""
        self._vain = 0
        self.faults: list[tuple[int, str]] = []
        self._decoder = json.JSONDecoder()

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """(line, object) of every object that can be read, from the first line, 1."""
        while self._skip_between():
            if self._vain > VAIN_MAX:
                self.faults.append((self._line, "So much before this is damaged that the rest is passed by."))
                return
            if self._held[self._at] != "{":
                self._fault(self._line, "Something stands here that is no object.")
                continue
            found = self._object()
            if found is not None:
                yield found

    def _skip_between(self) -> bool:
        """Go on to what is no comma, bracket or white space. False at the end."""
        while True:
            match = _BETWEEN.match(self._held, self._at)
            if match:
                self._advance(match.end())
            if self._at < len(self._held):
                return True
            if not self._more():
                return False

    def _object(self) -> tuple[int, dict[str, Any]] | None:
        line = self._line
        while True:
            try:
                value, end = self._decoder.raw_decode(self._held, self._at)
            except RecursionError:
                self._vain += len(self._held) - self._at
                self._fault(line, "An object is nested too deep.")
                return None
            except ValueError as error:
                self._vain += FAULT_COSTS + max(0, getattr(error, "pos", self._at) - self._at)
                if len(self._held) - self._at < OBJECT_MAX and self._more():
                    continue
                is_long = len(self._held) - self._at >= OBJECT_MAX
                self._fault(
                    line, "An object is cut, damaged, or too long to be read." if is_long else "This is not JSON."
                )
                return None
            self._advance(end)
            return (line, value) if isinstance(value, dict) else None

    def _fault(self, line: int, reason: str) -> None:
        """Note a fault and go on behind the next place where one object ends and another begins."""
        if len(self.faults) < FAULTS_MAX:
            self.faults.append((line, reason))
        elif len(self.faults) == FAULTS_MAX:
            self.faults.append((line, f"More than {FAULTS_MAX:,} places are damaged; from here on none is told."))
        at = self._at + 1
        while True:
            if match := _RESUME.search(self._held, at):
                self._advance(match.end())
                return
            self._advance(max(self._at, len(self._held) - 64))
            at = self._at
            if not self._more():
                self._advance(len(self._held))
                return

    def _advance(self, to: int) -> None:
        self._line += self._held.count("\n", self._at, to)
        self._at = to
        if to > DONE_MAX:
            self._held, self._at = self._held[to:], 0

    def _more(self) -> bool:
        chunk = next(self._chunks, None)
        data = self._rest + (chunk or b"")
        if chunk is None and not data:
            return False
        end = len(data)
        if chunk is not None:  # a character may be cut between two pieces
            while end and end > len(data) - 4 and data[end - 1] & 0xC0 == 0x80:
                end -= 1
            if end and data[end - 1] & 0x80:
                end -= 1
        if chunk is None or end <= len(data) - 4:
            end = len(data)
        self._rest = data[end:]
        self._held = self._held[self._at :] + data[:end].decode("utf-8", "replace")
        self._at = 0
        return True
