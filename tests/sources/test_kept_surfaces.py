"""Records, messages and places over JSON and on their pages: one verb each, and who may."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.factories import make_owner, make_person, make_token, make_workspace
from yoimemory.access.models import Actor
from yoimemory.sources.models import AddedSource, Message, Snapshot, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "index"])

WORKER_7 = {"system": "runtime", "id": "worker-7", "body": {"status": "running", "steps": [1, 2]}}


@pytest.fixture
def home(tmp_path: Path) -> Workspace:
    (tmp_path / "workspace").mkdir()
    return make_workspace(tmp_path / "workspace")


def page_of(actor: Actor) -> Client:
    client = Client()
    assert actor.user is not None
    client.force_login(actor.user)
    return client


def call(home: Workspace, method: str, path: str, body: Any = None, *, scope: str = "propose", key: str = "k") -> Any:
    secret = make_token(home, scope)[1]
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": key}
    data = json.dumps(body) if body is not None else None
    return Client().generic(method, f"/api/v1{path}", data or "", content_type="application/json", headers=headers)


class TestRecordsOverJson:
    def test_are_kept_listed_shown_and_opened(self, home: Workspace) -> None:
        made = call(home, "POST", "/records", WORKER_7)

        assert made.status_code == 201
        shown = call(home, "GET", made["Location"].removeprefix("/api/v1")).json()
        listed = call(home, "GET", "/records?record=record:runtime/worker-7").json()
        opened = call(home, "GET", f"/open?ref={made.json()['ref']}%23/steps/1").json()
        assert shown["body"] == WORKER_7["body"]
        assert [row["ref"] for row in listed["items"]] == [made.json()["ref"]]
        assert opened["text"].strip() == "2"
        assert opened["ref"] == made.json()["ref"] + "#/steps/1"

    def test_answer_200_where_nothing_changed(self, home: Workspace) -> None:
        call(home, "POST", "/records", WORKER_7)

        again = call(home, "POST", "/records", WORKER_7, key="other")

        assert (again.status_code, again.json()["unchanged"]) == (200, True)

    def test_are_refused_to_a_token_that_may_only_read(self, home: Workspace) -> None:
        assert call(home, "POST", "/records", WORKER_7, scope="read").status_code == 403
        assert not Snapshot.objects.exists()

    def test_name_the_field_that_does_not_fit(self, home: Workspace) -> None:
        answer = call(home, "POST", "/records", {**WORKER_7, "system": "../x"})

        assert answer.status_code == 422
        assert "system" in answer.json()["fields"]


class TestMessagesOverJson:
    def test_are_kept_as_passed_on_by_the_worker(self, home: Workspace) -> None:
        made = call(home, "POST", "/messages", {"text": "Keep it.", "said_by": "hana"})

        assert made.status_code == 201
        assert made.json()["relayed"]
        opened = call(home, "GET", f"/open?ref={made.json()['ref']}").json()
        assert opened["text"] == "Keep it."
        assert any("Passed on by" in caveat for caveat in opened["caveats"])

    def test_cannot_be_changed(self, home: Workspace) -> None:
        path = call(home, "POST", "/messages", {"text": "Keep it.", "said_by": "hana"})["Location"]

        for method in ("PUT", "PATCH", "DELETE"):
            assert call(home, method, path.removeprefix("/api/v1"), {"text": "x"}, key=method).status_code == 405


class TestMessagePage:
    def test_keeps_the_words_and_shows_them_as_a_source(self, home: Workspace) -> None:
        page = page_of(make_person(home, "member", name="hana"))

        answer = page.post("/messages/capture/", {"text": "Keep it.\r\nAsk me first."}, follow=True)

        message = Message.objects.get()
        assert (message.text, message.said_by, message.relayed) == ("Keep it.\nAsk me first.", "hana", False)
        assert answer.status_code == 200
        assert f"The message is kept as {message.ref}." in answer.text

    def test_asks_again_where_there_are_no_words(self, home: Workspace) -> None:
        answer = page_of(make_person(home)).post("/messages/capture/", {"text": ""})

        assert answer.status_code == 422


class TestPlacesPage:
    def test_shows_what_would_be_read_before_anything_is_added(self, home: Workspace, tmp_path: Path) -> None:
        (tmp_path / "one.json").write_text("{}")
        page = page_of(make_owner())
        place = {"path": str(tmp_path), "kind": "record", "format": ""}

        preview = page.post("/sources/places/add/", place)

        assert "one.json" in preview.text
        assert not AddedSource.objects.exists()
        added = page.post("/sources/places/add/", {**place, "seen": "yes"})
        assert added.status_code == 302
        assert AddedSource.objects.get().path == str(tmp_path)

    def test_is_an_owners_alone(self, home: Workspace, tmp_path: Path) -> None:
        page = page_of(make_person(home, "reviewer"))

        answer = page.post(
            "/sources/places/add/", {"path": str(tmp_path), "kind": "record", "format": "", "seen": "yes"}
        )

        assert answer.status_code == 409
        assert not AddedSource.objects.exists()

    def test_takes_a_place_away(self, home: Workspace, tmp_path: Path) -> None:
        page = page_of(make_owner())
        page.post("/sources/places/add/", {"path": str(tmp_path), "kind": "record", "format": "", "seen": "yes"})

        page.post("/sources/places/remove/", {"path": str(tmp_path), "kind": "record"})

        assert not AddedSource.objects.exists()

    def test_is_closed_to_tokens(self, home: Workspace, tmp_path: Path) -> None:
        answer = call(home, "POST", "/sources", {"path": str(tmp_path), "kind": "record"})

        assert answer.status_code == 403
        assert not AddedSource.objects.exists()
