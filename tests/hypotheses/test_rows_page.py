"""The pages of every kind, and the editor of their rows."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from hypotheses.kinds import KINDS
from hypotheses.models import Representation
from hypotheses.schemas import RepresentationDraft
from hypotheses.services import create_representation
from shoebox.models import Shoebox
from tests.factories import NOON, make_evidence, make_hypothesis, make_owner, make_relation, make_shoebox, make_worker

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def logged_in(client: Client) -> None:
    actor = make_owner()
    assert actor.user is not None
    client.force_login(actor.user)


@pytest.fixture
def shoebox() -> Shoebox:
    shoebox = make_shoebox()
    claim = make_hypothesis(shoebox, alternatives=[{"option": "Start now", "reason": "It is blocked."}])
    make_relation(make_evidence(shoebox, said_at=NOON, authority="authority"), claim.ref, "supports")
    other = make_evidence(shoebox, said_at=NOON, quote="It must wait for both.", authority="memory")
    make_relation(other, claim.ref, "refutes")
    return shoebox


def make(shoebox: Shoebox, kind: str, body: dict[str, Any] | None = None) -> Representation:
    if body is None and KINDS[kind].build is None:
        body = {}
    draft = RepresentationDraft.model_validate({"kind": kind, "shoebox": shoebox.public_id, "body": body})
    worker = make_worker(shoebox.workspace)
    return create_representation(draft, workspace=shoebox.workspace, actor=worker, now=NOON)


def row_url(made: Representation) -> str:
    return reverse("hypotheses:row", args=[made.public_id])


class TestPages:
    @pytest.mark.parametrize("kind", list(KINDS))
    def test_show_every_kind_without_a_style_attribute(self, client: Client, shoebox: Shoebox, kind: str) -> None:
        made = make(shoebox, kind)

        response = client.get(reverse("hypotheses:representation", args=[made.public_id]))

        assert response.status_code == 200
        assert " style=" not in response.text
        assert made.title in response.text

    @pytest.mark.parametrize("kind", list(KINDS))
    def test_offer_every_kind_as_files(self, client: Client, shoebox: Shoebox, kind: str) -> None:
        made = make(shoebox, kind)

        for extension in ("md", "json"):
            url = reverse("hypotheses:download", args=[made.public_id, f"{kind}.{extension}"])
            assert client.get(url).status_code == 200

    def test_draw_the_graph_with_links(self, client: Client, shoebox: Shoebox) -> None:
        edges = [{"source": "ticket:AAA", "kind": "depends_on", "target": "ticket:BBB", "blocking": True}]
        nodes = [{"ref": "ticket:AAA", "label": "Skills", "state": "queued", "blocked": True}]
        made = make(shoebox, "dependency_graph", {"nodes": nodes, "edges": edges})

        text = client.get(reverse("hypotheses:representation", args=[made.public_id])).text

        assert 'class="g-ink g-none" marker-end="url(#arrow)"' in text
        assert "<b>Blocked:</b> Skills." in text
        assert 'class="b-q"' in text

    def test_start_a_kind_that_is_not_built_without_rows(self, client: Client, shoebox: Shoebox) -> None:
        client.post(reverse("hypotheses:represent"), {"shoebox": shoebox.public_id, "kind": "risks"})

        made = Representation.objects.get()
        assert made.body == {"rows": []}
        assert "Add what could go wrong" in client.get(reverse("hypotheses:representation", args=[made.public_id])).text


class TestRows:
    def test_are_added(self, client: Client, shoebox: Shoebox) -> None:
        made = make(shoebox, "risks")
        evidence = shoebox.evidence.all()[0]
        data = {
            "act": "save", "version": 1, "risk": "Two work trees meet.", "likelihood": "likely",
            "refs": f"{evidence.ref}\nticket:00001KXKMX0QM",
        }  # fmt: skip

        response = client.post(row_url(made), data)

        made.refresh_from_db()
        assert response.status_code == 302
        assert made.body["rows"][0]["risk"] == "Two work trees meet."
        assert [cite["ref"] for cite in made.cites] == [str(evidence.ref), "ticket:00001KXKMX0QM"]
        assert (made.edited, made.version) == (True, 2)

    def test_are_changed_and_keep_what_the_editor_does_not_ask_for(self, client: Client, shoebox: Shoebox) -> None:
        made = make(shoebox, "timeline")
        before = made.body["rows"][0]
        data = {
            "act": "save", "version": 1, "row": 1, "at": "2026-07-15 21:26:15", "lane": "Panel",
            "label": "Queued by hand", "refs": "\n".join(before["refs"]),
        }  # fmt: skip

        client.post(row_url(made), data)

        made.refresh_from_db()
        row = made.body["rows"][0]
        assert (row["at"], row["lane"], row["bears"]) == ("2026-07-15T21:26:15Z", "Panel", before["bears"])

    def test_are_shown_as_they_stand(self, client: Client, shoebox: Shoebox) -> None:
        made = make(shoebox, "risks", {"rows": [{"risk": "Two work trees meet.", "likelihood": "likely"}]})

        text = client.get(row_url(made) + "?row=1").text

        assert "Two work trees meet." in text
        assert '<option value="likely" selected>' in text

    def test_move_and_are_taken_out(self, client: Client, shoebox: Shoebox) -> None:
        made = make(shoebox, "risks", {"rows": [{"risk": name} for name in ("first", "second", "third")]})

        client.post(row_url(made), {"act": "up", "row": 3, "version": 1})
        client.post(row_url(made), {"act": "drop", "row": 1, "version": 2})

        made.refresh_from_db()
        assert [row["risk"] for row in made.body["rows"]] == ["third", "second"]

    def test_are_marked_done_in_place(self, client: Client, shoebox: Shoebox) -> None:
        made = make(shoebox, "review_checklist", {"rows": [{"check": "No ticket state changes."}]})
        headers = {"HX-Request": "true", "HX-Target": "representation"}

        response = client.post(row_url(made), {"mark": "done", "row": 1, "version": 1}, headers=headers)

        made.refresh_from_db()
        assert made.body["rows"][0]["done"] is True
        assert "representation-edited" in response.headers["HX-Trigger"]
        assert 'aria-pressed="true"' in response.text

    def test_are_refused_from_an_old_page_with_what_was_typed(self, client: Client, shoebox: Shoebox) -> None:
        made = make(shoebox, "risks")
        client.post(row_url(made), {"act": "save", "version": 1, "risk": "One.", "likelihood": "unknown"})

        response = client.post(
            row_url(made), {"act": "save", "version": 1, "risk": "Typed with care.", "likelihood": "unknown"}
        )

        assert response.status_code == 409
        assert "since you read version 1" in response.text
        assert "Typed with care." in response.text

    def test_are_refused_when_a_ref_leads_nowhere(self, client: Client, shoebox: Shoebox) -> None:
        made = make(shoebox, "risks")
        data = {"act": "save", "version": 1, "risk": "One.", "likelihood": "unknown", "refs": "somewhere"}

        response = client.post(row_url(made), data)

        assert response.status_code == 422
        assert "is not a ref" in response.text

    def test_are_refused_when_something_is_missing(self, client: Client, shoebox: Shoebox) -> None:
        made = make(shoebox, "risks")

        response = client.post(row_url(made), {"act": "save", "version": 1, "likelihood": "unknown"})

        assert response.status_code == 422
        made.refresh_from_db()
        assert made.version == 1

    @pytest.mark.parametrize("row", ["0", "9", "x"])
    def test_are_not_found_where_there_is_none(self, client: Client, shoebox: Shoebox, row: str) -> None:
        assert client.get(row_url(make(shoebox, "risks")) + f"?row={row}").status_code == 404


class TestRebuildAfterEdit:
    def test_asks_before_edits_are_lost(self, client: Client, shoebox: Shoebox) -> None:
        made = make(shoebox, "timeline")
        client.post(row_url(made), {"act": "drop", "row": 1, "version": 1})
        url = reverse("hypotheses:rebuild", args=[made.public_id])
        headers = {"HX-Request": "true", "HX-Target": "representation"}

        refused = client.post(url, {"version": 2}, headers=headers)
        rebuilt = client.post(url, {"version": 2, "confirmed": "on"}, headers=headers)

        assert refused.status_code == 409
        assert "would lose that" in refused.text
        assert rebuilt.status_code == 200
        made.refresh_from_db()
        assert len(made.body["rows"]) == 2
        assert not made.edited
