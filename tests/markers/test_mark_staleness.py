"""Marking a ref, taking a proposed marker over, resolving with a reason."""

import pytest

from tests.factories import (
    NOON,
    make_hypothesis,
    make_owner,
    make_person,
    make_shoebox,
    make_worker,
    make_workspace,
)
from yoimemory.access.reach import NoSuchRecord
from yoimemory.access.services import NotAReviewer
from yoimemory.errors import BadInput, Forbidden
from yoimemory.journal.models import Change, Event
from yoimemory.journal.services import flush_events
from yoimemory.markers.models import Marker
from yoimemory.markers.schemas import MarkerDraft
from yoimemory.markers.services import (
    AlreadyMarked,
    AlreadyResolved,
    mark_staleness,
    resolve_markers,
    take_over_markers,
)
from yoimemory.refs import BadRef, SourceRef, new_id
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db

TARGET = "memory:decision/use-sqlite"


@pytest.fixture
def workspace() -> Workspace:
    return make_workspace(slug="house")


def _draft(**fields: object) -> MarkerDraft:
    return MarkerDraft(**{"target": TARGET, "state": "stale", "reason": "Withdrawn in July.", **fields})  # type: ignore[arg-type]


class TestMarkStaleness:
    def test_stands_at_once_when_a_person_sets_it(self, workspace: Workspace) -> None:
        marker = mark_staleness(_draft(), workspace=workspace, actor=make_owner("hare"), now=NOON)

        assert (marker.status, marker.origin) == ("standing", "person")
        assert marker.caveat == "Marked stale on 2026-07-16: Withdrawn in July."
        assert Change.objects.get().verb == "staleness-marked"
        flush_events()
        assert Event.objects.get().kind == Event.Kind.STALE_MARKED

    def test_is_proposed_when_a_worker_sets_it(self, workspace: Workspace) -> None:
        marker = mark_staleness(_draft(), workspace=workspace, actor=make_worker(workspace), now=NOON)

        assert (marker.status, marker.origin) == ("proposed", "worker")
        assert "(proposed, not yet reviewed)" in marker.caveat

    def test_is_derived_when_the_app_finds_it(self, workspace: Workspace) -> None:
        marker = mark_staleness(_draft(), workspace=workspace, actor=make_owner(), now=NOON, derived=True)

        assert (marker.status, marker.origin) == ("standing", "derived")

    @pytest.mark.parametrize("state", ["superseded", "contradicted"])
    def test_names_by_what(self, workspace: Workspace, state: str) -> None:
        owner = make_owner()
        with pytest.raises(BadInput, match="names by what"):
            mark_staleness(_draft(state=state), workspace=workspace, actor=owner, now=NOON)

        marker = mark_staleness(
            _draft(state=state, by_ref="doc:docs/new.md"), workspace=workspace, actor=owner, now=NOON
        )

        assert marker.by_ref == "doc:docs/new.md"

    def test_is_not_superseded_by_itself(self, workspace: Workspace) -> None:
        with pytest.raises(BadInput, match="itself"):
            mark_staleness(_draft(state="superseded", by_ref=TARGET), workspace=workspace, actor=make_owner(), now=NOON)

    def test_stands_once(self, workspace: Workspace) -> None:
        mark_staleness(_draft(), workspace=workspace, actor=make_owner(), now=NOON)

        with pytest.raises(AlreadyMarked):
            mark_staleness(_draft(), workspace=workspace, actor=make_owner(), now=NOON)

    @pytest.mark.parametrize("target", ["nothing", "doc:../x", "shed:x"])
    def test_stands_on_a_ref(self, workspace: Workspace, target: str) -> None:
        with pytest.raises(BadRef):
            mark_staleness(_draft(target=target), workspace=workspace, actor=make_owner(), now=NOON)

    def test_is_refused_to_strangers(self, workspace: Workspace) -> None:
        stranger = make_person(make_workspace(slug="other"))

        with pytest.raises(Forbidden, match="no role"):
            mark_staleness(_draft(), workspace=workspace, actor=stranger, now=NOON)

    def test_is_found_on_the_source_and_on_a_part_of_it(self, workspace: Workspace) -> None:
        whole = mark_staleness(_draft(target="doc:docs/a.md"), workspace=workspace, actor=make_owner(), now=NOON)
        part = mark_staleness(_draft(target="doc:docs/a.md#L3"), workspace=workspace, actor=make_owner(), now=NOON)
        mark_staleness(_draft(target="doc:docs/b.md"), workspace=workspace, actor=make_owner(), now=NOON)

        found = Marker.objects.open().on([SourceRef.parse("doc:docs/a.md@" + "a" * 40 + "#L9")]).order_by("pk")

        assert list(found) == [whole, part]


class TestResolveMarkers:
    def test_keeps_the_words_and_adds_the_reason(self, workspace: Workspace) -> None:
        marker = mark_staleness(_draft(), workspace=workspace, actor=make_owner(), now=NOON)
        reviewer = make_person(workspace)

        count = resolve_markers([marker], actor=reviewer, resolution=" The rule is back. ", now=NOON)

        marker.refresh_from_db()
        assert count == 1
        assert (marker.status, marker.resolution) == ("resolved", "The rule is back.")
        assert (marker.resolved_by, marker.reason) == (reviewer, "Withdrawn in July.")
        assert Change.objects.filter(verb="marker-resolved").count() == 1

    def test_declines_what_does_not_hold(self, workspace: Workspace) -> None:
        marker = mark_staleness(_draft(), workspace=workspace, actor=make_worker(workspace), now=NOON)

        resolve_markers([marker], actor=make_owner(), resolution="It still holds.", now=NOON, decline=True)

        marker.refresh_from_db()
        assert marker.status == "declined"

    def test_needs_a_reason(self, workspace: Workspace) -> None:
        marker = mark_staleness(_draft(), workspace=workspace, actor=make_owner(), now=NOON)

        with pytest.raises(BadInput):
            resolve_markers([marker], actor=make_owner(), resolution="  ", now=NOON)

    def test_is_for_reviewers(self, workspace: Workspace) -> None:
        marker = mark_staleness(_draft(), workspace=workspace, actor=make_owner(), now=NOON)

        for actor in (make_worker(workspace), make_person(workspace, "member")):
            with pytest.raises(NotAReviewer):
                resolve_markers([marker], actor=actor, resolution="Enough.", now=NOON)
            with pytest.raises(NotAReviewer):
                take_over_markers([marker], actor=actor, now=NOON)

    def test_changes_all_or_none(self, workspace: Workspace) -> None:
        one = mark_staleness(_draft(), workspace=workspace, actor=make_owner(), now=NOON)
        two = mark_staleness(_draft(target="doc:docs/a.md"), workspace=workspace, actor=make_owner(), now=NOON)
        resolve_markers([two], actor=make_owner(), resolution="Enough.", now=NOON)

        with pytest.raises(AlreadyResolved):
            resolve_markers([one, two], actor=make_owner(), resolution="Again.", now=NOON)

        one.refresh_from_db()
        assert one.status == "standing"


class TestTakeOver:
    def test_lets_a_workers_marker_stand(self, workspace: Workspace) -> None:
        proposed = mark_staleness(_draft(), workspace=workspace, actor=make_worker(workspace), now=NOON)
        standing = mark_staleness(_draft(target="doc:docs/a.md"), workspace=workspace, actor=make_owner(), now=NOON)

        count = take_over_markers([proposed, standing], actor=make_person(workspace), now=NOON)

        proposed.refresh_from_db()
        assert count == 1
        assert proposed.status == "standing"
        assert Change.objects.filter(verb="marker-taken-over").count() == 1


class TestAMarkerOnARecordOfOurs:
    def test_needs_the_record_in_this_workspace(self, workspace: Workspace) -> None:
        here, there = make_hypothesis(make_shoebox(workspace)), make_hypothesis(make_shoebox(make_workspace()))
        person = make_person(workspace)

        mark_staleness(
            MarkerDraft(target=str(here.ref), state="stale", reason="Withdrawn."), workspace=workspace, actor=person,
            now=NOON,
        )  # fmt: skip

        wrong = [
            {"target": str(there.ref), "state": "stale"},
            {"target": f"evidence:{new_id()}", "state": "stale"},
            {"target": "doc:docs/guide.md", "state": "superseded", "by_ref": f"proposal:{new_id()}"},
            {"target": "doc:docs/guide.md", "state": "stale", "evidence": [f"evidence:{new_id()}"]},
        ]
        for fields in wrong:
            draft = MarkerDraft.model_validate({"reason": "Withdrawn.", **fields})
            with pytest.raises(NoSuchRecord, match="There is no"):
                mark_staleness(draft, workspace=workspace, actor=person, now=NOON)
        assert Marker.objects.get().target == str(here.ref)
