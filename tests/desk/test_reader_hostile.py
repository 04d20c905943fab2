"""The reader on what nobody should have to read: no commit, a cut clone, odd names, huge and hostile texts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from tests.factories import NOON, make_person
from tests.sources.repository import Repo
from yoimemory.refs import SourceRef
from yoimemory.search.services import index_workspace
from yoimemory.sources.services import register_workspace

pytestmark = pytest.mark.django_db(databases=["default", "index"])

Get = Callable[..., Any]
ODD = ["line\nbreak.md", 'quo"te.md', "-rf.md", "%2e%2e.md", "a b#c@d.md", "🦊.md", "x" * 250 + ".md", "e\u0301.md"]


def reader(root: Path) -> Get:
    """Open pages of this workspace as a reviewer."""
    workspace = register_workspace(root, now=NOON)[0]
    client = Client()
    user = make_person(workspace).user
    assert user is not None
    client.force_login(user)
    return lambda ref, **query: client.get("/read/", {"ref": ref, **query})


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "work")


class TestRepositoryShapes:
    def test_without_a_commit_the_file_is_read_and_history_says_why_there_is_none(self, repo: Repo) -> None:
        repo.write("a.md", "# A\n")
        read = reader(repo.root)

        assert "as it stands on disk" in read("doc:a.md").text
        for view in ("history", "age"):
            answer = read("doc:a.md", view=view)
            assert answer.status_code == 200
            assert 'class="caveat"' in answer.text

    def test_of_a_cut_clone_the_age_says_that_it_is_cut(self, repo: Repo, tmp_path: Path) -> None:
        repo.commit("One", **{"a.md": "one\ntwo\n"})
        repo.commit("Two", **{"b.md": "other\n"})
        repo.git("clone", "-q", "--depth", "1", f"file://{repo.root}", str(tmp_path / "cut"))

        text = reader(tmp_path / "cut")("doc:a.md", view="age").text

        assert "or earlier: the clone is cut here" in text

    def test_the_first_commit_has_a_diff(self, repo: Repo) -> None:
        first = repo.commit("One", **{"a.md": "one\n"})

        assert "+one" in reader(repo.root)(f"diff:{first}/a.md").text

    def test_without_git_there_is_no_history_to_choose(self, tmp_path: Path) -> None:
        (tmp_path / "plain").mkdir()
        (tmp_path / "plain" / "a.md").write_text("# A\n")

        text = reader(tmp_path / "plain")("doc:a.md").text

        assert "Line age" not in text


class TestNames:
    @pytest.mark.parametrize("name", ODD)
    def test_each_opens_by_its_own_address_with_its_history(self, repo: Repo, name: str) -> None:
        commit = repo.commit("One", **{name: "words of its own\n"})
        read = reader(repo.root)
        ref = str(SourceRef("doc", name))

        assert "words of its own" in read(ref).text
        history = read(ref, view="history")
        assert history.status_code == 200
        assert quote(f"diff:{commit}/", safe="") in history.text

    def test_a_commit_lists_odd_paths_and_breaks_on_none(self, repo: Repo) -> None:
        commit = repo.commit("One", **dict.fromkeys(ODD, "x\n"))

        assert reader(repo.root)(f"commit:{commit}").status_code == 200


class TestSizes:
    def test_a_long_file_is_shown_in_parts(self, repo: Repo) -> None:
        repo.write("long.txt", "".join(f"line {number}\n" for number in range(100_000)))
        read = reader(repo.root)

        first, far = read("doc:long.txt").text, read("doc:long.txt#L90000").text

        assert len(first) < 2_000_000
        assert 'id="L90000"' in far

    def test_a_large_tree_ends_and_says_so(self, repo: Repo) -> None:
        repo.write("big.json", "[" + ",".join(str(number) for number in range(20_000)) + "]")

        text = reader(repo.root)("code:big.json", view="tree").text

        assert "more values are not shown" in text
        assert len(text) < 3_000_000

    @pytest.mark.parametrize("text", ["[" * 5_000, '{"a":' * 200 + "1" + "}" * 200, '{"a": 1e999999}', "\ufeff{}"])
    def test_a_hostile_json_is_a_sentence_or_a_tree(self, repo: Repo, text: str) -> None:
        repo.write("odd.json", text)

        assert reader(repo.root)("code:odd.json", view="tree").status_code == 200

    def test_bytes_that_are_no_text_are_not_shown_as_text(self, repo: Repo) -> None:
        repo.write("picture.md", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)

        answer = reader(repo.root)("doc:picture.md")

        assert answer.status_code == 409
        assert "binary" in answer.text


class TestLinks:
    def test_what_lies_outside_is_shown_nowhere(self, repo: Repo, tmp_path: Path) -> None:
        (tmp_path / "secret.md").write_text("the words outside\n")
        (tmp_path / "outside").mkdir()
        (tmp_path / "outside" / "a.md").write_text("the words outside\n")
        repo.commit("One", **{"a.md": "# A\n"})
        (repo.root / "link.md").symlink_to(tmp_path / "secret.md")
        (repo.root / "folder").symlink_to(tmp_path / "outside")
        (repo.root / "loop").symlink_to(repo.root)
        index_workspace(register_workspace(repo.root, now=NOON)[0], now=NOON)
        read = reader(repo.root)

        for ref in ("doc:link.md", "doc:folder/a.md", "doc:loop/a.md"):
            answer = read(ref)
            assert answer.status_code in {404, 409}
            assert "the words outside" not in answer.text
