"""Who reaches what: every role on every route of the URL map, made from the map itself (S30)."""

import re
from collections.abc import Iterator

import pytest
from django.http import HttpResponse
from django.test import Client

from hypotheses.schemas import RepresentationDraft
from hypotheses.services import create_representation
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_item,
    make_person,
    make_shoebox,
    make_token,
    make_workspace,
)
from tests.surfaces.test_street_door import ROUTES, _routes
from yoimemory.access.models import Token
from yoimemory.api import PEOPLE_ONLY, READS, api
from yoimemory.desk.middleware import OPEN_TO_ALL
from yoimemory.markers.schemas import MarkerDraft
from yoimemory.markers.services import mark_staleness
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db

SECRET = "heron-nobody-else-may-read"
PAGES = [route for route in ROUTES if not route.startswith(("/api/", "/admin/", "/static/"))]
CLOSED = [route for route in PAGES if not route.startswith(OPEN_TO_ALL)]
OUT = {302, 401, 404, 405}


class Other:
    """A workspace of other people, with one of everything, and the id of each by the first step of its address."""

    def __init__(self) -> None:
        workspace = make_workspace(slug="other")
        person = make_person(workspace, name="other-reviewer")
        shoebox = make_shoebox(workspace, question=f"What of the {SECRET}?")
        item = make_item(shoebox, rationale=SECRET)
        evidence = make_evidence(shoebox, quote=f"They wrote of the {SECRET} here.", why=SECRET)
        claim = make_hypothesis(shoebox, claim=f"It is the {SECRET}.")
        draft = RepresentationDraft(kind="risks", shoebox=shoebox.public_id, title=SECRET, body={})
        made = create_representation(draft, workspace=workspace, actor=person, now=NOON)
        target = MarkerDraft(target="doc:docs/guide.md", state="stale", reason=SECRET)
        marker = mark_staleness(target, workspace=workspace, actor=person, now=NOON)
        token, self.secret = make_token(workspace, name=SECRET)
        self.workspace: Workspace = workspace
        self.ids = {
            "shoeboxes": shoebox.public_id, "evidence": evidence.public_id, "hypotheses": claim.public_id,
            "representations": made.public_id, "markers": marker.public_id, "workers": token.public_id,
            "items": item.public_id, "matrix": shoebox.public_id,
        }  # fmt: skip

    def routes(self) -> Iterator[str]:
        """Every address that names a record, with the ids of this workspace."""
        for route in _routes():
            path = re.sub(r"<int:[^>]+>", "1", route)
            if "<" not in path or re.search(r"[()\\?*^$]", path) or path.startswith(("/admin/", "/start/")):
                continue
            steps = path.strip("/").split("/")
            filled = [
                self.ids.get(steps[place - 1], self.ids["evidence"]) if re.fullmatch("<[^>]+>", step) else step
                for place, step in enumerate(steps)
            ]
            named = "/".join(re.sub("<[^>]+>", "json", step) for step in filled)
            if named != re.sub("<[^>]+>", "json", path.strip("/")):  # else it names a format, no record
                yield f"/{named}/" if path.endswith("/") else f"/{named}"


@pytest.fixture
def other() -> Other:
    return Other()


@pytest.fixture
def workspace() -> Workspace:
    return make_workspace(slug="house")


def logged_in(workspace: Workspace, role: str) -> Client:
    client = Client()
    client.force_login(make_person(workspace, role=role, name=f"{role}-here").user)  # type: ignore[arg-type]
    return client


def asked(client: Client, method: str, route: str, **headers: str) -> HttpResponse:
    kind = "application/json" if route.startswith("/api/") else "application/x-www-form-urlencoded"
    return client.generic(method, route, "{}" if kind.endswith("json") else "", content_type=kind, headers=headers)


class TestNobody:
    def test_sees_a_page_of_the_house(self, workspace: Workspace) -> None:
        assert len(CLOSED) > 60
        for route in CLOSED:
            for method in ("GET", "POST"):
                answer = asked(Client(), method, route)
                assert answer.status_code == 302, (method, route)
                assert answer["Location"].startswith("/login/"), (method, route)

    def test_calls_an_operation(self, workspace: Workspace) -> None:
        for path, methods in api.get_openapi_schema(path_prefix="/api/v1/")["paths"].items():
            for method in methods:
                route = re.sub(r"\{[^}]+\}", "01JZZZZZZZZZZZZZZZZZZZZZZZ", path)
                assert asked(Client(), method.upper(), route).status_code == 401, (method, route)


class TestAWorker:
    @pytest.mark.parametrize("scope", list(Token.Scope.values))
    def test_reaches_no_page_and_no_admin(self, workspace: Workspace, scope: str) -> None:
        _, secret = make_token(workspace, scope)
        for route in (*CLOSED, "/admin/", "/admin/evidence/evidence/", "/admin/access/token/"):
            answer = asked(Client(), "GET", route, Authorization=f"Bearer {secret}")
            assert (answer.status_code, answer["Location"][:7]) == (302, "/login/"), route

    @pytest.mark.parametrize("scope", list(Token.Scope.values))
    def test_is_refused_what_its_scope_does_not_cover(self, workspace: Workspace, scope: str) -> None:
        _, secret = make_token(workspace, scope)
        refused = {}
        for path, methods in api.get_openapi_schema(path_prefix="/api/v1/")["paths"].items():
            for method, operation in methods.items():
                name = operation["operationId"]
                route = re.sub(r"\{[^}]+\}", "01JZZZZZZZZZZZZZZZZZZZZZZZ", path)
                answer = asked(Client(), method.upper(), route, Authorization=f"Bearer {secret}")
                assert answer.status_code < 500, (method, route)
                writes = method != "get" and name not in READS
                expected = "people_only" if name in PEOPLE_ONLY else "scope_missing" if writes else ""
                if scope == "propose" and expected == "scope_missing":
                    expected = ""
                refused[name] = (answer.status_code == 403, answer.json().get("code") if expected else "") == (
                    bool(expected), expected,
                )  # fmt: skip

        assert [name for name, right in refused.items() if not right] == []

    def test_of_another_workspace_reads_nothing_of_this_one(self, workspace: Workspace, other: Other) -> None:
        _, secret = make_token(workspace, "propose")
        for route in (route for route in other.routes() if route.startswith("/api/")):
            for method in ("GET", "POST", "PATCH", "DELETE"):
                answer = asked(Client(), method, route, Authorization=f"Bearer {secret}", **{"If-Match": '"1"'})
                assert answer.status_code in {403, 404, 405, 422, 428}, (method, route)
                assert SECRET not in answer.content.decode(), (method, route)
                assert method != "GET" or answer.status_code in {404, 405}, route


class TestAPerson:
    @pytest.mark.parametrize("role", ["member", "reviewer"])
    def test_of_another_workspace_reads_and_changes_nothing_of_this_one(
        self, workspace: Workspace, other: Other, role: str
    ) -> None:
        client = logged_in(workspace, role)
        for route in (route for route in other.routes() if not route.startswith("/api/")):
            for method in ("GET", "POST"):
                answer = asked(client, method, route)
                assert answer.status_code in {302, 404, 405, 409, 422, 403}, (method, route, answer.status_code)
                assert SECRET not in answer.content.decode(), (method, route)

    @pytest.mark.parametrize("role", ["member", "reviewer"])
    def test_sees_nothing_of_another_workspace_in_any_list(self, workspace: Workspace, other: Other, role: str) -> None:
        client = logged_in(workspace, role)
        for route in PAGES:
            for path in (route, f"{route}?workspace=other"):
                answer = client.get(path)
                assert answer.status_code < 500, path
                if answer.get("Content-Type", "").startswith("text/"):
                    assert SECRET not in b"".join(answer).decode("utf-8", "replace"), path

    def test_without_a_role_reaches_no_record(self, other: Other) -> None:
        client = logged_in(make_workspace(slug="third"), "member")
        client.post("/workspace/", {"workspace": "other"})

        for route in (route for route in other.routes() if not route.startswith("/api/")):
            answer = client.get(route)
            assert answer.status_code in {302, 404, 405}, route
            assert SECRET not in answer.content.decode(), route

    def test_who_is_no_owner_reaches_no_admin(self, workspace: Workspace) -> None:
        for role in ("member", "reviewer"):
            client = logged_in(workspace, role)
            for model in ("evidence/evidence", "access/token", "markers/marker"):
                answer = client.get(f"/admin/{model}/")
                assert answer.status_code in OUT | {403}, (role, model)
