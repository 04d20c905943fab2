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
