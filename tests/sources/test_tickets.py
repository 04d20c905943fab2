"""Tickets: what each file of a folder becomes, and what a broken one does not take with it."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.sources.conftest import read_all
from tests.sources.repository import Repo
from yoimemory.sources.models import Workspace
from yoimemory.sources.readers.tickets import ticket_state

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]
A, B, C = "00001KXKMX0QA", "00001KXKMX0QB", "00001KXKMX0QC"
THREAD = """<!-- event: create author: "yoi ticket" at: 2026-07-01T10:00:00Z -->

## 作成

---

<!-- event: state_changed author: workspace-panel at: 2026-07-02T10:00:00Z from: planning to: ready reason: ready -->

---

<!-- event: review author: reviewer at: 2026-07-03T10:00:00Z status: request_changes -->

See `src/app.py:12` and 00001KXKMX0QB.

---

<!-- event: close author: hare at: 2026-07-04T10:00:00Z -->

Done.
"""


def relation(target: object, kind: str = "depends_on") -> dict[str, object]:
    return {"ticket_id": A, "kind": kind, "target": target, "note": "why", "author": "x", "at": "2026-07-02T00:00:00Z"}


class TestATicket:
    def test_becomes_item_thread_resolution_and_artifacts_of_one_source(self, repo: Repo, register: Register) -> None:
        repo.ticket(A, title="依存を待つ", state="closed", thread=THREAD)
        repo.write(f".yoi/tickets/{A}/resolution.md", "# Done\n\nIt works.")
        repo.write(f".yoi/tickets/{A}/artifacts/review-2026-07-03.md", "# Review\n\nFine.\n")
        repo.write(f".yoi/tickets/{A}/artifacts/.gitkeep", "")
        commit = repo.commit("tickets")

        documents, unreadable = read_all(register(repo.root))

        assert unreadable == []
        assert list(documents) == [
            f"ticket:{A}", f"ticket:{A}/artifacts/review-2026-07-03.md", f"ticket:{A}/resolution", f"ticket:{A}/thread",
        ]  # fmt: skip
        item, review, resolution, thread = documents.values()
        assert (item.title, item.facts["state"], item.facts["events"]) == ("依存を待つ", "closed", 4)
        assert (item.at, item.author) == (datetime(2026, 7, 1, 10, tzinfo=UTC), "yoi ticket")
        assert resolution.at == datetime(2026, 7, 4, 10, tzinfo=UTC)
        assert review.at == datetime(2026, 7, 3, tzinfo=UTC)
        assert thread.at == datetime(2026, 7, 4, 10, tzinfo=UTC)
        assert [passage.fragment for passage in thread.passages] == ["event-1", "event-2", "event-3", "event-4"]
        assert thread.passages[2].signals == ("request_changes",)
        assert [passage.speaker for passage in thread.passages] == ["harness", "harness", "agent", "human"]
        assert {document.revision for document in documents.values()} == {commit}
        assert {(link.kind, link.target, link.where) for link in thread.links} == {
            ("mentions", f"ticket:{B}", "event-3"), ("mentions", "code:src/app.py#L12", "event-3"),
        }  # fmt: skip

    def test_has_passages_that_are_its_own_lines(self, repo: Repo, register: Register) -> None:
        repo.ticket(A, thread=THREAD, body="## 背景\n\n文。\n\n## 要件\n\n- 一\n")

        documents, _ = read_all(register(repo.root))

        for document in documents.values():
            lines = document.text.split("\n")
            for passage in document.passages:
                assert passage.text == "\n".join(lines[passage.start_line - 1 : passage.end_line])
        headings = [passage.heading for passage in documents[f"ticket:{A}"].passages]
        assert headings == ["A ticket", "背景", "要件"]

    def test_keeps_its_typed_edges_with_line_note_and_time(self, repo: Repo, register: Register) -> None:
        edges = [relation(B), relation(B, "related"), relation(C, "related")]
        repo.ticket(A)
        repo.write(
            f".yoi/tickets/{A}/artifacts/relations.json", json.dumps({"version": 1, "relations": edges}, indent=2)
        )

        documents, unreadable = read_all(register(repo.root))

        links = documents[f"ticket:{A}/artifacts/relations.json"].links
        assert [(link.kind, link.target, link.where) for link in links] == [
            ("depends_on", f"ticket:{B}", "L7"), ("related", f"ticket:{B}", "L15"), ("related", f"ticket:{C}", "L23"),
        ]  # fmt: skip
        assert links[0].note == "why"
        assert links[0].at == datetime(2026, 7, 2, tzinfo=UTC)
        assert unreadable == []

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ('{"version": 1, "relations": [', "not JSON"),
            ("[]", "not a list under the key"),
            ('{"relations": {"a": 1}}', "not a list under the key"),
            (json.dumps({"relations": [relation("../../../../etc/passwd")]}), "the id of no ticket"),
            (json.dumps({"relations": [relation(B, "eats")]}), "unknown kind 'eats'"),
            (json.dumps({"relations": [7]}), "no object"),
            ("[" * 100_000, "not JSON"),
        ],
    )
    def test_with_broken_relations_is_read_all_the_same(
        self, repo: Repo, register: Register, text: str, reason: str
    ) -> None:
        repo.ticket(A)
        repo.write(f".yoi/tickets/{A}/artifacts/relations.json", text)

        documents, (problem,) = read_all(register(repo.root))

        assert reason in problem.reason
        assert documents[f"ticket:{A}/artifacts/relations.json"].text == text
        assert f"ticket:{A}" in documents

    def test_reads_plan_records_a_line_each(self, repo: Repo, register: Register) -> None:
        record = {
            "id": "p1",
            "kind": "after",
            "related_ticket": B,
            "note": "待つ",
            "author": "orchestrator",
            "at": "2026-07-02T00:00:00Z",
        }
        repo.ticket(A)
        repo.write(
            f".yoi/tickets/{A}/artifacts/orchestration-plan.jsonl",
            json.dumps(record) + "\nnot json\n" + json.dumps({"kind": "accepted_plan"}),
        )

        documents, (problem,) = read_all(register(repo.root))

        plan = documents[f"ticket:{A}/artifacts/orchestration-plan.jsonl"]
        assert (problem.line, problem.reason) == (2, "A plan record is not JSON.")
        assert [(passage.fragment, passage.heading) for passage in plan.passages] == [
            ("L1", "after"),
            ("L2", ""),
            ("L3", "accepted_plan"),
        ]
        assert plan.passages[0].signals == ("blocked",)
        assert plan.passages[0].speaker == "agent"
        assert [(link.kind, link.target, link.where) for link in plan.links] == [("depends_on", f"ticket:{B}", "L1")]

    def test_without_an_item_still_shows_its_thread(self, repo: Repo, register: Register) -> None:
        repo.write(f".yoi/tickets/{A}/thread.md", "orphan thread\n")

        documents, (problem,) = read_all(register(repo.root))

        assert "has no item.md" in problem.reason
        assert documents[f"ticket:{A}/thread"].passages[0].text == "orphan thread"

    def test_with_an_odd_folder_name_has_an_address(self, repo: Repo, register: Register) -> None:
        repo.ticket("not an id")
        repo.ticket(A.lower(), state="exploded")
        repo.write(".yoi/tickets/item.md", "---\ntitle: too high\n---\n")

        documents, (small, problem) = read_all(register(repo.root))

        assert f"The id {A.lower()} is not written in capitals" in small.reason
        assert set(documents) == {"ticket:not%20an%20id", f"ticket:{A.lower()}", "doc:.yoi/tickets/item.md"}
        assert "'exploded' is none that is known" in problem.reason
        assert problem.line == 3

    def test_never_mistakes_an_objective_for_a_ticket(self, repo: Repo, register: Register) -> None:
        repo.ticket(A, body=f"Serves {B}; {C} is another.\n")
        repo.write(
            f".yoi/objectives/{B}/item.md",
            f"---\ntitle: 'Goal'\nstate: 'active'\nlinked_tickets: ['{A}', '7']\n---\n\nWhy.\n",
        )
        repo.write(f".yoi/objectives/{B}/resources/notes.md", "# Notes\n")

        documents, (problem,) = read_all(register(repo.root))

        targets = {link.target for link in documents[f"ticket:{A}"].links}
        assert targets == {f"objective:{B}", f"ticket:{C}"}
        assert [(link.kind, link.target) for link in documents[f"objective:{B}"].links] == [("related", f"ticket:{A}")]
        assert documents[f"objective:{B}/resources/notes.md"].title == "Notes"
        assert "'7' among the linked tickets" in problem.reason


class TestTicketState:
    @pytest.mark.parametrize(
        ("day", "state"), [(None, "closed"), (1, ""), (2, "planning"), (3, "ready"), (4, "ready"), (5, "closed")]
    )
    def test_is_that_of_the_instant(self, repo: Repo, register: Register, day: int | None, state: str) -> None:
        repo.ticket(A, thread=THREAD)
        documents, _ = read_all(register(repo.root))

        as_of = datetime(2026, 7, day, 9, tzinfo=UTC) if day else None

        assert ticket_state(documents[f"ticket:{A}/thread"], as_of) == state
