"""Logs of agents as they lie in the wild: trees, side files, streams that repeat each other, segments."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.factories import NOON
from tests.sources.conftest import read_all
from tests.sources.repository import Repo
from tests.sources.test_sessions import lines
from yoimemory.errors import BadInput
from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import read_document
from yoimemory.sources.reading import Document
from yoimemory.sources.services import add_source, preview_source

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]


def claude(kind: str, uuid: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s1", "cwd": "/w", "gitBranch": "main",
        "timestamp": "2026-07-01T10:00:00.000Z",
        "message": {"role": kind, "content": content, **more.pop("message", {})},
        **more,
    }  # fmt: skip


def text(words: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": words}]


class Logs:
    """A folder of logs that is read beside a workspace."""

    def __init__(self, folder: Path, workspace: Workspace, form: str = "") -> None:
        self.folder, self.workspace = folder, workspace
        folder.mkdir()
        add_source(workspace, path=folder, kind="session", format=form, now=NOON)

    def write(self, name: str, *records: object) -> None:
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(lines(*records))

    def read(self) -> dict[str, Document]:
        documents, unreadable = read_all(self.workspace)
        assert unreadable == []
        return {ref: found for ref, found in documents.items() if ref.startswith("session:")}


@pytest.fixture
def logs(repo: Repo, register: Register, tmp_path: Path) -> Logs:
    return Logs(tmp_path / "logs", register(repo.root))


def said(document: Document) -> list[tuple[str, str, str]]:
    return [(passage.fragment, passage.speaker, passage.text) for passage in document.passages]


class TestALogOfClaudeCode:
    def test_shows_what_was_set_aside_by_a_rewind(self, logs: Logs) -> None:
        logs.write(
            "s1.jsonl",
            claude("user", "a", None, "Fix the lock"),
            claude("assistant", "b", "a", text("Which one?")),
            claude("user", "c", "b", "The old one"),
            claude("assistant", "d", "c", text("Done wrongly")),
            claude("user", "e", "b", "The new one"),
            claude("assistant", "f", "e", text("Done")),
        )

        document = logs.read()["session:claude/s1"]

        assert [passage.fragment for passage in document.passages if "set aside" in passage.heading] == [
            "entry-3",
            "entry-4",
        ]
        assert document.title == "Fix the lock"
        assert document.facts["set_aside"] == 2
        assert document.facts["cwd"] == "/w"

    def test_reads_a_message_over_several_lines_and_counts_its_use_once(self, logs: Logs) -> None:
        use = {"id": "m1", "usage": {"output_tokens": 7}}
        call = [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}]
        logs.write(
            "s1.jsonl",
            claude("user", "a", None, "Look"),
            claude("assistant", "b", "a", [{"type": "thinking", "thinking": "hm"}], message=use),
            claude("assistant", "c", "b", text("I look."), message=use),
            claude("assistant", "d", "c", call, message=use),
            claude("user", "e", "d", [{"type": "tool_result", "content": "no such file", "is_error": True}]),
        )

        document = logs.read()["session:claude/s1"]

        assert said(document) == [
            ("entry-1", "human", "Look"),
            ("entry-3", "agent", "I look."),
            ("entry-4", "agent", 'Bash {"command": "ls"}'),
            ("entry-5", "tool", "no such file"),
        ]
        assert document.passages[3].signals == ("failed",)
        assert document.facts["output_tokens"] == 7

    def test_joins_a_sub_agent_to_its_session(self, logs: Logs) -> None:
        logs.write("p/s1.jsonl", claude("user", "a", None, "Go"))
        side = {"isSidechain": True, "agentId": "7"}
        logs.write(
            "p/s1/subagents/agent-7.jsonl",
            claude("user", "x", None, "Search for it", **side),
            claude("assistant", "y", "x", text("Found"), **side),
        )
        logs.write("p/agent-8.jsonl", claude("user", "z", None, "Old place", **side))
        (logs.folder / "p/s1/subagents/agent-7.meta.json").write_text('{"agentType": "explore"}')

        documents = logs.read()

        assert sorted(documents) == [
            "session:claude/p/agent-8",
            "session:claude/p/s1",
            "session:claude/p/s1/subagents/agent-7",
        ]
        for name in ("p/s1/subagents/agent-7", "p/agent-8"):
            found = documents[f"session:claude/{name}"]
            assert [link.target for link in found.links if link.kind == "parent"] == ["session:claude/p/s1"]
            assert {passage.speaker for passage in found.passages} == {"agent"}
            assert found.passages[0].heading.startswith("sub-agent")

    def test_tells_compaction_commands_and_memory_from_what_was_said(self, logs: Logs) -> None:
        logs.write(
            "s1.jsonl",
            {"type": "summary", "summary": "An old title", "leafUuid": "q"},
            claude("user", "a", None, "<command-name>/clear</command-name>"),
            claude("user", "b", "a", "<local-command-stdout>gone</local-command-stdout>"),
            claude("user", "c", "b", "Go on\n<system-reminder>\nbe brief\n</system-reminder>"),
            {"type": "system", "subtype": "compact_boundary", "uuid": "d", "parentUuid": None, "sessionId": "s1"},
            claude("user", "e", "d", "What came before.", isCompactSummary=True),
            {"type": "attachment", "attachment": {"type": "nested_memory", "content": "Rule."}, "sessionId": "s1"},
            {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "And that"}, "sessionId": "s1"},
            {"type": "from-the-future", "sessionId": "s1"},
            {"type": "custom-title", "customTitle": "My title", "sessionId": "s1"},
        )

        document = logs.read()["session:claude/s1"]

        assert [speaker for _, speaker, _ in said(document)] == [
            "harness", "tool", "human", "harness", "harness", "memory", "human",
        ]  # fmt: skip
        assert document.title == "My title"
        assert document.facts["other"] == {
            "summary": 1, "system compact_boundary": 1, "from-the-future": 1, "custom-title": 1,
        }  # fmt: skip

    def test_reads_a_repeated_record_of_a_resumed_file_once(self, logs: Logs) -> None:
        first = claude("user", "a", None, "Go")
        logs.write("s1.jsonl", first, first, claude("assistant", "b", "a", text("Gone")))

        document = logs.read()["session:claude/s1"]

        assert said(document) == [("entry-1", "human", "Go"), ("entry-3", "agent", "Gone")]
        assert document.facts["other"] == {"repeated": 1}


class TestALogOfCodex:
    def test_is_read_without_doubling(self, logs: Logs) -> None:
        item, event = "response_item", "event_msg"
        logs.write(
            "2026/rollout-1.jsonl",
            {"type": "session_meta", "payload": {"id": "u", "cwd": "/w", "git": {"branch": "main"}}},
            {"type": item, "payload": {"type": "message", "role": "developer", "content": "Rules"}},
            {"type": item, "payload": {"type": "message", "role": "user", "content": "<environment_context>…"}},
            {"type": item, "payload": {"type": "message", "role": "user", "content": text("Go")}},
            {"type": event, "payload": {"type": "user_message", "message": "Go"}},
            {"type": item, "payload": {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"}},
            {"type": event, "payload": {"type": "exec_command_end", "call_id": "c", "stdout": "ok", "exit_code": 0}},
            {"type": item, "payload": {"type": "function_call_output", "call_id": "c", "output": "ok"}},
            {"type": event, "payload": {"type": "agent_message", "message": "Done"}},
            {
                "type": item,
                "payload": {
                    "type": "message",
                    "role": "assistant",
                    "content": text("Done\n\n<oai-mem-citation>MEMORY.md:1-2|note=[x]</oai-mem-citation>"),
                },
            },
            {"type": event, "payload": {"type": "token_count", "info": None}},
            {"type": "compacted", "payload": {"message": "In short", "replacement_history": [{}]}},
            {"type": event, "payload": {"type": "user_message", "message": "Go"}},
        )

        document = logs.read()["session:codex/2026/rollout-1"]

        spoken = [each for each in said(document) if each[1] != "harness"]
        assert spoken == [
            ("entry-5", "human", "Go"),
            ("entry-6", "agent", "shell {}"),
            ("entry-8", "tool", "ok"),
            ("entry-10", "agent", "Done"),
            ("entry-13", "human", "Go"),
        ]
        assert "mem-citation" not in document.text
        assert document.facts["memories_cited"] == 1
        assert document.facts["gitBranch"] == "main"
        assert document.facts["other"]["doubled"] == 3
        assert document.title == "Go"

    def test_of_an_old_version_has_its_prompts_in_the_one_stream(self, logs: Logs) -> None:
        logs.write(
            "old.jsonl",
            {"type": "function_call", "name": "shell", "arguments": "ls", "call_id": "c"},
            {"type": "response_item", "payload": {"type": "message", "role": "user", "content": text("Go")}},
            {
                "type": "response_item",
                "payload": {"type": "message", "role": "user", "content": "# AGENTS.md instructions"},
            },
        )

        assert said(logs.read()["session:codex/old"]) == [
            ("entry-1", "agent", "shell ls"),
            ("entry-2", "human", "Go"),
            ("entry-3", "harness", "# AGENTS.md instructions"),
        ]

    def test_that_is_packed_is_read_where_that_is_possible(self, logs: Logs) -> None:
        zstandard = pytest.importorskip("zstandard", reason="zstandard is not installed")
        record = lines({"type": "event_msg", "payload": {"type": "user_message", "message": "Go"}})
        (logs.folder / "a.jsonl.zst").write_bytes(zstandard.ZstdCompressor().compress(record))
        (logs.folder / "b.jsonl.zst").write_bytes(zstandard.ZstdCompressor().compress(record))
        (logs.folder / "b.jsonl").write_bytes(record)

        assert sorted(logs.read()) == ["session:codex/a", "session:codex/b"]

    @pytest.mark.parametrize(("end", "said_of_it"), [(-9, "ends in the middle"), (None, "is damaged")])
    def test_that_is_packed_is_read_up_to_its_damage(self, logs: Logs, end: int | None, said_of_it: str) -> None:
        packer = pytest.importorskip("zstandard", reason="zstandard is not installed").ZstdCompressor()
        whole, cut = (
            packer.compress(lines({"type": "event_msg", "payload": {"type": "user_message", "message": words}}))
            for words in ("Go", "On")
        )
        (logs.folder / "a.jsonl.zst").write_bytes(whole + (cut[:end] if end else b"no frame at all"))
        (logs.folder / "b.jsonl.zst").write_bytes(cut[:end] if end else b"no frame at all")
        (logs.folder / "c.jsonl.zst").write_bytes(b"")
        (logs.folder / "d.jsonl.zst").write_bytes(whole + cut)

        documents, unreadable = read_all(logs.workspace)

        assert {ref: [words for _, _, words in said(each)] for ref, each in documents.items()} == {
            "session:codex/a": ["Go"], "session:codex/d": ["Go", "On"],
        }  # fmt: skip
        assert [(each.path, said_of_it in each.reason) for each in unreadable] == [
            ("a.jsonl.zst", True), ("b.jsonl.zst", True),
        ]  # fmt: skip

    def test_that_is_packed_is_listed_where_it_is_not(self, logs: Logs, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
        (logs.folder / "a.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd")

        documents, unreadable = read_all(logs.workspace)

        assert documents == {}
        assert "zstandard" in unreadable[0].reason


class TestASegmentOfYoi:
    def test_does_not_repeat_what_it_goes_on_from(self, logs: Logs) -> None:
        logs.write(
            "S/one.jsonl",
            {"kind": "segment_start", "session_id": "S"},
            {"kind": "invoke", "trigger": "user_send"},
            {"kind": "user_input", "segments": [{"kind": "text", "text": "Go"}, {"kind": "file_ref", "path": "a.md"}]},
            {"kind": "assistant_item", "item": {"kind": "reasoning", "text": "hm"}},
            {"kind": "assistant_item", "item": {"kind": "message", "content": [{"refusal": "No."}]}},
        )
        logs.write(
            "S/two.jsonl",
            {
                "kind": "segment_start",
                "session_id": "S",
                "history": [{"kind": "message", "role": "user", "content": "Go"}],
                "compacted_from": {"segment_id": "one", "at_turn_index": 1},
            },
            {"kind": "invoke", "trigger": "wakeup"},
            {"kind": "user_input", "segments": [{"kind": "text", "text": "Time is up"}]},
            {"kind": "tool_result", "item": {"kind": "tool_result", "summary": "3 lines", "content": "a\nb\nc"}},
            {"kind": "system_item", "item": {"kind": "knowledge", "content": "Old rule"}},
            {"kind": "extension", "domain": "memory.extract", "payload": {}},
        )

        documents = logs.read()

        assert said(documents["session:yoi/S/one"]) == [
            ("entry-3", "human", "Go\n@a.md"),
            ("entry-5", "agent", "No."),
        ]
        two = documents["session:yoi/S/two"]
        assert said(two) == [
            ("entry-3", "harness", "Time is up"),
            ("entry-4", "tool", "a\nb\nc"),
            ("entry-5", "memory", "Old rule"),
        ]
        assert two.passages[1].heading == "tool: 3 lines"
        assert [link.target for link in two.links if link.kind == "parent"] == ["session:yoi/S/one"]
        assert two.facts["other"] == {"segment_start": 1, "invoke": 1, "extension memory.extract": 1}


class TestALogOfGemini:
    def test_is_read_in_its_old_and_its_new_form(self, logs: Logs) -> None:
        head = {"sessionId": "s", "projectHash": "h"}
        messages = [
            {"id": "1", "type": "user", "content": "Go"},
            {"id": "2", "type": "gemini", "content": "Where?"},
        ]
        (logs.folder / "old.json").write_text(json.dumps({**head, "messages": messages}, indent=2))
        rest = {"$rewindTo": "2"}, {"id": "3", "type": "gemini", "content": "There"}
        logs.write("new.jsonl", {**head, "kind": "main"}, *messages, *rest)

        documents = logs.read()

        assert said(documents["session:gemini/old"]) == [("entry-2", "human", "Go"), ("entry-3", "agent", "Where?")]
        new = documents["session:gemini/new"]
        assert said(new) == [
            ("entry-2", "human", "Go"),
            ("entry-3", "agent", "Where?"),
            ("entry-5", "agent", "There"),
        ]
        assert "set aside" in new.passages[1].heading


class TestALogOfNoKnownKind:
    def test_is_a_fault_and_no_empty_success(self, logs: Logs) -> None:
        logs.write("x.jsonl", {"a": 1}, {"b": 2})

        documents, unreadable = read_all(logs.workspace)

        assert documents == {}
        assert unreadable[0].reason == "None of its 2 records is of a kind of log we know."


class TestALongLog:
    def test_comes_in_parts_whose_full_ones_never_change(self, logs: Logs, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("yoimemory.sources.readers.sessions.PART_CHARACTERS", 120)
        records = [{"role": "user", "content": f"message {number} " + "x" * 40} for number in range(10)]
        logs.write("day.jsonl", *records[:7])
        before = logs.read()
        logs.write("day.jsonl", *records)

        after = logs.read()

        assert sorted(after) == [
            "session:plain/day", "session:plain/day/part-2", "session:plain/day/part-3", "session:plain/day/part-4",
        ]  # fmt: skip
        for ref in ("session:plain/day", "session:plain/day/part-2"):
            assert after[ref] == before[ref]
        assert [len(document.passages) for document in after.values()] == [3, 3, 3, 1]
        found = read_document(logs.workspace, SourceRef.parse("session:plain/day#entry-8"))
        assert str(found.ref) == "session:plain/day/part-3"
        assert found.text.startswith("message 6")
        assert after["session:plain/day/part-4"].facts["records"] == 10


class TestPreviewSource:
    def test_tells_what_would_be_read_and_stores_nothing(self, logs: Logs) -> None:
        logs.write("a.jsonl", claude("user", "a", None, "Go"))
        logs.write("deep/b.jsonl", {"role": "user", "content": "Go"}, 7)
        logs.write("c.jsonl", {"a": 1})
        (logs.folder / "notes.md").write_text("no log\n")

        preview = preview_source(logs.folder, kind="session")

        assert [(file.path, file.format, file.records, file.faults) for file in preview.files] == [
            ("a.jsonl", "claude", 1, 0),
            ("c.jsonl", "unknown", 1, 0),
            ("deep/b.jsonl", "plain", 2, 1),
        ]
        assert preview.size == sum(path.stat().st_size for path in logs.folder.rglob("*.jsonl"))
        assert preview.formats == {"claude": 1, "unknown": 1, "plain": 1}

    def test_refuses_a_format_that_does_not_exist(self, logs: Logs) -> None:
        with pytest.raises(BadInput, match="no format called 'word'"):
            preview_source(logs.folder, kind="session", format="word")
