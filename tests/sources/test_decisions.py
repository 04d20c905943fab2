"""Decision records: their status and the records they replace, in the forms that teams write."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sources.conftest import read_all
from tests.sources.repository import Repo
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]


class TestADecisionRecord:
    @pytest.mark.parametrize(
        ("text", "status", "links"),
        [
            (
                "# 4. One\n\nDate: 2026-01-01\n\n## Status\n\nSuperseded by [7](0007-b.md)\n\n## Context\n\nx\n",
                "superseded",
                [("replaced_by", "doc:doc/adr/0007-b.md")],
            ),
            (
                "# 4. One\n\n## Status\n\nAccepted\n\nSupercedes [2. Old](0002-a.md)\n\n## Decision\n",
                "accepted",
                [("supersedes", "doc:doc/adr/0002-a.md")],
            ),
            ("# One\n\n* Status: proposed\n* Deciders: us\n", "proposed", []),
            (
                "---\nstatus: superseded by [b](../adr/0007-b.md)\n---\n\n# One\n",
                "superseded",
                [("replaced_by", "doc:doc/adr/0007-b.md")],
            ),
            ("# One\n\nStatus: on hold\n", "unknown", []),
            ("# One\n\nNo word of it.\n", None, []),
        ],
    )
    def test_tells_its_status_and_what_it_replaces(
        self, repo: Repo, register: Register, text: str, status: str | None, links: list[tuple[str, str]]
    ) -> None:
        repo.write("doc/adr/0004-one.md", text)
        repo.write("docs/guide.md", "# Guide\n\nStatus: accepted\n")

        documents, _ = read_all(register(repo.root))

        found = documents["doc:doc/adr/0004-one.md"]
        assert found.facts.get("decision") == status
        assert [(link.kind, link.target) for link in found.links if link.kind in {"replaced_by", "supersedes"}] == links
        assert "decision" not in documents["doc:docs/guide.md"].facts


class TestEveryFormOfDecisionRecord:
    @pytest.mark.parametrize(
        ("name", "text", "status", "links"),
        [
            ("0004-one.rst", "One\n===\n\nStatus\n------\n\n**Superseded** by :doc:`0007-b`\n\nContext\n-------\n\nx\n",
             "superseded", [("replaced_by", "doc:docs/decisions/0007-b.rst")]),
            ("0004-one.rst", "One\n===\n\nStatus\n------\n\nReplaces `old <0002-a.rst>`_\n",
             "unknown", [("supersedes", "doc:docs/decisions/0002-a.rst")]),
            ("0004-one.adoc", "= One\n\n== Status\n\nAccepted. Supersedes xref:0002-a.adoc[that].\n\n== Context\n",
             "accepted", [("supersedes", "doc:docs/decisions/0002-a.adoc")]),
            ("0004-one.md", "# One\n\n## Status\n\nSuperseded by ADR-0007\n",
             "superseded", [("replaced_by", "doc:docs/decisions/0007-b.md")]),
            ("0004-one.md", "# One\n\n## Status\n\nSuperseded by 7 on 2026-03-02.\n",
             "superseded", [("replaced_by", "doc:docs/decisions/0007-b.md")]),
            ("20260101-use-x.md", "# Use X\n\n- Status: superseded by [it](20260202-use-y.md)\n- Date: 2026-01-01\n",
             "superseded", [("replaced_by", "doc:docs/decisions/20260202-use-y.md")]),
            ("0004-one.md", "# One\n\nStatus: Superseded by Use Y\n",
             "superseded", [("replaced_by", "doc:docs/decisions/20260202-use-y.md")]),
            ("0004-one.md", "# One\n\nAccepted - 2026-01-05\n\nWe do.\n", "accepted", []),
            ("0004-one.md", "# One\n\n## Status\n\nAccepted\n\nAmends [7](0007-b.md)\n",
             "accepted", [("related", "doc:docs/decisions/0007-b.md")]),
            ("0004-one.md", "---\nstatus: approved\nsupersedes: [ADR-7]\n---\n# One\n",
             "accepted", [("supersedes", "doc:docs/decisions/0007-b.md")]),
        ],
    )  # fmt: skip
    def test_tells_its_status_and_its_links(
        self, repo: Repo, register: Register, name: str, text: str, status: str, links: list[tuple[str, str]]
    ) -> None:
        repo.write(f"docs/decisions/{name}", text)
        for other in ("0002-a", "0007-b", "20260202-use-y"):
            repo.write(f"docs/decisions/{other}.md", f"# {other}\n")

        found = read_all(register(repo.root))[0][f"doc:docs/decisions/{name}"]

        assert found.facts["decision"] == status
        typed = [(link.kind, link.target) for link in found.links]
        assert [each for each in typed if each[0] in {"replaced_by", "supersedes", "related"}] == links

    def test_has_its_date_and_its_deciders(self, repo: Repo, register: Register) -> None:
        repo.write(
            "docs/adr/0001-a.md", "---\nstatus: accepted\ndate: 2026-02-03\ndecision-makers: [Hana, Kai]\n---\n# A\n"
        )
        repo.write("docs/adr/0002-b.md", "# B\n\n* Status: accepted\n* Deciders: Hana, Kai\n* Date: 2026-02-04\n")

        documents, _ = read_all(register(repo.root))

        for name, day in (("0001-a", 3), ("0002-b", 4)):
            found = documents[f"doc:docs/adr/{name}.md"]
            assert found.at is not None
            assert (found.at.day, found.facts["deciders"]) == (day, "Hana, Kai")

    def test_may_lie_in_the_folder_that_a_file_names(self, repo: Repo, register: Register) -> None:
        repo.write(".adr-dir", "architecture/log\n")
        repo.write("architecture/log/0001-a.md", "# 1. A\n\n## Status\n\nAccepted\n")
        repo.write("architecture/0002-b.md", "# 2. B\n\n## Status\n\nAccepted\n")

        documents, _ = read_all(register(repo.root))

        assert documents["doc:architecture/log/0001-a.md"].facts["decision"] == "accepted"
        assert "decision" not in documents["doc:architecture/0002-b.md"].facts
