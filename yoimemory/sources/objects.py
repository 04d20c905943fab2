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

_BETWEEN = re.compile(r"[\s,\[\]]*")
_RESUME = re.compile(r"\}\s*,?\s*(?=\{)")


class Objects:
    """Reads objects from pieces of bytes. `faults` says what was passed by: a line and a reason."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._held, self._at, self._line = as_utf8(chunks), "", 0, 1
        self._rest = b""
        self.faults: list[tuple[int, str]] = []
        self._decoder = json.JSONDecoder()

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """(line, object) of every object that can be read, from the first line, 1."""
        while self._skip_between():
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
                self._fault(line, "An object is nested too deep.")
                return None
            except ValueError:
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
        self.faults.append((line, reason))
        at = self._at + 1
        while True:
            match = _RESUME.search(self._held, at)
            newline = self._held.find("\n{", at)
            ends = [end for end in (match.end() if match else -1, newline + 1 if newline >= 0 else -1) if end > 0]
            if ends:
                self._advance(min(ends))
                return
            self._advance(max(self._at, len(self._held) - 64))
            at = self._at
            if not self._more():
                self._advance(len(self._held))
                return

    def _advance(self, to: int) -> None:
        self._line += self._held.count("\n", self._at, to)
        self._at = to

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
