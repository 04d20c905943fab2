"""Events of a ticket thread.

An event starts at a line that begins `<!-- event: ` and is not inside a closed code fence of the
running event; it ends before the next such line or at the end of the file; then one trailing
`---` is stripped.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from yoimemory.sources.dates import read_instant
from yoimemory.sources.decoding import lines_of

_HEADER = "<!-- event: "
_FIELD = re.compile(r'([a-z_]+):\s*("(?:[^"\\]|\\.)*"|[^\s"]+)')
_KIND = re.compile(r"<!-- event:\s+(\S+)")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})(.*)")
_HARNESS = frozenset({"yoi", "yoi ticket", "insomnia", "workspace-panel", "localticketbackend", "system", "harness"})
_AGENTS = frozenset({
    "orchestrator", "intake", "reviewer", "review", "coder", "worker", "agent", "pod", "planner", "planning",
    "implementer", "yoi", "insomnia", "bot", "assistant", "claude", "codex", "gpt", "gemini", "copilot", "tester",
    "investigator",
})  # fmt: skip
_NAMED_AGENTS = frozenset({"claude code", "github copilot", "gemini cli", "openai codex"})
_BACK = {"planning": 0, "intake": 0, "ready": 1, "queued": 2, "inprogress": 3, "done": 4, "closed": 5}
_REASONS = (
    ("supersede", "superseded"),
    ("reject", "rejected"),
    ("revert", "reverted"),
    ("fail", "failed"),
    ("reopen", "reopened"),
    ("block", "blocked"),
)
_ROUTING = re.compile(r"^(?:[-*]\s*)?\**Routing decision\**:\**\s*`?([a-z][a-z0-9_-]*)", re.MULTILINE | re.IGNORECASE)
_WAITS = ("blocked", "wait", "hold", "defer", "pause", "preflight", "not_ready", "capacity")
_ARTEFACTS = frozenset({"-->"})


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its number from 1, its lines in the file, and what its header says."""

    number: int
    start: int
    end: int
    kind: str
    author: str
    at: datetime | None
    fields: dict[str, str]
    heading: str
    signals: tuple[str, ...]
    odd: str = ""

    def facts(self) -> dict[str, Any]:
        """What a page shows of it, plain enough for JSON."""
        about = {key: value for key, value in self.fields.items() if key not in {"author", "at"}}
        return {
            "number": self.number,
            "kind": self.kind,
            "author": self.author,
            "at": self.at.isoformat() if self.at else "",
            **about,
        }


def read_events(text: str) -> list[Event]:
    """The events of a thread, in the order of the file."""
    lines = lines_of(text)
    starts = _starts(lines)
    borders = [*starts, len(lines)]
    return [_event(number, lines, starts[number - 1], borders[number]) for number in range(1, len(starts) + 1)]


def _starts(lines: list[str]) -> list[int]:
    """Indices of header lines. A fence that is never closed hides nothing."""
    closers = _closers(lines)
    starts: list[int] = []
    index = 0
    while index < len(lines):
        if lines[index].startswith(_HEADER):
            starts.append(index)
        elif starts and index in closers:
            index = closers[index]
        index += 1
    return starts


def _closers(lines: list[str]) -> dict[int, int]:
    """For each line that may open a code fence, the line that closes it, if any does."""
    marks = [(index, match[1], match[2].strip()) for index, line in enumerate(lines) if (match := _FENCE.match(line))]
    closers: dict[int, int] = {}
    for place, (index, mark, info) in enumerate(marks):
        if mark[0] == "`" and "`" in info:
            continue
        for later, other, rest in marks[place + 1 : place + 400]:
            if other[0] == mark[0] and len(other) >= len(mark) and not rest:
                closers[index] = later
                break
    return closers


def _event(number: int, lines: list[str], start: int, border: int) -> Event:
    header = lines[start]
    end = border
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    if end > start + 1 and lines[end - 1].strip() == "---":
        end -= 1
        while end > start + 1 and not lines[end - 1].strip():
            end -= 1
    kind = match[1] if (match := _KIND.match(header)) and match[1] not in _ARTEFACTS else ""
    fields = {name: _value(raw) for name, raw in _FIELD.findall(header[len(_HEADER) :].rsplit("-->", 1)[0])}
    body = lines[start + 1 : end]
    heading = next((line.lstrip("#").strip() for line in body if line.startswith("#")), "")
    at = read_instant(fields.get("at", ""))
    odd = ""
    if not kind:
        odd = "An event of the thread has no kind."
    elif "-->" not in header:
        odd = "The header of an event is not closed on its line."
    elif fields.get("at") and at is None:
        odd = f"An event has the time {fields['at'][:40]!r}, which is none."
    return Event(
        number,
        start + 1,
        end,
        kind or "unknown",
        fields.get("author", ""),
        at,
        fields,
        heading,
        _signals(kind, fields, body),
        odd,
    )


def _value(raw: str) -> str:
    if raw.startswith('"'):
        return re.sub(r"\\(.)", r"\1", raw[1:-1])
    return raw


def _signals(kind: str, fields: dict[str, str], body: list[str]) -> tuple[str, ...]:
    """What an event does to earlier statements, by its header and by the routing line of a decision."""
    found: list[str] = []
    verdict = fields.get("status") or fields.get("result") or ""
    if kind == "review" and verdict not in {"", "approve", "approved"}:
        found.append("request_changes" if "change" in verdict else "rejected")
    before, after = fields.get("from", ""), fields.get("to", "")
    if kind == "state_changed" and before in _BACK and after in _BACK and _BACK[after] < _BACK[before]:
        found.append("reopened")
    reason = fields.get("reason", "").lower()
    found += [signal for part, signal in _REASONS if part in reason]
    if kind == "decision" and (match := _ROUTING.search("\n".join(body))):
        slug = match[1].lower()
        if any(word in slug for word in _WAITS):
            found.append("blocked")
    return tuple(dict.fromkeys(found))


def speaker_of(author: str) -> str:
    """Who speaks under an author's name, by rule: tools of the tracker are harness, role names are agents."""
    name = author.strip().lower()
    if not name:
        return ""
    if name in _HARNESS or ".sh" in name or name.endswith(("-panel", "backend", "migration")):
        return "harness"
    if " " in name and name not in _NAMED_AGENTS:  # role names are one word; "Hana Tester" is a person
        return "human"
    words = set(re.split(r"[^a-z]+", name))
    return "agent" if words & _AGENTS else "human"
