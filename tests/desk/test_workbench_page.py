import pytest
from django.test import Client
from django.urls import reverse

from shoebox.models import Item, Shoebox
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_item,
    make_owner,
    make_relation,
    make_shoebox,
)
from yoimemory.desk.against import against_each
from yoimemory.desk.workbench import TABS

pytestmark = pytest.mark.django_db

SOUGHT = {
    "against": {"queries": 6, "passages": 38, "kept": 0},
    "queries": [{"text": "not ready", "stance": "disconfirming", "kinds": [], "matched": 9, "read": 9, "kept": 0}],
    "signals": ["rejected"],
    "left_out": 3,
    "left_out_refs": [{"ref": "doc:docs/left.md", "rationale": "Names “start”"}],
}


@pytest.fixture
def box() -> Shoebox:
    return make_shoebox()


@pytest.fixture
def page(client: Client) -> Client:
    owner = make_owner()
    assert owner.user is not None
    client.force_login(owner.user)
    return client


def text_of(page: Client, box: Shoebox, tab: str = "items") -> str:
    response = page.get(reverse("desk:workbench", args=[box.public_id]), {"tab": tab})
    assert response.status_code == 200
    return response.content.decode()


class TestWorkbench:
    @pytest.mark.parametrize("tab", TABS)
    def test_says_what_to_do_in_an_empty_tab(self, page: Client, box: Shoebox, tab: str) -> None:
        text = text_of(page, box, tab)

        assert 'class="empty"' in text
        assert "What speaks against the question" in text

    def test_groups_items_by_kind_with_their_reasons(self, page: Client, box: Shoebox) -> None:
        make_item(box, "ticket:00001KXKMX0QM/thread#event-3", caveat="Later: approved at 21:35:26Z, after this as-of.")
        make_item(box, "commit:" + "e" * 40, rationale="Commit that queued the ticket")
        make_item(box, screening="set aside", screening_reason="Other subject.")

        text = text_of(page, box)

        assert text.index("Tickets <") < text.index("Commits <") < text.index("<b>Set aside</b>")
        assert "Later: approved at 21:35:26Z" in text
        assert "commit:eeeeeeee<" in text
        assert "2 + 1 set aside" in text
        assert "Other subject." in text

    def test_reads_its_state_again_after_what_moves_the_version(self, page: Client, box: Shoebox) -> None:
        url = reverse("desk:workbench", args=[box.public_id])
        text = text_of(page, box)
        section = text.partition('<section id="state"')[2].partition(">")[0]

        page.post(reverse("shoebox:resize", args=[box.public_id]), {"items": "9", "characters": "5000"})
        again = page.get(url, headers={"HX-Request": "true", "HX-Target": "state"}).content.decode().strip()

        for event in ("shoebox-gathered", "shoebox-resized", "items-added", "item-moved"):
            assert f"{event} from:body" in section
        assert again.startswith('<section id="state"')
        assert 'name="version" value="2"' in again

    def test_offers_nothing_to_change_when_closed(self, page: Client) -> None:
        box = make_shoebox(state="closed")
        make_item(box)

        text = text_of(page, box)

        assert "Gather again" not in text
        assert "Set aside…" not in text
        assert "Reopen" in text

    def test_lists_what_was_left_out_and_what_was_sought(self, page: Client) -> None:
        text = text_of(page, make_shoebox(sought=SOUGHT, gathered_at=NOON))

        assert "Left out of the last gathering: 3 over budget" in text
        assert "6 disconfirming queries, 38 passages read, 0 kept" in text
        assert "not ready" in text

    def test_lists_what_rests_on_the_shoebox_in_its_tabs(self, page: Client, box: Shoebox) -> None:
        hypothesis, evidence = make_hypothesis(box), make_evidence(box)
        make_relation(evidence, hypothesis.ref, "refutes")

        evidence_tab, hypotheses_tab = text_of(page, box, "evidence"), text_of(page, box, "hypotheses")

        assert evidence.quote in evidence_tab
        assert reverse("evidence:detail", args=[evidence.public_id]) in evidence_tab
        assert reverse("hypotheses:detail", args=[hypothesis.public_id]) in hypotheses_tab
        assert reverse("hypotheses:propose") in hypotheses_tab
        assert reverse("products:export", args=[box.public_id]) in text_of(page, box, "products")

    def test_escapes_what_sources_say(self, page: Client, box: Shoebox) -> None:
        make_item(box, title="<script>alert(1)</script>", rationale="<b>bold</b>")

        text = text_of(page, box)

        assert "<script>alert" not in text
        assert "&lt;b&gt;bold" in text

    @pytest.mark.parametrize("tab", TABS)
    def test_costs_the_same_when_rows_double(
        self, page: Client, box: Shoebox, tab: str, django_assert_max_num_queries: object
    ) -> None:
        fill(box, 2)
        first = queries_of(page, box, tab, django_assert_max_num_queries)
        fill(box, 4)

        assert queries_of(page, box, tab, django_assert_max_num_queries) == first


def fill(box: Shoebox, count: int) -> None:
    for _ in range(count):
        number = box.items.count()
        make_item(box, f"doc:docs/{number}.md", leaning=Item.Leaning.CONTRADICTS)
        make_relation(make_evidence(box), make_hypothesis(box).ref, "refutes")


def queries_of(page: Client, box: Shoebox, tab: str, django_assert_max_num_queries: object) -> int:
    with django_assert_max_num_queries(200) as captured:  # type: ignore[operator]
        text_of(page, box, tab)
    return len(captured)


class TestAgainst:
    def test_shows_each_live_hypothesis_even_when_nothing_speaks_against_it(self, box: Shoebox) -> None:
        first, second = make_hypothesis(box), make_hypothesis(box)
        make_hypothesis(box, status="rejected")
        make_relation(make_evidence(box), first.ref, "refutes")

        entries = against_each(box)

        assert [(entry.label, entry.refuting, entry.sources) for entry in entries] == [("H1", 1, 1), ("H2", 0, 0)]
        assert entries[1].hypothesis == second

    def test_counts_only_what_still_stands(self, box: Shoebox) -> None:
        hypothesis = make_hypothesis(box)
        rejected = make_evidence(box, state="rejected", state_reason="No.")
        make_relation(rejected, hypothesis.ref, "refutes")

        assert against_each(box)[0].refuting == 0

    def test_counts_apart_what_came_after_the_as_of(self) -> None:
        box = make_shoebox(as_of=NOON.replace(hour=1))
        hypothesis = make_hypothesis(box)
        make_relation(make_evidence(box, said_at=NOON), hypothesis.ref, "refutes")

        [entry] = against_each(box)

        assert (entry.refuting, entry.later) == (0, 1)

    def test_falls_back_to_the_question(self, box: Shoebox) -> None:
        make_relation(make_evidence(box), box.ref, "refutes")

        [entry] = against_each(box)

        assert (entry.label, entry.refuting) == ("the question", 1)

    def test_puts_accepted_quotes_before_suggested_ones(self, box: Shoebox) -> None:
        hypothesis = make_hypothesis(box)
        for state in ("suggested", "suggested", "accepted"):
            make_relation(make_evidence(box, state=state), hypothesis.ref, "refutes")

        [entry] = against_each(box)

        assert [quoted.evidence.state for quoted in entry.quotes] == ["accepted", "suggested"]
        assert entry.more == 1
