from datetime import UTC, datetime
from pathlib import Path

import pytest

from shoebox.fitting import Candidate, Room, fit, left_told
from shoebox.material import Found
from shoebox.models import Item, Shoebox
from shoebox.schemas import Budget, ShoeboxDraft
from shoebox.services import (
    ShoeboxNotOpen,
    add_items,
    change_shoebox_state,
    create_shoebox,
    gather_shoebox,
    screen_items,
)
from shoebox.services.shoeboxes import Gathered
from shoebox.threads import Story
from tests.factories import NOON, make_person, make_worker
from tests.shoebox.folder import FIRST, LOOSE, SECOND, TASK, event, make_folder
from yoimemory.errors import StaleVersion
from yoimemory.journal.models import Change, Event
from yoimemory.journal.services import flush_events
from yoimemory.markers.schemas import MarkerDraft
from yoimemory.markers.services import mark_staleness
from yoimemory.refs import SourceRef
from yoimemory.search.models import Document
from yoimemory.search.services import index_workspace
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db

AS_OF = datetime(2026, 7, 15, 21, 26, 30, tzinfo=UTC)
QUESTION = "May the queued ticket start now, or must it wait for its dependencies?"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_folder(tmp_path / "ws")


def open_box(workspace: Workspace, **kwargs: object) -> Shoebox:
    draft = {"question": QUESTION, "task": f"ticket:{TASK}", "as_of": AS_OF, **kwargs}
    actor = make_person(workspace, name=f"rin{Shoebox.objects.count()}")
    return create_shoebox(ShoeboxDraft(**draft), workspace=workspace, actor=actor, now=NOON)


def held(box: Shoebox, document: str) -> Item:
    return next(item for item in box.items.all() if item.document == document)


class TestGathering:
    def test_brings_in_the_records_of_the_task_first(self, workspace: Workspace) -> None:
        box = open_box(workspace)

        first = [item.document for item in box.items.in_order()[:4]]

        assert f"ticket:{TASK}" in first
        assert f"ticket:{TASK}/artifacts/relations.json" in first
        assert all(item.rationale for item in box.items.all())

    def test_follows_typed_relations_with_the_state_as_of_the_instant(self, workspace: Workspace) -> None:
        box = open_box(workspace)

        first, second = held(box, f"ticket:{FIRST}/thread"), held(box, f"ticket:{SECOND}/thread")

        assert first.rationale.startswith("depends_on, state inprogress as of 21:26:30Z; last review request_changes")
        assert first.address.fragment == "event-3"
        assert first.caveat == "Later: review approve at 21:35:26Z, after this as-of."
        assert first.leaning == second.leaning == Item.Leaning.CONTRADICTS
        assert "state queued as of 21:26:30Z" in second.rationale

    def test_finds_the_rule_about_the_relation_by_search(self, workspace: Workspace) -> None:
        rule = held(open_box(workspace), "doc:docs/rules.md")

        assert rule.came in {Item.Came.LINKED, Item.Came.SEARCHED}
        assert rule.address.revision.startswith("sha256:")

    def test_brings_in_what_cites_the_task(self, workspace: Workspace) -> None:
        citing = held(open_box(workspace), f"ticket:{LOOSE}")

        assert citing.came == Item.Came.CITED
        assert citing.rationale.startswith("Cites the task")

    def test_flags_what_came_later_and_leaves_the_instant_out_without_one(self, workspace: Workspace) -> None:
        asked_now = open_box(workspace, as_of=None)

        resolution = held(open_box(workspace), f"ticket:{FIRST}/resolution")

        assert resolution.caveat.startswith("Later: written when it was resolved")
        assert not any(item.caveat.startswith("Later") for item in asked_now.items.all())
        assert "state closed" in held(asked_now, f"ticket:{FIRST}/thread").rationale

    def test_says_what_was_sought_and_how_far(self, workspace: Workspace) -> None:
        box = open_box(workspace, queries=["green panel"])

        against = [query for query in box.sought["queries"] if query["stance"] == "disconfirming"]

        assert QUESTION in box.sought["disconfirming"]
        assert box.sought["against"]["queries"] == len(against) > 0
        assert box.sought["against"]["kept"] == box.items.against().count()
        assert {"text", "stance", "kinds", "matched", "read", "kept"} == set(against[0])

    def test_brings_in_marked_memory_as_contrary(self, workspace: Workspace) -> None:
        reviewer = make_person(workspace, name="mika")
        marker = MarkerDraft(target="memory:decision/start-queued", state="stale", reason="The rule changed.")
        mark_staleness(marker, workspace=workspace, actor=reviewer, now=NOON)

        memory = held(open_box(workspace), "memory:decision/start-queued")

        assert "The rule changed." in memory.caveat
        assert memory.authority == "memory"

    def test_reserves_a_fifth_for_the_contrary(self, workspace: Workspace) -> None:
        box = open_box(workspace, budget=Budget(items=10))

        others = box.items.exclude(leaning=Item.Leaning.CONTRADICTS)

        assert box.items.count() <= 10
        assert others.count() <= 8

    def test_keeps_the_budget_and_counts_what_it_left_out(self, workspace: Workspace) -> None:
        box = open_box(workspace, budget=Budget(items=4))

        assert box.items.count() <= 4
        assert box.sought["left_out"] > 0
        assert box.sought["left_out_refs"][0]["rationale"]

    def test_keeps_to_the_kinds_asked_for(self, workspace: Workspace) -> None:
        box = open_box(workspace, kinds=["doc"])

        assert {item.kind for item in box.items.all()} == {"doc"}

    def test_finds_what_the_question_names_without_a_task(self, workspace: Workspace) -> None:
        box = open_box(workspace, task="", question=f"What does {SECOND} say about docs/rules.md?", as_of=None)

        assert held(box, f"ticket:{SECOND}").rationale.startswith("Named in the question")
        assert held(box, "doc:docs/rules.md").rationale.startswith("Named in the question")
        assert held(box, f"ticket:{SECOND}/thread").rationale.startswith("How it went")

    def test_follows_what_the_ticket_that_the_question_names_waits_for(self, workspace: Workspace) -> None:
        box = open_box(workspace, task="", question=f"May {TASK} start now?")

        first = held(box, f"ticket:{FIRST}/thread")

        assert first.rationale.startswith(f"{TASK} depends_on it, state inprogress as of 21:26:30Z; last review")
        assert first.leaning == Item.Leaning.CONTRADICTS
        assert held(box, f"ticket:{TASK}/artifacts/relations.json").rationale.startswith(f"Typed relations of {TASK}:")
        assert "Resolution of what" in held(box, f"ticket:{FIRST}/resolution").rationale
        assert "depends_on dependency unresolved blocks" in [query["text"] for query in box.sought["queries"]]

    def test_follows_what_waits_for_the_ticket_that_the_question_names(self, workspace: Workspace) -> None:
        box = open_box(workspace, task="", question=f"May {SECOND} be given up?", as_of=None)

        assert held(box, f"ticket:{TASK}").rationale.startswith(f"depends_on {SECOND}: Skills come after the removal.")

    def test_points_at_the_passage_that_speaks_against_when_another_fits_better(self, workspace: Workspace) -> None:
        doc = workspace.path / "docs" / "pauses.md"
        doc.write_text(
            "# Pauses\n\nThe fixed pause between two tries is five seconds.\n\n"
            "## The storm\n\nThe fixed pause does not work when every gauge tries at once.\n"
        )
        index_workspace(workspace, now=NOON)

        box = open_box(workspace, task="", question="Is a fixed pause between two tries still right?", as_of=None)

        item = held(box, "doc:docs/pauses.md")
        assert item.leaning == Item.Leaning.CONTRADICTS
        assert item.rationale.startswith("Sought against the question")
        assert SourceRef.parse(item.ref).fragment == "L7"


class TestGatheringAgain:
    def again(self, box: Shoebox, **kwargs: object) -> Gathered:
        return gather_shoebox(box, actor=box.opened_by, now=NOON, **kwargs)  # type: ignore[arg-type]

    def test_adds_nothing_when_nothing_is_new(self, workspace: Workspace) -> None:
        box = open_box(workspace)

        gathered = self.again(box)

        assert (gathered.new, gathered.changed) == ([], [])

    def test_never_brings_back_what_a_person_set_aside(self, workspace: Workspace) -> None:
        box = open_box(workspace)
        item = held(box, f"ticket:{FIRST}/thread")
        screen_items([item], screening="set aside", reason="Settled.", actor=box.opened_by, now=NOON)

        self.again(box, queries=["stale test fails"])

        assert box.items.filter(place__startswith=f"ticket:{FIRST}/thread").count() == 1
        assert held(box, f"ticket:{FIRST}/thread").is_set_aside

    def test_marks_items_whose_source_reads_differently(self, workspace: Workspace) -> None:
        box = open_box(workspace)
        thread = workspace.path / ".yoi" / "tickets" / SECOND / "thread.md"
        thread.write_text(thread.read_text() + event("comment", "2026-07-16T01:00:00Z", "An afterthought."))
        index_workspace(workspace, now=NOON)

        gathered = self.again(box)

        assert [item.document for item in gathered.changed] == [f"ticket:{SECOND}/thread"]
        assert "reads differently" in held(box, f"ticket:{SECOND}/thread").caveats[-1]

    def test_marks_items_whose_source_is_gone(self, workspace: Workspace) -> None:
        box = open_box(workspace)
        (workspace.path / "docs" / "rules.md").unlink()
        index_workspace(workspace, now=NOON)

        self.again(box)

        assert "no longer holds" in held(box, "doc:docs/rules.md").changed

    def test_searches_further_when_asked(self, workspace: Workspace) -> None:
        box = open_box(workspace)

        self.again(box, queries=["panel green colours"])

        assert held(box, "doc:docs/other.md")
        assert "panel green colours" in box.sought["disconfirming"]

    def test_refuses_a_stale_version_and_says_what_happened(self, workspace: Workspace) -> None:
        box = open_box(workspace)

        with pytest.raises(StaleVersion, match="shoebox gathered"):
            self.again(box, version=box.version - 1)

    def test_refuses_a_closed_shoebox(self, workspace: Workspace) -> None:
        box = open_box(workspace)
        change_shoebox_state(box, state="closed", actor=box.opened_by, now=NOON)

        with pytest.raises(ShoeboxNotOpen):
            self.again(box)

    def test_writes_history_and_moves_the_version(self, workspace: Workspace) -> None:
        box = open_box(workspace)
        version = box.version

        self.again(box)

        assert box.version == version + 1
        assert Change.objects.filter(subject=str(box.ref), verb="shoebox-gathered").count() == 2


def test_opening_is_counted_as_an_event(workspace: Workspace) -> None:
    box = open_box(workspace, gather=False)
    flush_events()

    event_row = Event.objects.get(kind=Event.Kind.SHOEBOX_CREATED)

    assert event_row.subjects == [str(box.ref), f"ticket:{TASK}"]


def test_what_a_worker_adds_does_not_stop_gathering(workspace: Workspace) -> None:
    worker = make_worker(workspace)
    draft = ShoeboxDraft(question=QUESTION, task=f"ticket:{TASK}", refs=["doc:docs/other.md"], as_of=AS_OF)

    box = create_shoebox(draft, workspace=workspace, actor=worker, now=NOON)

    assert held(box, "doc:docs/other.md").came == Item.Came.PROPOSED
    assert box.items.count() > 1
    assert add_items(box, [], actor=worker, now=NOON) == []


class TestLeftTold:
    def test_says_what_to_do_about_what_does_not_fit(self) -> None:
        assert left_told({"left_out": 3}) == "3 more fit no longer: set something aside, or widen the budget."
        assert left_told({"left_out": 3, "left_out_new": 1}).startswith("3 more fit no longer (1 of them new): set")
        assert left_told({}) == ""

    def test_says_of_a_crowd_that_a_wider_budget_is_of_no_use(self) -> None:
        assert left_told({"left_out": 1, "left_out_crowded": 1}) == (
            "1 more is of sources or days that have enough places here: add by ref what you miss."
        )


class TestFitting:
    def candidate(self, ref: str, *, step: str = "searched", against: bool = False, size: int = 10) -> Candidate:
        found = Found(
            ref=SourceRef.parse(ref), title="", authority="authority", at=None, characters=size, digest="",
            rationale="x", came=Item.Came.SEARCHED,
            leaning=Item.Leaning.CONTRADICTS if against else Item.Leaning.UNCLEAR,
        )  # fmt: skip
        return Candidate(found, step)

    def test_keeps_room_for_the_contrary_in_items_and_characters(self) -> None:
        plain = [self.candidate(f"doc:{number}.md", size=100) for number in range(20)]
        contrary = [self.candidate(f"doc:c{number}.md", against=True, size=100) for number in range(20)]
        room = Room.of(items=10, characters=1_000, held=[])

        fitted = fit([*plain, *contrary], room, items=10)

        assert sum(candidate.contradicts for candidate in fitted.chosen) == 2
        assert len(fitted.chosen) == 8  # two stay free for what people and Workers add
        assert (len(fitted.left), fitted.crowded) == (32, 0)

    def test_lets_the_contrary_use_all_of_the_room(self) -> None:
        contrary = [self.candidate(f"doc:c{number}.md", against=True) for number in range(20)]

        fitted = fit(contrary, Room.of(items=10, characters=1_000, held=[]), items=10)

        assert len(fitted.chosen) == 8

    def test_lets_no_source_crowd_out_the_others(self) -> None:
        thread = [self.candidate(f"ticket:00001KXKMX0QM/thread#event-{number + 1}") for number in range(20)]
        doc = self.candidate("doc:a.md")

        fitted = fit([*thread, doc], Room.of(items=20, characters=9_000, held=[]), items=20)

        assert len(fitted.chosen) == 4
        assert doc in fitted.chosen
        assert (len(fitted.left), fitted.crowded) == (17, 17)

    def test_leaves_out_what_is_too_large_and_takes_what_comes_after(self) -> None:
        large, small = self.candidate("doc:large.md", size=5_000), self.candidate("doc:small.md", size=10)

        fitted = fit([large, small], Room.of(items=10, characters=1_000, held=[]), items=10)

        assert (fitted.chosen, fitted.left) == ([small], [large])


class TestStory:
    def test_reads_a_thread_without_events_by_its_passages(self, workspace: Workspace) -> None:
        thread = Document.objects.get(workspace=workspace.public_id, ref=f"ticket:{FIRST}/thread")
        thread.facts = {}

        story = Story.read(thread, thread.passages.order_by("ordinal"), AS_OF)

        assert story.is_contrary
        assert story.counts is not None
        assert story.counts.passage.fragment == "event-3"

    def test_is_resolved_once_it_was_closed(self, workspace: Workspace) -> None:
        thread = Document.objects.get(workspace=workspace.public_id, ref=f"ticket:{FIRST}/thread")

        story = Story.read(thread, thread.passages.order_by("ordinal"), None)

        assert (story.state, story.is_contrary, story.caveat) == ("closed", False, "")
