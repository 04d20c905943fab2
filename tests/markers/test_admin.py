"""The admin of markers: found, filtered, resolved with one reason on a page of its own, taken over."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import NOON, make_owner, make_person, make_token, make_user, make_worker, make_workspace
from yoimemory.access.models import Token
from yoimemory.markers.models import Marker
from yoimemory.markers.schemas import MarkerDraft
from yoimemory.markers.services import mark_staleness
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db

LIST = "/admin/markers/marker/"


@pytest.fixture
def workspace(client: Client) -> Workspace:
    client.force_login(make_owner("hare").user)
    return make_workspace(slug="house")


def _marker(workspace: Workspace, target: str = "doc:docs/a.md", *, worker: bool = False) -> Marker:
    draft = MarkerDraft(target=target, state="stale", reason="Withdrawn in July.")
    actor = make_worker(workspace) if worker else make_owner()
    return mark_staleness(draft, workspace=workspace, actor=actor, now=NOON)


def _act(client: Client, action: str, *markers: Marker, **fields: str) -> str:
    chosen = {"action": action, "_selected_action": [str(marker.pk) for marker in markers], **fields}
    return client.post(LIST, chosen, follow=True).content.decode()


class TestMarkersAdmin:
    def test_lists_and_filters(self, client: Client, workspace: Workspace) -> None:
        _marker(workspace, "doc:docs/standing.md")
        _marker(workspace, "doc:docs/proposed.md", worker=True)

        everything = client.get(LIST).content.decode()
        proposed = client.get(f"{LIST}?status__exact=proposed").content.decode()
        found = client.get(f"{LIST}?q=standing.md").content.decode()

        assert "docs/standing.md" in everything
        assert "docs/standing.md" not in proposed
        assert "docs/proposed.md" not in found

    def test_asks_for_one_reason_and_writes_it_to_each(self, client: Client, workspace: Workspace) -> None:
        one, two = _marker(workspace), _marker(workspace, "doc:docs/b.md")

        asked = _act(client, "resolve_with_reason", one, two)
        assert "Resolve 2 markers" in asked
        assert Marker.objects.standing().count() == 2

        done = _act(client, "resolve_with_reason", one, two, confirm="1", reason="The rule is back.")
        assert "2 markers resolved." in done
        assert set(Marker.objects.values_list("status", "resolution")) == {("resolved", "The rule is back.")}

    def test_asks_again_without_a_reason(self, client: Client, workspace: Workspace) -> None:
        marker = _marker(workspace)

        page = _act(client, "resolve_with_reason", marker, confirm="1", reason="")

        assert "This field is required" in page
        assert Marker.objects.standing().exists()

    def test_declines_with_a_reason(self, client: Client, workspace: Workspace) -> None:
        marker = _marker(workspace, worker=True)

        assert "1 marker declined." in _act(client, "decline_with_reason", marker, confirm="1", reason="It holds.")

    def test_takes_over_what_a_worker_proposed(self, client: Client, workspace: Workspace) -> None:
        proposed, standing = _marker(workspace, worker=True), _marker(workspace, "doc:docs/b.md")

        page = _act(client, "take_over", proposed, standing)

        assert "1 of 2 markers stand now." in page

    def test_says_when_a_marker_is_no_longer_open(self, client: Client, workspace: Workspace) -> None:
        marker = _marker(workspace)
        _act(client, "resolve_with_reason", marker, confirm="1", reason="The rule is back.")

        page = _act(client, "resolve_with_reason", marker, confirm="1", reason="Again.")

        assert "no longer open" in page

    def test_lets_nobody_edit_add_or_delete(self, client: Client, workspace: Workspace) -> None:
        marker = _marker(workspace)

        page = client.get(f"{LIST}{marker.pk}/change/")
        client.post(f"{LIST}{marker.pk}/change/", {"reason": "Rewritten."})

        assert page.status_code == 200
        assert client.get(f"{LIST}add/").status_code == 403
        assert client.get(f"{LIST}{marker.pk}/delete/").status_code == 403
        assert Marker.objects.get().reason == "Withdrawn in July."

    def test_is_for_staff(self, client: Client, workspace: Workspace) -> None:
        client.force_login(make_person(workspace).user)

        assert client.get(LIST).status_code == 302
        assert "/admin/login/" in client.get(LIST)["Location"]

    def test_refuses_staff_without_the_reviewer_role(self, client: Client, workspace: Workspace) -> None:
        user = make_user("clerk")
        user.is_staff = True
        user.save()
        client.force_login(user)
        marker = _marker(workspace)

        client.post(LIST, {"action": "take_over", "_selected_action": [str(marker.pk)]})

        assert Marker.objects.standing().exists()


class TestEveryAdminPage:
    def test_opens_under_the_content_policy(self, client: Client, workspace: Workspace) -> None:
        """No inline script, style or handler: the policy would block it, and the page would half work."""
        _marker(workspace)
        make_token(workspace)
        index = client.get("/admin/").content.decode()
        addresses = sorted(set(re.findall(r'href="(/admin/[a-z]+/[a-z]+/(?:add/)?)"', index)))
        assert len(addresses) > 8

        for address in ["/admin/", *addresses]:
            page = client.get(address)
            text = page.content.decode()
            assert page.status_code == 200, address
            assert not re.search(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)[^>]*>\s*\S", text), address
            assert not re.search(r"<style|\sstyle=|\son[a-z]+=", text), address
            assert not re.search(r'(?:src|href)="(?:https?:)?//', text), address

    def test_needs_a_login_of_the_app(self, client: Client) -> None:
        assert client.get("/admin/")["Location"] == "/login/?next=%2Fadmin%2F"


class TestTokensAdmin:
    def test_revokes_and_never_shows_a_digest(self, client: Client, workspace: Workspace) -> None:
        token, _ = make_token(workspace)

        page = client.get(reverse("admin:access_token_change", args=[token.pk])).content.decode()
        client.post("/admin/access/token/", {"action": "revoke", "_selected_action": [str(token.pk)]})

        assert token.digest not in page
        assert Token.objects.get().revoked_at
