"""What a counter-search found, taken into the shoebox as suggestions: the verb, the page and the API."""

import json
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from evidence.models import Evidence
from hypotheses.models import Hypothesis
from hypotheses.services import NothingSought, seek_contrary, suggest_found
from tests.evidence.repository import make_repository
from tests.factories import NOON, make_hypothesis, make_owner, make_person, make_shoebox, make_token, make_worker
from yoimemory.access.models import Actor
from yoimemory.errors import Forbidden
from yoimemory.journal.models import Change
from yoimemory.refs import new_id
from yoimemory.search.services import index_workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(client: Client) -> Actor:
    actor = make_owner("hare")
    assert actor.user is not None
    client.force_login(actor.user)
    return actor


@pytest.fixture
def hypothesis(tmp_path: Path) -> Hypothesis:
    """A claim of which the workspace holds the contrary, and a search that found it."""
    workspace = make_repository(tmp_path / "ws").register()
    index_workspace(workspace, now=NOON)
    hypothesis = make_hypothesis(make_shoebox(workspace), claim="A queue click permits a start.")
    seek_contrary(hypothesis, actor=make_person(workspace), now=NOON)
    assert hypothesis.sought[-1]["hits"]
    return hypothesis


class TestSuggestFound:
    def test_keeps_the_exact_words_suggested_and_bearing_on_nothing(self, hypothesis: Hypothesis) -> None:
        hit = hypothesis.sought[-1]["hits"][0]

        outcome = suggest_found(hypothesis, [hit["ref"]], actor=make_person(hypothesis.workspace), now=NOON)

        [evidence] = outcome.stored
        assert (evidence.state, evidence.quote, evidence.start_line) == (
            "suggested",
            hit["snippet"].strip(),
            hit["line"],
        )
        assert not evidence.relations.exists()
        assert Change.objects.filter(verb="contrary-suggested").count() == 1

    def test_takes_all_when_none_is_named(self, hypothesis: Hypothesis) -> None:
        outcome = suggest_found(hypothesis, [], actor=make_worker(hypothesis.workspace), now=NOON)

        assert len(outcome.stored) + len(outcome.refused) == len(hypothesis.sought[-1]["hits"])
        assert outcome.stored

    def test_reports_what_was_quoted_before(self, hypothesis: Hypothesis) -> None:
        person, ref = make_person(hypothesis.workspace), hypothesis.sought[-1]["hits"][0]["ref"]
        suggest_found(hypothesis, [ref], actor=person, now=NOON)

        outcome = suggest_found(hypothesis, [ref], actor=person, now=NOON)

        assert outcome.stored == []
        assert [refusal.code for refusal in outcome.refused] == ["duplicate"]

    def test_refuses_a_passage_that_was_not_found(self, hypothesis: Hypothesis) -> None:
        with pytest.raises(NothingSought, match="not among what the last counter-search found"):
            suggest_found(hypothesis, ["doc:README.md"], actor=make_person(hypothesis.workspace), now=NOON)

    def test_asks_for_a_search_first(self) -> None:
        hypothesis = make_hypothesis()

        with pytest.raises(NothingSought, match="No passage was found against it"):
            suggest_found(hypothesis, [], actor=make_person(hypothesis.workspace), now=NOON)

    def test_is_for_those_with_a_role(self, hypothesis: Hypothesis) -> None:
        with pytest.raises(Forbidden):
            suggest_found(hypothesis, [], actor=make_person(make_shoebox().workspace), now=NOON)

        assert not Evidence.objects.exists()


class TestPage:
    def test_offers_each_passage_to_quote_toward_the_claim_and_to_suggest(
        self, client: Client, owner: Actor, hypothesis: Hypothesis
    ) -> None:
        text = client.get(reverse("hypotheses:detail", args=[hypothesis.public_id])).text

        hit = hypothesis.sought[-1]["hits"][0]
        assert f"toward=hypothesis%3A{hypothesis.public_id}#L{hit['line']}" in text
        assert f'name="ref" value="{hit["ref"]}" form="suggest"' in text
        assert "Suggest all as evidence" in text

    def test_suggests_and_says_what_to_do_next(self, client: Client, owner: Actor, hypothesis: Hypothesis) -> None:
        url = reverse("hypotheses:suggest", args=[hypothesis.public_id])

        response = client.post(url, {"ref": hypothesis.sought[-1]["hits"][0]["ref"]}, follow=True)

        assert "1 passage suggested as evidence. Set what each says of the claim" in response.text
        assert Evidence.objects.get().state == "suggested"
        assert str(Evidence.objects.get().ref) in response.text  # among those to be set for or against

    def test_says_why_nothing_came_of_it(self, client: Client, owner: Actor, hypothesis: Hypothesis) -> None:
        url = reverse("hypotheses:suggest", args=[hypothesis.public_id])

        response = client.post(url, {"ref": "doc:README.md"}, follow=True)

        assert "is not among what the last counter-search found" in response.text

    def test_is_not_found_for_a_stranger(self, client: Client, hypothesis: Hypothesis) -> None:
        stranger = make_person(make_shoebox().workspace)
        assert stranger.user is not None
        client.force_login(stranger.user)

        response = client.post(reverse("hypotheses:suggest", args=[hypothesis.public_id]))

        assert response.status_code == 404

    def test_opens_the_reader_with_the_claim_chosen(self, client: Client, owner: Actor, hypothesis: Hypothesis) -> None:
        hit = hypothesis.sought[-1]["hits"][0]
        query = {"ref": hit["ref"], "shoebox": hypothesis.shoebox.public_id, "toward": str(hypothesis.ref)}

        text = client.get(reverse("desk:read"), query).text

        assert f'name="target" value="{hypothesis.ref}"' in text
        assert f'aria-pressed="true" data-target="{hypothesis.ref}"' in text


class TestApi:
    def test_suggests_for_a_worker_and_keeps_a_question(self, client: Client, hypothesis: Hypothesis) -> None:
        secret = make_token(hypothesis.workspace)[1]
        base = f"/api/v1/hypotheses/{hypothesis.public_id}/contrary"

        def post(path: str, body: dict[str, object]) -> object:
            keyed = {"Authorization": f"Bearer {secret}", "Idempotency-Key": new_id()}
            response = client.post(base + path, json.dumps(body), content_type="application/json", headers=keyed)
            assert response.status_code == 201, response.content
            return response.json()

        sought = post("?question=What+would+be+seen%3F", {})
        answer = post("/evidence", {})

        assert isinstance(sought, dict)
        assert sought["open_questions"] == ["What would be seen?"]
        assert isinstance(answer, dict)
        assert {(row["state"], len(row["relations"])) for row in answer["stored"]} == {("suggested", 0)}
