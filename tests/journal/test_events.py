"""History is written with the change; events of reads wait and are written in batches."""

from datetime import timedelta

import pytest
from django.db import OperationalError, transaction
from django.test import Client

from tests.factories import NOON, make_owner, make_workspace
from yoimemory.journal.models import Change, Event
from yoimemory.journal.services import BATCH_AGE, BATCH_ROWS, flush_events, record_change, record_event

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yoimemory.journal.services._locked_at", float("-inf"))
    flush_events()
    Event.objects.all().delete()


class TestEvents:
    def test_wait_until_they_are_flushed(self) -> None:
        record_event(Event.Kind.QUERY, workspace=make_workspace(), actor=make_owner(), now=NOON, subjects=["doc:a.md"])
        assert Event.objects.count() == 0

        assert flush_events() == 1

        assert Event.objects.get().subjects == ["doc:a.md"]
        assert flush_events() == 0

    def test_are_written_when_a_batch_is_full(self) -> None:
        workspace = make_workspace()

        for _ in range(BATCH_ROWS):
            record_event(Event.Kind.QUERY, workspace=workspace, actor=None, now=NOON)

        assert Event.objects.count() == BATCH_ROWS

    def test_are_written_when_the_oldest_waited_long_enough(self) -> None:
        workspace = make_workspace()

        record_event(Event.Kind.QUERY, workspace=workspace, actor=None, now=NOON)
        later = NOON + BATCH_AGE + timedelta(seconds=1)
        record_event(Event.Kind.SOURCE_OPENED, workspace=workspace, actor=None, now=later)

        assert Event.objects.count() == 2

    def test_wait_on_while_the_database_is_locked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def locked(batch: list[Event]) -> None:
            raise OperationalError("database is locked")

        workspace = make_workspace()
        with monkeypatch.context() as patch:
            patch.setattr(Event.objects, "bulk_create", locked)
            for _ in range(BATCH_ROWS + 1):
                record_event(Event.Kind.QUERY, workspace=workspace, actor=None, now=NOON)
            assert flush_events() == 0

        assert flush_events() == BATCH_ROWS + 1
        assert Event.objects.count() == BATCH_ROWS + 1

    def test_wait_on_within_a_transaction_that_may_roll_back(self) -> None:
        record_event(Event.Kind.QUERY, workspace=make_workspace(), actor=None, now=NOON)

        with transaction.atomic():
            assert flush_events() == 0

        assert flush_events() == 1

    def test_are_let_go_from_the_oldest_when_far_too_many_wait(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("yoimemory.journal.services.KEPT_ROWS", 2)
        workspace = make_workspace()
        for name in ("doc:a.md", "doc:b.md", "doc:c.md"):
            record_event(Event.Kind.QUERY, workspace=workspace, actor=None, now=NOON, subjects=[name])

        with transaction.atomic():
            flush_events()

        assert flush_events() == 2
        assert [event.subjects for event in Event.objects.order_by("pk")] == [["doc:b.md"], ["doc:c.md"]]


class TestHistory:
    def test_is_read_and_never_edited_in_the_admin(self, client: Client) -> None:
        owner = make_owner()
        change = record_change("doc:a.md", verb="tested", actor=owner, workspace=make_workspace(), now=NOON, reason="x")
        client.force_login(owner.user)

        page = client.get(f"/admin/journal/change/{change.pk}/change/")
        client.post(f"/admin/journal/change/{change.pk}/change/", {"reason": "rewritten"})

        assert page.status_code == 200
        assert client.get(f"/admin/journal/change/{change.pk}/delete/").status_code == 403
        assert Change.objects.get(pk=change.pk).reason == "x"
