"""Memory records and skills: their metadata, their links, and what is odd about them."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.sources.conftest import read_all
from tests.sources.repository import Repo
from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import read_document

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
            "memory:candidate/0197", "session:plain/a", "code:.yoi/memory/_logs/current.log",
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
        assert len(documents["skill:none"].facts["warnings"]) == 2

    def test_of_one_name_are_one_skill_and_the_other_is_listed(self, repo: Repo, register: Register) -> None:
        repo.write(".yoi/skills/x/SKILL.md", "---\nname: x\ndescription: first\n---\n")
        repo.write(".claude/skills/x/SKILL.md", "---\nname: x\ndescription: second\n---\n")
        workspace = register(repo.root)

        documents, (problem,) = read_all(workspace)

        assert documents["skill:x"].facts["description"] == "first"
        assert problem.path == ".claude/skills/x"
        assert read_document(workspace, SourceRef.parse("skill:x")).facts["description"] == "first"
