"""The same material for a new question, further queries in a full shoebox, and tasks without a ticket."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from shoebox.models import Item, Shoebox
from shoebox.schemas import Budget, ShoeboxDraft
from shoebox.services import create_shoebox, duplicate_shoebox, gather_shoebox, screen_items
from tests.factories import NOON, make_evidence, make_item, make_person, make_shoebox, make_token
from tests.shoebox.folder import TASK, make_folder
from yoimemory.access.models import Actor
from yoimemory.errors import BadInput

pytestmark = pytest.mark.django_db


@pytest.fixture
def box() -> Shoebox:
    box = make_shoebox()
    for number in range(3):
        make_item(box, f"doc:docs/{number}.md@" + "a" * 40, screening="kept")
    make_item(box, "doc:docs/off.md@" + "a" * 40, screening="set aside", screening_reason="off")
    return box


@pytest.fixture
def rin(box: Shoebox) -> Actor:
    return make_person(box.workspace, name="rin")


class TestDuplicateShoebox:
    def test_takes_the_items_along_undecided_and_leaves_the_rest(self, box: Shoebox, rin: Actor) -> None:
        made = duplicate_shoebox(box, question="Why must it wait?", actor=rin, now=NOON)

        rows = made.items.in_order()
        assert [row.document for row in rows] == ["doc:docs/0.md", "doc:docs/1.md", "doc:docs/2.md"]
        assert {row.screening for row in rows} == {"undecided"}
        assert box.items.count() == 4

    def test_asks_for_a_question(self, box: Shoebox, rin: Actor) -> None:
        with pytest.raises(BadInput, match="new question"):
            duplicate_shoebox(box, question=" ", actor=rin, now=NOON)

    def test_is_offered_on_the_page_and_over_json(self, box: Shoebox, rin: Actor) -> None:
        client = Client()
        assert rin.user is not None
        client.force_login(rin.user)
        worker = Client(headers={"authorization": f"Bearer {make_token(box.workspace)[1]}"})

        page = client.post(reverse("shoebox:duplicate", args=[box.public_id]), {"question": "Why?"}, follow=True)
        answer = worker.post(
            f"/api/v1/shoeboxes/{box.public_id}/duplicate", {"question": "Why?"}, content_type="application/json"
        )

        assert "Opened with 3 items of the earlier shoebox" in page.content.decode()
        assert answer.status_code == 201
        assert len(answer.json()["items"]) == 3


class TestFurtherQueries:
    def test_are_used_in_a_full_shoebox_and_undo_no_screening(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path)
        person = make_person(workspace)
        draft = ShoeboxDraft(question="May it start?", task=f"ticket:{TASK}", budget=Budget(items=5))
        box = create_shoebox(draft, workspace=workspace, actor=person, now=NOON)
        first = box.items.in_order()[0]
        screen_items([first], screening="set aside", reason="known", actor=person, now=NOON)
        gather_shoebox(box, actor=person, now=NOON)

        gathered = gather_shoebox(box, actor=person, now=NOON, queries=["panel green colours"])

        assert "doc:docs/other.md" in {item.document for item in gathered.new}
        assert Item.objects.get(pk=first.pk).screening == "set aside"
        assert box.holdings.items <= 5


class TestForms:
    def test_open_a_shoebox_for_a_review_without_a_ticket(self, box: Shoebox, rin: Actor) -> None:
        client = Client()
        assert rin.user is not None
        client.force_login(rin.user)
        fields = {"question": "Does it hold?", "budget_items": 5, "budget_characters": 5_000, "task_kind": "review"}

        refused = client.post(reverse("shoebox:create"), fields)
        client.post(reverse("shoebox:create"), fields | {"task_title": "The design of locks"})

        assert "needs both a kind and a title" in refused.content.decode()
        assert Shoebox.objects.filter(task_kind="review", task_title="The design of locks").exists()

    def test_offer_discarding_only_while_nothing_rests_on_it(self, box: Shoebox, rin: Actor) -> None:
        client = Client()
        assert rin.user is not None
        client.force_login(rin.user)
        address = reverse("desk:workbench", args=[box.public_id])

        before = client.get(address).content.decode()
        make_evidence(box)
        after = client.get(address).content.decode()

        assert 'value="discarded"' in before
        assert 'value="discarded"' not in after
        assert "cannot be discarded; archive it instead" in after
