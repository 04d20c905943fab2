"""Hypotheses and representations over JSON."""

import json
from typing import Any

import pytest
from django.test import Client

from hypotheses.models import Hypothesis
from shoebox.models import Shoebox
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_owner,
    make_relation,
    make_shoebox,
    make_token,
    make_workspace,
)
from yoimemory.refs import new_id

pytestmark = pytest.mark.django_db


class Caller:
    """A Worker with a token, or a person with a session, as a client of the API."""

    def __init__(self, client: Client, secret: str = "") -> None:
        self.client = client
        self.headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(f"/api/v1{path}", query, headers=self.headers)

    def post(self, path: str, body: dict[str, Any], **headers: str) -> Any:
        keyed = {
            "Idempotency-Key": new_id(),
            **self.headers,
            **{key.replace("_", "-"): v for key, v in headers.items()},
        }
        return self.client.post(f"/api/v1{path}", json.dumps(body), content_type="application/json", headers=keyed)


@pytest.fixture
def shoebox() -> Shoebox:
    return make_shoebox()


@pytest.fixture
def worker(client: Client, shoebox: Shoebox) -> Caller:
    return Caller(client, make_token(shoebox.workspace)[1])


@pytest.fixture
def person(client: Client, shoebox: Shoebox) -> Caller:
    actor = make_owner()
    assert actor.user is not None
    client.force_login(actor.user)
    return Caller(client)


class TestHypotheses:
    def test_are_proposed_by_workers(self, worker: Caller, shoebox: Shoebox) -> None:
        evidence = make_evidence(shoebox)
        body = {
            "shoebox": str(shoebox.ref),
            "claim": "It must wait.",
            "open_questions": ["Who closes them?"],
            "alternatives": [{"option": "Start now", "reason": "It is blocked."}],
            "threshold": "Both closed.",
            "would_change": "A revert.",
            "relations": [{"evidence": str(evidence.ref), "relation": "supports"}],
        }

        response = worker.post("/hypotheses", body)

        made = response.json()
        assert response.status_code == 201
        assert response.headers["Location"] == f"/api/v1/hypotheses/{made['id']}"
        assert made["status"] == "proposed"
        assert made["supporting"][0]["ref"] == str(evidence.ref)
        assert [check["key"] for check in made["checks"]] == ["evidence", "refutation", "contradiction", "drift"]

    def test_refuse_unknown_fields_by_name(self, worker: Caller, shoebox: Shoebox) -> None:
        response = worker.post("/hypotheses", {"shoebox": str(shoebox.ref), "claim": "Wait.", "status": "accepted"})

        assert response.status_code == 422
        assert response.json()["fields"] == {"status": "unknown"}

    def test_are_shown_with_their_version(self, worker: Caller, shoebox: Shoebox) -> None:
        hypothesis = make_hypothesis(shoebox, version=4)

        response = worker.get(f"/hypotheses/{hypothesis.public_id}")

        assert response.headers["ETag"] == '"4"'
        assert response.json()["ref"] == str(hypothesis.ref)

    def test_are_shown_as_markdown_on_request(self, worker: Caller, shoebox: Shoebox) -> None:
        hypothesis = make_hypothesis(shoebox)

        response = worker.get(f"/hypotheses/{hypothesis.public_id}", format="markdown")

        assert response.headers["Content-Type"].startswith("text/markdown")
        assert response.text.startswith("# H1 It may start now.")

    def test_are_listed_narrowed_and_paged(self, worker: Caller, shoebox: Shoebox) -> None:
        for number in range(3):
            make_hypothesis(shoebox, claim=f"Claim {number}.", status="accepted")
        make_hypothesis(shoebox, claim="Another.")
        make_hypothesis(claim="Of another workspace.", status="accepted")

        first = worker.get("/hypotheses", status="accepted", limit=2).json()
        second = worker.get("/hypotheses", status="accepted", limit=2, cursor=first["next_cursor"]).json()

        assert (first["shown"], first["total"], first["truncated"]) == (2, 3, True)
        assert [item["claim"] for item in first["items"] + second["items"]] == ["Claim 2.", "Claim 1.", "Claim 0."]
        assert not second["truncated"]

    def test_refuse_a_status_that_does_not_exist(self, worker: Caller) -> None:
        assert worker.get("/hypotheses", status="won").status_code == 422

    def test_of_another_workspace_are_not_found(self, worker: Caller) -> None:
        response = worker.get(f"/hypotheses/{make_hypothesis().public_id}")

        assert response.status_code == 404
        assert response.json()["code"] == "not_found"


class TestDecision:
    def test_is_never_a_tokens(self, worker: Caller, shoebox: Shoebox) -> None:
        hypothesis = make_hypothesis(shoebox)
        body = {"after": "rejected", "reason": "No.", "version": 1}

        response = worker.post(f"/hypotheses/{hypothesis.public_id}/decision", body)

        hypothesis.refresh_from_db()
        assert response.status_code == 403
        assert hypothesis.status == "proposed"

    def test_is_a_persons_with_the_version_they_read(self, person: Caller, shoebox: Shoebox) -> None:
        hypothesis = make_hypothesis(shoebox)
        body = {"after": "rejected", "reason": "It only routes."}

        response = person.post(f"/hypotheses/{hypothesis.public_id}/decision", body, If_Match='"1"')

        assert response.status_code == 201
        assert response.json()["status"] == "rejected"
        assert response.headers["ETag"] == '"2"'

    def test_asks_which_version_was_read(self, person: Caller, shoebox: Shoebox) -> None:
        hypothesis = make_hypothesis(shoebox)

        response = person.post(f"/hypotheses/{hypothesis.public_id}/decision", {"after": "rejected", "reason": "No."})

        assert response.status_code == 428

    def test_refuses_an_old_version(self, person: Caller, shoebox: Shoebox) -> None:
        hypothesis = make_hypothesis(shoebox, version=2)
        body = {"after": "rejected", "reason": "No.", "version": 1}

        response = person.post(f"/hypotheses/{hypothesis.public_id}/decision", body)

        assert response.status_code == 412

    def test_says_what_of_the_threshold_is_missing(self, person: Caller, shoebox: Shoebox) -> None:
        hypothesis = make_hypothesis(shoebox)
        body = {"after": "accepted", "reason": "Surely.", "version": 1}

        response = person.post(f"/hypotheses/{hypothesis.public_id}/decision", body)

        assert response.status_code == 409
        assert response.json()["code"] == "threshold_not_met"
        assert "refutation" in response.json()["fields"]


class TestRepresentations:
    def test_are_built_by_workers(self, worker: Caller, shoebox: Shoebox) -> None:
        hypothesis = make_hypothesis(shoebox)
        evidence = make_evidence(shoebox, said_at=NOON)
        make_relation(evidence, hypothesis.ref, "refutes")

        response = worker.post("/representations", {"kind": "timeline", "shoebox": str(shoebox.ref)})

        made = response.json()
        assert response.status_code == 201
        assert response.headers["Location"] == f"/api/v1/representations/{made['id']}"
        assert made["body"]["rows"][0]["bears"][0]["name"] == "H1"
        assert made["state"] == "current"

    def test_are_written_by_workers(self, worker: Caller, shoebox: Shoebox) -> None:
        row = {"at": "2026-07-15T21:26:15Z", "lane": "Tickets", "label": "Queued", "refs": ["ticket:00001KXKMX0QM"]}

        response = worker.post(
            "/representations", {"kind": "timeline", "shoebox": str(shoebox.ref), "body": {"rows": [row]}}
        )

        assert response.status_code == 201
        assert response.json()["built"] is False

    def test_say_which_field_of_a_body_does_not_fit(self, worker: Caller, shoebox: Shoebox) -> None:
        body = {"kind": "timeline", "shoebox": str(shoebox.ref), "body": {"rows": [{"lane": "Tickets"}]}}

        response = worker.post("/representations", body)

        assert response.status_code == 422
        assert "body.rows.0.at" in response.json()["fields"]

    def test_are_shown_as_markdown_on_request(self, worker: Caller, shoebox: Shoebox) -> None:
        make_evidence(shoebox, said_at=NOON)
        made = worker.post("/representations", {"kind": "timeline", "shoebox": str(shoebox.ref)}).json()

        response = worker.get(f"/representations/{made['id']}", format="markdown")

        assert response.headers["Content-Type"].startswith("text/markdown")
        assert response.text.rstrip().endswith(f"Ref: {made['ref']}, version 1")

    def test_are_listed(self, worker: Caller, shoebox: Shoebox) -> None:
        make_evidence(shoebox, said_at=NOON)
        worker.post("/representations", {"kind": "timeline", "shoebox": str(shoebox.ref)})

        listed = worker.get("/representations", kind="timeline").json()

        assert listed["total"] == 1
        assert listed["items"][0]["kind"] == "timeline"

    def test_of_another_workspace_are_not_found(self, client: Client, worker: Caller, shoebox: Shoebox) -> None:
        make_evidence(shoebox, said_at=NOON)
        made = worker.post("/representations", {"kind": "timeline", "shoebox": str(shoebox.ref)}).json()
        other = Caller(client, make_token(make_workspace())[1])

        assert other.get(f"/representations/{made['id']}").status_code == 404


def test_nothing_is_written_for_a_token_that_only_reads(client: Client) -> None:
    shoebox = make_shoebox()
    reader = Caller(client, make_token(shoebox.workspace, "read")[1])

    response = reader.post("/hypotheses", {"shoebox": str(shoebox.ref), "claim": "It must wait."})

    assert response.status_code == 403
    assert not Hypothesis.objects.exists()


class TestMatrix:
    def test_is_rated_by_workers_and_counted_on_request(self, worker: Caller, shoebox: Shoebox) -> None:
        first, second = make_hypothesis(shoebox), make_hypothesis(shoebox)
        evidence = make_evidence(shoebox)
        ratings = [{"hypothesis": str(first.ref), "value": "II"}, {"hypothesis": str(second.ref), "value": "C"}]

        rated = worker.post("/hypotheses/ratings", {"evidence": str(evidence.ref), "ratings": ratings})
        people = worker.get("/hypotheses/matrix", shoebox=str(shoebox.ref)).json()
        everyone = worker.get("/hypotheses/matrix", shoebox=str(shoebox.ref), workers=True).json()

        assert rated.status_code == 201
        assert [one["high"] for one in people["hypotheses"]] == [0, 0]
        assert [one["high"] for one in everyone["hypotheses"]] == [2, 0]
        assert people["cells"][0]["ratings"][0]["worker"] is True
        assert everyone["sensitivity"]["linchpins"] == [str(evidence.ref)]

    def test_refuses_a_rating_that_does_not_exist(self, worker: Caller, shoebox: Shoebox) -> None:
        claim, evidence = make_hypothesis(shoebox), make_evidence(shoebox)
        ratings = [{"hypothesis": str(claim.ref), "value": "VERY"}]

        response = worker.post("/hypotheses/ratings", {"evidence": str(evidence.ref), "ratings": ratings})

        assert response.status_code == 422

    def test_of_another_workspace_is_not_found(self, worker: Caller) -> None:
        assert worker.get("/hypotheses/matrix", shoebox=str(make_shoebox().ref)).status_code == 404


class TestContrary:
    def test_is_sought_and_recorded_even_when_nothing_is_found(self, worker: Caller, shoebox: Shoebox) -> None:
        hypothesis = make_hypothesis(shoebox)

        response = worker.post(f"/hypotheses/{hypothesis.public_id}/contrary", {})

        assert response.status_code == 201
        assert response.json()["sought"][0]["query"] == hypothesis.claim
        assert response.json()["sought"][0]["refs"] == []


class TestEditRepresentation:
    def patch(self, caller: Caller, id: str, body: dict[str, Any], **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return caller.client.patch(
            f"/api/v1/representations/{id}", json.dumps(body), content_type="application/json",
            headers={**caller.headers, **named},
        )  # fmt: skip

    def test_changes_rows_against_the_version_that_was_read(self, worker: Caller, shoebox: Shoebox) -> None:
        made = worker.post("/representations", {"kind": "risks", "shoebox": str(shoebox.ref), "body": {}}).json()
        body = {"body": {"rows": [{"risk": "Two work trees meet.", "likelihood": "likely"}]}}

        without = self.patch(worker, made["id"], body)
        changed = self.patch(worker, made["id"], body, If_Match='"1"')
        stale = self.patch(worker, made["id"], body, If_Match='"1"')

        assert [one.status_code for one in (without, changed, stale)] == [428, 200, 412]
        assert changed.json()["body"]["rows"][0]["risk"] == "Two work trees meet."
        assert changed.headers["ETag"] == '"2"'

    def test_leaves_what_others_made_to_them(self, client: Client, worker: Caller, shoebox: Shoebox) -> None:
        made = worker.post("/representations", {"kind": "risks", "shoebox": str(shoebox.ref), "body": {}}).json()
        other = Caller(client, make_token(shoebox.workspace, name="reviewer")[1])

        assert self.patch(other, made["id"], {"title": "Mine"}, If_Match='"1"').status_code == 403
