"""The page on which a person marks a ref."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import make_owner, make_person, make_workspace
from yoimemory.markers.models import Marker

pytestmark = pytest.mark.django_db

GIVEN = {"target": "doc:docs/design/sync.md#L4", "state": "stale", "reason": "The port moved in June."}


@pytest.fixture
def client() -> Client:
    make_workspace(slug="asapan")
    owner = make_owner("hare")
    client = Client()
    assert owner.user is not None
    client.force_login(owner.user)
    return client


class TestMarkPage:
    def test_begins_with_the_ref_that_the_address_names(self, client: Client) -> None:
        response = client.get(reverse("markers:new"), {"target": GIVEN["target"]})

        assert response.status_code == 200
        assert 'value="doc:docs/design/sync.md#L4"' in response.text

    def test_marks_and_goes_back_to_the_ref(self, client: Client) -> None:
        response = client.post(reverse("markers:mark"), GIVEN)

        marker = Marker.objects.get()
        assert (marker.target, marker.state, marker.status) == (GIVEN["target"], "stale", "standing")
        assert response.status_code == 302
        assert response.headers["Location"] == "/read/?ref=doc%3Adocs%2Fdesign%2Fsync.md%23L4"

    @pytest.mark.parametrize(
        ("change", "status", "sentence"),
        [
            ({"target": "nonsense"}, 422, "is not a ref"),
            ({"state": "superseded"}, 422, "names by what"),
            ({"reason": ""}, 422, "This field is required"),
        ],
    )
    def test_answers_what_is_wrong_with_the_form(
        self, client: Client, change: dict[str, str], status: int, sentence: str
    ) -> None:
        response = client.post(reverse("markers:mark"), {**GIVEN, **change})

        assert response.status_code == status
        assert sentence in response.text
        assert not Marker.objects.exists()

    def test_refuses_the_same_marker_twice(self, client: Client) -> None:
        client.post(reverse("markers:mark"), GIVEN)

        response = client.post(reverse("markers:mark"), GIVEN)

        assert response.status_code == 409
        assert "already marked" in response.text

    def test_lets_a_member_mark_too(self) -> None:
        member = make_person(make_workspace(slug="asapan"), "member")
        client = Client()
        assert member.user is not None
        client.force_login(member.user)

        client.post(reverse("markers:mark"), GIVEN)

        assert Marker.objects.get().made_by == member
