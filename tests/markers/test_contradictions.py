"""Contradictions stand between two refs, show from both, and are resolved by people, two where there are two."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import NOON, make_owner, make_person, make_token, make_worker, make_workspace
from yoimemory.access.services import NotAReviewer
from yoimemory.errors import BadInput
from yoimemory.markers.chain import why_marked
from yoimemory.markers.models import Contradiction, Reliability, SecondLook
from yoimemory.markers.schemas import ContradictionDraft, MarkerDraft
from yoimemory.markers.services import (
    SameContradiction,
    mark_staleness,
    note_contradiction,
    resolve_contradiction,
    set_reliability,
    settle_conflict,
)
from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace

pytestmark = pytest.mark.django_db

LEFT, RIGHT = "doc:docs/a.md#L3-L4", "doc:docs/b.md"


@pytest.fixture
def workspace() -> Workspace:
    return make_workspace(slug="house")


def note(workspace: Workspace, *, left: str = LEFT, right: str = RIGHT) -> Contradiction:
    draft = ContradictionDraft(left=left, right=right, about="Whether the queue starts tickets.")
    return note_contradiction(draft, workspace=workspace, actor=make_person(workspace), now=NOON)


class TestNoteContradiction:
    def test_is_found_from_both_sides(self, workspace: Workspace) -> None:
        row = note(workspace)

        for ref in (LEFT, RIGHT):
            assert list(Contradiction.objects.open().on([SourceRef.parse(ref)])) == [row]
        assert RIGHT in row.caveat_for(SourceRef.parse("doc:docs/a.md"))
        assert LEFT in row.caveat_for(SourceRef.parse("doc:docs/b.md"))

    def test_says_nothing_of_other_lines(self, workspace: Workspace) -> None:
        row = note(workspace)

        assert row.concerns("doc:docs/a.md", lines=(4, 9))
        assert not row.concerns("doc:docs/a.md", lines=(7, 9))

    def test_is_proposed_by_a_worker(self, workspace: Workspace) -> None:
        draft = ContradictionDraft(left=LEFT, right=RIGHT, about="Starts.")

        row = note_contradiction(draft, workspace=workspace, actor=make_worker(workspace), now=NOON)

        assert row.status == "proposed"

    def test_stands_once_whichever_side_comes_first(self, workspace: Workspace) -> None:
        note(workspace)

        with pytest.raises(SameContradiction):
            note(workspace, left=RIGHT, right=LEFT)

    def test_has_two_sides(self, workspace: Workspace) -> None:
        with pytest.raises(BadInput):
            note(workspace, right=LEFT)


class TestResolveContradiction:
    def test_takes_one_person_where_there_is_one(self, workspace: Workspace) -> None:
        row = note(workspace)

        resolve_contradiction(row, holds="right", resolution="b is newer.", actor=row.made_by, now=NOON)

        assert (row.status, row.holds, row.one_reviewer) == ("resolved", "right", True)

    def test_waits_for_a_second_who_sees_nothing(self, workspace: Workspace, client: Client) -> None:
        row, second = note(workspace), make_person(workspace)
        resolve_contradiction(row, holds="right", resolution="SECRET reason.", actor=row.made_by, now=NOON)
        assert second.user is not None
        client.force_login(second.user)

        page = client.get(reverse("markers:contradiction", args=[row.public_id])).text
        out = client.get(f"/api/v1/contradictions/{row.public_id}")
        resolve_contradiction(row, holds="right", resolution="I agree.", actor=second, now=NOON)

        assert "SECRET" not in page
        assert "SECRET" not in out.text
        assert (out.json()["status"], out["ETag"]) == ("open", '"1"')
        assert (row.status, row.one_reviewer) == ("resolved", False)

    def test_ends_in_a_conflict_that_is_settled(self, workspace: Workspace) -> None:
        row, second = note(workspace), make_person(workspace)
        resolve_contradiction(row, holds="right", resolution="b.", actor=row.made_by, now=NOON)
        resolve_contradiction(row, holds="left", resolution="a.", actor=second, now=NOON)
        look = SecondLook.objects.in_conflict().get()

        settled = settle_conflict(look, answer="left", reason="We talked.", actor=second, now=NOON)
        resolve_contradiction(row, holds="left", resolution="We talked.", actor=second, now=NOON, settled=settled)

        assert (row.status, row.holds) == ("resolved", "left")

    def test_is_for_reviewers(self, workspace: Workspace) -> None:
        with pytest.raises(NotAReviewer):
            resolve_contradiction(note(workspace), holds="left", resolution="x", actor=make_worker(workspace), now=NOON)


class TestReliability:
    def test_is_set_by_people_only_over_json(self, workspace: Workspace, client: Client) -> None:
        bearer = {"Authorization": f"Bearer {make_token(workspace)[1]}"}
        body = {"source": LEFT, "grade": "mixed", "reason": "Half of it is old."}

        refused = client.post("/api/v1/reliability", body, content_type="application/json", headers=bearer)
        owner = make_owner("hare")
        assert owner.user is not None
        client.force_login(owner.user)
        stored = client.post("/api/v1/reliability", body, content_type="application/json")

        assert refused.status_code == 403
        assert stored.json()["source"] == "doc:docs/a.md"
        assert Reliability.objects.get().grade == "mixed"

    def test_is_read_by_workers(self, workspace: Workspace, client: Client) -> None:
        person = make_person(workspace)
        set_reliability(
            SourceRef.parse(RIGHT),
            grade="usually right",
            reason="Kept up.",
            workspace=workspace,
            actor=person,
            now=NOON,
        )
        bearer = {"Authorization": f"Bearer {make_token(workspace)[1]}"}

        rows = client.get("/api/v1/reliability", {"source": RIGHT}, headers=bearer).json()["items"]

        assert [row["grade"] for row in rows] == ["usually right"]


class TestPages:
    @pytest.fixture
    def page(self, workspace: Workspace, client: Client) -> Client:
        owner = make_owner("hare")
        assert owner.user is not None
        client.force_login(owner.user)
        return client

    def test_note_and_show_a_contradiction(self, page: Client) -> None:
        fields = {"left": LEFT, "right": RIGHT, "about": "Whether the queue starts tickets."}

        shown = page.post(reverse("markers:note"), fields, follow=True).text
        listed = page.get(reverse("markers:contradictions")).text

        assert "Whether the queue starts tickets." in shown
        assert "1 contradiction stands unresolved" in listed

    def test_list_markers_and_close_one_with_a_reason(self, page: Client, workspace: Workspace) -> None:
        draft = MarkerDraft(target=RIGHT, state="stale", reason="Withdrawn.")
        marker = mark_staleness(draft, workspace=workspace, actor=make_worker(workspace), now=NOON)

        listed = page.get(reverse("markers:list")).text
        page.post(reverse("markers:close", args=[marker.public_id]), {"act": "take_over"})
        page.post(reverse("markers:close", args=[marker.public_id]), {"act": "resolve", "reason": "Back again."})

        marker.refresh_from_db()
        assert "1 proposed marker waits for a person" in listed
        assert (marker.status, marker.resolution) == ("resolved", "Back again.")

    def test_grade_a_source(self, page: Client) -> None:
        shown = page.post(
            reverse("markers:set_reliability"), {"source": RIGHT, "grade": "unreliable", "reason": "Old."}, follow=True
        ).text

        assert "unreliable" in shown
        assert Reliability.objects.get().source == RIGHT


class TestWhyMarked:
    def test_follows_the_cause_to_its_end(self, workspace: Workspace) -> None:
        person = make_person(workspace)
        for target, by in (("doc:a.md", "doc:b.md"), ("doc:b.md", "doc:c.md")):
            draft = MarkerDraft(target=target, state="superseded", by_ref=by, reason=f"{by} is newer.")
            marker = mark_staleness(draft, workspace=workspace, actor=person, now=NOON)
        first = type(marker).objects.get(target="doc:a.md")

        chain = [(step.told.split(",")[0], step.ref) for step in why_marked(first)]

        assert chain == [
            ("superseded", "doc:a.md"), ("because of", "doc:b.md"), ("superseded", "doc:b.md"),
            ("because of", "doc:c.md"),
        ]  # fmt: skip
