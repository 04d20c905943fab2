"""The one-time start link: shown by GET, exchanged by POST, once, within an hour."""

from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from tests.factories import make_owner, make_user, make_workspace
from yoimemory.access.models import StartLink
from yoimemory.access.services import ensure_owner, issue_start_link, redeem_start_link
from yoimemory.journal.models import Change

pytestmark = pytest.mark.django_db


def _link(now: datetime | None = None) -> str:
    return f"/start/{issue_start_link(user=ensure_owner(), now=now or timezone.now())}/"


class TestStartLink:
    def test_shows_a_button_and_is_not_used_up_by_it(self, client: Client) -> None:
        link = _link()

        pages = [client.get(link), client.head(link), client.get(link)]

        assert [page.status_code for page in pages] == [200, 200, 200]
        assert b"<button" in pages[0].content
        assert settings.SESSION_COOKIE_NAME not in client.cookies

    def test_logs_the_owner_in_once(self, client: Client) -> None:
        make_workspace()
        link = _link()

        answer = client.post(link)

        assert (answer.status_code, answer["Location"]) == (302, "/")
        assert client.get("/workers/").status_code == 200
        assert Client().post(link).status_code == 403
        assert Change.objects.get(verb="logged-in").actor.user == ensure_owner()

    def test_opens_the_workspace_that_the_server_was_started_for(self, client: Client) -> None:
        first, named = make_workspace(slug="first"), make_workspace(slug="named")
        link = f"{_link()}?workspace={named.slug}"

        page = client.get(link)
        client.post(link)

        assert f'action="{link}"' in page.text
        assert f"/ {named.slug}" in client.get("/workers/").text
        assert f"/ {first.slug}" not in client.get("/workers/").text

    def test_opens_the_first_workspace_where_the_link_names_none_that_exists(self, client: Client) -> None:
        first = make_workspace(slug="first")

        client.post(f"{_link()}?workspace=gone")

        assert f"/ {first.slug}" in client.get("/workers/").text

    def test_asks_for_the_pages_own_token(self) -> None:
        client = Client(enforce_csrf_checks=True)

        assert client.post(_link()).status_code == 403
        assert StartLink.objects.get().used_at is None

    @pytest.mark.parametrize("path", ["/start/wrong/", "/start/x%2Fy/", "/start/%00/"])
    def test_says_what_to_do_when_it_is_none(self, client: Client, path: str) -> None:
        answer = client.post(path)

        assert answer.status_code in {403, 404}
        assert b"yoimemory link" in answer.content or answer.status_code == 404

    def test_ends_after_an_hour(self, client: Client) -> None:
        link = _link(timezone.now() - timedelta(minutes=StartLink.MINUTES, seconds=1))

        assert client.post(link).status_code == 403

    def test_ends_when_a_newer_one_is_made(self, client: Client) -> None:
        older, newer = _link(), _link()

        assert client.post(older).status_code == 403
        assert client.post(newer).status_code == 302

    def test_is_stored_as_a_digest(self) -> None:
        secret = issue_start_link(user=make_user(), now=timezone.now())

        assert not StartLink.objects.filter(digest__contains=secret).exists()
        assert redeem_start_link(secret + "x", now=timezone.now()) is None


class TestSession:
    def test_changes_its_key_at_login(self, client: Client) -> None:
        user = make_user("aoi")
        user.set_password("a long sentence 12")
        user.save()
        planted = client.session
        planted["x"] = 1
        planted.save()
        client.cookies[settings.SESSION_COOKIE_NAME] = planted.session_key

        client.post("/login/", {"username": "aoi", "password": "a long sentence 12"})

        assert client.cookies[settings.SESSION_COOKIE_NAME].value != planted.session_key

    def test_is_stored_without_its_key(self, client: Client) -> None:
        client.post(_link())

        key = client.cookies[settings.SESSION_COOKIE_NAME].value
        assert len(key) > 20
        assert not Session.objects.filter(session_key=key).exists()
        assert Session.objects.count() == 1

    def test_ends_at_logout_for_whoever_kept_the_cookie(self, client: Client) -> None:
        make_workspace()
        client.post(_link())
        thief = Client()
        thief.cookies[settings.SESSION_COOKIE_NAME] = client.cookies[settings.SESSION_COOKIE_NAME].value
        assert thief.get("/workers/").status_code == 200

        answer = client.post("/logout/")

        assert answer["Location"] == "/login/"
        assert thief.get("/workers/").status_code == 302
        assert Session.objects.count() == 0

    def test_ends_when_the_password_changes(self, client: Client) -> None:
        make_workspace()
        user = make_owner().user
        client.force_login(user)
        assert client.get("/workers/").status_code == 200

        user.set_password("another sentence 34")
        user.save()

        assert client.get("/workers/").status_code == 302

    def test_does_not_end_by_a_link(self, client: Client) -> None:
        make_workspace()
        client.post(_link())

        assert client.get("/logout/").status_code == 405
        assert client.get("/workers/").status_code == 200

    def test_cookie_is_kept_from_scripts_and_other_sites(self, client: Client) -> None:
        client.get(_link())
        client.post(_link())

        for name in (settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME):
            cookie = client.cookies[name]
            assert str(settings.PORT) in name
            assert cookie["httponly"]
            assert cookie["samesite"] == "Strict"
