"""The board and the page of one hypothesis."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from evidence.models import Relation
from hypotheses.models import Decision, Hypothesis
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_owner,
    make_person,
    make_relation,
    make_shoebox,
    make_system,
    make_workspace,
)
from yoimemory.access.models import Actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(client: Client) -> Actor:
    """The only person here, logged in."""
    actor = make_owner("hare")
    assert actor.user is not None
    client.force_login(actor.user)
    return actor


def ask(client: Client, url: str, target: str, data: dict[str, Any] | None = None) -> Any:
    """What htmx gets: a GET without data, else a POST."""
    headers = {"HX-Request": "true", "HX-Target": target}
    return client.get(url, headers=headers) if data is None else client.post(url, data, headers=headers)


@pytest.mark.usefixtures("owner")
class TestBoard:
    def test_groups_by_status_in_the_order_that_asks_for_a_person(self, client: Client) -> None:
        shoebox = make_shoebox()
        for status in ("rejected", "accepted", "proposed"):
            make_hypothesis(shoebox, status=status, claim=f"This one is {status}.")

        text = client.get(reverse("hypotheses:list")).text

        assert text.index("<h2>Proposed") < text.index("<h2>Accepted") < text.index("<h2>Rejected")

    def test_shows_why_a_rejected_claim_was_rejected(self, client: Client) -> None:
        hypothesis = make_hypothesis(status="rejected")
        Decision.objects.create(
            hypothesis=hypothesis, before="proposed", after="rejected", reason="A queue click only routes.",
            by=make_system(), at=NOON,
        )  # fmt: skip

        assert "A queue click only routes." in client.get(reverse("hypotheses:list")).text

    def test_narrows_by_status_and_words(self, client: Client) -> None:
        shoebox = make_shoebox()
        make_hypothesis(shoebox, claim="It must wait.")
        make_hypothesis(shoebox, claim="It may start.", status="accepted")

        text = ask(client, reverse("hypotheses:list") + "?status=accepted&words=start", "hypotheses").text

        assert "It may start." in text
        assert "It must wait." not in text
        assert "<html" not in text

    def test_shows_nothing_of_another_workspace(self, client: Client) -> None:
        here, elsewhere = make_shoebox(), make_shoebox()
        make_hypothesis(here, claim="It is mine.")
        make_hypothesis(elsewhere, claim="It is theirs.")

        text = client.get(reverse("hypotheses:list") + f"?workspace={here.workspace.slug}").text

        assert "It is mine." in text
        assert "It is theirs." not in text

    def test_says_what_to_do_when_it_is_empty(self, client: Client) -> None:
        make_workspace()

        assert "Open a shoebox</a> for a question" in client.get(reverse("hypotheses:list")).text

    def test_costs_the_same_for_many(
        self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        shoebox = make_shoebox()
        url = reverse("hypotheses:list")
        for _ in range(3):
            make_relation(make_evidence(shoebox), make_hypothesis(shoebox).ref)
        with django_assert_max_num_queries(40):
            ask(client, url, "hypotheses")
        for _ in range(12):
            make_relation(make_evidence(shoebox), make_hypothesis(shoebox).ref)

        with django_assert_max_num_queries(40):
            response = ask(client, url, "hypotheses")

        assert response.text.count('id="hypothesis-') == 15


class TestPropose:
    def test_goes_to_the_new_page(self, client: Client, owner: Actor) -> None:
        shoebox = make_shoebox()

        response = client.post(reverse("hypotheses:propose"), {"shoebox": shoebox.public_id, "claim": "It must wait."})

        made = Hypothesis.objects.get()
        assert response.status_code == 302
        assert response.headers["Location"] == reverse("hypotheses:detail", args=[made.public_id])
        assert made.made_by == owner

    @pytest.mark.usefixtures("owner")
    def test_answers_htmx_with_a_fresh_form_and_the_event(self, client: Client) -> None:
        shoebox = make_shoebox()
        data = {"shoebox": shoebox.public_id, "claim": "It must wait."}

        response = ask(client, reverse("hypotheses:propose"), "propose", data)

        assert response.status_code == 200
        assert "hypothesis-proposed" in response.headers["HX-Trigger"]
        assert 'id="propose"' in response.text
        assert "H1 It must wait." in response.text

    @pytest.mark.usefixtures("owner")
    def test_answers_what_is_missing_with_the_form(self, client: Client) -> None:
        make_shoebox()

        response = ask(client, reverse("hypotheses:propose"), "propose", {"claim": "It must wait."})

        assert response.status_code == 422
        assert "This field is required." in response.text
        assert not Hypothesis.objects.exists()


class TestHypothesisPage:
    @pytest.mark.usefixtures("owner")
    def test_shows_what_is_against_before_what_is_for(self, client: Client) -> None:
        hypothesis = make_hypothesis()
        make_relation(make_evidence(hypothesis.shoebox, quote="It may start at once."), hypothesis.ref, "supports")
        make_relation(make_evidence(hypothesis.shoebox, quote="It must wait for both."), hypothesis.ref, "refutes")

        text = client.get(reverse("hypotheses:detail", args=[hypothesis.public_id])).text

        assert text.index("It must wait for both.") < text.index("It may start at once.")
        assert "verified" in text

    @pytest.mark.usefixtures("owner")
    def test_shows_the_caveats_of_a_quote_beside_it(self, client: Client) -> None:
        hypothesis = make_hypothesis()
        make_relation(make_evidence(hypothesis.shoebox, uncommitted=True), hypothesis.ref, "supports")

        text = client.get(reverse("hypotheses:detail", args=[hypothesis.public_id])).text

        assert "not committed" in text

    @pytest.mark.usefixtures("owner")
    def test_is_not_found_where_there_is_none(self, client: Client) -> None:
        make_workspace()

        response = client.get(reverse("hypotheses:detail", args=["01ARZ3NDEKTSV4RRFFQ69G5FAV"]))

        assert response.status_code == 404

    def test_is_not_found_for_a_person_without_a_role(self, client: Client) -> None:
        hypothesis = make_hypothesis()
        stranger = make_person(make_workspace(), "owner")
        assert stranger.user is not None
        client.force_login(stranger.user)

        response = client.get(reverse("hypotheses:detail", args=[hypothesis.public_id]))

        assert response.status_code == 404

    @pytest.mark.usefixtures("owner")
    def test_answers_each_of_its_parts_alone(self, client: Client) -> None:
        hypothesis = make_hypothesis()
        url = reverse("hypotheses:detail", args=[hypothesis.public_id])

        for part in ("standing", "basis", "questions", "alternatives", "words", "checks", "decide", "decisions"):
            text = ask(client, url, part).text
            assert f'id="{part}"' in text
            assert "<html" not in text

    @pytest.mark.usefixtures("owner")
    def test_ignores_parts_that_it_does_not_have(self, client: Client) -> None:
        hypothesis = make_hypothesis()

        response = ask(client, reverse("hypotheses:detail", args=[hypothesis.public_id]), "secrets")

        assert "<html" in response.text

    @pytest.mark.usefixtures("owner")
    def test_has_no_style_attribute_and_no_inline_script(self, client: Client) -> None:
        text = client.get(reverse("hypotheses:detail", args=[make_hypothesis().public_id])).text

        assert " style=" not in text
        assert "onclick" not in text

    @pytest.mark.usefixtures("owner")
    def test_costs_the_same_for_much_evidence(
        self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        hypothesis = make_hypothesis()
        url = reverse("hypotheses:detail", args=[hypothesis.public_id])
        for count in (2, 10):
            for number in range(count):
                evidence = make_evidence(hypothesis.shoebox, quote=f"Line number {number} of {count}.")
                make_relation(evidence, hypothesis.ref, "refutes")

            with django_assert_max_num_queries(40):
                assert ask(client, url, "basis").status_code == 200


@pytest.mark.usefixtures("owner")
class TestQuestions:
    def test_adds_one_and_sends_the_new_version_along(self, client: Client) -> None:
        hypothesis = make_hypothesis()
        url = reverse("hypotheses:questions", args=[hypothesis.public_id])

        response = ask(client, url, "questions", {"question": "Who closes them?", "version": 1})

        hypothesis.refresh_from_db()
        assert hypothesis.open_questions == ["Who closes them?"]
        assert "hypothesis-edited" in response.headers["HX-Trigger"]
        assert 'hx-swap-oob="true"' in response.text
        assert 'name="version" value="2" form="decide"' in response.text

    def test_takes_one_out(self, client: Client) -> None:
        hypothesis = make_hypothesis(open_questions=["Who?", "When?"])
        url = reverse("hypotheses:questions", args=[hypothesis.public_id])

        ask(client, url, "questions", {"drop": 0, "version": 1})

        hypothesis.refresh_from_db()
        assert hypothesis.open_questions == ["When?"]

    def test_says_what_changed_when_the_page_is_old(self, client: Client) -> None:
        hypothesis = make_hypothesis(version=3)
        url = reverse("hypotheses:questions", args=[hypothesis.public_id])

        response = ask(client, url, "questions", {"question": "Who?", "version": 1})

        assert response.status_code == 409
        assert "since you read version 1" in response.text

    def test_refuses_an_empty_one(self, client: Client) -> None:
        hypothesis = make_hypothesis()
        url = reverse("hypotheses:questions", args=[hypothesis.public_id])

        response = ask(client, url, "questions", {"question": " ", "version": 1})

        assert response.status_code == 422

    def test_goes_back_to_the_page_without_htmx(self, client: Client) -> None:
        hypothesis = make_hypothesis()
        url = reverse("hypotheses:questions", args=[hypothesis.public_id])

        response = client.post(url, {"question": "Who?", "version": 1})

        assert response.status_code == 302
        assert response.headers["Location"].endswith("#questions")


@pytest.mark.usefixtures("owner")
class TestAlternatives:
    def test_adds_one_with_its_reason_and_takes_it_out(self, client: Client) -> None:
        hypothesis = make_hypothesis()
        url = reverse("hypotheses:alternatives", args=[hypothesis.public_id])

        added = ask(client, url, "alternatives", {"option": "Start", "reason": "It is blocked.", "version": 1})
        hypothesis.refresh_from_db()
        assert hypothesis.alternatives == [{"option": "Start", "reason": "It is blocked."}]
        ask(client, url, "alternatives", {"drop": 0, "version": 2})
        hypothesis.refresh_from_db()

        assert added.status_code == 200
        assert hypothesis.alternatives == []

    def test_asks_for_the_reason(self, client: Client) -> None:
        hypothesis = make_hypothesis()
        url = reverse("hypotheses:alternatives", args=[hypothesis.public_id])

        response = ask(client, url, "alternatives", {"option": "Start", "version": 1})

        assert response.status_code == 422
        assert "Rejected because" in response.text


@pytest.mark.usefixtures("owner")
class TestWords:
    def test_saves_them(self, client: Client) -> None:
        hypothesis = make_hypothesis()
        data = {"claim": "It must wait.", "threshold": "Both closed.", "minimum_evidence": 2, "version": 1}

        response = ask(client, reverse("hypotheses:edit", args=[hypothesis.public_id]), "words", data)

        hypothesis.refresh_from_db()
        assert response.status_code == 200
        assert (hypothesis.claim, hypothesis.threshold) == ("It must wait.", "Both closed.")

    def test_keeps_what_was_typed_when_it_is_refused(self, client: Client) -> None:
        hypothesis = make_hypothesis(status="accepted")
        data = {"claim": "Something else.", "threshold": "Typed with care.", "minimum_evidence": 1, "version": 1}

        response = ask(client, reverse("hypotheses:edit", args=[hypothesis.public_id]), "words", data)

        assert response.status_code == 409
        assert "its claim stands" in response.text
        assert "Typed with care." in response.text


@pytest.mark.usefixtures("owner")
class TestRelate:
    def test_sets_evidence_against(self, client: Client) -> None:
        hypothesis = make_hypothesis()
        evidence = make_evidence(hypothesis.shoebox)
        url = reverse("hypotheses:relate", args=[hypothesis.public_id])

        response = ask(client, url, "basis", {"evidence": str(evidence.ref), "relation": "refutes"})

        assert Relation.objects.get(target=str(hypothesis.ref)).relation == "refutes"
        assert "evidence-related" in response.headers["HX-Trigger"]
        assert evidence.quote in response.text

    def test_refuses_a_relation_that_does_not_exist(self, client: Client) -> None:
        hypothesis = make_hypothesis()
        evidence = make_evidence(hypothesis.shoebox)
        url = reverse("hypotheses:relate", args=[hypothesis.public_id])

        response = ask(client, url, "basis", {"evidence": str(evidence.ref), "relation": "proves"})

        assert response.status_code == 422
        assert not Relation.objects.exists()

    def test_refuses_evidence_of_another_workspace(self, client: Client) -> None:
        hypothesis = make_hypothesis()
        url = reverse("hypotheses:relate", args=[hypothesis.public_id])

        response = ask(client, url, "basis", {"evidence": str(make_evidence().ref), "relation": "refutes"})

        assert response.status_code == 422
        assert "There is no evidence" in response.text


class TestDecide:
    @pytest.mark.usefixtures("owner")
    def test_rejects_with_a_reason(self, client: Client) -> None:
        hypothesis = make_hypothesis()
        url = reverse("hypotheses:decide", args=[hypothesis.public_id])

        response = ask(client, url, "decide", {"after": "rejected", "reason": "It only routes.", "version": 1})

        hypothesis.refresh_from_db()
        assert hypothesis.status == "rejected"
        assert "hypothesis-decided" in response.headers["HX-Trigger"]

    @pytest.mark.usefixtures("owner")
    def test_keeps_the_reason_when_the_threshold_stands_against_it(self, client: Client) -> None:
        hypothesis = make_hypothesis()
        url = reverse("hypotheses:decide", args=[hypothesis.public_id])

        response = ask(client, url, "decide", {"after": "accepted", "reason": "Typed with care.", "version": 1})

        assert response.status_code == 409
        assert "The threshold is not met" in response.text
        assert "Typed with care." in response.text
        assert 'name="override"' in response.text

    @pytest.mark.usefixtures("owner")
    def test_shows_the_override_on_the_page_from_then_on(self, client: Client) -> None:
        hypothesis = make_hypothesis()
        data = {"after": "accepted", "reason": "Checked by hand.", "override": "on", "version": 1}

        ask(client, reverse("hypotheses:decide", args=[hypothesis.public_id]), "decide", data)

        text = client.get(reverse("hypotheses:detail", args=[hypothesis.public_id])).text
        assert "Accepted against its threshold:</b> Checked by hand." in text
        assert "against its threshold" in client.get(reverse("hypotheses:list")).text

    def test_asks_the_only_reviewer_once_more(self, client: Client, owner: Actor) -> None:
        hypothesis = make_hypothesis(made_by=owner)
        url = reverse("hypotheses:decide", args=[hypothesis.public_id])
        data = {"after": "rejected", "reason": "It only routes.", "version": 1}

        first = ask(client, url, "decide", data)
        second = ask(client, url, "decide", {**data, "confirmed": "on"})

        assert first.status_code == 409
        assert second.status_code == 200
        assert "one reviewer" in client.get(reverse("hypotheses:detail", args=[hypothesis.public_id])).text

    @pytest.mark.usefixtures("owner")
    def test_supersedes_by_the_one_chosen(self, client: Client) -> None:
        older = make_hypothesis()
        newer = make_hypothesis(older.shoebox, claim="It may start once both are closed.")
        data = {"after": "superseded", "reason": "Both closed.", "superseded_by": newer.public_id, "version": 1}

        client.post(reverse("hypotheses:decide", args=[older.public_id]), data)

        assert "Supersedes" in client.get(reverse("hypotheses:detail", args=[newer.public_id])).text
        assert "Superseded by" in client.get(reverse("hypotheses:detail", args=[older.public_id])).text

    def test_offers_a_member_no_decision(self, client: Client) -> None:
        hypothesis = make_hypothesis()
        member = make_person(hypothesis.workspace, "member")
        assert member.user is not None
        client.force_login(member.user)
        url = reverse("hypotheses:decide", args=[hypothesis.public_id])

        page = client.get(reverse("hypotheses:detail", args=[hypothesis.public_id]))
        response = ask(client, url, "decide", {"after": "rejected", "reason": "No.", "version": 1})

        assert "A reviewer of this workspace decides." in page.text
        assert response.status_code == 409
        hypothesis.refresh_from_db()
        assert hypothesis.status == "proposed"
