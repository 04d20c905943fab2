"""Registering: one repository is one workspace; what must not be trusted is refused with the remedy."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import NOON, make_owner
from tests.sources.repository import Repo
from yoimemory.errors import BadInput
from yoimemory.sources.git import head_of
from yoimemory.sources.models import AddedSource, Workspace
from yoimemory.sources.services import add_source, register_workspace
from yoimemory.sources.shadow import NotAWorkspace

pytestmark = pytest.mark.django_db

Register = Callable[[Path], Workspace]


class TestRegisterWorkspace:
    def test_knows_a_repository_by_its_common_folder(self, repo: Repo, tmp_path: Path) -> None:
        repo.commit("first", a_dot_md="x\n")
        repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))

        first, is_new = register_workspace(repo.root, now=NOON)
        second, is_second_new = register_workspace(tmp_path / "linked", now=NOON)

        assert (is_new, is_second_new) == (True, False)
        assert first == second
        assert (first.root, first.common_dir, first.created_at) == (str(repo.root), str(repo.root / ".git"), NOON)

    def test_made_known_by_another_at_the_same_moment_is_one(self, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
        twins: list[Workspace] = []

        def meanwhile(_root: Path) -> dict[str, str]:
            monkeypatch.undo()
            twins.append(register_workspace(repo.root, now=NOON)[0])
            return {}

        monkeypatch.setattr("yoimemory.sources.services.workspaces._about", meanwhile)

        workspace, is_new = register_workspace(repo.root, now=NOON)

        assert ([workspace], is_new) == (twins, False)

    def test_takes_name_and_id_from_the_workspace_file(self, repo: Repo) -> None:
        repo.write(".yoi/workspace.toml", 'workspace_id = "0197a949"\ndisplay_name = "My Desk"\n')

        workspace, _ = register_workspace(repo.root, now=NOON)

        assert (workspace.slug, workspace.name, workspace.workspace_id) == ("my-desk", "My Desk", "0197a949")

    def test_gives_every_workspace_a_slug_of_its_own(self, tmp_path: Path) -> None:
        for parent in ("a", "b", "c"):
            (tmp_path / parent / "日本語").mkdir(parents=True)

        slugs = [register_workspace(tmp_path / parent / "日本語", now=NOON)[0].slug for parent in ("a", "b")]
        asked, _ = register_workspace(tmp_path / "c" / "日本語", now=NOON, slug="desk")

        assert slugs == ["workspace", "workspace-2"]
        assert asked.slug == "desk"

    def test_writes_nothing_in_the_folder(self, repo: Repo) -> None:
        repo.commit("first", a_dot_md="x\n")
        before = sorted(str(path) for path in repo.root.rglob("*"))

        register_workspace(repo.root, now=NOON)

        assert sorted(str(path) for path in repo.root.rglob("*")) == before

    def test_never_climbs_to_a_repository_above(self, repo: Repo) -> None:
        repo.commit("first", docs__a_dot_md="x\n")

        workspace, _ = register_workspace(repo.root / "docs", now=NOON)

        assert not workspace.has_git
        assert workspace.root == str(repo.root / "docs")

    def test_ignores_a_broken_workspace_file(self, repo: Repo) -> None:
        repo.write(".yoi/workspace.toml", "[broken")

        assert register_workspace(repo.root, now=NOON)[0].name == "work"


class TestWhatIsRefused:
    def refusal(self, path: Path) -> NotAWorkspace:
        with pytest.raises(NotAWorkspace) as refusal:
            register_workspace(path, now=NOON)
        assert Workspace.objects.count() == 0
        assert refusal.value.hint
        return refusal.value

    def test_is_a_missing_folder_or_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")

        assert "is not a folder" in self.refusal(tmp_path / "none").message
        assert "is not a folder" in self.refusal(tmp_path / "file").message

    def test_is_a_bare_repository(self, repo: Repo, tmp_path: Path) -> None:
        repo.commit("first", a_dot_md="x\n")
        repo.git("clone", "-q", "--bare", str(repo.root), str(tmp_path / "bare.git"))

        assert "bare repository" in self.refusal(tmp_path / "bare.git").message

    @pytest.mark.skipif(os.geteuid() != 0, reason="Only root can give a folder to another user.")
    def test_is_another_users_repository(self, repo: Repo) -> None:
        os.chown(repo.root / ".git", 65534, 65534)

        refusal = self.refusal(repo.root)

        assert "belongs to another user" in refusal.message
        assert "chown" in refusal.hint

    def test_is_a_git_folder_that_is_a_link(self, repo: Repo, tmp_path: Path) -> None:
        (tmp_path / "thief").mkdir()
        (tmp_path / "thief" / ".git").symlink_to(repo.root / ".git")

        assert "is a link to" in self.refusal(tmp_path / "thief").message

    def test_is_a_git_file_that_the_repository_does_not_name_back(self, repo: Repo, tmp_path: Path) -> None:
        repo.commit("first", a_dot_md="x\n")
        repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
        (tmp_path / "thief").mkdir()
        for target in (repo.root / ".git" / "worktrees" / "linked", repo.root / ".git", Path("/nowhere")):
            (tmp_path / "thief" / ".git").write_text(f"gitdir: {target}\n")

            assert "does not name this folder" in self.refusal(tmp_path / "thief").message

    @pytest.mark.parametrize("name", ["objects", "refs", "HEAD", "config", "objects/pack"])
    def test_is_git_data_that_leads_outside(self, repo: Repo, tmp_path: Path, name: str) -> None:
        repo.commit("first", a_dot_md="x\n")
        (repo.root / ".git" / name).rename(tmp_path / "moved")
        (repo.root / ".git" / name).symlink_to(tmp_path / "moved")

        assert "reaches outside" in self.refusal(repo.root).message

    def test_is_a_repository_that_borrows_objects(self, repo: Repo, tmp_path: Path) -> None:
        repo.commit("first", a_dot_md="x\n")
        repo.git("clone", "-q", "--shared", str(repo.root), str(tmp_path / "borrower"))

        assert "alternates" in self.refusal(tmp_path / "borrower").message

    def test_is_noticed_when_it_turns_bad_later(self, repo: Repo, tmp_path: Path) -> None:
        repo.commit("first", a_dot_md="x\n")
        workspace, _ = register_workspace(repo.root, now=NOON)
        (repo.root / ".git" / "objects" / "info").mkdir(exist_ok=True)
        (repo.root / ".git" / "objects" / "info" / "alternates").write_text("/elsewhere\n")

        with pytest.raises(NotAWorkspace, match="alternates"):
            head_of(workspace)


class TestAddSource:
    def test_adds_a_place_once(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        workspace = register(repo.root)
        (tmp_path / "logs").mkdir()

        first = add_source(workspace, path=tmp_path / "logs", kind="session", now=NOON)
        again = add_source(workspace, path=tmp_path / "logs" / ".." / "logs", kind="session", now=NOON)

        assert first == again
        assert first.path == str(tmp_path / "logs")

    def test_refuses_what_is_not_there_or_of_no_kind(self, repo: Repo, register: Register, tmp_path: Path) -> None:
        workspace = register(repo.root)

        with pytest.raises(BadInput, match="no file or folder"):
            add_source(workspace, path=tmp_path / "none", kind="session", now=NOON)
        with pytest.raises(BadInput, match="no kind of source"):
            add_source(workspace, path=tmp_path, kind="knowledge", now=NOON)
        assert AddedSource.objects.count() == 0


class TestTheAdmin:
    def test_shows_workspaces_and_folders_and_adds_none(self, client: Client, repo: Repo, register: Register) -> None:
        workspace = register(repo.root)
        source = add_source(workspace, path=repo.root, kind="session", now=NOON)
        owner = make_owner()
        assert owner.user is not None
        client.force_login(owner.user)

        pages = [
            reverse("admin:sources_workspace_changelist"),
            reverse("admin:sources_workspace_change", args=[workspace.pk]),
            reverse("admin:sources_addedsource_changelist"),
            reverse("admin:sources_addedsource_change", args=[source.pk]),
        ]

        assert [client.get(page).status_code for page in pages] == [200, 200, 200, 200]
        assert client.get(reverse("admin:sources_workspace_add")).status_code == 403
        assert client.get(reverse("admin:sources_addedsource_add")).status_code == 403
        assert client.get(reverse("admin:sources_workspace_delete", args=[workspace.pk])).status_code == 403
