from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from shoebox.models import Shoebox
from shoebox.schemas import Budget, ShoeboxDraft
from shoebox.services import (
    NoSuchStep,
    NoSuchTask,
    NotYourShoebox,
    StillCited,
    change_shoebox_state,
    create_shoebox,
    resize_shoebox,
)
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_item,
    make_person,
    make_shoebox,
    make_worker,
)
from tests.shoebox.folder import TASK, make_folder
from yoimemory.access.models import Actor
from yoimemory.errors import BadInput, StaleVersion
from yoimemory.journal.models import Change
from yoimemory.search.services import index_workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def box() -> Shoebox:
    return make_shoebox()


@pytest.fixture
def reviewer(box: Shoebox) -> Actor:
    return make_person(box.workspace)


class TestCreateShoebox:
    def test_takes_the_bare_id_of_a_task(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path / "ws")
        draft = ShoeboxDraft(question="May it start?", task=TASK, gather=False)

        box = create_shoebox(draft, workspace=workspace, actor=make_person(workspace), now=NOON)

        assert box.task == f"ticket:{TASK}"
        assert (box.gathered_at, box.sought) == (None, {})

    def test_refuses_a_task_that_does_not_exist_and_names_the_nearest(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path / "ws")
        draft = ShoeboxDraft(question="May it start?", task="ticket:00001KXKMX0QX")

        with pytest.raises(NoSuchTask) as refusal:
            create_shoebox(draft, workspace=workspace, actor=make_person(workspace), now=NOON)

        assert f"ticket:{TASK}" in refusal.value.hint
        assert not Shoebox.objects.exists()

    @pytest.mark.parametrize(("field", "value"), [("task", "doc:docs/rules.md"), ("kinds", ["poem"])])
    def test_refuses_what_cannot_be(self, tmp_path: Path, field: str, value: object) -> None:
        workspace = make_folder(tmp_path / "ws")

        with pytest.raises(BadInput) as refusal:
            create_shoebox(
                ShoeboxDraft(question="May it start?", **{field: value}),
                workspace=workspace,
                actor=make_person(workspace),
                now=NOON,
            )

        assert field in refusal.value.fields

    def test_reads_an_instant_without_zone_as_utc(self) -> None:
        draft = ShoeboxDraft.model_validate({"question": "When?", "as_of": "2026-07-15T21:26:30"})

        assert draft.as_of is not None
        assert draft.as_of.isoformat() == "2026-07-15T21:26:30+00:00"

    def test_has_no_field_for_a_conclusion(self) -> None:
        with pytest.raises(ValidationError):
            ShoeboxDraft.model_validate({"question": "May it?", "conclusion": "Yes."})


class TestChangeShoeboxState:
    def test_closes_and_reopens_with_history(self, box: Shoebox, reviewer: Actor) -> None:
        change_shoebox_state(box, state="closed", reason="Answered.", actor=reviewer, now=NOON)
        change_shoebox_state(box, state="open", actor=reviewer, now=NOON)

        verbs = list(Change.objects.order_by("pk").values_list("verb", flat=True))
        assert verbs == ["shoebox-closed", "shoebox-reopened"]
        assert (box.state, box.version) == ("open", 3)

    def test_refuses_a_step_that_does_not_exist(self, reviewer: Actor, box: Shoebox) -> None:
        archived = make_shoebox(box.workspace, state="archived")

        with pytest.raises(NoSuchStep, match="cannot become closed"):
            change_shoebox_state(archived, state="closed", actor=reviewer, now=NOON)

    def test_discards_only_with_a_reason(self, box: Shoebox, reviewer: Actor) -> None:
        with pytest.raises(BadInput, match="why"):
            change_shoebox_state(box, state="discarded", actor=reviewer, now=NOON)

    @pytest.mark.parametrize(
        ("cites", "told"),
        [
            ([make_evidence], "1 evidence rests on this shoebox, so it cannot be discarded."),
            ([make_hypothesis], "1 hypothesis rests on this shoebox, so it cannot be discarded."),
            (
                [make_evidence, make_evidence, make_hypothesis],
                "2 evidence and 1 hypothesis rest on this shoebox, so it cannot be discarded.",
            ),
        ],
    )
    def test_never_discards_what_something_rests_on(
        self, box: Shoebox, reviewer: Actor, cites: list[Callable[[Shoebox], object]], told: str
    ) -> None:
        for cite in cites:
            cite(box)

        with pytest.raises(StillCited) as refusal:
            change_shoebox_state(box, state="discarded", reason="A try.", actor=reviewer, now=NOON)

        assert refusal.value.message == told

    def test_never_discards_what_a_source_cites(self, tmp_path: Path) -> None:
        workspace = make_folder(tmp_path / "ws")
        box = make_shoebox(workspace)
        (workspace.path / "docs" / "plan.md").write_text(f"# Plan\n\nAs gathered in {box.ref}.\n")
        index_workspace(workspace, now=NOON)

        with pytest.raises(StillCited) as refusal:
            change_shoebox_state(box, state="discarded", reason="A try.", actor=make_person(workspace), now=NOON)

        assert refusal.value.message == "doc:docs/plan.md cites this shoebox, so it cannot be discarded."

    def test_discards_what_holds_nothing_but_items(self, box: Shoebox, reviewer: Actor) -> None:
        make_item(box)

        change_shoebox_state(box, state="discarded", reason="A try.", actor=reviewer, now=NOON)

        assert box.state == "discarded"
        assert box.items.count() == 1

    def test_lets_a_worker_close_only_its_own(self, box: Shoebox) -> None:
        worker = make_worker(box.workspace)
        own = make_shoebox(box.workspace, opened_by=worker)

        change_shoebox_state(own, state="closed", actor=worker, now=NOON)

        with pytest.raises(NotYourShoebox):
            change_shoebox_state(box, state="closed", actor=worker, now=NOON)

    def test_refuses_a_stale_version(self, box: Shoebox, reviewer: Actor) -> None:
        resize_shoebox(box, budget=Budget(items=9), actor=reviewer, now=NOON)

        with pytest.raises(StaleVersion, match="shoebox resized"):
            change_shoebox_state(box, state="closed", version=1, actor=reviewer, now=NOON)
