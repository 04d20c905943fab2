"""Markers follow from what happened, say from what, and end when their cause is gone."""

from datetime import timedelta

import pytest

from evidence.models import Placement
from evidence.services import derive_markers
from tests.evidence.conftest import Desk
from tests.factories import NOON, make_evidence
from yoimemory.markers.models import Marker
from yoimemory.markers.schemas import MarkerDraft
from yoimemory.markers.services import mark_staleness, resolve_markers
from yoimemory.search.services import index_workspace

pytestmark = pytest.mark.django_db


def told(desk: Desk) -> list[tuple[str, str, str]]:
    derived = Marker.objects.open().filter(workspace=desk.workspace, origin="derived")
    return sorted(derived.values_list("target", "state", "by_ref"))


class TestDeriveMarkers:
    def test_marks_a_record_that_names_what_replaced_it(self, desk: Desk) -> None:
        desk.repository.write(
            "docs/adr/0001-old.md", "# 1. Old\n\nStatus: superseded by [0002](0002-new.md)\n\nText.\n"
        )
        desk.repository.write("docs/adr/0002-new.md", "# 2. New\n\nStatus: accepted\n\nText.\n")
        desk.repository.commit()
        index_workspace(desk.workspace, now=NOON)

        first = derive_markers(desk.workspace, now=NOON)
        again = derive_markers(desk.workspace, now=NOON)

        assert told(desk) == [("doc:docs/adr/0001-old.md", "superseded", "doc:docs/adr/0002-new.md")]
        assert (len(first), again) == (1, [])
        assert first[0].evidence[0].startswith("doc:docs/adr/0001-old.md")

    def test_marks_accepted_evidence_whose_line_changed_and_ends_with_it(self, desk: Desk) -> None:
        evidence = make_evidence(desk.shoebox, state="accepted")
        Placement.objects.create(evidence=evidence, state="orphaned", method="none", at=NOON, note="Gone.")
        derive_markers(desk.workspace, now=NOON)
        marked = told(desk)

        Placement.objects.create(evidence=evidence, state="verified", method="exact", at=NOON)
        derive_markers(desk.workspace, now=NOON)

        assert marked == [(str(evidence.ref), "stale", "")]
        assert told(desk) == []
        assert Marker.objects.get(origin="derived").status == "resolved"

    @pytest.mark.parametrize("scope", [{"until": "2026-06-30"}, {"paths": ["src/gone"]}])
    def test_marks_what_is_out_of_its_scope(self, desk: Desk, scope: dict[str, object]) -> None:
        evidence = make_evidence(desk.shoebox, state="accepted", scope=scope)

        derive_markers(desk.workspace, now=NOON)

        assert told(desk) == [(str(evidence.ref), "needs-review", "")]

    @pytest.mark.parametrize(
        ("scope", "told_of"),
        [
            ({"branch": "panel-rewrite"}, "a branch that is not there any more: panel-rewrite"),
            ({"component": "panel"}, "a component that is not there any more: panel"),
            ({"component": ["panel", "queue"]}, "a component that is not there any more: panel, queue"),
        ],
    )
    def test_marks_what_applies_to_a_branch_or_component_that_is_gone(
        self, desk: Desk, scope: dict[str, object], told_of: str
    ) -> None:
        evidence = make_evidence(desk.shoebox, state="accepted", scope=scope)

        derive_markers(desk.workspace, now=NOON)

        assert told(desk) == [(str(evidence.ref), "needs-review", "")]
        assert told_of in Marker.objects.get().reason

    def test_marks_what_applies_to_commits_that_head_has_left_behind(self, desk: Desk) -> None:
        head = desk.repository.commit("First of two")
        evidence = make_evidence(desk.shoebox, state="accepted", scope={"commits": f"HEAD~1..{head}"})
        derive_markers(desk.workspace, now=NOON)
        while_there = told(desk)

        desk.repository.commit("Beyond it")
        derive_markers(desk.workspace, now=NOON)

        assert while_there == []
        assert told(desk) == [(str(evidence.ref), "needs-review", "")]

    @pytest.mark.parametrize(
        "scope",
        [
            {"branch": "main"},
            {"branch": ["gone", "main"]},
            {"component": "docs"},
            {"component": "work-items"},
            {"branch": 7, "component": None, "commits": "..", "paths": "docs"},
            {"until": "not a day"},
        ],
    )
    def test_leaves_what_still_applies_and_what_nobody_can_tell(self, desk: Desk, scope: dict[str, object]) -> None:
        make_evidence(desk.shoebox, state="accepted", scope=scope)
        index_workspace(desk.workspace, now=NOON)

        derive_markers(desk.workspace, now=NOON)

        assert told(desk) == []

    def test_ends_when_the_branch_is_there_again(self, desk: Desk) -> None:
        make_evidence(desk.shoebox, state="accepted", scope={"branch": "panel-rewrite"})
        derive_markers(desk.workspace, now=NOON)
        marked = told(desk)

        desk.repository._git("branch", "panel-rewrite")
        derive_markers(desk.workspace, now=NOON)

        assert len(marked) == 1
        assert told(desk) == []

    def test_marks_what_should_be_looked_at_again(self, desk: Desk) -> None:
        draft = MarkerDraft(
            target="doc:docs/work-items.md", state="stale", reason="Old.", review_at=NOON - timedelta(days=1)
        )
        mark_staleness(draft, workspace=desk.workspace, actor=desk.reviewer, now=NOON - timedelta(days=9))

        derive_markers(desk.workspace, now=NOON)

        assert told(desk) == [("doc:docs/work-items.md", "needs-review", "")]

    def test_does_not_bring_back_what_a_person_declined(self, desk: Desk) -> None:
        make_evidence(desk.shoebox, state="accepted", scope={"until": "2026-06-30"})
        [marker] = derive_markers(desk.workspace, now=NOON)
        resolve_markers([marker], actor=desk.reviewer, resolution="It holds on.", now=NOON, decline=True)

        again = derive_markers(desk.workspace, now=NOON)

        assert again == []
        assert told(desk) == []
