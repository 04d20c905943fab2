"""Gathering follows the lines that it found to the commits that wrote them."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from shoebox import writers
from shoebox.models import Item, Shoebox
from shoebox.schemas import ShoeboxDraft
from shoebox.services import create_shoebox
from tests.factories import NOON, make_person
from tests.sources.repository import Repo
from yoimemory.search.services import index_workspace
from yoimemory.sources.services import register_workspace

pytestmark = pytest.mark.django_db

RULE = "# Servers\n\nDeclaring a stdio server does not start a subprocess.\n"
QUESTION = "Does declaring a stdio server start a subprocess?"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "work")


def gathered(repo: Repo, as_of: datetime | None = None) -> Shoebox:
    workspace, _ = register_workspace(repo.root, now=NOON)
    index_workspace(workspace, now=NOON)
    draft = ShoeboxDraft(question=QUESTION, as_of=as_of)
    return create_shoebox(draft, workspace=workspace, actor=make_person(workspace), now=NOON)


def wrote(box: Shoebox) -> dict[str, str]:
    """The commits that are there because they wrote something, with the reason."""
    return {
        item.document.partition(":")[2]: item.rationale
        for item in box.items.filter(came=Item.Came.LINKED, kind="commit")
    }


class TestWritersOf:
    def test_bring_in_the_commit_that_wrote_the_lines_whose_message_shares_no_word_with_the_question(
        self, repo: Repo
    ) -> None:
        repo.commit("Begin", README_dot_md="Nothing yet.\n")
        writer = repo.commit("Typed configuration, first slice", docs__servers_dot_md=RULE)
        repo.commit("Say more at the end", docs__servers_dot_md=f"{RULE}\nMore follows.\n")

        found = wrote(gathered(repo))

        assert list(found) == [writer]
        assert found[writer].startswith("Wrote line 3 of docs/servers.md as it stands, ")
        assert found[writer].endswith("Typed configuration, first slice")

    def test_leave_out_who_wrote_after_the_instant_of_the_question(self, repo: Repo) -> None:
        repo.commit("Begin", README_dot_md="Nothing yet.\n")
        repo.commit("Typed configuration, first slice", docs__servers_dot_md=RULE)

        assert wrote(gathered(repo, as_of=datetime(2020, 1, 1, tzinfo=UTC))) == {}

    def test_leave_out_a_commit_that_brought_everything_in_at_once(
        self, repo: Repo, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(writers, "BULK", 1)
        repo.commit("Import", docs__servers_dot_md=RULE, README_dot_md="Nothing yet.\n")

        assert wrote(gathered(repo)) == {}

    def test_say_nothing_of_lines_that_nobody_committed(self, repo: Repo) -> None:
        repo.commit("Begin", README_dot_md="Nothing yet.\n")
        repo.write("docs/servers.md", RULE)

        assert wrote(gathered(repo)) == {}

    def test_say_nothing_in_a_plain_folder(self, tmp_path: Path) -> None:
        (tmp_path / "plain" / "docs").mkdir(parents=True)
        (tmp_path / "plain" / "docs" / "servers.md").write_text(RULE)
        workspace, _ = register_workspace(tmp_path / "plain", now=NOON)
        index_workspace(workspace, now=NOON)
        draft = ShoeboxDraft(question=QUESTION)

        box = create_shoebox(draft, workspace=workspace, actor=make_person(workspace), now=NOON)

        assert [item.document for item in box.items.all()] == ["doc:docs/servers.md"]
