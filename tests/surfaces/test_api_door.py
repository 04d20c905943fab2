"""The door of the JSON layer: who, may they, once, and the one error shape."""

import gzip
import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from tests.factories import make_owner, make_person, make_token, make_workspace
from yoimemory.access.models import Answer, Token
from yoimemory.markers.models import Marker
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db

SHAPE = {"code", "message", "hint", "fields", "request_id"}
DRAFT = {"target": "doc:docs/guide.md", "state": "stale", "reason": "The rule was withdrawn in July."}


@pytest.fixture
def workspace() -> Workspace:
    return make_workspace(slug="house")


def _worker(workspace: Workspace, scope: str = "propose") -> dict[str, str]:
    return {"Authorization": f"Bearer {make_token(workspace, scope)[1]}"}


def _post(client: Client, headers: dict[str, str], draft: Any = None, path: str = "/api/v1/markers") -> HttpResponse:
    return client.post(path, json.dumps(draft or DRAFT), content_type="application/json", headers=headers)


class TestTheDoor:
    def test_asks_for_a_token_or_a_session(self, client: Client, workspace: Workspace) -> None:
        answer = client.get("/api/v1/markers")

        assert answer.status_code == 401
        assert set(answer.json()) == SHAPE
        assert answer.json()["code"] == "unauthorized"
        assert answer["WWW-Authenticate"].startswith("Bearer")
        assert answer["X-Request-ID"] == answer.json()["request_id"]

    @pytest.mark.parametrize("header", ["Bearer yoim_wrong", "Bearer", "Basic dTpw", "yoim_x", "Bearer  "])
    def test_refuses_a_token_that_is_none(self, client: Client, workspace: Workspace, header: str) -> None:
        assert client.get("/api/v1/markers", headers={"Authorization": header}).status_code == 401

    def test_refuses_a_wrong_token_even_with_a_session(self, client: Client, workspace: Workspace) -> None:
        client.force_login(make_owner().user)

        assert client.get("/api/v1/markers", headers={"Authorization": "Bearer yoim_wrong"}).status_code == 401

    @pytest.mark.parametrize("fields", [{"revoked_at": timezone.now()}, {"expires_at": timezone.now()}])
    def test_refuses_a_token_that_ended_at_once(
        self, client: Client, workspace: Workspace, fields: dict[str, Any]
    ) -> None:
        headers = _worker(workspace)
        assert client.get("/api/v1/markers", headers=headers).status_code == 200
        Token.objects.update(**fields)

        assert client.get("/api/v1/markers", headers=headers).status_code == 401

    def test_lets_a_reader_read_only(self, client: Client, workspace: Workspace) -> None:
        headers = _worker(workspace, "read")

        assert client.get("/api/v1/markers", headers=headers).status_code == 200
        assert _post(client, headers).json()["code"] == "scope_missing"
        assert not Marker.objects.exists()

    def test_lets_a_proposer_propose(self, client: Client, workspace: Workspace) -> None:
        answer = _post(client, _worker(workspace))

        assert answer.status_code == 201
        assert answer["Location"] == f"/api/v1/markers/{answer.json()['id']}"
        assert answer.json()["status"] == "proposed"

    def test_lets_people_in_by_session_and_csrf_token(self, workspace: Workspace) -> None:
        client = Client(enforce_csrf_checks=True)
        client.force_login(make_owner().user)

        assert client.get("/api/v1/markers").status_code == 200
        assert _post(client, {}).json()["code"] == "cross_site"
        assert not Marker.objects.exists()

    def test_keeps_a_token_in_its_workspace(self, client: Client, workspace: Workspace) -> None:
        other = make_workspace(slug="other")
        marker = _post(client, _worker(other)).json()

        headers = _worker(workspace)

        assert client.get(f"/api/v1/markers/{marker['id']}", headers=headers).status_code == 404
        assert client.get("/api/v1/markers?workspace=other", headers=headers).status_code == 404
        assert client.get("/api/v1/markers?workspace=house", headers=headers).json()["total"] == 0

    def test_keeps_a_person_in_their_workspaces(self, client: Client, workspace: Workspace) -> None:
        make_workspace(slug="other")
        client.force_login(make_person(workspace).user)

        assert client.get("/api/v1/markers").status_code == 200
        assert client.get("/api/v1/markers?workspace=other").status_code == 404

    def test_no_token_asks_for_an_index(self, client: Client, workspace: Workspace) -> None:
        answer = _post(client, _worker(workspace), {"full": True}, "/api/v1/index")

        assert answer.status_code == 403
        assert answer.json()["code"] == "people_only"


class TestPacking:
    def test_is_done_for_whom_asks_and_leaves_the_version_usable(self, client: Client, workspace: Workspace) -> None:
        headers = _worker(workspace)
        for number in range(20):
            _post(client, headers, {**DRAFT, "target": f"doc:docs/guide-{number}.md"})

        packed = client.get("/api/v1/markers", headers={**headers, "Accept-Encoding": "gzip"})
        plain = client.get("/api/v1/markers", headers=headers)

        assert packed["Content-Encoding"] == "gzip"
        assert gzip.decompress(packed.content) == plain.content
        assert "Content-Encoding" not in plain
        assert "Accept-Encoding" in packed["Vary"]

    def test_is_not_done_to_pages(self, client: Client, workspace: Workspace) -> None:
        client.force_login(make_owner().user)

        assert "Content-Encoding" not in client.get("/workers/", headers={"Accept-Encoding": "gzip"})


class TestInput:
    def test_with_an_unknown_parameter_is_refused_by_name(self, client: Client, workspace: Workspace) -> None:
        answer = client.get("/api/v1/markers?colour=red", headers=_worker(workspace))

        assert answer.status_code == 422
        assert answer.json()["fields"] == {"colour": "unknown"}
        assert "limit" in answer.json()["hint"]

    def test_with_an_unknown_field_is_refused_by_name(self, client: Client, workspace: Workspace) -> None:
        answer = _post(client, _worker(workspace), {**DRAFT, "colour": "red"})

        assert answer.status_code == 422
        assert answer.json()["fields"] == {"colour": "unknown"}

    def test_names_each_field_that_does_not_fit(self, client: Client, workspace: Workspace) -> None:
        answer = _post(client, _worker(workspace), {"target": "x", "state": "old"})

        assert answer.status_code == 422
        assert set(answer.json()["fields"]) == {"target", "state", "reason"}
        assert set(answer.json()) == SHAPE

    @pytest.mark.parametrize("body", ["{", "[1]", '"x"', "null"])
    def test_that_is_no_object_is_refused(self, client: Client, workspace: Workspace, body: str) -> None:
        answer = client.post("/api/v1/markers", body, content_type="application/json", headers=_worker(workspace))

        assert answer.status_code in {400, 422}
        assert set(answer.json()) == SHAPE

    def test_of_the_domain_is_refused_in_the_shape(self, client: Client, workspace: Workspace) -> None:
        headers = _worker(workspace)
        _post(client, headers)

        answer = _post(client, headers)

        assert answer.status_code == 409
        assert answer.json()["code"] == "already_marked"
        assert answer.json()["hint"]

    @pytest.mark.parametrize("path", ["/api/v1/markers/01NOPE", "/api/v1/nothing", "/api/v1/", "/api/"])
    def test_that_names_nothing_is_answered_in_the_shape(self, client: Client, workspace: Workspace, path: str) -> None:
        answer = client.get(path, headers=_worker(workspace))

        assert answer.status_code == 404
        assert set(answer.json()) == SHAPE

    def test_by_another_method_is_answered_in_the_shape(self, client: Client, workspace: Workspace) -> None:
        answer = client.delete("/api/v1/markers", headers=_worker(workspace))

        assert answer.status_code == 405
        assert answer.json()["code"] == "method_not_allowed"
        assert "GET" in answer["Allow"]

    @pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=1000000000", "limit=x", "cursor=abc", "cursor=1"])
    def test_out_of_bounds_is_refused(self, client: Client, workspace: Workspace, query: str) -> None:
        assert client.get(f"/api/v1/markers?{query}", headers=_worker(workspace)).status_code == 422


class TestPages:
    def test_of_a_list_are_stable_while_rows_are_added(self, client: Client, workspace: Workspace) -> None:
        headers = _worker(workspace)
        for number in range(5):
            _post(client, headers, {**DRAFT, "target": f"doc:docs/{number}.md"})

        first = client.get("/api/v1/markers?limit=2", headers=headers).json()
        _post(client, headers, {**DRAFT, "target": "doc:docs/new.md"})
        second = client.get(f"/api/v1/markers?limit=2&cursor={first['next_cursor']}", headers=headers).json()
        third = client.get(f"/api/v1/markers?limit=2&cursor={second['next_cursor']}", headers=headers).json()

        seen = [item["target"] for page in (first, second, third) for item in page["items"]]
        assert seen == [f"doc:docs/{number}.md" for number in (4, 3, 2, 1, 0)]
        assert (first["shown"], first["total"], first["truncated"]) == (2, 5, True)
        assert (third["truncated"], third["next_cursor"], third["total"]) == (False, "", 6)


class TestAKey:
    def test_has_one_effect(self, client: Client, workspace: Workspace) -> None:
        headers = {**_worker(workspace), "Idempotency-Key": "one"}

        first, again = _post(client, headers), _post(client, headers)

        assert (first.status_code, again.status_code) == (201, 201)
        assert first.json() == again.json()
        assert again["Location"] == first["Location"]
        assert again["Idempotency-Replayed"] == "true"
        assert Marker.objects.count() == 1

    def test_of_another_body_is_refused(self, client: Client, workspace: Workspace) -> None:
        headers = {**_worker(workspace), "Idempotency-Key": "one"}
        _post(client, headers)

        answer = _post(client, headers, {**DRAFT, "reason": "Something else."})

        assert answer.status_code == 422
        assert answer.json()["code"] == "key_reused"

    def test_is_the_callers_own(self, client: Client, workspace: Workspace) -> None:
        other = {**DRAFT, "target": "doc:docs/other.md"}

        first = _post(client, {**_worker(workspace), "Idempotency-Key": "one"})
        second = _post(client, {**_worker(workspace), "Idempotency-Key": "one"}, other)

        assert (first.status_code, second.status_code) == (201, 201)

    def test_is_free_again_after_a_refusal(self, client: Client, workspace: Workspace) -> None:
        headers = {**_worker(workspace), "Idempotency-Key": "one"}
        refused = _post(client, headers, {**DRAFT, "state": "superseded"})

        answer = _post(client, headers, {**DRAFT, "state": "superseded", "by_ref": "doc:docs/new.md"})

        assert (refused.status_code, answer.status_code) == (422, 201)

    def test_waits_for_its_first_request(self, client: Client, workspace: Workspace) -> None:
        headers = {**_worker(workspace), "Idempotency-Key": "one"}
        _post(client, headers)
        Answer.objects.update(status=None)

        assert _post(client, headers).json()["code"] == "still_running"

        Answer.objects.update(at=timezone.now() - timedelta(minutes=10))
        assert _post(client, headers).json()["code"] == "outcome_unknown"
        assert Marker.objects.count() == 1

    def test_is_forgotten_in_time(self, client: Client, workspace: Workspace) -> None:
        headers = {**_worker(workspace), "Idempotency-Key": "one"}
        _post(client, headers)
        Answer.objects.update(at=timezone.now() - timedelta(days=3))

        assert _post(client, headers).json()["code"] == "already_marked"


class TestTheReference:
    def test_lists_nothing_that_is_not_there(self, client: Client, workspace: Workspace) -> None:
        headers = _worker(workspace)
        schema = client.get("/api/v1/openapi.json").json()

        answers = {
            f"{method} {path}": client.generic(
                method.upper(), re.sub(r"\{\w+\}", "x", path), "{}", "application/json", headers=headers
            ).status_code
            for path, operations in schema["paths"].items()
            for method in operations
        }

        assert len(answers) > 30
        assert [named for named, status in answers.items() if status == 405] == []

    def test_is_published_for_machines(self, client: Client) -> None:
        schema = client.get("/api/v1/openapi.json").json()

        assert schema["openapi"].startswith("3.1")
        assert schema["paths"]["/api/v1/markers"]["post"]["operationId"] == "mark_staleness"
        names = [operation["operationId"] for path in schema["paths"].values() for operation in path.values()]
        assert len(names) == len(set(names))

    def test_is_readable_for_people_without_anything_from_outside(self, client: Client) -> None:
        page = client.get("/api/v1/docs")

        text = page.content.decode()
        assert page.status_code == 200
        assert "mark_staleness" in text
        assert "Authorization: Bearer" in text
        assert "cdn" not in text
        assert "<script>" not in text
