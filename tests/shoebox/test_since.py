"""Gathering again after the workspace moved on: what became of each source, and what a person did stays done."""

from pathlib import Path

import pytest

from shoebox.models import Item, Shoebox
from shoebox.schemas import Budget, ShoeboxDraft
from shoebox.services import create_shoebox, curate_item, gather_shoebox
from shoebox.services.shoeboxes import Gathered
from tests.evidence.repository import ITEM, THREAD, WORK_ITEMS, Repository, make_repository
from tests.factories import NOON, make_person
from tests.shoebox.folder import event
from yoimemory.search.services import index_workspace
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db

TASK = "ticket:00001KXKMX0QM"
RULES = "docs/work-items.md"
LONG = "# Queue clicks\n\n## Routing\n\nA queue click permits routing and never a start.\n\n## Other\n\nNothing else.\n"
CLICKS = "docs/clicks.md"
REOPENED = event("state_changed", "2026-07-17T08:00:00Z", "Again.", author="hare", from_="queued", to="planning")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = make_repository(tmp_path / "ws")
    made.write(CLICKS, LONG)
    made.commit("Say what a click does")
    return made


@pytest.fixture
def box(repository: Repository) -> Shoebox:
    return open_box(read(repository))


def read(repository: Repository) -> Workspace:
    workspace = repository.register()
    index_workspace(workspace, now=NOON)
    return workspace


def open_box(workspace: Workspace, **kwargs: object) -> Shoebox:
    draft = {"question": "Does a queue click permit a start, or only routing?", "task": TASK, **kwargs}
    return create_shoebox(ShoeboxDraft(**draft), workspace=workspace, actor=make_person(workspace), now=NOON)


def again(box: Shoebox, repository: Repository) -> Gathered:
    read(repository)
    return gather_shoebox(box, actor=box.opened_by, now=NOON)


def held(box: Shoebox, document: str) -> Item:
    return next(item for item in box.items.all() if item.document == document)


class TestGatheringAgain:
    def test_follows_a_renamed_file_and_leaves_it_set_aside(self, box: Shoebox, repository: Repository) -> None:
        item = held(box, f"doc:{CLICKS}")
        curate_item(item, screening="set aside", reason="Said twice.", actor=box.opened_by, now=NOON)
        repository.rename(CLICKS, "docs/how/clicks-and-starts.md")
        repository.write("docs/how/clicks-and-starts.md", LONG + "\nOne line more.\n")
        repository.commit("Move what a click does")

        gathered = again(box, repository)

        item.refresh_from_db()
        assert item.changed.startswith("Moved: it is doc:docs/how/clicks-and-starts.md now; ")
        assert (item.screening, item.screening_reason) == ("set aside", "Said twice.")
        assert "doc:docs/how/clicks-and-starts.md" not in {one.document for one in box.items.all()}
        assert item in gathered.changed

    def test_follows_a_file_that_lies_elsewhere_and_is_not_committed(
        self, box: Shoebox, repository: Repository
    ) -> None:
        repository.rename(CLICKS, "docs/elsewhere.md")

        again(box, repository)

        assert held(box, f"doc:{CLICKS}").changed == "Moved: it is doc:docs/elsewhere.md now, and reads as it did."

    def test_says_that_a_file_is_gone(self, box: Shoebox, repository: Repository) -> None:
        repository.remove(CLICKS)
        repository.commit("Drop it")

        again(box, repository)

        assert held(box, f"doc:{CLICKS}").changed.startswith("Gone: the index no longer holds this source.")

    def test_tells_a_change_elsewhere_from_a_change_of_the_part(self, repository: Repository) -> None:
        box = open_box(read(repository), task="", gather=False, refs=[f"doc:{RULES}#L3", f"doc:{CLICKS}#L5"])
        repository.write(RULES, WORK_ITEMS.replace("# Work items\n", "# Work items\n\nMore above.\n"))
        repository.write(CLICKS, LONG.replace("never a start", "a start"))
        repository.commit("Change both")

        again(box, repository)

        assert held(box, f"doc:{RULES}").changed == "This part reads as it did, the source was changed elsewhere."
        assert held(box, f"doc:{CLICKS}").changed.startswith("Changed since it was read: the source now reads")

    def test_tells_what_a_reopened_ticket_says_now(self, box: Shoebox, repository: Repository) -> None:
        repository.write(".yoi/tickets/00001KXKMX0QM/thread.md", f"{THREAD}\n{REOPENED}")
        repository.commit("Reopen")

        again(box, repository)

        told = held(box, f"{TASK}/thread").changed
        assert told.startswith("This part reads as it did, the source was changed elsewhere; ")
        assert told.endswith("last queued -> planning at 2026-07-17 08:00:00Z.")

    def test_leaves_leaning_order_and_reasons_as_a_person_set_them(self, box: Shoebox, repository: Repository) -> None:
        item = held(box, f"doc:{CLICKS}")
        curate_item(item, screening="kept", leaning="likely contradicts", position=1, actor=box.opened_by, now=NOON)
        repository.write(CLICKS, LONG + "\nMore.\n")
        repository.write("docs/more.md", "# More\n\nA queue click permits routing, not a start.\n")
        repository.commit("Write more")

        gathered = again(box, repository)

        item.refresh_from_db()
        assert (item.screening, item.leaning, item.position) == ("kept", "likely contradicts", 1)
        assert [one.document for one in gathered.new if one.kind == "doc"] == ["doc:docs/more.md"]

    def test_gives_a_full_shoebox_room_for_what_is_new(self, repository: Repository) -> None:
        box = open_box(read(repository), budget=Budget(items=5))
        full = box.items.count()
        repository.write(".yoi/tickets/00001KXKZZZZZ/item.md", ITEM + "\n00001KXKMX0QM may not start.\n")
        repository.commit("File what speaks against it")

        gathered = again(box, repository)

        assert full == 4
        assert "ticket:00001KXKZZZZZ" in {item.document for item in gathered.new}
        assert box.items.count() == 5
        assert box.sought["left_out_new"] >= 0

    def test_makes_no_news_of_an_index_that_was_read_anew(self, repository: Repository) -> None:
        workspace = read(repository)
        box = open_box(workspace, budget=Budget(items=3))
        left = box.sought["left_out"]

        index_workspace(workspace, now=NOON, full=True)
        gathered = gather_shoebox(box, actor=box.opened_by, now=NOON)

        assert left > 0
        assert (gathered.new, gathered.sought["left_out_new"]) == ([], 0)

    def test_knows_which_items_it_brought_in_last(self, box: Shoebox, repository: Repository) -> None:
        before = [box.brought_in_last(item) for item in box.items.all()]
        repository.write("docs/more.md", "# More\n\nA queue click permits routing, not a start.\n")
        repository.commit("Write more")
        read(repository)

        gathered = gather_shoebox(box, actor=box.opened_by, now=NOON.replace(hour=15))

        assert not any(before)
        assert {item.pk for item in box.items.all() if box.brought_in_last(item)} == {item.pk for item in gathered.new}
