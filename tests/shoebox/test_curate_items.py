from pathlib import Path
from typing import Any

import pytest

from shoebox.models import Item, Shoebox
from shoebox.schemas import ItemDraft
from shoebox.services import (
    AlreadyHeld,
    NothingToUndo,
    NotYourShoebox,
    OverBudget,
    ShoeboxNotOpen,
    add_items,
    curate_item,
    items,
    lean_item,
    move_item,
    screen_items,
    undo_screening,
)
from tests.factories import (
    NOON,
    make_item,
    make_person,
    make_shoebox,
    make_worker,
    make_workspace,
)
from tests.shoebox.folder import FIRST, RULE, TASK, make_folder
from yoimemory.access.models import Actor
from yoimemory.errors import BadInput, Forbidden, NotFound, StaleVersion
from yoimemory.journal.models import Change
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_folder(tmp_path / "ws")


@pytest.fixture
def box() -> Shoebox:
    return make_shoebox()


@pytest.fixture
def reviewer(box: Shoebox) -> Actor:
    return make_person(box.workspace)


class TestAddItems:
    def add(self, box: Shoebox, ref: str, actor: Actor, **kwargs: str) -> Item:
        [item] = add_items(box, [ItemDraft(ref=ref, rationale="It bears on this.", **kwargs)], actor=actor, now=NOON)
        return item

    def test_is_refused_when_the_shoebox_is_archived_while_the_source_is_read(
        self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        box, read = make_shoebox(workspace), items.read_found

        def slowly(*args: Any, **kwargs: Any) -> Any:
            Shoebox.objects.update(state=Shoebox.State.ARCHIVED)
            return read(*args, **kwargs)

        monkeypatch.setattr(items, "read_found", slowly)

        with pytest.raises(ShoeboxNotOpen, match="archived"):
            add_items(
                box, [ItemDraft(ref=f"ticket:{TASK}", rationale="The rule.")], actor=make_person(workspace), now=NOON
            )
        assert not box.items.exists()

    def test_stores_the_ref_with_the_digest_that_was_read(self, workspace: Workspace) -> None:
        box = make_shoebox(workspace)

        item = self.add(box, "doc:docs/rules.md#L5", make_person(workspace))

        assert item.address.revision == f"sha256:{item.digest}"
        assert item.place == "doc:docs/rules.md#L5"
        assert item.characters == len(RULE)
        assert item.came == Item.Came.ADDED

    def test_says_of_a_worker_that_it_proposes(self, workspace: Workspace) -> None:
        item = self.add(make_shoebox(workspace), f"ticket:{FIRST}/thread#event-3", make_worker(workspace))

        assert item.came == Item.Came.PROPOSED
        assert item.at is not None

    @pytest.mark.parametrize("ref", ["doc:docs/nowhere.md", "doc:docs/rules.md#L900", f"ticket:{TASK}/thread#event-99"])
    def test_refuses_what_leads_nowhere(self, workspace: Workspace, ref: str) -> None:
        with pytest.raises(NotFound):
            self.add(make_shoebox(workspace), ref, make_person(workspace))

    @pytest.mark.parametrize("ref", ["shoebox:" + "0" * 26, "elsewhere::doc:docs/rules.md", "no ref at all"])
    def test_refuses_what_is_no_source_of_this_workspace(self, workspace: Workspace, ref: str) -> None:
        with pytest.raises(BadInput):
            self.add(make_shoebox(workspace), ref, make_person(workspace))

    def test_refuses_the_same_place_twice_and_says_why_it_was_set_aside(self, workspace: Workspace) -> None:
        box, person = make_shoebox(workspace), make_person(workspace)
        item = self.add(box, "doc:docs/rules.md", person)
        screen_items([item], screening="set aside", reason="Too general.", actor=person, now=NOON)

        with pytest.raises(AlreadyHeld, match="Too general"):
            self.add(box, "doc:docs/rules.md", person)

        assert box.items.count() == 1

    def test_adds_all_or_none(self, workspace: Workspace) -> None:
        box = make_shoebox(workspace)
        drafts = [ItemDraft(ref=ref, rationale="x") for ref in ("doc:docs/rules.md", "doc:docs/nowhere.md")]

        with pytest.raises(NotFound):
            add_items(box, drafts, actor=make_person(workspace), now=NOON)

        assert box.items.count() == 0

    def test_holds_a_worker_to_the_budget_and_lets_a_person_go_over_it(self, workspace: Workspace) -> None:
        box = make_shoebox(workspace, budget_items=1)
        make_item(box, "doc:docs/full.md")

        with pytest.raises(OverBudget, match="2 items of 1"):
            self.add(box, "doc:docs/rules.md", make_worker(workspace))
        self.add(box, "doc:docs/rules.md", make_person(workspace))

        assert box.holdings.items == 2

    def test_refuses_a_token_that_may_only_read(self, workspace: Workspace) -> None:
        with pytest.raises(Forbidden, match="only read"):
            self.add(make_shoebox(workspace), "doc:docs/rules.md", make_worker(workspace, scope="read"))

    def test_refuses_a_person_without_a_role(self, workspace: Workspace) -> None:
        stranger = make_person(make_workspace())

        with pytest.raises(Forbidden, match="no role"):
            self.add(make_shoebox(workspace), "doc:docs/rules.md", stranger)


class TestScreenItems:
    def test_sets_aside_with_a_reason_and_keeps_the_item(self, box: Shoebox, reviewer: Actor) -> None:
        item = make_item(box)

        count = screen_items([item], screening="set aside", reason="Other subject.", actor=reviewer, now=NOON)

        item.refresh_from_db()
        assert (count, item.screening, item.screening_reason, item.version) == (1, "set aside", "Other subject.", 2)
        change = Change.objects.get(verb="item-screened")
        assert (change.before["screening"], change.after["screening"]) == ("undecided", "set aside")

    def test_refuses_to_set_aside_without_a_reason(self, box: Shoebox, reviewer: Actor) -> None:
        with pytest.raises(BadInput, match="why"):
            screen_items([make_item(box)], screening="set aside", reason="  ", actor=reviewer, now=NOON)

    def test_counts_only_what_changed(self, box: Shoebox, reviewer: Actor) -> None:
        kept, other = make_item(box, screening="kept"), make_item(box, "doc:docs/b.md")

        assert screen_items([kept, other], screening="kept", actor=reviewer, now=NOON) == 1

    def test_refuses_a_stale_version(self, box: Shoebox, reviewer: Actor) -> None:
        item = make_item(box)
        screen_items([item], screening="kept", actor=reviewer, now=NOON, version=1)

        with pytest.raises(StaleVersion, match="item screened"):
            screen_items([item], screening="undecided", actor=reviewer, now=NOON, version=1)

    def test_refuses_an_unknown_screening(self, box: Shoebox, reviewer: Actor) -> None:
        with pytest.raises(BadInput, match="no screening"):
            screen_items([make_item(box)], screening="maybe", actor=reviewer, now=NOON)

    def test_lets_a_worker_screen_only_its_own(self, box: Shoebox) -> None:
        worker = make_worker(box.workspace)
        own = make_shoebox(box.workspace, opened_by=worker)

        screen_items([make_item(own)], screening="kept", actor=worker, now=NOON)

        with pytest.raises(NotYourShoebox):
            screen_items([make_item(box)], screening="kept", actor=worker, now=NOON)

    def test_refuses_what_is_not_open(self, reviewer: Actor, box: Shoebox) -> None:
        closed = make_shoebox(box.workspace, state="closed")

        with pytest.raises(ShoeboxNotOpen):
            screen_items([make_item(closed)], screening="kept", actor=reviewer, now=NOON)


class TestUndoScreening:
    def test_takes_back_the_last_screening_with_its_reason(self, box: Shoebox, reviewer: Actor) -> None:
        item = make_item(box)
        screen_items([item], screening="set aside", reason="First.", actor=reviewer, now=NOON)
        screen_items([item], screening="kept", actor=reviewer, now=NOON)

        undo_screening(item, actor=reviewer, now=NOON)

        item.refresh_from_db()
        assert (item.screening, item.screening_reason) == ("set aside", "First.")

    def test_refuses_when_nothing_is_left(self, box: Shoebox, reviewer: Actor) -> None:
        item = make_item(box)
        screen_items([item], screening="kept", actor=reviewer, now=NOON)
        undo_screening(item, actor=reviewer, now=NOON)

        with pytest.raises(NothingToUndo):
            undo_screening(item, actor=reviewer, now=NOON)
        with pytest.raises(NothingToUndo):
            undo_screening(make_item(box, "doc:docs/b.md"), actor=reviewer, now=NOON)


class TestOrderAndLeaning:
    def test_moves_an_item_and_the_others_close_up(self, box: Shoebox, reviewer: Actor) -> None:
        items = [make_item(box, f"doc:docs/{name}.md") for name in "abcd"]

        move_item(items[3], position=2, actor=reviewer, now=NOON)

        assert [item.place[-4] for item in box.items.in_order()] == ["a", "d", "b", "c"]
        assert [item.position for item in box.items.in_order()] == [1, 2, 3, 4]

    def test_keeps_a_position_within_the_order(self, box: Shoebox, reviewer: Actor) -> None:
        first, last = make_item(box), make_item(box, "doc:docs/b.md")

        move_item(first, position=99, actor=reviewer, now=NOON)

        assert list(box.items.in_order()) == [last, first]

    def test_leans_an_item(self, box: Shoebox, reviewer: Actor) -> None:
        item = lean_item(make_item(box), leaning="likely contradicts", actor=reviewer, now=NOON)

        assert list(box.items.against()) == [item]
        assert item.version == 2

    def test_refuses_an_unknown_leaning(self, box: Shoebox, reviewer: Actor) -> None:
        with pytest.raises(BadInput, match="no leaning"):
            lean_item(make_item(box), leaning="perhaps", actor=reviewer, now=NOON)

    def test_curates_in_one_step_or_not_at_all(self, box: Shoebox, reviewer: Actor) -> None:
        item = make_item(box)

        with pytest.raises(BadInput):
            curate_item(item, leaning="likely supports", screening="set aside", actor=reviewer, now=NOON)
        item.refresh_from_db()
        assert item.leaning == "unclear"

        curate_item(item, leaning="likely supports", screening="kept", version=1, actor=reviewer, now=NOON)
        item.refresh_from_db()
        assert (item.leaning, item.screening) == ("likely supports", "kept")


class TestTheOrder:
    def test_is_another_version_of_the_shoebox(self, box: Shoebox, reviewer: Actor) -> None:
        first, second = make_item(box, ref="doc:a.md"), make_item(box, ref="doc:b.md")
        before = (box.version, second.version)

        curate_item(second, position=1, actor=reviewer, now=NOON)
        curate_item(second, position=1, actor=reviewer, now=NOON)

        box.refresh_from_db()
        first.refresh_from_db()
        assert (box.version, second.version) == (before[0] + 1, before[1] + 1)
        assert (second.position, first.position) == (1, 2)
