"""Records of a log of JSON lines, one at a time: numbered from 1, bad ones too, each fault noted by its line."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from yoimemory.sources.reading import Unreadable
from yoimemory.sources.streams import LINE_MAX, as_utf8, lines_in
from yoimemory.sources.texts import unreadable


@dataclass(slots=True)
class Log:
    """How far a log was read, and what was wrong with it. `bad` is emptied by whoever passes it on."""

    path: str
    lines: int = 0
    records: int = 0
    faults: int = 0
    lossy: bool = False
    pending: bool = False
    bad: list[Unreadable] = field(default_factory=list)

    def note(self, reason: str) -> None:
        self.faults += 1
        self.bad.append(unreadable(self.path, reason, self.lines))


def records_in(chunks: Iterator[bytes], log: Log) -> Iterator[tuple[int, dict[str, Any]]]:
    """(number, record) of every record that is an object; the rest is noted in the log."""
    if log.path.endswith(".json"):
        held, chunks = _held(chunks)
        found = _whole(held)
        if found:
            log.lines = held.count(b"\n")
            log.records = len(found)
            yield from enumerate(found, 1)
            return
        chunks = chain([held], chunks)
    for line, length, whole in lines_in(as_utf8(chunks)):
        log.lines += 1
        if length > LINE_MAX:
            log.records += 1
            log.note(f"This line has {length:,} bytes; at most {LINE_MAX:,} are read.")
        elif line.strip():
            yield from _line(line, log, whole=whole)


def _held(chunks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The start of a file, as much as one value may have, and what comes after it."""
    held: list[bytes] = []
    for chunk in chunks:
        held.append(chunk)
        if sum(map(len, held)) > LINE_MAX:
            break
    return b"".join(held), chunks


def _whole(data: bytes) -> list[dict[str, Any]]:
    """The records of a file that is one value: a list of them, or a head with its messages."""
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return []
    members = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(members, list) or not all(isinstance(member, dict) for member in members):
        return []
    head = [{key: each for key, each in value.items() if key != "messages"}] if isinstance(value, dict) else []
    return head + members


def _line(line: bytes, log: Log, *, whole: bool) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        text = line.decode("utf-8").strip()
    except UnicodeDecodeError:
        text, log.lossy = line.decode("utf-8", "replace").strip(), True
    values, problem = _values(text)
    if problem and not whole and not values:
        log.pending = True
        return
    for value in values:
        log.records += 1
        if isinstance(value, dict):
            yield log.records, value
        else:
            log.note("This record is no JSON object.")
    if problem:
        log.records += 1
        log.note(problem)


def _values(text: str) -> tuple[list[Any], str]:
    """The JSON values on a line (glued ones are taken apart, a list is its members), and what was wrong after them."""
    decoder, at = json.JSONDecoder(), 0
    found: list[Any] = []
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            if not any(isinstance(value, dict) for value in found):
                return [], "This line is not JSON."
            return found, "The end of this line is not JSON."
        if isinstance(value, list) and value and all(isinstance(member, dict) for member in value):
            found += value
        else:
            found.append(value)
        while at < len(text) and text[at] in " \t\r":
            at += 1
    return found, ""
