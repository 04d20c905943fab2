"""What stands outside of the repository is never called uncommitted: no commit will ever have it."""

import json
from pathlib import Path

import pytest
from django.test import Client

from tests.factories import NOON, make_owner
from tests.sources.repository import Repo
from yoimemory.refs import SourceRef
from yoimemory.search.services import index_workspace
from yoimemory.sources.models import Workspace
from yoimemory.sources.read import read_document
from yoimemory.sources.reading import OUTSIDE
from yoimemory.sources.services import add_source, register_workspace

pytestmark = pytest.mark.django_db(databases=["default", "index"])

ISSUE = {"number": 7, "title": "The heron lock", "state": "OPEN", "body": "A heron waits.", "comments": [],
         "createdAt": "2026-07-01T10:00:00Z", "author": {"login": "hana"}}  # fmt: skip


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    repo = Repo(tmp_path / "work")
    repo.write("kept.md", "# Kept\n\nThe heron is kept.\n")
    repo.commit()
    repo.write("draft.md", "# Draft\n\nThe heron is a draft.\n")
    places = {
        "session": ("log.jsonl", json.dumps({"role": "user", "content": "The heron was said."}) + "\n"),
        "memory": ("note.md", "# Note\n\nThe heron is remembered.\n"),
        "ticket": ("issues.json", json.dumps([ISSUE])),
        "skill": ("herons/SKILL.md", "---\nname: herons\ndescription: Count herons\n---\n\nCount each heron.\n"),
    }
    made, _ = register_workspace(repo.root, now=NOON)
    for kind, (path, text) in places.items():
        place = tmp_path / kind / path
        place.parent.mkdir(parents=True)
        place.write_text(text)
        add_source(made, path=tmp_path / kind, kind=kind, now=NOON)
    index_workspace(made, now=NOON)
    return made


@pytest.fixture
def page(client: Client, workspace: Workspace) -> Client:
    owner = make_owner("hare")
    assert owner.user is not None
    client.force_login(owner.user)
    return client


class TestAnAddedPlace:
    def test_is_told_as_what_it_is_in_every_answer(self, workspace: Workspace, page: Client) -> None:
        hits = page.get("/api/v1/search", {"q": "heron"}).json()["items"]

        caveats = {hit["ref"].partition("@")[0].partition("#")[0]: " ".join(hit["caveats"]) for hit in hits}
        outside = {ref for ref, told in caveats.items() if OUTSIDE in told}
        assert outside == {"session:plain/log", "memory:plain/note", "ticket:gh-7", "skill:herons"}
        assert {ref for ref, told in caveats.items() if "Not committed" in told} == {"doc:draft.md"}

    @pytest.mark.parametrize("ref", ["session:plain/log", "memory:plain/note", "ticket:gh-7", "skill:herons"])
    def test_is_told_on_the_page_of_the_source(self, workspace: Workspace, page: Client, ref: str) -> None:
        shown, told = page.get("/read/", {"ref": ref}).text, page.get("/api/v1/open", {"ref": ref}).json()

        assert f'<span title="{OUTSIDE}">as it stands on disk, outside of the repository</span>' in shown
        assert OUTSIDE in told["caveats"]
        assert "Uncommitted" not in shown + str(told["caveats"])
        assert not read_document(workspace, SourceRef.parse(ref)).is_pending

    def test_is_not_told_of_the_work_tree(self, page: Client) -> None:
        draft = page.get("/read/", {"ref": "doc:draft.md"}).text

        assert "Uncommitted: this text stands in the working tree" in draft
        assert OUTSIDE not in draft
