"""Memory records and skills: their metadata, their links, and what is odd about them."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.factories import NOON
from tests.sources.conftest import read_all
from tests.sources.repository import Repo
from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import read_document
from yoimemory.sources.services import add_source

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]
DECISION = """---
created_at: 2026-05-01T10:00:00Z
updated_at: 2026-05-02T10:00:00Z
status: replaced
replaced_by: use-wal
sources:
  - segment_id: 0197
    range: [3, 9]
---
# Use SQLite

Since 00001KXKMX0QA.
"""


class TestMemoryRecords:
    def test_are_read_though_git_ignores_them(self, repo: Repo, register: Register) -> None:
        repo.write(".gitignore", ".yoi/memory/\n.yoi/sessions/\nbuild/\n")
        repo.write("build/out.md", "ignored\n")
        repo.write(".yoi/memory/summary.md", "---\nupdated_at: 2026-05-01\n---\nAll in all.\n")
        repo.write(".yoi/memory/decisions/use-sqlite.md", DECISION)
        repo.write(".yoi/memory/requests/日本語.md", "Please.\n")
        repo.write(".yoi/memory/_staging/0197.json", '{"decisions": [], "source": {}, "attempts": []}')
        repo.write(".yoi/memory/_logs/current.log", "{}\n")
        repo.write(".yoi/sessions/a.jsonl", '{"role": "user", "content": "hi"}\n')
        repo.commit("ignore")

        documents, unreadable = read_all(register(repo.root))

        assert unreadable == []
        assert set(documents) == {
            "code:.gitignore", "memory:summary", "memory:decision/use-sqlite", "memory:request/日本語",
            "memory:candidate/0197", "session:plain/a", "memory:audit/current",
        }  # fmt: skip
        decision = documents["memory:decision/use-sqlite"]
        assert (decision.title, decision.authority) == ("Use SQLite", "memory")
        assert decision.at == datetime(2026, 5, 2, 10, tzinfo=UTC)
        assert decision.facts["status"] == "replaced"
        assert decision.facts["sources"] == [{"segment_id": "0197", "range": ["3", "9"]}]
        assert {(link.kind, link.target) for link in decision.links} == {
            ("replaced_by", "memory:decision/use-wal"), ("mentions", "ticket:00001KXKMX0QA"),
        }  # fmt: skip
        assert {passage.speaker for passage in decision.passages} == {"memory"}
        assert {passage.signals for passage in decision.passages} == {("superseded",)}
        assert documents["memory:candidate/0197"].facts["kinds"] == ["attempts", "decisions"]

    def test_with_an_unknown_status_say_so(self, repo: Repo, register: Register) -> None:
        repo.write(".yoi/memory/decisions/x.md", "---\nstatus: eternal\n---\ntext\n")

        documents, (problem,) = read_all(register(repo.root))

        assert (problem.line, "'eternal'" in problem.reason) == (2, True)
        assert documents["memory:decision/x"].facts["status"] == "eternal"


class TestLogsOfMemory:
    def test_count_what_was_used_and_what_was_shown_unasked(self, repo: Repo, register: Register) -> None:
        use = '{"event":"use","records":[{"kind":"decision","slug":"use-files"}]}\n'
        shown = '{"event":"resident_exposure","records":[{"kind":"decision","slug":"use-files"},{"kind":"summary"}]}\n'
        repo.write(".yoi/memory/_usage/events.jsonl", use + use + "broken\n" + shown + "[1]\n")
        repo.write(".yoi/memory/_logs/current.log", '{"event":"record_operation","at":"2026-07-02T10:00:00Z"}\n')

        documents, unreadable = read_all(register(repo.root))

        usage, audit = documents["memory:usage/events"], documents["memory:audit/current"]
        assert usage.facts["uses"] == {
            "decision/use-files": {"used": 2, "shown unasked": 1}, "summary": {"shown unasked": 1},
        }  # fmt: skip
        assert (usage.authority, audit.authority, audit.title) == ("memory", "memory", "Audit log of memory records")
        assert [problem.line for problem in unreadable] == [3, 5]

    def test_open_by_their_address(self, repo: Repo, register: Register) -> None:
        repo.write(".yoi/memory/_usage/events.jsonl", "{}\n")

        assert read_document(register(repo.root), SourceRef.parse("memory:usage/events")).text == "{}\n"


class TestSkills:
    def test_have_their_description_and_warnings(self, repo: Repo, register: Register) -> None:
        repo.write(
            ".yoi/skills/reviewer/SKILL.md", "---\nname: reviewer\ndescription: Reviews.\n---\n\n# Steps\n\n1. Look\n"
        )
        repo.write(".yoi/skills/reviewer/references/why.md", "# Why\n")
        repo.write(".yoi/skills/reviewer/go.sh", "#!/bin/sh\nexit 1\n")
        repo.write(".agents/skills/Odd/skill.md", "---\nname: other\nversion: 2\nallowed-tools: [Bash]\n---\ntext\n")
        repo.write(".claude/skills/none/SKILL.md", "# No front matter\n")

        documents, unreadable = read_all(register(repo.root))

        assert unreadable == []
        assert set(documents) == {
            "skill:reviewer", "skill:reviewer/references/why.md", "skill:reviewer/go.sh", "skill:Odd", "skill:none",
        }  # fmt: skip
        assert documents["skill:reviewer"].facts == {"description": "Reviews.", "warnings": []}
        assert {document.authority for document in documents.values()} == {"procedure"}
        warnings = documents["skill:Odd"].facts["warnings"]
        assert [warning.split(" ")[0:3] for warning in warnings] == [
            ["Its", "name", "'other'"], ["It", "has", "no"], ["It", "has", "keys"], ["Its", "allowed-tools", "are"],
        ]  # fmt: skip
        assert len(documents["skill:none"].facts["warnings"]) == 3

    def test_of_one_name_are_one_skill_and_the_other_is_listed(self, repo: Repo, register: Register) -> None:
        repo.write(".yoi/skills/x/SKILL.md", "---\nname: x\ndescription: first\n---\n")
        repo.write(".claude/skills/x/SKILL.md", "---\nname: x\ndescription: second\n---\n")
        workspace = register(repo.root)

        documents, (problem,) = read_all(workspace)

        assert documents["skill:x"].facts["description"] == "first"
        assert problem.path == ".claude/skills/x"
        assert read_document(workspace, SourceRef.parse("skill:x")).facts["description"] == "first"


class TestNotesOfOtherAgents:
    def test_are_memory_wherever_they_lie_in_the_workspace(self, repo: Repo, register: Register) -> None:
        repo.write(".gitignore", ".codex/\n")
        repo.write(".serena/memories/style/naming.md", "# Naming\n\nShort words.\n")
        repo.write(".serena/project.yml", "name: x\n")
        repo.write(".codex/memories/MEMORY.md", "Use uv.\n")
        repo.commit()
        workspace = register(repo.root)

        documents, unreadable = read_all(workspace)

        assert unreadable == []
        assert {ref: found.authority for ref, found in documents.items() if ref.startswith("memory")} == {
            "memory:serena/style/naming": "memory", "memory:codex/MEMORY": "memory",
        }  # fmt: skip
        assert read_document(workspace, SourceRef.parse("memory:serena/style/naming")).title == "Naming"

    def test_are_read_from_added_folders(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        for name in ("codex", "more"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "MEMORY.md").write_text(f"# Of {name}\n")
            (tmp_path / name / "raw.sqlite").write_bytes(b"\0\1")
        workspace = register(repo.root)
        first = add_source(workspace, path=tmp_path / "codex", kind="memory", now=NOON)
        add_source(workspace, path=tmp_path / "more", kind="memory", format="codex", now=NOON)

        documents, unreadable = read_all(workspace)

        assert first.format == "codex"
        assert unreadable == []
        assert {ref: found.title for ref, found in documents.items()} == {
            "memory:codex/MEMORY": "Of codex", "memory:codex-more/MEMORY": "Of more",
        }  # fmt: skip
        assert read_document(workspace, SourceRef.parse("memory:codex-more/MEMORY")).title == "Of more"


class TestAddedSkills:
    def test_are_read_behind_those_of_the_workspace(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        repo.write(".claude/skills/review/SKILL.md", "---\nname: review\ndescription: Here.\n---\n")
        for name in ("review", "plan"):
            (tmp_path / "skills" / name / "references").mkdir(parents=True)
            (tmp_path / "skills" / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: There.\n---\n")
            (tmp_path / "skills" / name / "references" / "more.md").write_text("# More\n")
        workspace = register(repo.root)
        add_source(workspace, path=tmp_path / "skills", kind="skill", now=NOON)

        documents, unreadable = read_all(workspace)

        assert {ref: found.authority for ref, found in documents.items()} == dict.fromkeys(
            ["skill:review", "skill:plan", "skill:plan/references/more.md"], "procedure"
        )
        assert documents["skill:review"].facts["description"] == "Here."
        assert ["is read in its place" in each.reason for each in unreadable] == [True]
        assert read_document(workspace, SourceRef.parse("skill:plan")).facts["warnings"] == []

    def test_may_be_one_folder(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        (tmp_path / "plan").mkdir()
        (tmp_path / "plan" / "skill.md").write_text("---\nname: plan\ndescription: There.\n---\n")
        workspace = register(repo.root)
        add_source(workspace, path=tmp_path / "plan", kind="skill", now=NOON)

        assert read_document(workspace, SourceRef.parse("skill:plan")).title == "plan"


class TestEveryRuleOfTheSkillFormat:
    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("---\nname: x\ndescription: Do.\n---\n", ""),
            ("---\nname: 日本\ndescription: Do.\n---\n", "differs from its folder"),
            ("---\nname: X\ndescription: Do.\n---\n", "lower-case"),
            ("---\nname: a--b\ndescription: Do.\n---\n", "single hyphens"),
            ("---\nname: " + "a" * 65 + "\ndescription: Do.\n---\n", "1 to 64"),
            ("---\ndescription: Do.\n---\n", "has no name"),
            ("---\nname: x\n---\n", "no description"),
            ("---\nname: x\ndescription: " + "d" * 1_025 + "\n---\n", "1,024 are allowed"),
            ("---\nname: x\ndescription: Do.\nversion: 1\ntags: [a]\n---\n", "does not know: tags, version"),
            ("---\nname: x\ndescription: Do.\nallowed-tools: [Read]\n---\n", "allowed-tools are a list"),
            ("---\nname: x\ndescription: Do.\nallowed-tools: {a: b}\n---\n", "allowed-tools are no text"),
            ("---\nname: x\ndescription: Do.\nmetadata: [a]\n---\n", "metadata are no list of keys"),
            ("---\nname: x\ndescription: Do.\nmetadata: {a: {b: c}}\n---\n", "metadata are no list of keys"),
            ("---\nname: x\ndescription: Do.\ncompatibility: " + "c" * 501 + "\n---\n", "compatibility has 501"),
            ("---\nname: x\ndescription: Do.\nlicense: [MIT]\n---\n", "license is no text"),
            ("---\nname: x\ndescription: Do.\n---\n" + "line\n" * 501, "more than 500"),
            ("---\nname: x\ndescription: Do.\n---\n" + "w" * 20_001, "some 5,000 tokens"),
            ("---\nname: x\ndescription: Do.\n---\n[far](a/b/c.md)", "more than one folder down: a/b/c.md"),
            ("# X\n\nNo head.\n", "has no front matter"),
            ("../../shared/x/SKILL.md", "a link that was checked out as text"),
        ],
    )
    def test_is_told_as_a_warning(self, repo: Repo, register: Register, text: str, told: str) -> None:
        repo.write(".agents/skills/x/SKILL.md", text)

        warnings = read_all(register(repo.root))[0]["skill:x"].facts["warnings"]

        assert any(told in warning for warning in warnings) if told else warnings == []
