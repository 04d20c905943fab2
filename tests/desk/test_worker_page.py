"""The page of one Worker: what came of what it proposed, what it was refused, and its last calls."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from evidence.models import Evidence
from evidence.schemas import EvidenceDraft
from evidence.services import extract_evidence
from hypotheses.models import Hypothesis
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_owner,
    make_person,
    make_shoebox,
    make_token,
    make_workspace,
)
from yoimemory.access.models import Call, Token
from yoimemory.access.services import actor_for_token
from yoimemory.desk.worker import outcomes_of
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def workspace(client: Client) -> Workspace:
    client.force_login(make_owner().user)  # type: ignore[arg-type]
    return make_workspace(slug="house")


@pytest.fixture
def token(workspace: Workspace) -> Token:
    return make_token(workspace, name="coder")[0]


def called(token: Token, operation: str, status: int = 200, code: str = "", number: int = 0) -> None:
    at = NOON + timedelta(seconds=number)
    Call.objects.create(
        token=token, surface="mcp", operation=operation, status=status, code=code, took_ms=12, at=at, run="run-7"
    )


def shown(client: Client, token: Token, query: str = "") -> str:
    answer = client.get(reverse("desk:worker", args=[token.public_id]) + query)
    assert answer.status_code == 200
    return answer.content.decode()


class TestOutcomes:
    def test_count_what_became_of_everything_a_token_made_in_any_run(self, token: Token) -> None:
        shoebox = make_shoebox(token.workspace)
        one, other = (actor_for_token(token, run=run) for run in ("one", "other"))
        make_evidence(shoebox, made_by=one, state=Evidence.State.ACCEPTED)
        make_evidence(shoebox, made_by=other, state=Evidence.State.REJECTED, state_reason="It says something else.")
        make_evidence(shoebox, made_by=other)
        make_hypothesis(shoebox, made_by=one, status=Hypothesis.Status.ACCEPTED)
        make_evidence(shoebox, made_by=make_person(token.workspace), state=Evidence.State.ACCEPTED)

        found = {one.name: (one.made, one.kept, one.turned_down, one.waiting) for one in outcomes_of(token)}

        assert found == {
            "Evidence": (3, 1, 1, 1), "Hypotheses": (1, 1, 0, 0), "Proposals": (0, 0, 0, 0), "Markers": (0, 0, 0, 0),
        }  # fmt: skip


class TestWorkerPage:
    def test_says_how_much_was_turned_down_and_what_the_gate_refused(self, client: Client, token: Token) -> None:
        shoebox = make_shoebox(token.workspace)
        worker = actor_for_token(token)
        make_evidence(shoebox, made_by=worker, state=Evidence.State.ACCEPTED)
        make_evidence(shoebox, made_by=worker, state=Evidence.State.REJECTED, state_reason="It says something else.")
        invented = EvidenceDraft(ref="doc:docs/none.md", quote="Nobody ever wrote these words here.")
        extract_evidence(shoebox, [invented], actor=worker, now=NOON)

        page = shown(client, token)

        assert "1 of 2 judged were turned down" in page
        assert "Quotes that the gate refused: 1 " in page

    def test_lists_the_last_calls_with_their_refusals(self, client: Client, token: Token) -> None:
        called(token, "search_sources")
        called(token, "decide_hypothesis", 403, "people_only", number=1)

        page = shown(client, token)
        refused = shown(client, token, "?only=refusals")

        assert page.index("decide_hypothesis") < page.index("search_sources")
        assert "403 people_only" in page
        assert "1 refused among the last 500" in page
        assert "search_sources" not in refused

    def test_turns_over_its_calls(self, client: Client, token: Token) -> None:
        for number in range(60):
            called(token, f"operation_{number}", number=number)

        assert "1 to 50 of 60" in shown(client, token)
        assert "operation_0<" in shown(client, token, "?page=2")

    def test_says_what_is_missing_when_it_never_called(self, client: Client, token: Token) -> None:
        page = shown(client, token)

        assert "It has not called yet" in page
        assert "never used" in page

    def test_is_not_shown_to_somebody_without_a_role_nor_for_another_workspace(
        self, client: Client, token: Token
    ) -> None:
        elsewhere, _ = make_token(make_workspace(slug="other"))
        assert client.get(reverse("desk:worker", args=[elsewhere.public_id])).status_code == 404

        client.force_login(make_person(make_workspace(slug="third")).user)  # type: ignore[arg-type]
        assert client.get(reverse("desk:worker", args=[token.public_id])).status_code == 404

    def test_is_linked_from_the_list_of_tokens(self, client: Client, token: Token) -> None:
        page = client.get("/workers/").content.decode()

        assert reverse("desk:worker", args=[token.public_id]) in page
        assert "/mcp" in page
