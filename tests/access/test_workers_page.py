"""The Workers page: tokens are made, shown once, revoked; by owners only."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.factories import make_owner, make_person, make_token, make_workspace
from yoimemory.access.models import Token
from yoimemory.access.services import authenticate_token, issue_token
from yoimemory.errors import BadInput
from yoimemory.journal.models import Change
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db

FIELDS = {"name": "reviewer on my laptop", "role": "reviewer", "scope": "propose", "days": "30"}


@pytest.fixture
def workspace(client: Client) -> Workspace:
    client.force_login(make_owner().user)
    return make_workspace(slug="house")


class TestNewToken:
    def test_shows_its_secret_once(self, client: Client, workspace: Workspace) -> None:
        page = client.post("/workers/new/", FIELDS)

        secret = page.context["secret"]
        assert secret in page.content.decode()
        assert page["Cache-Control"] == "no-store"
        assert secret not in client.get("/workers/").content.decode()
        token = authenticate_token(secret, now=timezone.now())
        assert token is not None
        assert (token.workspace, token.scope, token.role) == (workspace, "propose", "reviewer")
        assert timedelta(days=29) < token.expires_at - timezone.now() <= timedelta(days=30)

    def test_is_written_into_history_without_the_secret(self, client: Client, workspace: Workspace) -> None:
        secret = client.post("/workers/new/", FIELDS).context["secret"]

        change = Change.objects.get(verb="token-issued")
        assert change.after == {"name": FIELDS["name"], "scope": "propose"}
        assert secret not in str(vars(change))
        assert not Token.objects.filter(digest__contains=secret[5:20]).exists()

    @pytest.mark.parametrize("wrong", [{"name": ""}, {"scope": "approve"}, {"days": "91"}, {"days": "0"}])
    def test_says_what_does_not_fit(self, client: Client, workspace: Workspace, wrong: dict[str, str]) -> None:
        page = client.post("/workers/new/", {**FIELDS, **wrong})

        assert page.status_code == 422
        assert page.context["form"].errors
        assert not Token.objects.exists()

    @pytest.mark.parametrize("role", ["reviewer", "member"])
    def test_is_for_owners(self, client: Client, workspace: Workspace, role: str) -> None:
        client.force_login(make_person(workspace, role).user)

        page, refused = client.get("/workers/"), client.post("/workers/new/", FIELDS)

        assert page.status_code == 200
        assert "Make token" not in page.content.decode()
        assert refused.status_code == 403
        assert not Token.objects.exists()

    def test_lasts_ninety_days_at_most(self, workspace: Workspace) -> None:
        token, _ = issue_token(workspace=workspace, name="x", scope="read", now=timezone.now(), days=400)

        assert token.expires_at <= timezone.now() + timedelta(days=90)
        with pytest.raises(BadInput, match="no scope"):
            issue_token(workspace=workspace, name="x", scope="approve", now=timezone.now())


class TestRevoke:
    def test_ends_a_token_at_once(self, client: Client, workspace: Workspace) -> None:
        token, secret = make_token(workspace)

        page = client.post(f"/workers/{token.public_id}/revoke/", headers={"HX-Request": "true", "HX-Target": "tokens"})

        assert page.status_code == 200
        assert "revoked" in page.content.decode()
        assert authenticate_token(secret, now=timezone.now()) is None
        assert Change.objects.filter(verb="token-revoked").count() == 1

    def test_reaches_only_the_own_workspace(self, client: Client, workspace: Workspace) -> None:
        token, secret = make_token(make_workspace(slug="other"))

        assert client.post(f"/workers/{token.public_id}/revoke/").status_code == 404
        assert authenticate_token(secret, now=timezone.now())


class TestWorkersPage:
    def test_lists_every_token_with_its_state(self, client: Client, workspace: Workspace) -> None:
        used, _ = make_token(workspace, name="used")
        Token.objects.filter(pk=used.pk).update(used_at=timezone.now())
        old, _ = make_token(workspace, name="old")
        Token.objects.filter(pk=old.pk).update(expires_at=timezone.now() - timedelta(days=1))

        text = client.get("/workers/").content.decode()

        assert "expired" in text
        assert "never" in text
        assert "/api/v1/docs" in text

    def test_says_what_to_do_when_there_is_none(self, client: Client, workspace: Workspace) -> None:
        assert "No Worker can reach this workspace yet" in client.get("/workers/").content.decode()

    def test_is_not_slower_with_more_tokens(
        self, client: Client, workspace: Workspace, django_assert_max_num_queries: pytest.FixtureRequest
    ) -> None:
        for number in range(20):
            make_token(workspace, name=f"worker {number}")
        client.get("/workers/")

        with django_assert_max_num_queries(40):  # type: ignore[operator]
            client.get("/workers/")
