from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from shoebox.models import Item, Shoebox
from tests.factories import (
    make_item,
    make_owner,
    make_person,
    make_shoebox,
    make_user,
    make_workspace,
)
from tests.shoebox.folder import TASK, make_folder
from yoimemory.search.services import index_workspace
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_folder(tmp_path / "ws")


@pytest.fixture
def box() -> Shoebox:
    return make_shoebox()


@pytest.fixture
def page(client: Client) -> Client:
    owner = make_owner()
    assert owner.user is not None
    client.force_login(owner.user)
    return client


def queries_of(page: Client, url: str, django_assert_max_num_queries: object) -> int:
    with django_assert_max_num_queries(200) as captured:  # type: ignore[operator]
        assert page.get(url).status_code == 200
    return len(captured)


class TestListPage:
    def test_says_what_to_do_when_there_is_none(self, page: Client) -> None:
        make_workspace()

        text = page.get(reverse("shoebox:list")).content.decode()

        assert "There is no shoebox yet" in text
        assert reverse("shoebox:new") in text

    def test_shows_open_ones_and_narrows_by_state_and_words(self, page: Client, box: Shoebox) -> None:
        make_shoebox(box.workspace, question="An old one?", state="archived")

        shown = page.get(reverse("shoebox:list")).content.decode()
        old = page.get(reverse("shoebox:list"), {"state": "archived", "words": "old"}).content.decode()

        assert "May it start now?" in shown
        assert "An old one?" not in shown
        assert "An old one?" in old

    def test_answers_htmx_with_the_list_alone(self, page: Client, box: Shoebox) -> None:
        response = page.get(reverse("shoebox:list"), headers={**HTMX, "HX-Target": "shoeboxes"})

        assert response.content.decode().strip().startswith('<div id="shoeboxes"')

    def test_costs_the_same_when_rows_double(
        self, page: Client, box: Shoebox, django_assert_max_num_queries: object
    ) -> None:
        make_item(box)
        before = queries_of(page, reverse("shoebox:list"), django_assert_max_num_queries)
        for _ in range(5):
            make_item(make_shoebox(box.workspace))

        assert queries_of(page, reverse("shoebox:list"), django_assert_max_num_queries) == before


class TestNewPage:
    def test_opens_a_shoebox_gathers_and_goes_to_the_workbench(self, page: Client, workspace: Workspace) -> None:
        fields = {
            "question": "May the queued ticket start now?", "task": TASK, "as_of": "2026-07-15 21:26:30",
            "queries": "stale test\n\nrules", "budget_items": "30", "budget_characters": "50000", "gather": "on",
        }  # fmt: skip

        response = page.post(reverse("shoebox:create"), fields)

        box = Shoebox.objects.get()
        assert response.headers["Location"] == reverse("desk:workbench", args=[box.public_id])
        assert box.as_of is not None
        assert (box.task, box.as_of.isoformat()) == (f"ticket:{TASK}", "2026-07-15T21:26:30+00:00")
        assert box.asked["queries"] == ["stale test", "rules"]
        assert box.items.exists()

    def test_takes_a_day_alone_with_all_that_happened_on_it(self, page: Client, workspace: Workspace) -> None:
        fields = {
            "question": "May it start?",
            "as_of": "2026-07-15",
            "budget_items": "30",
            "budget_characters": "50000",
        }

        page.post(reverse("shoebox:create"), {**fields, "as_of": "2026-07-15"})

        assert str(Shoebox.objects.get().as_of) == "2026-07-15 23:59:59.999999+00:00"

    def test_goes_there_by_htmx_too(self, page: Client, workspace: Workspace) -> None:
        fields = {"question": "May it start?", "budget_items": "30", "budget_characters": "50000"}

        response = page.post(reverse("shoebox:create"), fields, headers=HTMX)

        assert response.headers["HX-Redirect"].startswith("/shoeboxes/")

    def test_shows_the_form_with_what_is_wrong_beside_its_field(self, page: Client, workspace: Workspace) -> None:
        fields = {"question": "May it start?", "task": "ticket:00001KXKMX0QX", "budget_items": "30",
                  "budget_characters": "50000"}  # fmt: skip

        response = page.post(reverse("shoebox:create"), fields, headers={**HTMX, "HX-Target": "new-shoebox"})

        assert response.status_code == 422
        text = response.content.decode()
        assert "There is no task ticket:00001KXKMX0QX" in text
        assert f"ticket:{TASK}" in text
        assert 'value="ticket:00001KXKMX0QX"' in text

    def test_is_filled_from_the_address(self, page: Client) -> None:
        make_workspace()

        text = page.get(reverse("shoebox:new"), {"question": "Why?", "task": f"ticket:{TASK}"}).content.decode()

        assert "Why?" in text
        assert f"ticket:{TASK}" in text


class TestItemActions:
    def post(self, page: Client, name: str, item: Item, data: dict[str, str], *, htmx: bool = True) -> object:
        url = reverse(f"shoebox:{name}", args=[item.shoebox.public_id, item.public_id])
        return page.post(url, data, headers=HTMX if htmx else {})

    def test_answers_a_screening_with_the_row_and_the_budget_out_of_band(self, page: Client, box: Shoebox) -> None:
        item = make_item(box)

        response = self.post(page, "screen", item, {"screening": "kept", "version": "1"})

        text = response.content.decode()  # type: ignore[attr-defined]
        assert response.headers["HX-Trigger"] == '{"item-screened": {}}'  # type: ignore[attr-defined]
        assert text.strip().startswith(f'<li id="item-{item.public_id}"')
        assert '<section id="holdings" hx-swap-oob="true"' in text
        assert '<span id="count-items" class="n" hx-swap-oob="true">1</span>' in text

    def test_answers_a_missing_reason_in_the_row(self, page: Client, box: Shoebox) -> None:
        response = self.post(page, "screen", make_item(box), {"screening": "set aside"})

        assert response.status_code == 422  # type: ignore[attr-defined]
        assert "Say in a few words why" in response.content.decode()  # type: ignore[attr-defined]

    def test_answers_a_stale_version_with_the_row_as_it_is_now(self, page: Client, box: Shoebox) -> None:
        item = make_item(box, version=4, screening="kept")

        response = self.post(page, "screen", item, {"screening": "undecided", "version": "3"})

        assert response.status_code == 409  # type: ignore[attr-defined]
        text = response.content.decode()  # type: ignore[attr-defined]
        assert "changed since you read version 3" in text
        assert "Undo" in text

    def test_undoes_leans_and_moves(self, page: Client, box: Shoebox) -> None:
        item, other = make_item(box), make_item(box, "doc:docs/b.md")
        self.post(page, "screen", item, {"screening": "kept"})

        undone = self.post(page, "undo", item, {})
        leaned = self.post(page, "lean", item, {"leaning": "likely contradicts"})
        moved = self.post(page, "move", item, {"position": "2"})

        item.refresh_from_db()
        assert (item.screening, item.leaning, item.position) == ("undecided", "likely contradicts", 2)
        assert [answer.status_code for answer in (undone, leaned, moved)] == [200, 200, 200]  # type: ignore[attr-defined]
        text = moved.content.decode()  # type: ignore[attr-defined]
        assert text.index(other.public_id) < text.index(item.public_id)

    def test_goes_back_to_the_row_without_htmx(self, page: Client, box: Shoebox) -> None:
        item = make_item(box)

        response = self.post(page, "screen", item, {"screening": "kept"}, htmx=False)

        assert response.headers["Location"].endswith(f"#item-{item.public_id}")  # type: ignore[attr-defined]

    def test_hides_what_is_not_the_readers(self, client: Client, box: Shoebox) -> None:
        stranger = make_person(make_workspace())
        assert stranger.user is not None
        client.force_login(stranger.user)

        response = self.post(client, "screen", make_item(box), {"screening": "kept"})

        assert response.status_code == 404  # type: ignore[attr-defined]
        assert client.get(reverse("desk:workbench", args=[box.public_id])).status_code == 404

    def test_tells_a_reader_without_role_to_ask_for_one(self, client: Client, box: Shoebox) -> None:
        client.force_login(make_user())

        assert "no workspace" in client.get(reverse("shoebox:list")).content.decode()


class TestShoeboxActions:
    def test_gathers_again_and_says_what_came_in(self, page: Client, workspace: Workspace) -> None:
        box = make_shoebox(workspace, task=f"ticket:{TASK}")

        response = page.post(reverse("shoebox:gather", args=[box.public_id]), headers=HTMX)

        assert "Gathered:" in response.content.decode()
        assert response.headers["HX-Trigger"] == '{"shoebox-gathered": {}}'

    def test_shows_apart_what_is_new_and_what_has_changed(self, page: Client, workspace: Workspace) -> None:
        box = make_shoebox(workspace, task=f"ticket:{TASK}")
        gather = reverse("shoebox:gather", args=[box.public_id])
        page.post(gather)
        first = page.get(reverse("desk:workbench", args=[box.public_id])).content.decode()
        (workspace.path / "docs" / "rules.md").write_text("# Rules\n\nA queued ticket may start at once.\n")
        (workspace.path / "docs" / "more.md").write_text("# More\n\nWhether it may start now, nobody says.\n")
        index_workspace(workspace, now=timezone.now())

        again = page.post(gather, headers=HTMX).content.decode()

        assert 'id="news"' not in first
        news = again.partition('id="news"')[2].partition("</section>")[0]
        assert "doc:docs/more.md" in news
        assert "doc:docs/rules.md" in news
        assert "Changed since it was read" in news
        assert "ticket:" not in news

    def test_answers_json_with_what_is_new_and_what_has_changed(self, page: Client, workspace: Workspace) -> None:
        box = make_shoebox(workspace, task=f"ticket:{TASK}")
        page.post(reverse("shoebox:gather", args=[box.public_id]))
        (workspace.path / "docs" / "rules.md").unlink()
        index_workspace(workspace, now=timezone.now())

        answer = page.post(f"/api/v1/shoeboxes/{box.public_id}/gather").json()

        assert answer["new"] == []
        [gone] = answer["changed"]
        assert gone["caveats"][-1].startswith("Gone: the index no longer holds this source.")
        assert gone in answer["items"]
        assert not {"upto_document", "left_out_marks"} & set(answer["sought"])

    def test_seeks_further_for_a_claim(self, page: Client, workspace: Workspace) -> None:
        box = make_shoebox(workspace)

        page.post(reverse("shoebox:gather", args=[box.public_id]), {"query": "The panel is green."})

        box.refresh_from_db()
        assert "The panel is green." in box.sought["disconfirming"]

    def test_adds_by_ref_or_says_what_is_wrong(self, page: Client, workspace: Workspace) -> None:
        box = make_shoebox(workspace)
        url = reverse("shoebox:add", args=[box.public_id])

        wrong = page.post(url, {"ref": "doc:docs/rules.nd", "rationale": "The rule."}, headers=HTMX)
        right = page.post(url, {"ref": "doc:docs/rules.md#L3", "rationale": "The rule."}, headers=HTMX)

        assert wrong.status_code == 422
        assert "doc:docs/rules.nd" in wrong.content.decode()
        assert "Added doc:docs/rules.md@sha256:" in right.content.decode()

    def test_changes_the_budget_in_its_own_part(self, page: Client, box: Shoebox) -> None:
        url = reverse("shoebox:resize", args=[box.public_id])

        saved = page.post(url, {"items": "7", "characters": "5000", "version": "1"}, headers=HTMX)
        wrong = page.post(url, {"items": "0", "characters": "5000"}, headers=HTMX)
        stale = page.post(url, {"items": "9", "characters": "5000", "version": "1"}, headers=HTMX)

        assert (saved.status_code, wrong.status_code, stale.status_code) == (200, 422, 422)
        assert "0 of 7" in saved.content.decode()
        assert "shoebox-resized" in saved.headers["HX-Trigger"]
        assert "Items:" in wrong.content.decode()
        assert "since you read version" in stale.content.decode()

    def test_closes_and_says_so(self, page: Client, box: Shoebox) -> None:
        url = reverse("shoebox:state", args=[box.public_id])

        text = page.post(url, {"state": "closed", "reason": "Answered."}, follow=True).content.decode()

        assert "This shoebox is closed" in text
        assert "Answered." in text
        assert "Reopen" in text

    def test_refuses_to_discard_without_a_reason(self, page: Client, box: Shoebox) -> None:
        url = reverse("shoebox:state", args=[box.public_id])

        text = page.post(url, {"state": "discarded"}, follow=True).content.decode()

        assert "Say why the shoebox is discarded" in text

    @pytest.mark.parametrize("name", ["gather", "state", "resize", "add"])
    def test_changes_nothing_on_a_get(self, page: Client, box: Shoebox, name: str) -> None:
        assert page.get(reverse(f"shoebox:{name}", args=[box.public_id])).status_code == 405


def test_the_admin_shows_and_changes_nothing(page: Client, box: Shoebox) -> None:
    make_item(box)
    change = reverse("admin:shoebox_shoebox_change", args=[box.pk])

    assert page.get(reverse("admin:shoebox_shoebox_changelist")).status_code == 200
    assert page.get(change).status_code == 200
    assert page.post(change, {"question": "Other?"}).status_code == 403
