"""Logging in by password, who is sent where (S31), and what anonymous people see."""

from pathlib import Path

import pytest
from django.test import Client

from tests.factories import make_owner, make_person, make_user, make_workspace
from tests.surfaces.payloads import hostile_lists
from yoimemory.http import safe_address
from yoimemory.journal.models import Change

pytestmark = pytest.mark.django_db

PASSWORD = "three quiet herons"

REFUSED = [
    "//evil.test", "/\\evil.test", "https:evil.test", "http://evil.test", "\t//evil.test", "javascript:alert(1)",
    "///evil.test", "http:\\\\evil.test", "//evil%E3%80%82test", "", "evil.test", " /x",
]  # fmt: skip
ALLOWED = ["/", "/shoeboxes/?state=open#top", "/%09/evil.test", "/a//../..//evil.test", "/read/?next=//evil.test"]


def _member(name: str = "aoi") -> None:
    user = make_user(name)
    user.set_password(PASSWORD)
    user.save()


class TestLogin:
    def test_lets_a_member_in_and_back_to_where_they_were_going(self, client: Client) -> None:
        _member()

        answer = client.post("/login/", {"username": "aoi", "password": PASSWORD, "next": "/evidence/?state=suggested"})

        assert (answer.status_code, answer["Location"]) == (302, "/evidence/?state=suggested")
        assert Change.objects.get(verb="logged-in").after == {"by": "password"}

    @pytest.mark.parametrize(("name", "password"), [("aoi", "wrong"), ("nobody", PASSWORD), ("aoi", "")])
    def test_tells_a_wrong_name_and_a_wrong_password_alike(self, client: Client, name: str, password: str) -> None:
        _member()

        answer = client.post("/login/", {"username": name, "password": password})

        assert answer.status_code == 422
        assert password == "" or "correct username and password" in answer.content.decode()
        assert "_auth_user_id" not in client.session

    def test_knows_no_password_for_an_owner_who_has_none(self, client: Client) -> None:
        owner = make_owner("root").user
        owner.set_unusable_password()
        owner.save()

        assert client.post("/login/", {"username": "root", "password": ""}).status_code == 422

    @pytest.mark.parametrize("goal", REFUSED)
    def test_never_leads_to_another_host(self, client: Client, goal: str) -> None:
        _member()

        answer = client.post("/login/", {"username": "aoi", "password": PASSWORD, "next": goal})

        assert answer["Location"] == "/"

    @pytest.mark.parametrize("goal", ALLOWED)
    def test_leads_anywhere_within(self, goal: str) -> None:
        assert safe_address(goal, "/") == goal

    def test_keeps_the_shared_lists(self, tmp_path: Path) -> None:
        lists = hostile_lists(tmp_path)

        assert [goal for goal in lists["redirects_refused"] if safe_address(goal, "/") != "/"] == []
        assert [goal for goal in lists["redirects_same_host_fine"] if safe_address(goal, "/") != goal] == []


class TestAnonymousPeople:
    @pytest.mark.parametrize("path", ["/workers/", "/diagnostics/", "/admin/", "/nowhere/", "/workspace/"])
    def test_are_sent_to_log_in(self, client: Client, path: str) -> None:
        answer = client.get(path)

        assert (answer.status_code, answer["Location"]) == (302, f"/login/?next={path.replace('/', '%2F')}")

    def test_are_sent_there_from_a_part_of_a_page_as_a_whole(self, client: Client) -> None:
        answer = client.get("/diagnostics/", headers={"HX-Request": "true"})

        assert (answer.status_code, answer["HX-Redirect"]) == (401, "/login/")
        assert answer.content == b""

    def test_change_nothing(self, client: Client) -> None:
        assert client.post("/diagnostics/index/")["Location"] == "/login/"

    def test_see_the_health_in_one_word(self, client: Client) -> None:
        make_workspace(slug="secret-house")

        alive, ready = client.get("/livez"), client.get("/readyz")

        assert (alive.status_code, alive.content) == (200, b"")
        assert ready.json() == {"ready": True}


class TestTheWorkspaceOfAPage:
    def test_is_the_only_one_or_the_first(self, client: Client) -> None:
        client.force_login(make_owner().user)
        first = make_workspace(slug="first")
        make_workspace(slug="second")

        assert client.get("/workers/").context["request"].workspace == first

    def test_is_named_by_the_address(self, client: Client) -> None:
        client.force_login(make_owner().user)
        make_workspace(slug="first")
        second = make_workspace(slug="second")

        assert client.get("/workers/?workspace=second").context["request"].workspace == second
        assert client.get("/workers/?workspace=third").status_code == 404

    def test_is_remembered_when_switched(self, client: Client) -> None:
        client.force_login(make_owner().user)
        make_workspace(slug="first")
        second = make_workspace(slug="second")

        answer = client.post("/workspace/", {"workspace": "second", "next": "//evil.test"})

        assert answer["Location"] == "/"
        assert client.get("/workers/").context["request"].workspace == second

    def test_is_one_in_which_the_person_has_a_role(self, client: Client) -> None:
        make_workspace(slug="first")
        own = make_workspace(slug="own")
        client.force_login(make_person(own).user)

        assert client.get("/workers/").context["request"].workspace == own
        assert client.get("/workers/?workspace=first").status_code == 404
        assert client.post("/workspace/", {"workspace": "first"}).status_code == 404

    def test_may_not_be_there_yet(self, client: Client) -> None:
        client.force_login(make_owner().user)

        answer = client.get("/workers/")

        assert answer.status_code == 200
        assert "yoimemory serve PATH" in answer.content.decode()
