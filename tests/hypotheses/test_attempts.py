"""Attempts to refute: one count for page, threshold and answers, each saying what it covers."""

import pytest
from django.test import Client
from django.urls import reverse

from hypotheses.attempts import attempts_of
from hypotheses.basis import bases_of
from hypotheses.models import Hypothesis
from hypotheses.services import seek_contrary
from hypotheses.standing import hypothesis_out
from hypotheses.threshold import threshold_checks
from shoebox.models import Shoebox
from shoebox.services import gather_shoebox
from tests.evidence.conftest import Desk, desk  # noqa: F401 - the fixture
from tests.factories import NOON, make_hypothesis
from yoimemory.search.services import index_workspace

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def indexed(desk: Desk) -> None:  # noqa: F811
    index_workspace(desk.workspace, now=NOON)


def page_of(hypothesis: Hypothesis, desk: Desk) -> str:  # noqa: F811
    client = Client()
    assert desk.reviewer.user is not None
    client.force_login(desk.reviewer.user)
    return client.get(reverse("hypotheses:detail", args=[hypothesis.public_id])).content.decode()


def refutation(hypothesis: Hypothesis) -> str:
    basis = bases_of([hypothesis])[hypothesis.pk]
    return next(check.sentence for check in threshold_checks(hypothesis, basis) if check.key == "refutation")


class TestWithoutAnAttempt:
    def test_page_and_threshold_say_so(self, desk: Desk) -> None:  # noqa: F811
        hypothesis = make_hypothesis(desk.shoebox)

        assert attempts_of(hypothesis) == []
        assert refutation(hypothesis).startswith("No attempt to refute it is recorded")
        assert "Nobody has searched for what would refute this claim." in page_of(hypothesis, desk)


class TestAfterGathering:
    def test_page_and_threshold_count_the_same_search(self, desk: Desk) -> None:  # noqa: F811
        gather_shoebox(desk.shoebox, actor=desk.reviewer, now=NOON)
        hypothesis = make_hypothesis(desk.shoebox)

        [attempt] = attempts_of(hypothesis)
        text = page_of(hypothesis, desk)

        assert f"{attempt.queries} disconfirming queries for the question of its shoebox." in refutation(hypothesis)
        assert "For the question of its shoebox" in text
        assert "Nobody has searched for what would refute this claim." not in text
        assert "Nobody has searched by the words of this claim yet." in text

    def test_says_what_it_covers(self, desk: Desk) -> None:  # noqa: F811
        gather_shoebox(desk.shoebox, actor=desk.reviewer, now=NOON)
        hypothesis = make_hypothesis(desk.shoebox)

        [sought] = hypothesis_out(hypothesis).sought

        assert sought.by == "rin"
        assert sought.at == NOON
        assert sought.covers.startswith("Covers ")
        assert "ticket" in sought.covers
        assert sought.commit in sought.covers or sought.commit[:8] in sought.covers


class TestAfterASearchByTheClaim:
    def test_records_signs_sources_and_position(self, desk: Desk) -> None:  # noqa: F811
        hypothesis = make_hypothesis(desk.shoebox, claim="The ticket may start although it depends on another")

        found = seek_contrary(hypothesis, actor=desk.reviewer, now=NOON)

        assert "request_changes" in found["signals"]
        assert "不要" in found["words"]
        assert found["sources"]["ticket"] >= 1
        assert found["index"]["commit"] == found["commit"] != ""
        assert found["by"] == "rin"

    def test_stands_first_and_is_counted(self, desk: Desk) -> None:  # noqa: F811
        gather_shoebox(desk.shoebox, actor=desk.reviewer, now=NOON)
        hypothesis = make_hypothesis(desk.shoebox)
        seek_contrary(hypothesis, actor=desk.reviewer, now=NOON)
        hypothesis = Hypothesis.objects.get(pk=hypothesis.pk)

        attempts = attempts_of(hypothesis)

        assert [attempt.aim for attempt in attempts] == ["its claim", "the question of its shoebox"]
        assert "for its claim and the question of its shoebox" in refutation(hypothesis)


class TestGatheringTwice:
    def test_keeps_what_was_sought_before(self, desk: Desk) -> None:  # noqa: F811
        gather_shoebox(desk.shoebox, actor=desk.reviewer, now=NOON)
        gather_shoebox(desk.shoebox, actor=desk.member, now=NOON)

        sought = Shoebox.objects.get(pk=desk.shoebox.pk).sought

        assert sought["by"] == "mika"
        assert [each["by"] for each in sought["earlier"]] == ["rin"]
