"""Quoting what is kept by us: a value of a record by its JSON pointer, the words of a user's message."""

import pytest
from django.test import Client

from evidence.schemas import EvidenceDraft
from evidence.services import extract_evidence
from tests.evidence.conftest import Desk
from tests.factories import NOON
from yoimemory.sources.models import Message
from yoimemory.sources.schemas import MessageDraft, RecordDraft
from yoimemory.sources.services import capture_message, record_workspace_record

pytestmark = pytest.mark.django_db

STATE = {"state": {"phase": "waiting for the lock of ticket 00001KXKMX0QM", "since": "2026-07-14"}, "steps": [1, 2]}
WORDS = "Never let two Workers write the same ticket at once.\nAsk me first."


@pytest.fixture
def page(desk: Desk) -> Client:
    client = Client()
    assert desk.reviewer.user is not None
    client.force_login(desk.reviewer.user)
    return client


def keep(desk: Desk, **changes: object) -> str:
    draft = RecordDraft.model_validate({"system": "runtime", "id": "worker-7", "body": {**STATE, **changes}})
    kept = record_workspace_record(draft, workspace=desk.workspace, actor=desk.reviewer, now=NOON)
    return str(kept.snapshot.ref)


def say(desk: Desk) -> Message:
    return capture_message(MessageDraft(text=WORDS), workspace=desk.workspace, actor=desk.reviewer, now=NOON)


class TestAValueOfARecord:
    def test_is_quoted_at_the_snapshot_that_was_read(self, desk: Desk, page: Client) -> None:
        snapshot = keep(desk)
        draft = EvidenceDraft(
            ref="record:runtime/worker-7#/state/phase", quote="waiting for the lock of ticket", why="It waited."
        )

        [evidence] = extract_evidence(desk.shoebox, [draft], actor=desk.reviewer, now=NOON).stored
        keep(desk, state={"phase": "done"})

        assert (evidence.state, str(evidence.address.bare)) == ("accepted", "record:runtime/worker-7")
        assert evidence.revision == snapshot.partition("@")[2]
        then = page.get("/read/", {"ref": f"record:runtime/worker-7@{evidence.revision}#/state/phase"}).text
        assert "waiting for the lock of ticket" in then
        assert "It waited." in then

    def test_is_refused_where_it_stands_elsewhere_in_the_record(self, desk: Desk) -> None:
        keep(desk)
        draft = EvidenceDraft(ref="record:runtime/worker-7", quote="the worker waits for nothing at all")

        outcome = extract_evidence(desk.shoebox, [draft], actor=desk.reviewer, now=NOON)

        assert [refusal.code for refusal in outcome.refused] == ["not_found"]

    def test_that_no_pointer_leads_to_is_told_on_the_page(self, desk: Desk, page: Client) -> None:
        keep(desk)

        text = page.get("/read/", {"ref": "record:runtime/worker-7#/state/none"}).text

        assert "This text has no part /state/none; it is shown from its beginning." in text


class TestTheWordsOfAMessage:
    def test_are_quoted_verbatim_with_who_said_them(self, desk: Desk, page: Client) -> None:
        message = say(desk)
        quote = "Never let two Workers write the same ticket at once."
        draft = EvidenceDraft(ref=str(message.ref), quote=quote, why="The owner's rule.")

        [evidence] = extract_evidence(desk.shoebox, [draft], actor=desk.reviewer, now=NOON).stored

        assert (evidence.quote, evidence.start_line, evidence.authority) == (quote, 1, "authority")
        text = page.get("/read/", {"ref": str(message.ref)}).text
        assert "The owner's rule." in text or "The owner&#x27;s rule." in text
        assert "as it was said" in text

    def test_over_two_lines_are_one_quote(self, desk: Desk) -> None:
        draft = EvidenceDraft(ref=str(say(desk).ref), quote=WORDS)

        [evidence] = extract_evidence(desk.shoebox, [draft], actor=desk.reviewer, now=NOON).stored

        assert (evidence.start_line, evidence.end_line) == (1, 2)
