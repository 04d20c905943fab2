"""Every list of the JSON layer is given out in pages, and says where to go on."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from evidence.models import Evidence, Placement
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox
from tests.factories import NOON, make_evidence, make_hypothesis, make_relation, make_shoebox, make_token

pytestmark = pytest.mark.django_db

OPENAPI = json.loads((Path(__file__).resolve().parents[2] / "docs" / "openapi.json").read_text(encoding="utf-8"))
PAGED = {"cursor", "limit"}
OTHERWISE = {
    "show_shoebox": "a cursor, and a budget of characters where others have a number of rows",
    "list_recent_searches": "the last few only: older ones are let go",
    "export_artifact": "the artifact whole, as a file that is handed on",
}
"""Lists without both parameters, and why."""


def shape_of(operation: dict[str, Any]) -> dict[str, Any]:
    """What an operation answers when it goes well."""
    content = operation["responses"].get("200", {}).get("content", {}).get("application/json", {})
    shape: dict[str, Any] = content.get("schema", {})
    name = shape.get("$ref", "").rpartition("/")[2]
    return OPENAPI["components"]["schemas"][name] if name else shape


def lists() -> dict[str, dict[str, Any]]:
    """The operations that answer rows: a bare list, or an envelope with items."""
    read = [path["get"] for path in OPENAPI["paths"].values() if "get" in path]
    shapes = {one["operationId"]: (one, shape_of(one)) for one in read}
    return {
        name: one
        for name, (one, shape) in shapes.items()
        if shape.get("type") == "array" or {"items", "next_cursor", "findings"} & set(shape.get("properties", {}))
    }


class TestEveryList:
    def test_is_known_here(self) -> None:
        assert {"list_evidence", "list_reviews", "list_placements", "search_sources"} <= set(lists())
        assert set(OTHERWISE) <= set(lists())

    @pytest.mark.parametrize("name", sorted(lists()))
    def test_takes_a_cursor_and_a_limit(self, name: str) -> None:
        operation = lists()[name]

        taken = {parameter["name"] for parameter in operation.get("parameters", [])}

        assert taken >= PAGED or name in OTHERWISE

    @pytest.mark.parametrize("name", sorted(set(lists()) - set(OTHERWISE) - {"diagnose"}))
    def test_says_whether_there_is_more_and_where_to_go_on(self, name: str) -> None:
        assert {"truncated", "next_cursor"} <= set(shape_of(lists()[name])["properties"])


@pytest.fixture
def box() -> Shoebox:
    return make_shoebox(as_of=NOON)


@pytest.fixture
def headers(box: Shoebox) -> dict[str, str]:
    return {"Authorization": f"Bearer {make_token(box.workspace, 'read')[1]}"}


def pages(client: Client, path: str, headers: dict[str, str], limit: int) -> list[dict[str, Any]]:
    """All pages of a list, as a client walks them."""
    found: list[dict[str, Any]] = []
    cursor = ""
    while not found or cursor:
        further = f"&cursor={cursor}" if cursor else ""
        answer = client.get(f"{path}?limit={limit}{further}", headers=headers)
        assert answer.status_code == 200
        found.append(answer.json())
        cursor = found[-1]["next_cursor"]
        assert bool(cursor) == found[-1]["truncated"]
        assert len(found) < 20
    return found


def waiting(box: Shoebox) -> list[Evidence]:
    """Five pieces that wait, in the order in which they are reviewed."""
    claim: Hypothesis = make_hypothesis(box)
    plain, other = make_evidence(box), make_evidence(box)
    supports = make_evidence(box)
    make_relation(supports, claim.ref, relation="supports")
    early, late = make_evidence(box), make_evidence(box)
    for piece in (early, late):
        make_relation(piece, claim.ref, relation="refutes")
    return [late, early, supports, other, plain]


class TestReviews:
    def test_come_in_their_order_from_page_to_page(self, client: Client, box: Shoebox, headers: dict[str, str]) -> None:
        order = [piece.public_id for piece in waiting(box)]

        found = pages(client, "/api/v1/reviews", headers, 2)

        assert [one["evidence"]["id"] for page in found for one in page["items"]] == order
        assert [(page["shown"], page["total"]) for page in found] == [(2, 5), (2, 5), (1, 5)]

    def test_go_on_where_they_were_when_the_last_one_was_judged_meanwhile(
        self, client: Client, box: Shoebox, headers: dict[str, str]
    ) -> None:
        order = waiting(box)
        first = client.get("/api/v1/reviews?limit=2", headers=headers).json()
        Evidence.objects.filter(pk=order[1].pk).update(state=Evidence.State.ACCEPTED)
        newer = make_evidence(box)

        second = client.get(f"/api/v1/reviews?limit=9&cursor={first['next_cursor']}", headers=headers).json()

        left = [order[2], newer, order[3], order[4]]
        assert [one["evidence"]["id"] for one in second["items"]] == [piece.public_id for piece in left]

    @pytest.mark.parametrize("query", ["limit=0", "limit=201", "cursor=x", "cursor=1:x"])
    def test_refuse_what_is_out_of_bounds(self, client: Client, headers: dict[str, str], query: str) -> None:
        answer = client.get(f"/api/v1/reviews?{query}", headers=headers)

        assert answer.status_code == 422
        assert set(answer.json()["fields"]) == {query.partition("=")[0]}


class TestPlacements:
    def test_come_newest_first_from_page_to_page(self, client: Client, box: Shoebox, headers: dict[str, str]) -> None:
        piece = make_evidence(box)
        for count in range(3):
            Placement.objects.create(evidence=piece, state="moved", method="exact", note=f"{count}", at=NOON)

        found = pages(client, f"/api/v1/evidence/{piece.public_id}/placements", headers, 2)

        assert [one["note"] for page in found for one in page["items"]] == ["2", "1", "0"]
