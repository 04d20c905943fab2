"""Searching over JSON, as a Worker does."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.factories import make_token
from tests.search.shelf import Shelf, commit, doc
from tests.search.test_search_sources import put_six, put_two
from tests.surfaces.payloads import hostile_lists
from yoimemory.search.api import SearchParams
from yoimemory.search.filters import SearchFilter

pytestmark = pytest.mark.django_db

NAMES = {
    "q", "kinds", "path", "authority", "author", "speaker", "since", "until", "as_of", "revision", "stance", "limit",
    "per_source", "cursor", "budget",
}  # fmt: skip


@dataclass
class Worker:
    """A Worker with a token that may only read."""

    client: Client
    headers: dict[str, str]

    def get(self, **params: Any) -> Any:
        return self.client.get("/api/v1/search", params, headers=self.headers)

    def post(self, **body: Any) -> Any:
        return self.client.post("/api/v1/search", json.dumps(body), "application/json", headers=self.headers)


@pytest.fixture
def worker(shelf: Shelf, client: Client) -> Worker:
    client.raise_request_exception = True
    return Worker(client, {"Authorization": f"Bearer {make_token(shelf.workspace, 'read')[1]}"})


class TestSearchApi:
    def test_answers_the_envelope_by_address_and_by_body(self, shelf: Shelf, worker: Worker) -> None:
        put_two(shelf)

        by_address, by_body = worker.get(q="lock", kinds=["doc", "session"]), worker.post(q="lock")

        for answer in (by_address, by_body):
            assert answer.status_code == 200
            body = answer.json()
            assert {"items", "shown", "total", "truncated", "next_cursor", "index", "nothing"} <= set(body)
            assert {"ref", "title", "kind", "authority", "snippet", "score", "why", "caveats", "date"} <= set(
                body["items"][0]
            )
            assert body["total"] == 2
            assert body["index"]["behind"] == 0

    def test_takes_long_text_and_leaves_out_what_it_is_told(self, shelf: Shelf, worker: Worker) -> None:
        put_two(shelf)

        answer = worker.post(text="The lock\n\n" + "The lock is old. " * 400, exclude=["doc:docs/a.md"])

        assert [hit["source"] for hit in answer.json()["items"]] == ["session:plain/log"]

    @pytest.mark.parametrize("edge", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
    @pytest.mark.parametrize("name", ["since", "until", "as_of"])
    def test_refuses_an_instant_beyond_the_calendar_by_name(
        self, shelf: Shelf, worker: Worker, name: str, edge: str
    ) -> None:
        put_two(shelf)

        answer = worker.get(q="lock", **{name: edge})

        assert answer.status_code == 422
        assert list(answer.json()["fields"]) == [name]

    def test_pages_with_its_cursor(self, shelf: Shelf, worker: Worker) -> None:
        put_two(shelf)
        first = worker.get(q="lock", limit=1).json()

        second = worker.get(q="lock", limit=1, cursor=first["next_cursor"]).json()

        assert first["truncated"]
        assert not second["truncated"]
        assert first["items"][0]["source"] != second["items"][0]["source"]

    @pytest.mark.parametrize(
        ("params", "field"),
        [
            ({"q": "lock", "kinds": "nonsense"}, "kinds"),
            ({"q": "lock", "authority": "nonsense"}, "authority"),
            ({"q": "lock", "speaker": "nonsense"}, "speaker"),
            ({"q": "lock", "stance": "nonsense"}, "stance"),
            ({"q": "lock", "limit": "0"}, "limit"),
            ({"q": "lock", "limit": "201"}, "limit"),
            ({"q": "lock", "as_of": "soon"}, "as_of"),
            ({"q": "lock", "colour": "red"}, "colour"),
            ({"q": "lock", "cursor": "abc"}, "cursor"),
            ({}, "q"),
        ],
    )
    def test_refuses_what_is_ill_typed_by_name(
        self, shelf: Shelf, worker: Worker, params: dict[str, str], field: str
    ) -> None:
        answer = worker.get(**params)

        assert answer.status_code == 422
        assert field in answer.json()["fields"]
        assert answer.json()["message"].endswith(".")

    def test_refuses_a_field_that_only_a_body_has(self, shelf: Shelf, worker: Worker) -> None:
        assert worker.get(q="lock", text="x").status_code == 422
        assert worker.post(q="lock", query="x").json()["fields"] == {"query": "unknown"}
        assert worker.post(q="lock", exclude=["nonsense"]).json()["fields"] == {"exclude": "not a ref"}

    def test_needs_a_token(self, shelf: Shelf, client: Client) -> None:
        assert client.get("/api/v1/search", {"q": "x"}).status_code == 401

    def test_has_the_names_that_scripts_rely_on(self) -> None:
        assert set(SearchParams.model_fields) == NAMES | {"languages", "states", "order", "shoebox"}

    def test_shares_its_names_with_the_facets_of_the_page(self) -> None:
        assert set(SearchFilter.base_filters) - {"states", "languages"} <= NAMES


class TestAnySearchText:
    def test_is_answered(self, shelf: Shelf, worker: Worker, tmp_path: Path) -> None:
        put_six(shelf)

        for text in hostile_lists(tmp_path)["search_queries"]:
            for answer in (
                worker.post(q=text),
                *([worker.get(q=text)] if text.isascii() and len(text) < 5_000 else []),
            ):
                assert answer.status_code == (200 if text.strip() else 422), repr(text[:40])

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("POL-358", "multi"),
            ("multi-agent", "multi"),
            ("a:b", "multi"),
            ("grammar::fa", "multi"),
            ("38.101", "multi"),
            ("C++", "multi"),
            ("C#", "multi"),
            ("@home", "multi"),
            ("50%", "multi"),
            ("a_b", "multi"),
            ('a"b', "multi"),
            ("日", "ja"),
            ("日本", "ja"),
            ("日本語", "ja"),
            ("本", "ja"),
            ("ﾊﾝｶｸ", "ja"),
            ("ÉCOLE", "ja"),
            ("école", "ja"),
            ("😀", "ja"),
        ],
    )
    def test_finds_what_it_should(self, shelf: Shelf, worker: Worker, text: str, found: str) -> None:
        shelf.put(doc("doc:multi.md", 'POL-358 multi-agent a:b grammar::fa 38.101 C++ C# @home 50% a_b a"b'))
        shelf.put(doc("doc:ja.md", "日本語で ハンカク と École 😀"))
        shelf.put(doc("doc:other.md", "nothing of it, and 51 percent of 39.102"))
        shelf.index()

        items = worker.post(q=text).json()["items"]

        assert [hit["source"] for hit in items] == [f"doc:{found}.md"]

    def test_that_names_a_commit_by_its_start_goes_there(self, shelf: Shelf, worker: Worker) -> None:
        shelf.log = [commit("c0ffee12" * 5, "Brew")]
        shelf.index()

        assert worker.get(q="c0ffee12").json()["direct"] == "commit:" + "c0ffee12" * 5
