"""Doctor on the records: every seeded fault of a broken workspace is named with a remedy, a healthy one is quiet."""

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from evidence.models import Placement
from hypotheses.models import Decision
from tests.demo.conftest import NOW, demo, demo_folder
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_item,
    make_owner,
    make_person,
    make_relation,
    make_shoebox,
    make_system,
    make_token,
    make_worker,
)
from tests.products.making import make_folder
from tests.surfaces.conftest import git
from yoimemory.access.models import Token
from yoimemory.desk import health
from yoimemory.desk.indexing import index_workspace_and_recheck
from yoimemory.desk.upkeep import upkeep
from yoimemory.journal.models import Change
from yoimemory.markers.models import Contradiction, Marker
from yoimemory.products.models import Writing
from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace

__all__ = ["demo", "demo_folder"]

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(days=40)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A plain folder that was read, in which nothing is wrong."""
    workspace = make_folder(tmp_path)
    index_workspace_and_recheck(workspace, now=NOON)
    return workspace


def orphan(workspace: Workspace) -> None:
    evidence = make_evidence(make_shoebox(workspace), state="accepted")
    make_relation(evidence, evidence.shoebox.ref)
    Placement.objects.create(evidence=evidence, state="orphaned", method="none", at=NOON)


def unchecked(workspace: Workspace) -> None:
    evidence = make_evidence(make_shoebox(workspace), state="accepted")
    make_relation(evidence, evidence.shoebox.ref)
    Placement.objects.create(evidence=evidence, state="could-not-check", method="none", at=NOON)


def contradict(workspace: Workspace) -> None:
    Contradiction.objects.create(
        workspace=workspace, left="doc:docs/guide.md", left_source="doc:docs/guide.md", right="ticket:00001KX6WVNPD",
        right_source="ticket:00001KX6WVNPD", about="Whether it starts.", status="open", made_by=make_system(),
        made_at=NOON,
    )  # fmt: skip


def mark_contradicted(workspace: Workspace) -> None:
    Marker.objects.create(
        workspace=workspace, target="doc:docs/guide.md", target_source="doc:docs/guide.md", state="contradicted",
        by_ref="ticket:00001KX6WVNPD", reason="It does.", origin="person", status="standing", made_by=make_system(),
        made_at=NOON,
    )  # fmt: skip


def override(workspace: Workspace) -> None:
    hypothesis = make_hypothesis(make_shoebox(workspace), status="accepted", minimum_evidence=2)
    Decision.objects.create(
        hypothesis=hypothesis, before="proposed", after="accepted", reason="Now.", overridden=True, by=make_owner(),
        at=NOON,
    )  # fmt: skip


def break_a_ref(workspace: Workspace) -> None:
    make_item(make_shoebox(workspace), ref="doc:docs/never.md")


def relate_to_nothing(workspace: Workspace) -> None:
    make_relation(make_evidence(make_shoebox(workspace)), SourceRef("hypothesis", "01ARZ3NDEKTSV4RRFFQ69G5FAV"))


def break_a_link(workspace: Workspace) -> None:
    (workspace.path / "docs" / "more.md").write_text("# More\n\nSee [the plan](plan.md) and [a picture](a.png).\n")
    (workspace.path / "docs" / "a.png").write_bytes(b"\x89PNG")
    index_workspace_and_recheck(workspace, now=NOON)


def duplicate(workspace: Workspace) -> None:
    shoebox = make_shoebox(workspace)
    make_evidence(shoebox)
    make_evidence(shoebox)


def leave_unused(workspace: Workspace) -> None:
    make_shoebox(workspace)


def keep_loose(workspace: Workspace) -> None:
    make_evidence(make_shoebox(workspace), state="accepted")


def accept_only(workspace: Workspace) -> None:
    make_hypothesis(make_shoebox(workspace), status="accepted")


def idle_token(workspace: Workspace) -> None:
    token, _ = make_token(workspace)
    Token.objects.filter(pk=token.pk).update(created_at=NOON, expires_at=LATER + timedelta(days=9))


def unfinished(workspace: Workspace) -> None:
    from tests.products.making import propose

    Writing.objects.create(
        workspace=workspace, proposal=propose(workspace, make_worker(workspace)), path="docs/guide.md",
        after_digest="a" * 64, by=make_owner(), at=NOON,
    )  # fmt: skip


FAULTS: dict[str, Callable[[Workspace], None]] = {
    "orphaned anchors": orphan,
    "anchors not checked": unchecked,
    "contradictions": contradict,
    "accepted against the threshold": override,
    "broken refs": break_a_ref,
    "broken links": break_a_link,
    "duplicate evidence": duplicate,
    "unused shoeboxes": leave_unused,
    "loose evidence": keep_loose,
    "accepted without a product": accept_only,
    "unused tokens": idle_token,
    "unfinished writing": unfinished,
}


class TestUpkeep:
    def test_is_quiet_where_nothing_is_wrong(self, workspace: Workspace) -> None:
        assert list(upkeep(workspace, now=LATER)) == []

    @pytest.mark.parametrize("check", sorted(FAULTS))
    def test_finds_a_seeded_fault_with_its_remedy(self, workspace: Workspace, check: str) -> None:
        FAULTS[check](workspace)

        found = {one.check: one for one in upkeep(workspace, now=LATER)}

        assert check in found
        assert found[check].remedy
        assert found[check].refs

    def test_finds_all_of_them_at_once(self, workspace: Workspace) -> None:
        for seed in FAULTS.values():
            seed(workspace)

        found = [one.check for one in upkeep(workspace, now=LATER)]

        assert sorted(found) == sorted(FAULTS)

    @pytest.mark.parametrize(
        ("seed", "check"), [(mark_contradicted, "contradictions"), (relate_to_nothing, "broken refs")]
    )
    def test_finds_the_same_in_another_guise(
        self, workspace: Workspace, seed: Callable[[Workspace], None], check: str
    ) -> None:
        seed(workspace)

        assert check in {one.check for one in upkeep(workspace, now=LATER)}

    def test_takes_no_link_to_a_picture_for_broken(self, workspace: Workspace) -> None:
        break_a_link(workspace)

        [found] = upkeep(workspace, now=LATER)

        assert found.refs == ("doc:docs/more.md#heading=more to doc:docs/plan.md",) or "plan.md" in found.refs[0]
        assert len(found.refs) == 1

    def test_keeps_to_its_workspace(self, workspace: Workspace, tmp_path: Path) -> None:
        (tmp_path / "other").mkdir()
        other = make_folder(tmp_path / "other")
        orphan(other)

        assert list(upkeep(workspace, now=LATER)) == []

    def test_finds_in_the_demo_what_its_story_left_to_a_person_and_nothing_else(self, demo: Workspace) -> None:
        found = [one.check for one in upkeep(demo, now=NOW) if one.level == "finding"]

        assert set(found) <= {"orphaned anchors", "contradictions"}


class TestTheMachine:
    @pytest.fixture(autouse=True)
    def _home(self, tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> None:
        settings.HOME = tmp_path_factory.mktemp("data")
        settings.HOME.chmod(0o700)

    def checks(self) -> dict[str, str]:
        return {one.check: one.level for one in health.examine()}

    def test_finds_every_fault_of_one_broken_workspace(self, workspace: Workspace) -> None:
        """Whatever can be wrong while the databases are whole: a damaged one is told alone, before all else."""
        git(workspace.path, "init", "-q", "-b", "main")
        Workspace.objects.filter(pk=workspace.pk).update(common_dir=str(workspace.path / ".git"))
        workspace.refresh_from_db()
        (workspace.path / "notes.ipynb").write_text("{")
        git(workspace.path, "add", ".")
        git(workspace.path, "commit", "-q", "-m", "Write it down")
        for seed in sorted(FAULTS.values(), key=lambda seed: seed is not break_a_link):  # that one looks at all quotes
            seed(workspace)
        git(workspace.path, "commit", "-q", "--allow-empty", "-m", "Go on")

        name = f"workspace {workspace.slug}"
        found = [one for one in health.examine() if one.level in {"finding", "note"} and one.check.startswith(name)]

        told = {one.check.removeprefix(f"{name}, ") for one in found}
        # The token of the seed has expired by the hour of this look, and is no longer one that could be used.
        assert told == {name, "unreadable", *FAULTS} - {"unused tokens"}
        assert "The index is 1 commit behind." in {one.message for one in found}
        assert all(one.remedy for one in found)

    def test_names_a_clock_that_was_set_back(self, workspace: Workspace) -> None:
        Change.objects.create(
            workspace=workspace, actor=make_system(), at=timezone.now() + timedelta(days=1), verb="x", subject="y"
        )

        assert self.checks()["clock"] == "finding"
        assert Client().get("/livez").status_code == 200

    def test_names_a_workspace_that_may_only_be_read(
        self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real, closed = os.access, Path(workspace.root)
        monkeypatch.setattr(
            os, "access", lambda path, mode: (mode != os.W_OK or Path(path) != closed) and real(path, mode)
        )

        found = [one for one in health.examine() if one.check == f"workspace {workspace.slug}"]

        assert "may only be read" in found[0].message

    def test_names_an_affected_sqlite(self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(health.sqlite3, "sqlite_version", "3.45.0")

        assert self.checks()["sqlite"] == "finding"

    def test_names_a_network_file_system_by_the_mount_table(
        self, workspace: Workspace, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        table = f"/dev/sda / ext4 rw 0 0\nserver:/x {settings.HOME} nfs4 rw 0 0\n"
        monkeypatch.setattr(Path, "read_text", lambda *_, **__: table)

        assert self.checks()["file system"] == "finding"

    def test_asks_for_a_copy_where_there_is_none(self, workspace: Workspace, settings: Settings) -> None:
        Change.objects.create(workspace=workspace, actor=make_system(), at=NOON, verb="x", subject="y")
        before = self.checks()["backup"]
        (settings.HOME / "backups").mkdir()
        (settings.HOME / "backups" / "default-20260716T120000000000.sqlite3").touch()

        assert (before, self.checks()["backup"]) == ("note", "ok")

    def test_tells_of_an_index_that_was_set_aside(self, workspace: Workspace, settings: Settings) -> None:
        (settings.HOME / "damaged-20260716T120000-index.sqlite3").touch()

        assert self.checks()["damaged index"] == "note"


class TestDiagnostics:
    @pytest.fixture(autouse=True)
    def _home(self, tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> None:
        settings.HOME = tmp_path_factory.mktemp("data")
        settings.HOME.chmod(0o700)

    def test_shows_every_fault_on_the_page(self, client: Client, workspace: Workspace) -> None:
        for seed in FAULTS.values():
            seed(workspace)
        owner = make_owner()
        assert owner.user is not None
        client.force_login(owner.user)

        text = client.get(f"/diagnostics/?workspace={workspace.slug}").text

        assert [check for check in FAULTS if check not in text] == ["unused tokens"]  # it has expired since
        assert "Make a copy now" in text

    def test_tells_a_worker_over_json(self, client: Client, workspace: Workspace) -> None:
        duplicate(workspace)
        headers = {"Authorization": f"Bearer {make_token(workspace, 'read')[1]}"}

        answer = client.get("/api/v1/diagnostics", headers=headers).json()

        [found] = [one for one in answer["findings"] if one["check"] == "duplicate evidence"]
        assert found["level"] == "finding"
        assert found["refs"][0].startswith("evidence:")

    def test_lets_owners_alone_copy_the_data(
        self, client: Client, workspace: Workspace, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        member = make_person(workspace, "reviewer")
        assert member.user is not None
        client.force_login(member.user)

        refused = client.post("/diagnostics/backup/")

        assert refused.status_code == 403
        assert not (settings.HOME / "backups").exists()
