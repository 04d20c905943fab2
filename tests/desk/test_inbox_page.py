from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evidence.models import Evidence, Placement
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_item,
    make_owner,
    make_person,
    make_relation,
    make_shoebox,
    make_worker,
    make_workspace,
)
from yoimemory.desk.needs import Waiting, count_needs
from yoimemory.markers.schemas import ContradictionDraft, MarkerDraft
from yoimemory.markers.services import mark_staleness, note_contradiction
from yoimemory.products.models import Export, Proposal
from yoimemory.search.models import Position
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def workspace() -> Workspace:
    return make_workspace()


@pytest.fixture
def box(workspace: Workspace) -> Shoebox:
    return make_shoebox(workspace)


@pytest.fixture
def page(client: Client) -> Client:
    owner = make_owner()
    assert owner.user is not None
    client.force_login(owner.user)
    return client


def text_of(page: Client) -> str:
    response = page.get(reverse("desk:inbox"))
    assert response.status_code == 200
    return response.content.decode()


def drift(evidence: Evidence, state: str) -> None:
    Placement.objects.create(evidence=evidence, state=state, method="exact", at=NOON)


def propose(box: Shoebox, **kwargs: str) -> Proposal:
    return Proposal.objects.create(
        workspace=box.workspace, shoebox=box, target="doc", path="docs/a.md", title="Update the rule", content="x",
        rationale="Because.", state_at=NOON, made_by=box.opened_by, made_at=NOON, **kwargs,
    )  # fmt: skip


class TestEmptyInbox:
    def test_names_the_next_step_before_anything_is_read(self, page: Client, workspace: Workspace) -> None:
        text = text_of(page)

        assert "Nothing needs you" in text
        assert "have not been read yet" in text

    def test_leads_from_stage_to_stage(self, page: Client, workspace: Workspace) -> None:
        Position.objects.create(workspace=workspace.public_id, indexed_at=NOON)
        assert "Open a shoebox for it" in text_of(page)

        box = make_shoebox(workspace)
        make_item(box)
        assert "nothing is quoted from it yet" in text_of(page)

        make_evidence(box, state="accepted")
        assert "Propose a hypothesis" in text_of(page)

        make_hypothesis(box)
        assert "Everything that was suggested is judged" in text_of(page)


class TestInbox:
    def test_orders_by_what_could_be_wrong(self, page: Client, box: Shoebox) -> None:
        accepted, proposed = make_hypothesis(box, status="accepted"), make_hypothesis(box)
        for quote, target, relation in (
            ("It supports the claim.", proposed, "supports"),
            ("It refutes the claim.", proposed, "refutes"),
            ("It contradicts what was accepted.", accepted, "refutes"),
        ):
            make_relation(make_evidence(box, quote=quote), target.ref, relation)

        text = text_of(page)

        places = [text.index(words) for words in ("It contradicts what", "It refutes", "It supports")]
        assert places == sorted(places)
        assert "Contradicts something accepted" in text

    def test_shows_quotes_that_drifted_and_not_those_that_moved(self, page: Client, box: Shoebox) -> None:
        lost, moved = (
            make_evidence(box, state="accepted", quote="It was lost since."),
            make_evidence(box, state="accepted"),
        )
        drift(lost, "orphaned")
        drift(moved, "moved")

        text = text_of(page)

        assert "Quotes that drifted" in text
        assert "It was lost since." in text
        assert moved.quote not in text

    def test_looks_at_the_latest_check_only(self, workspace: Workspace, box: Shoebox) -> None:
        found_again = make_evidence(box, state="accepted")
        drift(found_again, "orphaned")
        drift(found_again, "verified")

        assert count_needs(workspace, make_person(workspace)) == 0

    def test_tells_one_cause_of_drift_once(self, page: Client, box: Shoebox) -> None:
        for _ in range(2):
            lost = make_evidence(box, state="accepted")
            Placement.objects.create(evidence=lost, state="orphaned", method="none", revision="b" * 40, at=NOON)

        text = text_of(page)

        assert "Up to commit bbbbbbbb:</b> 1 changed source touches accepted quotes: 2 orphaned." in text

    def test_offers_verdicts_to_reviewers_only(self, client: Client, box: Shoebox) -> None:
        evidence, member = make_evidence(box), make_person(box.workspace, "member")
        assert member.user is not None
        client.force_login(member.user)

        text = text_of(client)

        assert evidence.quote in text
        assert 'value="accept"' not in text

    def test_folds_a_workers_reason(self, page: Client, box: Shoebox) -> None:
        make_evidence(box, made_by=make_worker(box.workspace))

        assert "reason is folded until you have read the quote" in text_of(page)

    def test_lists_proposals_conflicts_first(self, page: Client, box: Shoebox) -> None:
        propose(box)
        propose(box, state="conflict")

        text = text_of(page)

        assert text.index(">conflict<") < text.index(">proposed<")

    def test_lists_markers_that_are_proposed_or_fell_due(self, page: Client, box: Shoebox) -> None:
        person, worker = make_person(box.workspace), make_worker(box.workspace)
        yesterday = timezone.now() - timedelta(days=1)
        due = MarkerDraft(target="doc:docs/a.md", state="needs-review", reason="Recheck then.", review_at=yesterday)
        mark_staleness(due, workspace=box.workspace, actor=person, now=NOON)
        asked = MarkerDraft(target="doc:docs/b.md", state="stale", reason="The file says otherwise.")
        mark_staleness(asked, workspace=box.workspace, actor=worker, now=NOON)

        text = text_of(page)

        assert "Markers that fell due" in text
        assert "The file says otherwise." in text

    def test_lists_accepted_claims_until_something_goes_back(self, page: Client, box: Shoebox) -> None:
        make_hypothesis(box, status="accepted", claim="It must wait.")
        assert "Accepted, no product yet" in text_of(page)

        export = Export.objects.create(shoebox=box, folder="artifacts", by=box.opened_by, at=NOON)
        assert "Accepted, no product yet" not in text_of(page)

        Export.objects.filter(pk=export.pk).update(undone_at=NOON)
        assert "Accepted, no product yet" in text_of(page)

    def test_says_which_claims_are_ripe(self, page: Client) -> None:
        box = make_shoebox(make_workspace(slug="ripe"), sought={"disconfirming": ["not"]})
        hypothesis = make_hypothesis(box, claim="Hold until both are closed.")
        make_relation(make_evidence(box, state="accepted"), hypothesis.ref, "supports")
        make_relation(make_evidence(box, state="accepted"), hypothesis.ref, "refutes")

        text = text_of(page)

        assert "Ready to decide" in text
        assert "Hold until both are closed." in text

    def test_counts_in_the_rail_what_it_lists(self, page: Client, box: Shoebox) -> None:
        make_relation(make_evidence(box), make_hypothesis(box).ref, "refutes")
        propose(box)
        make_hypothesis(make_shoebox(box.workspace), status="accepted")

        text = text_of(page)

        assert "3 things need you" in text
        assert 'Inbox<span class="n">3</span>' in text

    def test_gives_its_head_alone_after_a_verdict(self, page: Client, box: Shoebox) -> None:
        make_evidence(box)
        headers = {"HX-Request": "true", "HX-Target": "inbox-head"}

        response = page.get(reverse("desk:inbox"), headers=headers)

        assert response.content.decode().strip().startswith('<header id="inbox-head"')
        assert "1 thing needs you" in response.content.decode()

    def test_costs_the_same_when_rows_double(
        self, page: Client, box: Shoebox, django_assert_max_num_queries: object
    ) -> None:
        fill(box, 2)
        first = queries_of(page, django_assert_max_num_queries)
        fill(box, 4)

        assert queries_of(page, django_assert_max_num_queries) == first


class TestWaiting:
    def test_puts_what_supports_before_what_only_gives_context(self, box: Shoebox) -> None:
        hypothesis = make_hypothesis(box)
        context, support = make_evidence(box), make_evidence(box)
        make_relation(context, hypothesis.ref, "contextualizes")
        make_relation(support, hypothesis.ref, "supports")

        waiting = Waiting.of([context, support])

        assert waiting.others == [support, context]


def fill(box: Shoebox, count: int) -> None:
    for _ in range(count):
        hypothesis = make_hypothesis(box)
        make_relation(make_evidence(box), hypothesis.ref, "refutes")
        make_relation(make_evidence(box, state="accepted"), hypothesis.ref, "supports")
        gone = make_evidence(box, state="accepted")
        drift(gone, "orphaned")
        propose(box)
        make_hypothesis(make_shoebox(box.workspace), status="accepted")


def queries_of(page: Client, django_assert_max_num_queries: object) -> int:
    with django_assert_max_num_queries(200) as captured:  # type: ignore[operator]
        text_of(page)
    return len(captured)


class TestTwoPeople:
    @pytest.fixture
    def people(self, workspace: Workspace) -> list[Client]:
        clients = []
        for name in ("mika", "ren", "aoi"):
            client = Client()
            client.force_login(make_person(workspace, name=name).user)  # type: ignore[arg-type]
            clients.append(client)
        return clients

    def answer(self, client: Client, claim: Hypothesis, after: str) -> None:
        client.post(reverse("hypotheses:decide", args=[claim.public_id]), {
            "version": 1, "after": after, "reason": "The log says so.", "override": "on",
        })  # fmt: skip

    def test_asks_everybody_else_without_the_first_answer(
        self, workspace: Workspace, box: Shoebox, people: list[Client]
    ) -> None:
        claim = make_hypothesis(box, made_by=make_worker(workspace), claim="The later clock wins.")
        self.answer(people[0], claim, "rejected")

        mine, other = (client.get(reverse("desk:inbox")).content.decode() for client in people[:2])

        assert "A second person is asked" not in mine
        assert "A second person is asked" in other
        assert "how a hypothesis is decided" in other
        assert "The log says so." not in other

    def test_lists_a_disagreement_for_everybody(self, workspace: Workspace, box: Shoebox, people: list[Client]) -> None:
        claim = make_hypothesis(box, made_by=make_worker(workspace), claim="The later clock wins.")
        self.answer(people[0], claim, "rejected")
        self.answer(people[1], claim, "accepted")

        for client in people:
            page = client.get(reverse("desk:inbox")).content.decode()
            assert "Reviewers disagree" in page
            assert "The later clock wins." in page

    def test_lists_an_open_contradiction(self, workspace: Workspace, people: list[Client]) -> None:
        draft = ContradictionDraft(left="doc:docs/a.md", right="doc:docs/b.md", about="Which clock wins.")
        note_contradiction(draft, workspace=workspace, actor=make_worker(workspace), now=NOON)

        page = people[0].get(reverse("desk:inbox")).content.decode()

        assert "Open contradictions" in page
        assert "Which clock wins." in page
