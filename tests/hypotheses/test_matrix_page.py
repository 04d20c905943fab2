"""The matrix, its sensitivity panel and the blind card in the browser."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from evidence.models import Evidence
from hypotheses.models import Hypothesis, Rating
from hypotheses.schemas import RatingDraft
from hypotheses.services import rate_evidence
from shoebox.models import Shoebox
from tests.factories import NOON, make_evidence, make_hypothesis, make_owner, make_person, make_shoebox, make_workspace
from yoimemory.access.models import Actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(client: Client) -> Actor:
    actor = make_owner("hare")
    assert actor.user is not None
    client.force_login(actor.user)
    return actor


@pytest.fixture
def shoebox() -> Shoebox:
    """Two claims and three quotes, of which none is rated."""
    shoebox = make_shoebox()
    for number in (1, 2):
        make_hypothesis(shoebox, claim=f"Claim number {number}.")
    for number in (1, 2, 3):
        make_evidence(shoebox, quote=f"Line number {number} of the thread.", state="accepted")
    return shoebox


def rate(shoebox: Shoebox, rows: dict[int, str], actor: Actor, note: str = "") -> None:
    """Rate the numbered quotes, as `{1: "II/C"}`."""
    quotes, claims = list(shoebox.evidence.order_by("pk")), list(shoebox.hypotheses.order_by("number"))
    for number, row in rows.items():
        ratings = [
            {"hypothesis": str(claim.ref), "value": value, "note": note}
            for claim, value in zip(claims, row.split("/"), strict=True)
        ]
        draft = RatingDraft.model_validate({"evidence": str(quotes[number - 1].ref), "ratings": ratings})
        rate_evidence(draft, workspace=shoebox.workspace, actor=actor, now=NOON)


def page(client: Client, name: str, shoebox: Shoebox, query: str = "", target: str = "") -> str:
    headers = {"HX-Request": "true", "HX-Target": target} if target else {}
    return client.get(reverse(f"hypotheses:{name}", args=[shoebox.public_id]) + query, headers=headers).text


class TestMatrixPage:
    def test_shows_letters_scores_and_what_separates(self, client: Client, owner: Actor, shoebox: Shoebox) -> None:
        rate(shoebox, {1: "II/C", 2: "N/N"}, owner)

        text = page(client, "matrix", shoebox)

        assert '<td class="c-ii" tabindex="-1" title="hare II">II</td>' in text
        assert "1 × II, 1 unrated" in text
        assert "<b>strong</b>" in text
        assert "fewest against" in text

    def test_turns_round_on_request(self, client: Client, owner: Actor, shoebox: Shoebox) -> None:
        rate(shoebox, {1: "II/C"}, owner)

        text = page(client, "matrix", shoebox, "?transpose=1")

        assert 'aria-label="Matrix, evidence as rows"' in text
        assert text.count('<th scope="row">') == 4

    def test_folds_away_what_tells_nothing_apart(self, client: Client, owner: Actor, shoebox: Shoebox) -> None:
        rate(shoebox, {1: "II/II", 2: "C/I"}, owner)

        text = page(client, "matrix", shoebox, "?fold=1")

        assert "1 column that tells nothing apart is folded away" in text
        assert ">e1</a>" not in text

    def test_shows_a_dispute_with_both_letters(self, client: Client, owner: Actor, shoebox: Shoebox) -> None:
        rate(shoebox, {1: "II/C"}, owner)
        rate(shoebox, {1: "CC/C"}, make_person(shoebox.workspace, name="second"))

        text = page(client, "matrix", shoebox)

        assert "II | CC</a><small>disputed</small>" in text
        assert "<b>0–2</b>" in text

    def test_counts_workers_on_request(self, client: Client, owner: Actor, shoebox: Shoebox) -> None:
        text = page(client, "matrix", shoebox, "?workers=1")

        assert 'name="workers" value="" aria-pressed="true"' in text

    def test_says_what_to_do_without_claims_or_quotes(self, client: Client, owner: Actor) -> None:
        without_claims = make_shoebox()
        without_quotes = make_hypothesis(make_shoebox(without_claims.workspace)).shoebox

        assert "No claim competes yet." in page(client, "matrix", without_claims)
        assert "Nothing is quoted yet." in page(client, "matrix", without_quotes)

    def test_is_not_found_for_a_person_without_a_role(self, client: Client, shoebox: Shoebox) -> None:
        stranger = make_person(make_workspace(), "owner")
        assert stranger.user is not None
        client.force_login(stranger.user)

        response = client.get(reverse("hypotheses:matrix", args=[shoebox.public_id]))

        assert response.status_code == 404

    def test_has_no_style_attribute(self, client: Client, owner: Actor, shoebox: Shoebox) -> None:
        assert " style=" not in page(client, "matrix", shoebox)

    def test_costs_the_same_when_large(
        self, client: Client, owner: Actor, shoebox: Shoebox, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        for count in (0, 12):
            for number in range(count):
                make_evidence(shoebox, quote=f"One more line {number}.")
            rate(shoebox, dict.fromkeys(range(1, 4 + count), "I/C"), owner)

            with django_assert_max_num_queries(20):
                page(client, "matrix", shoebox, target="matrix")


class TestSensitivityPanel:
    def test_says_what_the_lead_rests_on(self, client: Client, owner: Actor, shoebox: Shoebox) -> None:
        rate(shoebox, {1: "I/C", 2: "C/C"}, owner)

        text = page(client, "sensitivity", shoebox, target="sensitivity")

        assert "<html" not in text
        assert 'e1 <span class="st st-w">changes the lead</span>' in text
        assert "What would be seen if H2 held, and not if H1 did?" in text
        assert "?evidence=" in text

    def test_says_that_nothing_is_rated_yet(self, client: Client, owner: Actor, shoebox: Shoebox) -> None:
        text = page(client, "sensitivity", shoebox)

        assert "Nothing is rated yet, so nothing leads." in text
        assert "No single piece would change the leader" not in text

    def test_shows_the_reasons_of_a_dispute(self, client: Client, owner: Actor, shoebox: Shoebox) -> None:
        rate(shoebox, {1: "II/C"}, owner, note="It is an invariant.")
        rate(shoebox, {1: "CC/C"}, make_person(shoebox.workspace, name="second"), note="Of slice 1 only.")

        text = page(client, "sensitivity", shoebox)

        assert "Disputed: e1 against H1" in text
        assert text.index("It is an invariant.") < text.index("Of slice 1 only.")


class TestCard:
    def test_shows_nobodys_rating_before_it_is_saved(self, client: Client, owner: Actor, shoebox: Shoebox) -> None:
        rate(shoebox, {1: "II/C"}, make_person(shoebox.workspace, name="second"), note="A secret thought.")
        rate(shoebox, {1: "I/N"}, owner, note="An earlier thought.")
        first = shoebox.evidence.order_by("pk")[0]

        text = page(client, "card", shoebox, f"?evidence={first.public_id}&saved=")

        assert "thought" not in text
        assert "second" not in text.replace("seconds", "")
        assert text.count('value="" data-key="-"') == text.count("checked") == 2

    def test_does_not_reveal_by_the_address_what_was_not_rated(
        self, client: Client, owner: Actor, shoebox: Shoebox
    ) -> None:
        rate(shoebox, {1: "II/C"}, make_person(shoebox.workspace, name="second"), note="A secret thought.")
        first = shoebox.evidence.order_by("pk")[0]

        text = page(client, "card", shoebox, f"?evidence={first.public_id}&saved=1")

        assert "thought" not in text

    def test_takes_the_first_that_this_person_has_not_rated(
        self, client: Client, owner: Actor, shoebox: Shoebox
    ) -> None:
        rate(shoebox, {1: "II/C"}, owner)

        text = page(client, "card", shoebox)

        assert "Line number 2 of the thread." in text
        assert "1 more piece waits for you." in text

    def test_shuffles_the_claims_for_each_person_and_card(self, client: Client, owner: Actor) -> None:
        shoebox = make_shoebox()
        for number in range(6):
            make_hypothesis(shoebox, claim=f"Claim number {number}.")
        quotes = [make_evidence(shoebox, quote=f"Line number {number} of it.") for number in range(6)]

        orders = set()
        for quote in quotes:
            text = page(client, "card", shoebox, f"?evidence={quote.public_id}")
            orders.add(tuple(sorted(range(6), key=lambda number: text.index(f"Claim number {number}."))))
        again = page(client, "card", shoebox, f"?evidence={quotes[0].public_id}")

        assert len(orders) > 1
        assert tuple(sorted(range(6), key=lambda number: again.index(f"Claim number {number}."))) in orders

    def test_says_when_nothing_is_left(self, client: Client, owner: Actor, shoebox: Shoebox) -> None:
        rate(shoebox, {1: "II/C", 2: "N/N", 3: "C/I"}, owner)

        assert "Nothing is left to rate" in page(client, "card", shoebox)


def post(client: Client, shoebox: Shoebox, evidence: Evidence, values: dict[Hypothesis, str], **more: Any) -> Any:
    data = {f"rating-{claim.public_id}": value for claim, value in values.items()} | more
    url = reverse("hypotheses:rate", args=[shoebox.public_id, evidence.public_id])
    return client.post(url, data, headers={"HX-Request": "true", "HX-Target": "card"})


class TestRate:
    def test_saves_and_then_shows_the_others(self, client: Client, owner: Actor, shoebox: Shoebox) -> None:
        rate(shoebox, {1: "II/C"}, make_person(shoebox.workspace, name="second"), note="A thought of theirs.")
        first, second = shoebox.hypotheses.order_by("number")
        evidence = shoebox.evidence.order_by("pk")[0]

        response = post(client, shoebox, evidence, {first: "C", second: ""})

        assert "evidence-rated" in response.headers["HX-Trigger"]
        assert "A thought of theirs." in response.text
        assert Rating.objects.get(rater=owner).value == "C"

    def test_asks_for_at_least_one(self, client: Client, owner: Actor, shoebox: Shoebox) -> None:
        claims = dict.fromkeys(shoebox.hypotheses.all(), "")

        response = post(client, shoebox, shoebox.evidence.all()[0], claims)

        assert response.status_code == 422
        assert "Rate at least one claim" in response.text

    def test_refuses_what_is_no_rating(self, client: Client, owner: Actor, shoebox: Shoebox) -> None:
        claims = dict.fromkeys(shoebox.hypotheses.all(), "VERY")

        response = post(client, shoebox, shoebox.evidence.all()[0], claims)

        assert response.status_code == 422
        assert not Rating.objects.exists()

    def test_keeps_what_was_chosen_when_it_is_refused(self, client: Client, owner: Actor, shoebox: Shoebox) -> None:
        first, second = shoebox.hypotheses.order_by("number")
        note = {f"note-{first.public_id}": "Typed with care."}

        response = post(client, shoebox, shoebox.evidence.all()[0], {first: "II", second: "VERY"}, **note)

        assert 'value="Typed with care."' in response.text
        assert 'value="II" data-key="1" data-key-label="strongly inconsistent" checked' in response.text

    def test_goes_on_without_htmx(self, client: Client, owner: Actor, shoebox: Shoebox) -> None:
        evidence, claim = shoebox.evidence.all()[0], shoebox.hypotheses.all()[0]
        url = reverse("hypotheses:rate", args=[shoebox.public_id, evidence.public_id])

        response = client.post(url, {f"rating-{claim.public_id}": "II"}, follow=True)

        assert "Saved. What others said of e1" in response.text


class TestSeek:
    def test_records_what_was_sought_and_the_question(self, client: Client, owner: Actor, shoebox: Shoebox) -> None:
        claim = shoebox.hypotheses.order_by("number")[0]

        response = client.post(
            reverse("hypotheses:seek", args=[claim.public_id]), {"question": "What would be seen?"}, follow=True
        )

        claim.refresh_from_db()
        assert claim.sought[0]["query"] == "Claim number 1."
        assert claim.open_questions == ["What would be seen?"]
        assert "Nothing contrary was found. That is recorded too." in response.text
        assert "An attempt to refute it is recorded: 1 disconfirming query for its claim." in response.text
