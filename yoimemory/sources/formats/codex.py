"""Logs of Codex: what the model saw and what the person saw, two streams that repeat each other.

A person's words are taken from the events; where a log has none, from the user messages that are
no scaffolding. An agent's words are taken from what the model wrote. Whatever then stands in the
other stream too is counted as doubled and not read again; calls and their output are paired by id.
"""

import hashlib
import re
from typing import Any

from yoimemory.sources.formats.entries import Said, block, first_line, without_footer, word, words

_SCAFFOLD = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|permissions[^>]*|turn_aborted|collaboration_mode|skills?)\b"
    r"|# AGENTS\.md instructions|<INSTRUCTIONS>)"
)
_CALLS = ("_call",)
_ENDS = frozenset({"exec_command_end", "patch_apply_end", "mcp_tool_call_end", "web_search_end"})
_BARE = frozenset({
    "function_call", "function_call_output", "local_shell_call", "custom_tool_call", "custom_tool_call_output",
    "reasoning",
})  # fmt: skip


def is_codex(record: dict[str, Any]) -> bool:
    """Whether a record has the shape of this log; very old ones have the payload bare."""
    if not isinstance(record.get("type"), str):
        return False
    return isinstance(record.get("payload"), dict) or record["type"] in _BARE


class Codex:
    """Which words and calls stand in which stream."""

    def __init__(self) -> None:
        self.title, self.parent = "", ""
        self._named = ""
        self._prompt = ""
        self._asked: set[bytes] = set()
        self._written: set[bytes] = set()
        self._answered: set[str] = set()
        self._facts: dict[str, Any] = {}

    def survey(self, number: int, record: dict[str, Any]) -> None:
        kind, payload, what = _parts(record)
        if kind == "session_meta":
            self._facts.setdefault("id", word(payload.get("id") or payload.get("session_id"), 500))
            for key in ("cwd", "originator", "cli_version"):
                if word(payload.get(key)):
                    self._facts.setdefault(key, word(payload[key], 500))
            git = payload.get("git")
            if isinstance(git, dict):
                self._facts.setdefault("gitBranch", word(git.get("branch")))
                self._facts.setdefault("gitCommit", word(git.get("commit_hash")))
        elif kind == "event_msg" and what == "user_message":
            text = words(payload.get("message"))
            self._asked.add(_print(text))
            self._prompt = self._prompt or first_line(text)
        elif kind == "event_msg" and what == "thread_name_updated":
            self._named = word(payload.get("thread_name") or payload.get("name"))
        elif kind == "response_item" and what == "message":
            text = words(payload.get("content"))
            if word(payload.get("role")) == "assistant":
                self._written.add(_print(text))
            elif not _SCAFFOLD.match(text) and word(payload.get("role")) == "user":
                self._prompt = self._prompt or first_line(text)
        elif what.endswith("_output") and word(payload.get("call_id")):
            self._answered.add(word(payload["call_id"]))
        self.title = self._named or self._prompt

    def said(self, number: int, record: dict[str, Any]) -> Said:
        kind, payload, what = _parts(record)
        if kind == "response_item":
            return self._item(what, payload)
        if kind == "event_msg":
            return self._event(what, payload)
        if kind == "compacted":
            return Said("system", words(payload.get("message")), kind=kind, heading="summary at a compaction")
        return Said(what or kind, kind=kind)

    def _item(self, what: str, payload: dict[str, Any]) -> Said:
        if what == "message":
            role, text = word(payload.get("role")), words(payload.get("content"))
            if role == "user" and _print(text) in self._asked:
                return Said(role, kind="doubled")
            if role == "user" and (self._asked or _SCAFFOLD.match(text)):
                return Said(role, text, speaker="harness")
            return Said(role, text)
        if what.endswith("_output"):
            text, failed = _output(payload.get("output"))
            return Said("tool", text, failed=failed)
        if what.endswith(_CALLS):
            call = payload.get("input", payload.get("arguments", payload.get("action")))
            text = block({"type": "tool_call", "name": payload.get("name") or what, "arguments": call})
            return Said("assistant", text, name=word(payload.get("name")))
        return Said(what, kind=what)

    def _event(self, what: str, payload: dict[str, Any]) -> Said:
        if what == "user_message":
            return Said("user", words(payload.get("message")))
        if what == "agent_message":
            text = words(payload.get("message"))
            return Said("assistant", kind="doubled") if _print(text) in self._written else Said("assistant", text)
        if what in _ENDS:
            if word(payload.get("call_id")) in self._answered:
                return Said("tool", kind="doubled")
            text = words(payload.get("aggregated_output") or payload.get("formatted_output") or payload.get("stdout"))
            return Said("tool", text, failed=payload.get("exit_code") not in (None, 0), kind=what)
        if what in {"error", "stream_error"}:
            return Said("system", words(payload.get("message")), failed=True, kind=what)
        return Said(what, kind=what)

    def facts(self) -> dict[str, Any]:
        return dict(self._facts)


def _parts(record: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    """The stream, the payload and its type; a bare old item counts as what the model saw."""
    payload, kind = record.get("payload"), word(record.get("type"))
    if isinstance(payload, dict):
        return kind, payload, word(payload.get("type"))
    return "response_item" if kind in _BARE else kind, record, kind


def _output(output: Any) -> tuple[str, bool]:
    """The words of a call's output, which may be text, a list of blocks, or an object with content and success."""
    if isinstance(output, dict):
        return words(output.get("content", output.get("output"))), output.get("success") is False
    return words(output), False


def _print(text: str) -> bytes:
    return hashlib.sha256(without_footer(text)[0].strip().encode("utf-8", "surrogatepass")).digest()[:12]
