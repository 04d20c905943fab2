"""Markers over JSON: a Worker proposes, a person lets it stand or resolves it."""

import pytest
from django.test import Client

from tests.factories import NOON, make_owner, make_token, make_worker, make_workspace
from yoimemory.markers.models import Marker
from yoimemory.markers.schemas import MarkerDraft
from yoimemory.markers.services import mark_staleness
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def workspace() -> Workspace:
    return make_workspace()


@pytest.fixture
def marker(workspace: Workspace) -> Marker:
    draft = MarkerDraft(target="doc:docs/guide.md", state="stale", reason="Old.")
    return mark_staleness(draft, workspace=workspace, actor=make_worker(workspace), now=NOON)


@pytest.fixture
def person(client: Client) -> Client:
    owner = make_owner()
    assert owner.user is not None
    client.force_login(owner.user)
    return client


class TestResolveMarker:
    def test_keeps_the_reason(self, person: Client, marker: Marker) -> None:
        response = person.post(
            f"/api/v1/markers/{marker.public_id}/resolve",
            {"resolution": "Rewritten today."},
            content_type="application/json",
        )

        assert response.status_code == 200
        assert (response.json()["status"], response.json()["resolution"]) == ("resolved", "Rewritten today.")

    def test_declines_what_never_held(self, person: Client, marker: Marker) -> None:
        response = person.post(
            f"/api/v1/markers/{marker.public_id}/resolve",
            {"resolution": "It is right.", "decline": True},
            content_type="application/json",
        )

        assert response.json()["status"] == "declined"

    def test_refuses_one_that_is_resolved(self, person: Client, marker: Marker) -> None:
        address = f"/api/v1/markers/{marker.public_id}/resolve"
        person.post(address, {"resolution": "Done."}, content_type="application/json")

        response = person.post(address, {"resolution": "Again."}, content_type="application/json")

        assert (response.status_code, response.json()["code"]) == (409, "already_resolved")

    def test_asks_for_a_reason(self, person: Client, marker: Marker) -> None:
        response = person.post(f"/api/v1/markers/{marker.public_id}/resolve", {}, content_type="application/json")

        assert response.status_code == 422

    def test_is_kept_from_tokens(self, client: Client, workspace: Workspace, marker: Marker) -> None:
        _, secret = make_token(workspace)

        response = client.post(
            f"/api/v1/markers/{marker.public_id}/resolve",
            {"resolution": "Mine."},
            content_type="application/json",
            headers={"Authorization": f"Bearer {secret}"},
        )

        assert (response.status_code, response.json()["code"]) == (403, "people_only")


class TestTakeOverMarker:
    def test_lets_a_proposed_one_stand(self, person: Client, marker: Marker) -> None:
        response = person.post(f"/api/v1/markers/{marker.public_id}/take-over", content_type="application/json")

        assert (response.status_code, response.json()["status"]) == (200, "standing")

    def test_finds_none_of_another_workspace(self, person: Client, marker: Marker) -> None:
        other = make_workspace()

        response = person.post(
            f"/api/v1/markers/{marker.public_id}/take-over?workspace={other.slug}", content_type="application/json"
        )

        assert response.status_code == 404
