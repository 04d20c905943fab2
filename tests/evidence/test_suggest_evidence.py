"""Passages are suggested without a model: for the question and each claim, contrary ones among them, never too many."""

import pytest
from django.test import Client

from evidence.models import Evidence
from evidence.passages import sentences_of
from evidence.services import TooManyWait, review_evidence, suggest_evidence
from evidence.services.suggestions import WAITING_MAX
from shoebox.models import Item
from tests.evidence.conftest import Desk
from tests.evidence.repository import WORK_ITEMS
from tests.factories import NOON, make_hypothesis, make_item, make_token
from yoimemory.errors import BadInput, Forbidden

pytestmark = pytest.mark.django_db

DOC = "doc:docs/work-items.md"
JAPANESE = "依存関係が解決するまで開始してはならない、と運用文書にある。"


@pytest.fixture
def asked(desk: Desk) -> Desk:
    """A shoebox that asks about blockers, with the document in it."""
    desk.shoebox.question = "Do unresolved dependencies block the start of a queued ticket? 依存関係"
    desk.shoebox.save(update_fields=["question"])
    make_item(desk.shoebox, f"{DOC}@{desk.repository._git('rev-parse', 'HEAD').strip()}")
    return desk


class TestSentences:
    def test_are_prose_only(self) -> None:
        text = (
            "# Head\n\nOne sentence that is long enough. Another one, long enough too!\n\n```\ncode. code. code.\n```\n"
        )

        found = [sentence.text for sentence in sentences_of(text)]

        assert found == ["One sentence that is long enough.", "Another one, long enough too!"]

    def test_may_go_over_lines_and_end_in_japanese(self) -> None:
        text = (
            "- The rule holds\n  for every queue.\n"
            "- 依存関係が解決するまで開始してはならない。次の文もここにあります。\n"
        )

        found = [sentence.text for sentence in sentences_of(text)]

        assert found == [
            "The rule holds\n  for every queue.",
            "依存関係が解決するまで開始してはならない。",
            "次の文もここにあります。",
        ]

    def test_are_slices_of_their_text(self) -> None:
        assert all(WORK_ITEMS[one.start : one.end] == one.text for one in sentences_of(WORK_ITEMS))


class TestSuggestEvidence:
    def test_stores_what_passes_the_gate_unjudged(self, asked: Desk) -> None:
        outcome = suggest_evidence(asked.shoebox, actor=asked.reviewer, now=NOON)

        assert outcome.refused == []
        assert {evidence.state for evidence in outcome.stored} == {"suggested"}
        assert {evidence.made_by.name for evidence in outcome.stored} == {"passage finder"}
        assert JAPANESE in {evidence.quote for evidence in outcome.stored}
        assert all(not evidence.relations.exists() and not evidence.why for evidence in outcome.stored)

    def test_says_for_what_each_is_proposed(self, asked: Desk) -> None:
        claim = make_hypothesis(asked.shoebox, claim="A related link never blocks a start.")

        outcome = suggest_evidence(asked.shoebox, actor=asked.reviewer, now=NOON)

        told = {evidence.quote: evidence.provenance["suggested"] for evidence in outcome.stored}
        assert str(claim.ref) in told["A `related` link never blocks."]["for"]
        assert told["A `related` link never blocks."]["contrary"] is True
        assert told["A `related` link never blocks."]["asked_by"] == "rin"

    def test_proposes_nothing_twice_also_not_what_was_rejected(self, asked: Desk) -> None:
        first = suggest_evidence(asked.shoebox, actor=asked.reviewer, now=NOON).stored
        review_evidence(first[0], verdict="reject", reason="Beside the point.", actor=asked.reviewer, now=NOON)

        again = suggest_evidence(asked.shoebox, actor=asked.reviewer, now=NOON)

        assert again.stored == []
        assert again.refused == []

    def test_leaves_alone_what_was_set_aside(self, asked: Desk) -> None:
        asked.shoebox.items.update(screening=Item.Screening.SET_ASIDE, screening_reason="Not this.")

        assert suggest_evidence(asked.shoebox, actor=asked.reviewer, now=NOON).stored == []

    def test_never_fills_the_queue(self, asked: Desk) -> None:
        lines = "".join(f"- Dependency {n} blocks the start of ticket number {n} alone.\n" for n in range(200))
        asked.repository.write("docs/many.md", lines)
        asked.repository.commit()
        make_item(asked.shoebox, "doc:docs/many.md@" + asked.repository._git("rev-parse", "HEAD").strip())
        for _ in range(WAITING_MAX):
            try:
                suggest_evidence(asked.shoebox, limit=20, actor=asked.reviewer, now=NOON)
            except TooManyWait:
                break

        assert Evidence.objects.filter(shoebox=asked.shoebox).count() <= WAITING_MAX

    def test_asks_for_a_role_and_a_sane_limit(self, asked: Desk) -> None:
        with pytest.raises(BadInput):
            suggest_evidence(asked.shoebox, limit=31, actor=asked.reviewer, now=NOON)
        stranger = make_token_actor()
        with pytest.raises(Forbidden):
            suggest_evidence(asked.shoebox, actor=stranger, now=NOON)

    def test_answers_over_json(self, asked: Desk, client: Client) -> None:
        bearer = {"Authorization": f"Bearer {make_token(asked.workspace)[1]}"}
        body = {"shoebox": str(asked.shoebox.ref), "suggest": True, "limit": 2}

        answer = client.post("/api/v1/evidence", body, content_type="application/json", headers=bearer)

        assert answer.status_code == 201
        assert len(answer.json()["stored"]) == 2
        assert answer.json()["stored"][0]["extractor"]["kind"] == "system"

    def test_takes_drafts_or_suggests_not_both(self, asked: Desk, client: Client) -> None:
        bearer = {"Authorization": f"Bearer {make_token(asked.workspace)[1]}"}
        body = {"shoebox": str(asked.shoebox.ref), "suggest": True, "drafts": [{"ref": DOC, "quote": JAPANESE}]}

        answer = client.post("/api/v1/evidence", body, content_type="application/json", headers=bearer)

        assert answer.status_code == 422


def make_token_actor():  # type: ignore[no-untyped-def]
    """A Worker of another workspace."""
    from tests.factories import make_worker, make_workspace

    return make_worker(make_workspace())
