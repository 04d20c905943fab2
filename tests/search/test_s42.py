"""S42: what people type is found or is nothing, on the page, over JSON and MCP and at the terminal, never an error."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django.fixtures import Settings

from tests.factories import NOON, make_owner, make_token
from tests.search.s42_cases import CASES, DOCUMENTS, HARMLESS
from tests.search.shelf import Shelf, doc
from yoimemory.cli import main
from yoimemory.mcp.caller import Caller, identify
from yoimemory.mcp.server import call
from yoimemory.search.schemas import SearchQuery
from yoimemory.search.services import search_sources

pytestmark = pytest.mark.django_db


@pytest.fixture
def six(shelf: Shelf) -> Shelf:
    for ref, text in DOCUMENTS.items():
        shelf.put(doc(ref, text))
    shelf.index()
    return shelf


@pytest.fixture
def person(client: Client) -> Client:
    client.force_login(make_owner().user)
    return client


@pytest.fixture
def worker(six: Shelf) -> Client:
    return Client(headers={"authorization": f"Bearer {make_token(six.workspace)[1]}"})


class TestOnThePage:
    @pytest.mark.parametrize(("text", "ref"), CASES)
    def test_finds_what_it_should(self, six: Shelf, person: Client, text: str, ref: str) -> None:
        answer = person.get(reverse("desk:search"), {"q": text, "stay": "1"})

        assert [hit.source for hit in answer.context["answer"].items] == [ref]

    def test_answers_everything(self, six: Shelf, person: Client) -> None:
        for text in HARMLESS:
            sent = text.encode("utf-8", "replace").decode()
            assert person.get(reverse("desk:search"), {"q": sent}).status_code in (200, 302), repr(text[:40])


class TestOverJson:
    @pytest.mark.parametrize(("text", "ref"), CASES)
    def test_finds_what_it_should(self, worker: Client, text: str, ref: str) -> None:
        by_address = worker.get("/api/v1/search", {"q": text}).json()
        by_body = worker.post("/api/v1/search", json.dumps({"q": text}), content_type="application/json").json()

        assert [hit["source"] for hit in by_address["items"]] == [ref]
        assert [hit["source"] for hit in by_body["items"]] == [ref]

    def test_answers_everything(self, worker: Client) -> None:
        for text in HARMLESS:
            answer = worker.post("/api/v1/search", json.dumps({"q": text}), content_type="application/json")
            assert answer.status_code == (200 if text.strip() else 422), repr(text[:40])


class TestOverMcp:
    @pytest.fixture
    def caller(self, six: Shelf) -> Caller:
        return identify(make_token(six.workspace)[1], {})

    @pytest.mark.parametrize(("text", "ref"), CASES)
    def test_finds_what_it_should(self, caller: Caller, text: str, ref: str) -> None:
        answer = call("search_sources", {"query": text}, caller)

        assert answer.structured_content is not None
        assert not answer.is_error
        assert [hit["source"] for hit in answer.structured_content["items"]] == [ref]

    def test_answers_everything(self, caller: Caller) -> None:
        for text in HARMLESS:
            answer = call("search_sources", {"query": text}, caller)
            assert answer.is_error is not bool(text.strip()), repr(text[:40])


class TestAtTheTerminal:
    @pytest.fixture(autouse=True)
    def here(self, six: Shelf, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("yoimemory.cli.run.make_ready", lambda *args, **kwargs: None, raising=False)

    @pytest.mark.parametrize(("text", "ref"), CASES)
    def test_finds_what_it_should(self, six: Shelf, capsys: Any, text: str, ref: str) -> None:
        code = main(["search", "--json", "--workspace", six.workspace.slug, "--", text])
        out = json.loads(capsys.readouterr().out)

        assert code == 0
        assert [hit["source"] for hit in out["items"]] == [ref]

    def test_answers_everything(self, six: Shelf, capsys: Any) -> None:
        for text in HARMLESS:
            if text.strip() and "\0" not in text:
                code = main(["search", "--json", "--workspace", six.workspace.slug, "--", text])
                assert code in (0, 1), repr(text[:40])
        assert "Traceback" not in capsys.readouterr().err


class TestAnythingTyped:
    @given(
        text=st.one_of(
            st.text(max_size=60),
            st.lists(
                st.sampled_from(["lock", '"', "-", "kind:", "AND", "(", "*", "日", "before:", "id:", "\ud800"])
            ).map(" ".join),
        ).filter(str.strip)
    )
    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_is_words_or_nothing_and_never_an_error(self, six: Shelf, text: str) -> None:
        answer = search_sources(SearchQuery(query=text), workspace=six.workspace, now=NOON)

        assert bool(answer.items) is (answer.nothing == "")
