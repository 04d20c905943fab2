"""The door of the JSON layer: who, may they, once, and the one error shape."""


import pytest
from django.test import Client

from tests.factories import make_workspace

pytestmark = pytest.mark.django_db

SHAPE = {"code", "message", "hint", "fields", "request_id"}


def _bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


class TestTheDoorOfTheJsonLayer:
    def test_asks_for_a_token_or_a_session(self, client: Client) -> None:
        make_workspace()

        answer = client.get("/api/v1/markers")

        assert answer.status_code == 401
        assert set(answer.json()) == SHAPE
        assert answer.json()["code"] == "unauthorized"
        assert answer["WWW-Authenticate"].startswith("Bearer")
        assert answer["X-Request-ID"] == answer.json()["request_id"]
