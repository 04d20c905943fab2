"""Evidence over JSON: Workers offer, the gate answers, people judge."""

import json
from typing import Any

import pytest
from django.test import Client

from evidence.models import Evidence
from tests.evidence.conftest import Desk
from tests.factories import make_evidence, make_relation, make_token, make_workspace

pytestmark = pytest.mark.django_db

DOC = "doc:docs/work-items.md"
RULE = "Unresolved `depends_on` and incoming unresolved `blocks` are queue and acceptance blockers."
URL = "/api/v1/evidence"


@pytest.fixture
def bearer(desk: Desk) -> dict[str, str]:
    return {"Authorization": f"Bearer {make_token(desk.workspace)[1]}"}


def post(client: Client, url: str, body: Any, headers: dict[str, str]) -> Any:
    return client.post(url, json.dumps(body), content_type="application/json", headers=headers)


class TestExtract:
    def test_stores_and_refuses_side_by_side(self, client: Client, desk: Desk, bearer: dict[str, str]) -> None:
        drafts = [
            {"ref": DOC, "quote": RULE, "relation": "refutes", "why": "It is the rule."},
            {"ref": DOC, "quote": RULE.replace("acceptance", "start"), "relation": "refutes"},
        ]

        response = post(client, URL, {"shoebox": str(desk.shoebox.ref), "drafts": drafts}, bearer)

        assert response.status_code == 201
        [stored], [refused] = response.json()["stored"], response.json()["refused"]
        assert response["Location"] == f"{URL}/{stored['id']}"
        assert stored["state"] == "suggested"
        assert stored["quote"] == RULE
        assert stored["trust"] == "untrusted"
        assert stored["relations"] == [{"target": str(desk.shoebox.ref), "relation": "refutes"}]
        assert stored["anchor"]["start_line"] == 7
        assert (refused["index"], refused["code"], refused["nearest"]) == (1, "not_found", RULE)
        assert refused["message"].endswith(".")

    def test_answers_200_when_nothing_was_stored(self, client: Client, desk: Desk, bearer: dict[str, str]) -> None:
        drafts = [{"ref": DOC, "quote": "Bananas ripen quickly."}]

        response = post(client, URL, {"shoebox": desk.shoebox.public_id, "drafts": drafts}, bearer)

        assert response.status_code == 200
        assert response.json()["stored"] == []

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"shoebox": "shoebox:01JD0000000000000000000000"}, "shoebox"),
            ({"drafts": []}, "drafts"),
            ({"surprise": 1}, "surprise"),
            ({"drafts": [{"ref": DOC, "quote": RULE, "reliability": "high"}]}, "drafts.0.reliability"),
        ],
    )
    def test_names_what_does_not_fit(
        self, client: Client, desk: Desk, bearer: dict[str, str], change: dict[str, Any], field: str
    ) -> None:
        body = {"shoebox": str(desk.shoebox.ref), "drafts": [{"ref": DOC, "quote": RULE}], **change}

        response = post(client, URL, body, bearer)

        assert response.status_code in {404, 422}
        assert field in response.json()["fields"]

    def test_is_closed_to_tokens_that_only_read(self, client: Client, desk: Desk) -> None:
        headers = {"Authorization": f"Bearer {make_token(desk.workspace, scope='read', name='reader')[1]}"}

        response = post(client, URL, {"shoebox": str(desk.shoebox.ref), "drafts": [{"ref": DOC}]}, headers)

        assert response.status_code == 403
        assert not Evidence.objects.exists()

    def test_has_one_effect_however_often_it_is_sent(self, client: Client, desk: Desk, bearer: dict[str, str]) -> None:
        body = {"shoebox": str(desk.shoebox.ref), "drafts": [{"ref": DOC, "quote": RULE}]}
        headers = {**bearer, "Idempotency-Key": "one-change"}

        first, again = post(client, URL, body, headers), post(client, URL, body, headers)

        assert first.json() == again.json()
        assert Evidence.objects.count() == 1


class TestList:
    def test_narrows_and_carries_caveats(self, client: Client, desk: Desk, bearer: dict[str, str]) -> None:
        refuting = make_evidence(desk.shoebox, uncommitted=True)
        make_relation(refuting, desk.shoebox.ref, "refutes")
        make_evidence(desk.shoebox, quote="Something else entirely.", state=Evidence.State.ACCEPTED)

        body = client.get(f"{URL}?relation=refutes&state=waiting&anchor=verified", headers=bearer).json()

        assert [item["ref"] for item in body["items"]] == [str(refuting.ref)]
        assert "not committed" in body["items"][0]["caveats"][0]
        assert (body["shown"], body["total"], body["truncated"]) == (1, 1, False)

    def test_pages_by_a_cursor(self, client: Client, desk: Desk, bearer: dict[str, str]) -> None:
        made = [make_evidence(desk.shoebox, quote=f"Words number {number}.") for number in range(5)]

        first = client.get(f"{URL}?limit=3", headers=bearer).json()
        rest = client.get(f"{URL}?limit=3&cursor={first['next_cursor']}", headers=bearer).json()

        assert [item["id"] for item in first["items"] + rest["items"]] == [one.public_id for one in reversed(made)]
        assert rest["next_cursor"] == ""

    def test_needs_as_many_queries_for_ten_as_for_one(
        self, client: Client, desk: Desk, bearer: dict[str, str], django_assert_max_num_queries: Any
    ) -> None:
        for number in range(10):
            make_relation(make_evidence(desk.shoebox, quote=f"Words {number} here."), desk.shoebox.ref)

        with django_assert_max_num_queries(20):
            client.get(URL, headers=bearer)

    def test_refuses_an_unknown_parameter_by_name(self, client: Client, desk: Desk, bearer: dict[str, str]) -> None:
        response = client.get(f"{URL}?colour=red", headers=bearer)

        assert response.status_code == 422
        assert response.json()["fields"] == {"colour": "unknown"}


class TestShow:
    def test_gives_the_version(self, client: Client, desk: Desk, bearer: dict[str, str]) -> None:
        evidence = make_evidence(desk.shoebox)

        response = client.get(f"{URL}/{evidence.public_id}", headers=bearer)

        assert response.json()["ref"] == str(evidence.ref)
        assert response["ETag"] == '"1"'

    def test_knows_nothing_of_other_workspaces(self, client: Client, desk: Desk, bearer: dict[str, str]) -> None:
        from tests.factories import make_shoebox

        elsewhere = make_evidence(make_shoebox(make_workspace()))

        assert client.get(f"{URL}/{elsewhere.public_id}", headers=bearer).status_code == 404


class TestReview:
    def test_is_refused_to_every_token(self, client: Client, desk: Desk, bearer: dict[str, str]) -> None:
        evidence = make_evidence(desk.shoebox)

        response = post(client, f"{URL}/{evidence.public_id}/review", {"verdict": "accept"}, bearer)

        assert response.status_code == 403
        evidence.refresh_from_db()
        assert evidence.state == "suggested"

    def test_takes_a_persons_verdict_on_the_version_they_read(self, desk: Desk) -> None:
        evidence = make_evidence(desk.shoebox)
        client = Client()
        assert desk.reviewer.user is not None
        client.force_login(desk.reviewer.user)
        url = f"{URL}/{evidence.public_id}/review"

        nameless = post(client, url, {"verdict": "accept"}, {})
        taken = post(client, url, {"verdict": "accept"}, {"If-Match": '"1"'})
        stale = post(client, url, {"verdict": "retire", "reason": "Over."}, {"If-Match": '"1"'})
        unread = client.delete(url)
        behind = client.delete(url, headers={"If-Match": '"1"'})
        undone = client.delete(url, headers={"If-Match": taken["ETag"]})

        answers = (nameless, taken, stale, unread, behind, undone)
        assert [answer.status_code for answer in answers] == [428, 201, 412, 428, 412, 200]
        assert taken["Location"] == f"{URL}/{evidence.public_id}"
        assert taken.json()["state"] == "accepted"
        assert undone.json()["state"] == "suggested"


class TestRelations:
    def test_are_set_by_the_worker_while_its_suggestion_waits(
        self, client: Client, desk: Desk, bearer: dict[str, str]
    ) -> None:
        body = {"shoebox": str(desk.shoebox.ref), "drafts": [{"ref": DOC, "quote": RULE}]}
        [stored] = post(client, URL, body, bearer).json()["stored"]
        url = f"{URL}/{stored['id']}/relations"

        body = {"target": str(desk.shoebox.ref), "relation": "refutes"}
        assert post(client, url, body, bearer).status_code == 428
        response = post(client, url, body, {**bearer, "If-Match": '"1"'})

        assert response.status_code == 201
        assert response["Location"] == f"{URL}/{stored['id']}"
        assert post(client, url, {**body, "relation": ""}, {**bearer, "If-Match": '"1"'}).status_code == 412
        assert response.json()["relations"] == [{"target": str(desk.shoebox.ref), "relation": "refutes"}]

        taken_back = post(
            client, url, {"target": str(desk.shoebox.ref), "relation": ""}, {**bearer, "If-Match": response["ETag"]}
        )
        assert taken_back.json()["relations"] == []
