"""Logs of Claude Code: a tree of records in one file, sub-agents in side files, titles and attachments between.

Records hang on each other by `parentUuid`. Where a person went back and asked anew, two prompts
hang on the same message; the earlier one and all that followed from it were set aside, and are
shown as that. A file that was resumed may repeat records with their ids; a repeated id is counted
and not read again. After a compaction the log begins a new root with a summary, which is the
harness's word and nobody's.
"""

import re
from typing import Any

from yoimemory.sources.formats.entries import Said, first_line, word, words

_MARKS = ("leafUuid", "sessionId", "parentUuid")
_COMMAND = re.compile(r"\s*<(?:command-(?:name|message|args)|local-command-caveat)>.*</[a-z-]+>\s*", re.DOTALL)
_OUTPUT = re.compile(r"\s*<(?:local-command-std(?:out|err)|bash-std(?:out|err))>.*</[a-z-]+>\s*", re.DOTALL)
_TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "agent-name": "agentName", "summary": "summary"}
_SIDE = re.compile(r"(.+?)/(?:subagents/(?:.+/)?)?agent-[^/]+")
_PROMPTED = frozenset({"queued_command"})
REWOUND = "set aside by a rewind"


def is_claude(record: dict[str, Any]) -> bool:
    """Whether a record has the shape of this log."""
    if not isinstance(record.get("type"), str):
        return False
    return isinstance(record.get("message"), dict) or any(mark in record for mark in _MARKS)


class Claude:
    """The tree of one file, by number; and what stands beside it."""

    def __init__(self, log: str) -> None:
        self.title, self.parent = "", ""
        self._log = log
        self._titles: dict[str, str] = {}
        self._prompt = ""
        self._number: dict[str, int] = {}
        self._up: dict[int, str] = {}
        self._messages: set[int] = set()
        self._prompts: list[int] = []
        self._repeated: set[int] = set()
        self._dead: set[int] | None = None
        self._seen: dict[str, Any] = {}
        self._tokens: dict[str, int] = {}
        self._usage: dict[str, int] = {}

    def survey(self, number: int, record: dict[str, Any]) -> None:
        kind = word(record.get("type"))
        uuid = record.get("uuid")
        if isinstance(uuid, str) and uuid:
            if uuid in self._number:
                self._repeated.add(number)
                return
            self._number[uuid] = number
            parent = record.get("parentUuid") or record.get("logicalParentUuid")
            if isinstance(parent, str):
                self._up[number] = parent
            if isinstance(record.get("message"), dict):
                self._messages.add(number)
        if _is_prompt(record):
            self._prompts.append(number)
            said = _message(record, record["message"])
            if not said.speaker and not self._prompt:
                self._prompt = first_line(said.text)
        if kind in _TITLES:
            self._titles[kind] = first_line(word(record.get(_TITLES[kind]), 200))
        self._note(kind, record)
        self.title = next((self._titles[name] for name in _TITLES if self._titles.get(name)), "") or self._prompt

    def _note(self, kind: str, record: dict[str, Any]) -> None:
        for key in ("cwd", "gitBranch", "version"):
            if word(record.get(key)):
                self._seen[key] = word(record[key], 500)
        if kind == "worktree-state":
            inner = record.get("worktree")
            state = inner if isinstance(inner, dict) else record
            self._seen["worktree"] = word(state.get("worktreePath") or state.get("path") or state.get("name"), 500)
        if kind == "pr-link":
            self._seen["pull_request"] = word(record.get("prUrl") or record.get("url"), 500)
        if record.get("isSidechain") is True or record.get("agentId"):
            side = _SIDE.fullmatch(self._log)
            owner = word(record.get("sessionId"))
            if side:
                nested = "/subagents/" in self._log
                self.parent = side[1] if nested or not owner else f"{self._log.rpartition('/')[0]}/{owner}"
            elif self._log.startswith("agent-") and owner:
                self.parent = owner
        message = record.get("message")
        if isinstance(message, dict) and isinstance(message.get("usage"), dict):
            name = word(message.get("id"))
            spent = message["usage"].get("output_tokens")
            # One message over several lines repeats its usage on each: the last of them counts, once.
            if name and isinstance(spent, int):
                self._usage[name] = spent

    def said(self, number: int, record: dict[str, Any]) -> Said:
        kind = word(record.get("type"))
        if number in self._repeated:
            return Said(kind, kind="repeated")
        if isinstance(record.get("message"), dict):
            said = _message(record, record["message"])
        elif kind == "attachment":
            said = _attachment(record.get("attachment"))
        elif kind == "system":
            said = _system(record)
        else:
            said = Said(kind)
        heading = said.name or said.role
        if record.get("isSidechain") is True:
            speaker = "agent" if not said.speaker and said.role == "user" else said.speaker
            said = Said(said.role, said.text, said.name, speaker, said.failed, said.kind, f"sub-agent: {heading}")
        if self._is_dead(number):
            heading = f"{said.heading or heading}, {REWOUND}"
            said = Said(said.role, said.text, said.name, said.speaker, said.failed, said.kind, heading)
        return said

    def _is_dead(self, number: int) -> bool:
        if self._dead is None:
            if not self._prompts or not self._up:
                return False
            self._dead = self._set_aside()
        return number in self._dead

    def _set_aside(self) -> set[int]:
        """Everything that hangs on a prompt in whose place another was asked later."""
        latest: dict[int, int] = {}
        roots: set[int] = set()
        for number in self._prompts:
            anchor = self._message_above(number)
            if anchor is None:
                continue
            if anchor in latest:
                roots.add(latest[anchor])
            latest[anchor] = number
        if not roots:
            return set()
        state: dict[int, bool] = dict.fromkeys(roots, True)
        for start in self._up:
            path: list[int] = []
            at: int | None = start
            while at is not None and at not in state and len(path) <= len(self._up):
                path.append(at)
                at = self._number.get(self._up.get(at, ""))
            found = bool(at is not None and state.get(at))
            state |= dict.fromkeys(path, found)
        return {number for number, is_dead in state.items() if is_dead}

    def _message_above(self, number: int) -> int | None:
        for _ in range(1_000):
            above = self._number.get(self._up.get(number, ""))
            if above is None or above in self._messages:
                return above
            number = above
        return None

    def facts(self) -> dict[str, Any]:
        facts = dict(self._seen)
        if self._usage:
            facts["output_tokens"] = sum(self._usage.values())
        if self._up and self._prompts:
            self._is_dead(0)
            facts["set_aside"] = len(self._dead or ())
        return facts


def _is_prompt(record: dict[str, Any]) -> bool:
    """Whether a person asked something here."""
    message = record.get("message")
    if record.get("type") != "user" or not isinstance(message, dict):
        return False
    if any(record.get(mark) is True for mark in ("isMeta", "isCompactSummary", "isSidechain")):
        return False
    content = message.get("content")
    if isinstance(content, str):
        return bool(content.strip())
    blocks = content if isinstance(content, list) else []
    kinds = {word(block.get("type")) for block in blocks if isinstance(block, dict)}
    return "tool_result" not in kinds and bool(kinds & {"text", "image"})


def _message(record: dict[str, Any], message: dict[str, Any]) -> Said:
    role, content = word(message.get("role")) or word(record.get("type")), message.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    results = [block for block in blocks if block.get("type") == "tool_result"]
    failed = any(block.get("is_error") is True for block in results)
    text = words([block for block in blocks if block.get("type") != "thinking"] if blocks else content)
    if record.get("isCompactSummary") is True:
        return Said(role, text, speaker="harness", heading="summary at a compaction")
    if results and word(record.get("toolDenialKind")):
        return Said(role, text, speaker="tool", failed=True, heading="call refused by the user")
    if results:
        return Said(role, text, speaker="tool", failed=failed)
    if record.get("isMeta") is True or (role == "user" and _COMMAND.fullmatch(text)):
        return Said(role, text, speaker="harness")
    if role == "user" and _OUTPUT.fullmatch(text):
        return Said(role, text, speaker="tool")
    return Said(role, text)


def _attachment(attachment: Any) -> Said:
    if not isinstance(attachment, dict):
        return Said("attachment")
    kind = word(attachment.get("type"))
    if kind in _PROMPTED:
        return Said("user", words(attachment.get("prompt", attachment.get("content"))), kind=f"attachment {kind}")
    if kind == "nested_memory":
        return Said("memory", words(attachment.get("content")), kind=f"attachment {kind}")
    return Said("attachment", kind=f"attachment {kind}".strip())


def _system(record: dict[str, Any]) -> Said:
    subtype = word(record.get("subtype"))
    kind = f"system {subtype}".strip()
    if subtype in {"local_command", "api_error", "informational", "model_refusal_fallback"}:
        return Said("system", words(record.get("content")), failed=subtype == "api_error", kind=kind)
    return Said("system", kind=kind)
