"""Where two people may decide a hypothesis, both do, apart: the first answer shows nowhere (2.9)."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from hypotheses.models import Decision, Hypothesis
from hypotheses.services import decide_hypothesis, second_look_of, settle_decision, withdraw_decision
from shoebox.models import Shoebox
from tests.factories import NOON, make_evidence, make_hypothesis, make_person, make_relation, make_shoebox, make_worker
from yoimemory.access.models import Actor
from yoimemory.access.services import OwnProposal
from yoimemory.errors import Refused
from yoimemory.journal.models import Change
from yoimemory.journal.stale import StaleVersion
from yoimemory.markers.services.looking import AlreadyLooked, Disagreement, NotTheOneToSettle

pytestmark = pytest.mark.django_db

WHY = "The replay ends as it should."


@pytest.fixture
def shoebox() -> Shoebox:
    return make_shoebox()


@pytest.fixture
def claim(shoebox: Shoebox) -> Hypothesis:
    """A Worker's claim with accepted evidence on both sides, so that its threshold is met."""
    claim = make_hypothesis(shoebox, made_by=make_worker(shoebox.workspace))
    for relation in ("supports", "refutes"):
        evidence = make_evidence(shoebox, quote=f"These are the words that {relation} it.", state="accepted")
        make_relation(evidence, claim.ref, relation)
    return claim


@pytest.fixture
def people(shoebox: Shoebox) -> tuple[Actor, Actor]:
    return make_person(shoebox.workspace, name="mika"), make_person(shoebox.workspace, name="ren")


def decide(claim: Hypothesis, actor: Actor, after: str = "rejected", **kwargs: object) -> Decision | None:
    claim.refresh_from_db()
    return decide_hypothesis(claim, after=after, reason=WHY, actor=actor, now=NOON, **kwargs)  # type: ignore[arg-type]


class TestTheFirstAnswer:
    def test_changes_nothing_and_shows_nowhere(
        self, client: Client, claim: Hypothesis, people: tuple[Actor, Actor]
    ) -> None:
        mika, ren = people
        client.force_login(ren.user)  # type: ignore[arg-type]
        paths = [
            reverse("hypotheses:detail", args=[claim.public_id]), reverse("hypotheses:list"),
            f"/api/v1/hypotheses/{claim.public_id}", "/api/v1/hypotheses", "/api/v1/events",
        ]  # fmt: skip
        before = [(answer.content, answer.get("ETag")) for answer in map(client.get, paths)]

        assert decide(claim, mika) is None

        after = [(answer.content, answer.get("ETag")) for answer in map(client.get, paths)]
        assert [without_token(one) for one in after] == [without_token(one) for one in before]
        assert not Change.objects.filter(subject=str(claim.ref)).exists()
        assert not Decision.objects.exists()

    def test_is_given_once_and_can_be_taken_back(self, claim: Hypothesis, people: tuple[Actor, Actor]) -> None:
        decide(claim, people[0])
        with pytest.raises(AlreadyLooked):
            decide(claim, people[0])

        withdraw_decision(claim, actor=people[0], now=NOON)

        assert second_look_of(claim) is None
        with pytest.raises(Refused, match="no answer of yours"):
            withdraw_decision(claim, actor=people[0], now=NOON)

    def test_asks_every_rule_that_a_decision_asks(self, claim: Hypothesis, people: tuple[Actor, Actor]) -> None:
        with pytest.raises(StaleVersion):
            decide(claim, people[0], version=7)
        with pytest.raises(Refused, match="cannot become stale"):
            decide(claim, people[0], "stale")

        assert second_look_of(claim) is None


class TestTheSecondAnswer:
    def test_that_says_the_same_decides(self, claim: Hypothesis, people: tuple[Actor, Actor]) -> None:
        decide(claim, people[0], "accepted")

        decision = decide(claim, people[1], "accepted")

        assert decision is not None
        assert (claim.status, decision.by) == ("accepted", people[1])
        assert second_look_of(claim) is None

    def test_that_differs_opens_a_conflict_with_both_answers(
        self, claim: Hypothesis, people: tuple[Actor, Actor]
    ) -> None:
        decide(claim, people[0], "accepted")

        assert decide(claim, people[1], "rejected") is None

        second = second_look_of(claim)
        assert second is not None
        assert {(look.by, look.answer) for look in second.looks.all()} == {
            (people[0], "accepted"), (people[1], "rejected"),
        }  # fmt: skip
        assert (claim.status, claim.version) == ("proposed", 2)
        with pytest.raises(Disagreement):
            decide(claim, make_person(claim.workspace, name="aoi"), "rejected")

    def test_of_another_claim_that_takes_the_place_differs_too(
        self, claim: Hypothesis, people: tuple[Actor, Actor]
    ) -> None:
        one, other = (make_hypothesis(claim.shoebox) for _ in range(2))
        decide(claim, people[0], "superseded", superseded_by=one)

        assert decide(claim, people[1], "superseded", superseded_by=other) is None
        third = make_person(claim.workspace, name="aoi")
        settle_decision(claim, answer=f"superseded by {other.ref}", reason="It came later.", actor=third, now=NOON)

        claim.refresh_from_db()
        assert (claim.status, claim.superseded_by) == ("superseded", other)


class TestAConflict:
    @pytest.fixture
    def disputed(self, claim: Hypothesis, people: tuple[Actor, Actor]) -> Hypothesis:
        decide(claim, people[0], "accepted")
        decide(claim, people[1], "rejected")
        return claim

    def test_is_settled_by_a_third_with_one_of_the_answers(self, disputed: Hypothesis) -> None:
        third = make_person(disputed.workspace, name="aoi")

        decision = settle_decision(disputed, answer="accepted", reason="The log decides it.", actor=third, now=NOON)

        assert (disputed.status, decision.reason, decision.by) == ("accepted", "The log decides it.", third)
        with pytest.raises(Refused, match="Nobody disagrees"):
            settle_decision(disputed, answer="accepted", reason="Again.", actor=third, now=NOON)

    def test_is_not_settled_by_one_of_the_two_while_there_is_a_third(
        self, disputed: Hypothesis, people: tuple[Actor, Actor]
    ) -> None:
        make_person(disputed.workspace, name="aoi")

        with pytest.raises(NotTheOneToSettle):
            settle_decision(disputed, answer="accepted", reason="Mine.", actor=people[0], now=NOON)

    def test_is_shown_and_settled_on_the_page(self, client: Client, disputed: Hypothesis) -> None:
        client.force_login(make_person(disputed.workspace, name="aoi").user)  # type: ignore[arg-type]
        page = client.get(reverse("hypotheses:detail", args=[disputed.public_id])).content.decode()

        client.post(
            reverse("hypotheses:settle", args=[disputed.public_id]), {"answer": "rejected", "reason": "The log."}
        )

        disputed.refresh_from_db()
        assert "Two reviewers disagree." in page
        assert disputed.status == "rejected"


class TestOnePerson:
    def test_decides_alone_where_nobody_else_may(self, claim: Hypothesis) -> None:
        assert decide(claim, make_person(claim.workspace, name="mika")) is not None

    def test_decides_alone_what_the_only_other_one_claimed(self, shoebox: Shoebox, people: tuple[Actor, Actor]) -> None:
        own = make_hypothesis(shoebox, made_by=people[0])

        with pytest.raises(OwnProposal):
            decide(own, people[0])
        assert decide(own, people[1]) is not None


class TestOverJson:
    def test_a_first_answer_is_noted_and_a_second_decides(
        self, client: Client, claim: Hypothesis, people: tuple[Actor, Actor]
    ) -> None:
        statuses = []
        for actor in people:
            client.force_login(actor.user)  # type: ignore[arg-type]
            answer = client.post(
                f"/api/v1/hypotheses/{claim.public_id}/decision", {"after": "rejected", "reason": WHY},
                content_type="application/json", headers={"If-Match": '"1"'},
            )  # fmt: skip
            statuses.append((answer.status_code, answer.json()["status"]))

        assert statuses == [(202, "proposed"), (201, "rejected")]

    def test_a_disagreement_is_settled(self, client: Client, claim: Hypothesis, people: tuple[Actor, Actor]) -> None:
        decide(claim, people[0], "accepted")
        client.force_login(people[0].user)  # type: ignore[arg-type]
        assert client.delete(f"/api/v1/hypotheses/{claim.public_id}/decision").status_code == 200
        decide(claim, people[0], "accepted")
        decide(claim, people[1], "rejected")
        client.force_login(make_person(claim.workspace, name="aoi").user)  # type: ignore[arg-type]

        answer = client.post(
            f"/api/v1/hypotheses/{claim.public_id}/settlement", {"answer": "accepted", "reason": "The log."},
            content_type="application/json",
        )  # fmt: skip

        assert (answer.status_code, answer.json()["status"]) == (201, "accepted")


def without_token(answer: tuple[bytes, str | None]) -> tuple[str, str | None]:
    """A page without what differs from one request to the next."""
    # The frame counts what waits for this person; that somebody is asked is said, the answer is not.
    whole = answer[0].decode()
    main = re.search(r"<main.*</main>", whole, re.DOTALL)
    text = main[0] if main else whole
    text = re.sub(r'name="csrfmiddlewaretoken" value="[^"]+"|"X-CSRFToken": ?"[^"]+"', "", text)
    return re.sub(r"hx-headers='[^']*'", "", text), answer[1]
