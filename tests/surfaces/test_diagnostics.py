"""Diagnostics as a page and as JSON; health; how refusals look on pages."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from pytest_django.fixtures import Settings

from tests.factories import NOON, make_owner, make_person, make_token, make_user, make_workspace
from tests.surfaces.conftest import make_repository
from yoimemory.desk import health
from yoimemory.desk.indexing import index_workspace_and_recheck
from yoimemory.jobs.models import Job
from yoimemory.search.models import Unit, Unreadable
from yoimemory.sources.models import Workspace
from yoimemory.sources.services import register_workspace

pytestmark = pytest.mark.django_db

REASON = "Line 3 of the front matter could not be read; put the value in quotes."


@pytest.fixture
def workspace(client: Client, tmp_path: Path, settings: Settings) -> Workspace:
    settings.HOME = tmp_path / "home"
    settings.HOME.mkdir(mode=0o700)
    workspace, _ = register_workspace(make_repository(tmp_path / "house"), now=NOON)
    index_workspace_and_recheck(workspace, now=NOON)
    client.force_login(make_owner("hare").user)
    return workspace


def _unreadable(workspace: Workspace, count: int = 1) -> None:
    unit = Unit.objects.filter(workspace=workspace.public_id).first()
    Unreadable.objects.bulk_create(
        Unreadable(unit=unit, workspace=workspace.public_id, path=f"docs/{n:03}.md", line=3, reason=REASON)
        for n in range(count)
    )


class TestDiagnosticsPage:
    def test_is_quiet_when_nothing_is_wrong(self, client: Client, workspace: Workspace) -> None:
        text = client.get("/diagnostics/").content.decode()

        assert "Nothing stands against these answers" in text
        assert "Every record that was found could be read." in text

    def test_lists_what_could_not_be_read_with_line_and_reason(self, client: Client, workspace: Workspace) -> None:
        _unreadable(workspace, 120)

        text, second = client.get("/diagnostics/").content.decode(), client.get("/diagnostics/?page=2").content.decode()

        assert "120 records could not be read" in text
        assert "docs/000.md:3" in text
        assert REASON in text
        assert "docs/119.md:3" not in text
        assert "docs/119.md:3" in second

    def test_asks_for_the_sources_to_be_read_again(self, client: Client, workspace: Workspace) -> None:
        asked = client.post(
            "/diagnostics/index/", {"full": "1"}, headers={"HX-Request": "true", "HX-Target": "index-state"}
        )

        text = asked.content.decode()
        assert Job.objects.get().arguments == {"full": True}
        assert "Waiting for its turn" in text
        assert "<html" not in text
        assert "index-asked" in asked["HX-Trigger-After-Settle"]

    def test_shows_where_the_index_stands_in_the_head(self, client: Client, workspace: Workspace) -> None:
        Job.objects.create(workspace=workspace, kind="index", state="running", done=1, total=4, created_at=NOON)

        part = client.get("/diagnostics/position/").content.decode()

        assert "indexing" in part
        assert "every 2s" in part

    def test_offers_the_other_workspaces(self, client: Client, workspace: Workspace) -> None:
        make_workspace(slug="barn")

        assert "Go to barn" in client.get("/diagnostics/").content.decode()

    def test_costs_the_same_with_more_to_tell(
        self, client: Client, workspace: Workspace, django_assert_max_num_queries: Any
    ) -> None:
        _unreadable(workspace, 50)
        client.get("/diagnostics/")

        with django_assert_max_num_queries(60):
            client.get("/diagnostics/")


class TestDiagnosticsOverJson:
    def test_tells_a_worker_without_paths_of_the_machine(self, client: Client, workspace: Workspace) -> None:
        _unreadable(workspace, 3)
        headers = {"Authorization": f"Bearer {make_token(workspace, 'read')[1]}"}

        found = client.get("/api/v1/diagnostics?limit=2", headers=headers)
        index = client.get("/api/v1/index", headers=headers).json()

        assert found.json()["unreadable"]["total"] == 3
        assert found.json()["unreadable"]["items"][0]["reason"] == REASON
        assert str(settings.HOME) not in found.content.decode()
        assert workspace.root not in found.content.decode()
        assert (index["workspace"], index["behind"], index["job"]) == ("house", 0, None)

    def test_lets_people_ask_for_an_index(self, client: Client, workspace: Workspace) -> None:
        wish: dict[str, object] = {"revision": "HEAD"}

        asked = client.post("/api/v1/index", wish, content_type="application/json")
        wrong = client.post("/api/v1/index", {"revision": "nope"}, content_type="application/json")

        assert (asked.status_code, asked["Location"]) == (202, "/api/v1/index")
        assert asked.json()["job"]["state"] == "waiting"
        assert len(Job.objects.get().arguments["revision"]) == 40
        assert wrong.status_code == 404


class TestHealth:
    def test_is_told_in_one_word_to_strangers(self, workspace: Workspace) -> None:
        stranger = Client()

        assert stranger.get("/readyz").json() == {"ready": True}
        assert stranger.get("/livez").content == b""

    def test_is_told_in_full_to_people(self, client: Client, workspace: Workspace) -> None:
        told = client.get("/readyz").json()

        assert told["checks"] == {"databases": True, "disk": True, "migrations": True}
        assert told["index"]["house"]["behind"] == 0

    def test_tells_people_of_their_own_workspaces_only(self, workspace: Workspace) -> None:
        elsewhere = make_workspace(slug="elsewhere")
        member, stranger = Client(), Client()
        member.force_login(make_person(elsewhere, "member").user)
        stranger.force_login(make_user())

        assert set(member.get("/readyz").json()["index"]) == {"elsewhere"}
        assert stranger.get("/readyz").json()["index"] == {}

    def test_names_a_full_disk(self, client: Client, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(health, "DISK_MIN", 1 << 62)

        answer = Client().get("/readyz")
        findings = {one.check: one for one in health.examine()}

        assert (answer.status_code, answer.json()) == (503, {"ready": False})
        assert Client().get("/livez").status_code == 200
        assert findings["disk"].level == "finding"

    @pytest.mark.parametrize(
        ("kind", "wrong"), [("nfs4", True), ("fuse.sshfs", True), ("9p", True), ("ext4", False), ("overlay", False)]
    )
    def test_names_a_network_file_system(
        self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, kind: str, wrong: bool
    ) -> None:
        monkeypatch.setattr(health, "_filesystem", lambda path: kind)

        assert any(one.check == "file system" for one in health.examine()) is wrong

    def test_names_a_data_folder_that_others_may_read(self, workspace: Workspace) -> None:
        settings.HOME.chmod(0o755)

        assert "permissions" in {one.check for one in health.examine()}

    def test_gives_a_remedy_with_every_finding(self, workspace: Workspace) -> None:
        _unreadable(workspace)
        Workspace.objects.create(slug="gone", name="gone", root="/no/such", identity="x", created_at=NOON)

        findings = [one for one in health.examine(thorough=True) if one.level == "finding"]

        assert {one.check for one in findings} == {"workspace house, unreadable", "workspace gone"}
        assert all(one.remedy for one in findings)


class TestRefusalsOnPages:
    def test_are_sentences_in_the_look_of_the_app(self, client: Client, workspace: Workspace) -> None:
        client.force_login(make_person(workspace, "member").user)

        page = client.post("/workers/new/", {})

        assert page.status_code == 403
        assert "only an owner may" in page.content.decode()
        assert "<html" in page.content.decode()

    def test_stand_above_the_page_when_a_part_was_asked_for(self, client: Client, workspace: Workspace) -> None:
        client.force_login(make_person(workspace, "member").user)

        part = client.post("/workers/new/", {}, headers={"HX-Request": "true", "HX-Target": "tokens"})

        assert part.status_code == 409
        assert (part["HX-Retarget"], part["HX-Reswap"]) == ("#main", "afterbegin")
        assert "<html" not in part.content.decode()

    def test_of_a_page_that_is_not_there_keep_the_frame(self, client: Client, workspace: Workspace) -> None:
        page = client.get("/nowhere/")

        assert page.status_code == 404
        assert "There is nothing at this address" in page.content.decode()

    def test_of_a_fault_of_ours_name_the_request(
        self, client: Client, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def broken(**_: Any) -> None:
            raise ZeroDivisionError("a secret detail")

        monkeypatch.setattr("yoimemory.desk.diagnostics.examine", broken)
        client.raise_request_exception = False

        page, machine = client.get("/diagnostics/"), client.get("/nowhere/")

        assert (page.status_code, machine.status_code) == (500, 404)
        assert "Something went wrong on our side" in page.content.decode()
        assert "a secret detail" not in page.content.decode()
        assert any(page["X-Request-ID"] in message for message in caplog.messages)

    def test_of_a_fault_of_ours_keep_the_shape_for_machines(
        self, client: Client, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(**_: Any) -> None:
            raise ZeroDivisionError("a secret detail")

        monkeypatch.setattr("yoimemory.desk.api.examine", broken)
        client.raise_request_exception = False

        answer = client.get("/api/v1/diagnostics")

        assert answer.status_code == 500
        assert answer.json()["code"] == "internal_error"
        assert answer.json()["request_id"] == answer["X-Request-ID"]
        assert b"a secret detail" not in answer.content
