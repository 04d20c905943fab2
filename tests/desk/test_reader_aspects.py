"""The reader beyond the text: JSON as a tree, diffs by path, the history of a file as of a commit, the age of lines."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.factories import NOON, make_person, make_worker
from tests.sources.repository import Repo
from yoimemory.desk.revealing import NothingMasked, reveal_mask
from yoimemory.errors import Forbidden
from yoimemory.journal.models import Change
from yoimemory.refs import SourceRef
from yoimemory.search.services import index_workspace
from yoimemory.sources.models import Workspace
from yoimemory.sources.schemas import RecordDraft
from yoimemory.sources.services import record_workspace_record, register_workspace

pytestmark = pytest.mark.django_db(databases=["default", "index"])

TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "work")


@pytest.fixture
def read(repo: Repo) -> Callable[..., Any]:
    """Open the page of a ref as a reviewer."""

    def opened(ref: str, **query: str) -> Any:
        workspace = register_workspace(repo.root, now=NOON)[0]
        client = Client()
        user = make_person(workspace).user
        assert user is not None
        client.force_login(user)
        return client.get("/read/", {"ref": ref, **query})

    return opened


def home(repo: Repo) -> Workspace:
    return register_workspace(repo.root, now=NOON)[0]


class TestTree:
    def test_folds_a_record_and_leads_each_value_to_its_pointer(self, repo: Repo, read: Callable[..., Any]) -> None:
        repo.commit("Begin", **{"a.md": "x\n"})
        draft = RecordDraft(system="runtime", id="worker-7", body={"state": {"phase": "running", "steps": [1, 2]}})
        record_workspace_record(draft, workspace=home(repo), actor=make_worker(home(repo)), now=NOON)

        text = read("record:runtime/worker-7", view="tree").text

        assert "<details open><summary><b>state</b>" in text
        assert "running" in text
        assert "%23/state/phase" in text or "%23%2Fstate%2Fphase" in text

    def test_shows_a_json_file_and_cites_its_lines(self, repo: Repo, read: Callable[..., Any]) -> None:
        repo.commit("Begin", **{"package.json": '{\n  "name": "desk",\n  "private": true\n}\n'})

        text = read("code:package.json", view="tree").text

        assert "<b>private</b>" in text
        assert "%23L3" in text

    def test_lists_the_snapshots_of_a_record(self, repo: Repo, read: Callable[..., Any]) -> None:
        repo.commit("Begin", **{"a.md": "x\n"})
        for number, status in enumerate(("running", "failed")):
            draft = RecordDraft(system="runtime", id="w", body={"status": status}, origin=f"look {number}")
            now = NOON.replace(hour=12 + number)
            record_workspace_record(draft, workspace=home(repo), actor=make_worker(home(repo)), now=now)

        text = read("record:runtime/w", view="snapshots").text

        assert text.index("look 1") < text.index("look 0")
        assert "record%3Aruntime%2Fw%40sha256%3A" in text

    def test_says_that_broken_json_is_no_tree(self, repo: Repo, read: Callable[..., Any]) -> None:
        repo.commit("Begin", **{"package.json": '{"name": \n'})

        assert "no JSON that can be read whole" in read("code:package.json", view="tree").text

    def test_writes_markup_in_values_as_text(self, repo: Repo, read: Callable[..., Any]) -> None:
        repo.commit("Begin", **{"a.json": '{"<script>alert(1)</script>": "</span><img src=x>"}\n'})

        text = read("code:a.json", view="tree").text

        assert "<script>alert" not in text
        assert "<img" not in text


class TestHistory:
    def test_lists_every_change_with_its_diff_and_the_file_as_of_then(
        self, repo: Repo, read: Callable[..., Any]
    ) -> None:
        first = repo.commit("Write it", **{"old.md": "line one\nline two\nline three\n"})
        repo.git("mv", "old.md", "new.md")
        second = repo.commit("Move it")
        third = repo.commit("Change it", **{"new.md": "line one\nline two\nline 3\n"})

        text = read("doc:new.md", view="history").text

        assert text.index("Change it") < text.index("Move it") < text.index("Write it")
        assert f"diff%3A{third}%2Fnew.md" in text
        assert f"doc%3Anew.md%40{second}" in text
        assert f"doc%3Aold.md%40{first}" in text
        assert "from old.md" in text

    def test_reads_the_file_as_of_a_commit_under_its_name_then(self, repo: Repo, read: Callable[..., Any]) -> None:
        first = repo.commit("Write it", **{"old.md": "line one\n"})
        repo.git("mv", "old.md", "new.md")
        repo.commit("Move it")

        assert "line one" in read(f"doc:old.md@{first}").text

    def test_leads_to_the_file_as_it_stood_at_an_instant_under_its_name_then(
        self, repo: Repo, read: Callable[..., Any]
    ) -> None:
        first = repo.commit("Write it", **{"old.md": "line one\n"})
        then = repo.git("show", "-s", "--format=%cI", first)
        repo.git("mv", "old.md", "new.md")
        repo.commit("Move it")
        repo.commit("Change it", **{"new.md": "line 1\n"})

        text = read("doc:new.md", view="history", as_of=then).text

        told = text[text.index('<p role="status">As of') :]
        assert f"doc%3Aold.md%40{first}" in told[: told.index("</p>")]

    def test_says_that_nothing_was_there_yet_and_that_it_had_been_removed(
        self, repo: Repo, read: Callable[..., Any]
    ) -> None:
        repo.commit("Write it", **{"a.md": "one\n"})
        repo.git("rm", "-q", "a.md")
        gone = repo.commit("Drop it")
        then = repo.git("show", "-s", "--format=%cI", gone)
        repo.commit("Write it again", **{"a.md": "two\n"})

        assert "nothing of it was there yet" in read("doc:a.md", view="history", as_of="1999-01-01").text
        assert (
            f"diff%3A{gone}%2Fa.md" in read("doc:a.md", view="history", as_of=then).text.split("it had been")[1][:200]
        )

    def test_says_what_is_no_date(self, repo: Repo, read: Callable[..., Any]) -> None:
        repo.commit("Write it", **{"a.md": "one\n"})

        assert "“last week” is no date" in read("doc:a.md", view="history", as_of="last week").text

    def test_says_where_there_is_none(self, repo: Repo, read: Callable[..., Any]) -> None:
        repo.commit("Begin", **{"a.md": "x\n"})
        repo.write("new.md", "not committed\n")

        assert "No commit up to" in read("doc:new.md", view="history").text


class TestLineAge:
    def test_tells_who_left_the_lines_as_they_are(self, repo: Repo, read: Callable[..., Any]) -> None:
        repo.commit("Write it", **{"a.md": "one\ntwo\nthree\n"})
        repo.commit("Change the end", **{"a.md": "one\ntwo\n3\n"})

        text = read("doc:a.md", view="age").text

        assert "1–2" in text
        assert "Change the end" in text


class TestCommit:
    def test_lists_the_paths_it_changed_each_with_its_diff(self, repo: Repo, read: Callable[..., Any]) -> None:
        commit = repo.commit("Begin", **{"a.md": "x\n", "docs/b.md": "y\n"})

        text = read(f"commit:{commit}").text

        assert f"diff%3A{commit}%2Fa.md" in text
        assert f"diff%3A{commit}%2Fdocs%2Fb.md" in text

    def test_shows_a_diff_in_colour_with_lines_that_can_be_quoted(self, repo: Repo, read: Callable[..., Any]) -> None:
        repo.commit("Begin", **{"a.md": "one\ntwo\n"})
        commit = repo.commit("Change it", **{"a.md": "one\n2\n"})

        text = read(f"diff:{commit}/a.md").text

        assert '<span class="tk-i">+2' in text
        assert '<span class="tk-d">-two' in text
        assert 'id="L1"' in text


class TestRevealMask:
    def test_is_asked_for_then_shown_noted_and_kept_nowhere(self, repo: Repo, read: Callable[..., Any]) -> None:
        repo.commit("Begin", **{"notes.md": f"# Notes\n\nThe key is {TOKEN} for now.\n"})
        workspace = home(repo)
        index_workspace(workspace, now=NOON)
        page = read("doc:notes.md")
        assert TOKEN not in page.text
        assert "L3, reveal…" in page.text

        person = make_person(workspace)
        revealed = reveal_mask(SourceRef.parse("doc:notes.md#L3"), workspace=workspace, actor=person, now=NOON)

        assert revealed.lines == [f"The key is {TOKEN} for now."]
        noted = Change.objects.get(verb="mask-revealed")
        assert noted.actor == person
        assert TOKEN not in f"{noted.subject}{noted.after}{noted.before}"
        assert TOKEN not in read("doc:notes.md").text

    def test_is_shown_by_the_page_to_a_person(self, repo: Repo) -> None:
        repo.commit("Begin", **{"notes.md": f"The key is {TOKEN} for now.\n"})
        client = Client()
        user = make_person(home(repo)).user
        assert user is not None
        client.force_login(user)

        asked = client.get("/read/mask/", {"ref": "doc:notes.md#L1"})
        shown = client.post("/read/mask/reveal/", {"ref": "doc:notes.md#L1"})

        assert TOKEN not in asked.text
        assert TOKEN in shown.text
        assert shown["Cache-Control"] == "no-store"

    def test_is_never_for_a_worker(self, repo: Repo) -> None:
        repo.commit("Begin", **{"notes.md": f"The key is {TOKEN} for now.\n"})
        workspace = home(repo)

        with pytest.raises(Forbidden):
            reveal_mask(SourceRef.parse("doc:notes.md#L1"), workspace=workspace, actor=make_worker(workspace), now=NOON)

        assert not Change.objects.filter(verb="mask-revealed").exists()

    def test_has_nothing_to_show_where_nothing_is_masked(self, repo: Repo) -> None:
        repo.commit("Begin", **{"notes.md": "No key.\n"})
        workspace = home(repo)

        with pytest.raises(NothingMasked):
            reveal_mask(SourceRef.parse("doc:notes.md#L1"), workspace=workspace, actor=make_person(workspace), now=NOON)
