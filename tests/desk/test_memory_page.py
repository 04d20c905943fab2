"""The memory catalog: records with their status, what they rest on, what took their place, and their markers."""

from pathlib import Path

import pytest
from django.test import Client

from tests.factories import NOON, make_person, make_workspace
from yoimemory.markers.schemas import MarkerDraft
from yoimemory.markers.services import mark_staleness
from yoimemory.search.services import index_workspace
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db(databases=["default", "index"])

OLD = """---
created_at: 2026-07-01T00:00:00Z
updated_at: 2026-07-02T00:00:00Z
sources: []
status: replaced
replaced_by: use-sqlite
---
# Use files
"""
NEW = """---
created_at: 2026-07-03T00:00:00Z
updated_at: 2026-07-04T00:00:00Z
sources:
- segment_id: 0198-abc
  range: [12, 18]
status: open
---
# Use SQLite

See docs/storage.md.
"""


@pytest.fixture
def home(tmp_path: Path) -> Workspace:
    for path, text in {
        ".yoi/memory/decisions/use-files.md": OLD,
        ".yoi/memory/decisions/use-sqlite.md": NEW,
        ".yoi/memory/summary.md": "---\nupdated_at: 2026-07-04T00:00:00Z\n---\n# Summary\n",
        ".yoi/knowledge/pods.md": "# Pods\n",
        "AGENTS.md": "# Agents\n\nRun the tests.\n",
        "docs/storage.md": "# Storage\n",
        ".yoi/memory/_usage/events.jsonl": '{"event":"use","records":[{"kind":"decision","slug":"use-files"}]}\n',
        "sessions/0198-abc.jsonl": '{"role":"user","content":"Which store?"}\n',
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    workspace = make_workspace(tmp_path)
    index_workspace(workspace, now=NOON)
    return workspace


@pytest.fixture
def page(home: Workspace) -> Client:
    client = Client()
    user = make_person(home).user
    assert user is not None
    client.force_login(user)
    return client


class TestMemoryPage:
    def test_shows_records_and_instructions_with_their_class(self, page: Client) -> None:
        text = page.get("/memory/").text

        assert "<b>Use SQLite</b>" in text
        assert "memory:summary" in text
        assert "doc:AGENTS.md" in text
        assert "doc:docs/storage.md</span>" not in text

    def test_tells_what_took_whose_place_both_ways(self, page: Client) -> None:
        text = page.get("/memory/").text

        assert text.count("<b>Replaced by</b>") == 1
        assert text.count("<b>Replaces</b>") == 1

    def test_names_the_stretches_that_a_record_rests_on(self, page: Client) -> None:
        text = page.get("/memory/").text

        assert '<a href="/read/?ref=session%3Aplain%2F0198-abc">Which store?, entries 12–18</a>' in text
        assert "It names no source that it rests on." in text

    def test_says_of_a_session_that_is_not_read_which_one_it_is(self, page: Client, home: Workspace) -> None:
        (home.path / "sessions" / "0198-abc.jsonl").unlink()
        index_workspace(home, now=NOON)

        assert "a session that is not read here (0198-abc, entries 12–18)" in page.get("/memory/").text

    def test_tells_how_often_a_record_was_used(self, page: Client) -> None:
        assert "<span>used 1 time</span>" in page.get("/memory/", {"record": "decision"}).text

    def test_lists_knowledge_as_history_and_as_no_record(self, page: Client) -> None:
        text = page.get("/memory/").text

        assert "Historical: Knowledge" in text
        assert ".yoi/knowledge/pods.md" in text
        assert "pods" not in page.get("/memory/", headers={"HX-Request": "true", "HX-Target": "list"}).text

    @pytest.mark.parametrize(
        ("query", "shown", "hidden"),
        [
            ({"record": "summary"}, "memory:summary", "Use SQLite"),
            ({"status": "replaced"}, "Use files", "Use SQLite"),
            ({"q": "sqlite"}, "Use SQLite", "memory:summary"),
            ({"record": "instructions"}, "AGENTS.md", "Use files"),
        ],
    )
    def test_is_narrowed(self, page: Client, query: dict[str, str], shown: str, hidden: str) -> None:
        rows = page.get("/memory/", query, headers={"HX-Request": "true", "HX-Target": "list"}).text

        assert shown in rows
        assert f"<b>{hidden}" not in rows

    def test_shows_markers_and_narrows_to_what_is_marked(self, page: Client, home: Workspace) -> None:
        draft = MarkerDraft(target="memory:decision/use-sqlite", state="stale", reason="The server moved.")
        mark_staleness(draft, workspace=home, actor=make_person(home), now=NOON)

        rows = page.get("/memory/", {"marked": "true"}, headers={"HX-Request": "true", "HX-Target": "list"}).text

        assert "The server moved." in rows
        assert "Use files" not in rows

    def test_asks_the_same_number_of_questions_for_many_records(
        self, page: Client, home: Workspace, django_assert_max_num_queries: object
    ) -> None:
        for number in range(20):
            (Path(home.root) / f".yoi/memory/decisions/more-{number}.md").write_text(NEW)
        index_workspace(home, now=NOON)

        with django_assert_max_num_queries(30):  # type: ignore[operator]
            assert page.get("/memory/").status_code == 200

    def test_says_what_to_do_where_there_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        workspace = make_workspace(tmp_path / "empty")
        client = Client()
        user = make_person(workspace).user
        assert user is not None
        client.force_login(user)

        assert "No memory records" in client.get("/memory/").text


class TestSourcesPage:
    def test_leads_to_memory_messages_and_further_places(self, page: Client) -> None:
        text = page.get("/sources/").text

        assert 'href="/memory/"' in text
        assert 'href="/messages/new/"' in text
        assert 'href="/sources/places/new/"' in text
        assert "Only the repository is read." in text
