"""The last calls of each Worker are kept for the people who look after it."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.test import Client

from tests.factories import NOON, make_token, make_workspace
from yoimemory.access.calls import BATCH_ROWS, flush_calls, note_call
from yoimemory.access.models import Call, Token
from yoimemory.sources.models import Workspace

SECOND = timedelta(seconds=1)


def note(token: Token, number: int = 0, status: int = 200) -> None:
    at = NOON + number * SECOND / 1_000
    note_call(token, surface="json", operation=f"operation_{number}", status=status, began=at, now=at + SECOND / 10)


@pytest.mark.django_db
def test_calls_wait_while_somebody_elses_transaction_may_roll_back() -> None:
    note(make_token(make_workspace())[0])

    with transaction.atomic():
        assert flush_calls() == 0


@pytest.mark.django_db(transaction=True)
class TestFlushCalls:
    def test_writes_what_was_asked_and_what_came_of_it(self, client: Client) -> None:
        token, secret = make_token(make_workspace(), "read")
        headers = {"Authorization": f"Bearer {secret}", "X-Worker-Run": "run-7"}

        client.get("/api/v1/markers", headers=headers)
        client.post("/api/v1/markers", b"{}", content_type="application/json", headers=headers)
        written = flush_calls()

        assert written == 2
        rows = Call.objects.filter(token=token).order_by("pk")
        assert list(rows.values_list("surface", "operation", "status", "code", "run")) == [
            ("json", "list_markers", 200, "", "run-7"),
            ("json", "mark_staleness", 403, "scope_missing", "run-7"),
        ]
        assert [row.is_refusal for row in rows] == [False, True]

    def test_is_done_by_itself_once_there_are_many(self) -> None:
        token, _ = make_token(make_workspace())

        for number in range(BATCH_ROWS):
            note(token, number)

        assert Call.objects.count() == BATCH_ROWS

    def test_keeps_the_last_ones_of_each_token_only(self, workspaces: tuple[Workspace, Workspace]) -> None:
        busy, calm = (make_token(workspace)[0] for workspace in workspaces)
        note(calm)
        for number in range(Call.KEPT + 30):
            note(busy, number)
        flush_calls()

        assert Call.objects.filter(token=calm).count() == 1
        kept = Call.objects.filter(token=busy).order_by("pk")
        assert kept.count() == Call.KEPT
        assert kept[0].operation == "operation_30"

    def test_lets_go_of_the_calls_of_a_token_that_is_gone(self) -> None:
        token, _ = make_token(make_workspace())
        note(token)
        Token.objects.all().delete()

        assert flush_calls() == 1
        assert Call.objects.count() == 0

    def test_writes_nothing_when_nothing_waits(self) -> None:
        assert flush_calls() == 0


@pytest.fixture
def workspaces() -> tuple[Workspace, Workspace]:
    return make_workspace(slug="one"), make_workspace(slug="two")
