"""Making representations, building them again, and how far behind they are."""

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from evidence.models import Evidence, Placement
from hypotheses.models import Representation
from hypotheses.schemas import RepresentationDraft
from hypotheses.services import (
    NoSuchBody,
    WrittenByHand,
    create_representation,
    rebuild_representation,
)
from hypotheses.services.finding import ShoeboxEnded
from hypotheses.standing import representation_out, representations_out
from shoebox.models import Shoebox
from tests.factories import NOON, make_evidence, make_person, make_shoebox, make_worker, make_workspace
from yoimemory.errors import Forbidden, NotFound, StaleVersion
from yoimemory.journal.models import Change, Event
from yoimemory.journal.services import flush_events
from yoimemory.refs import BadRef

pytestmark = pytest.mark.django_db

ROW = {
    "at": "2026-07-15T21:26:15Z",
    "lane": "Tickets",
    "label": "Queued from the panel",
    "refs": ["ticket:00001KXKMX0QM"],
}


def make(shoebox: Shoebox, actor: Any = None, **kwargs: Any) -> Representation:
    draft = RepresentationDraft.model_validate({"kind": "timeline", "shoebox": str(shoebox.ref), **kwargs})
    actor = actor or make_person(shoebox.workspace)
    return create_representation(draft, workspace=shoebox.workspace, actor=actor, now=NOON)


def move(evidence: Evidence, state: str) -> None:
    Placement.objects.create(evidence=evidence, state=state, method="exact", at=NOON, start_line=9)


class TestCreateRepresentation:
    @pytest.mark.parametrize("state", ["archived", "discarded"])
    def test_is_refused_in_a_shoebox_that_has_ended(self, state: str) -> None:
        with pytest.raises(ShoeboxEnded, match=state):
            make(make_shoebox(state=state), body={"rows": [ROW]})
        assert not Representation.objects.exists()

    def test_builds_a_timeline_of_the_shoebox_and_notes_what_it_cites(self) -> None:
        evidence = make_evidence(said_at=NOON, state="accepted")
        make_evidence(evidence.shoebox, said_at=NOON, state="rejected", state_reason="Not this ticket.")

        made = make(evidence.shoebox)

        assert made.built
        assert made.title == "Timeline: May it start now?"
        assert [cite["ref"] for cite in made.cites] == [str(evidence.ref), str(evidence.address)]
        assert made.cites[0] == {"ref": str(evidence.ref), "state": "accepted", "anchor_state": "verified"}

    def test_builds_from_the_evidence_that_was_chosen(self) -> None:
        chosen = make_evidence(said_at=NOON)
        make_evidence(chosen.shoebox, said_at=NOON, quote="Something else that was said.")

        made = make(chosen.shoebox, evidence=[str(chosen.ref)])
        again = rebuild_representation(made, actor=make_person(made.workspace), now=NOON)

        assert len(made.body["rows"]) == len(again.body["rows"]) == 1

    def test_takes_a_body_that_a_worker_wrote(self) -> None:
        shoebox = make_shoebox()

        made = make(shoebox, make_worker(shoebox.workspace), body={"rows": [ROW]}, title="How it stood")

        assert not made.built
        assert made.title == "How it stood"
        assert made.cites == [{"ref": "ticket:00001KXKMX0QM"}]

    @pytest.mark.parametrize(
        ("row", "said"),
        [
            ({**ROW, "at": "2026-07-15T21:26:15"}, "body.rows.0.at"),
            ({**ROW, "refs": []}, "body.rows.0.refs"),
            ({**ROW, "colour": "red"}, "body.rows.0.colour"),
        ],
    )
    def test_refuses_a_body_that_does_not_fit_and_names_the_field(self, row: dict[str, Any], said: str) -> None:
        with pytest.raises(NoSuchBody) as refused:
            make(make_shoebox(), body={"rows": [row]})

        assert list(refused.value.fields) == [said]

    def test_refuses_what_is_no_ref(self) -> None:
        with pytest.raises(BadRef):
            make(make_shoebox(), body={"rows": [{**ROW, "refs": ["somewhere"]}]})

    def test_refuses_evidence_of_another_workspace(self) -> None:
        foreign = make_evidence()

        with pytest.raises(NotFound, match="no evidence"):
            make(make_shoebox(), body={"rows": [{**ROW, "refs": [str(foreign.ref)]}]})

    def test_says_what_to_do_when_there_is_no_evidence(self) -> None:
        with pytest.raises(NoSuchBody, match="no evidence to build from") as refused:
            make(make_shoebox())

        assert "Quote something" in refused.value.hint

    def test_refuses_somebody_without_a_role(self) -> None:
        shoebox = make_shoebox()

        with pytest.raises(Forbidden):
            make(shoebox, make_person(make_workspace()))

    def test_notes_the_event(self) -> None:
        made = make(make_evidence(said_at=NOON).shoebox)
        flush_events()

        event = Event.objects.get(kind="representation_created")

        assert str(made.ref) in event.subjects


class TestRebuildRepresentation:
    def test_takes_in_what_came_since(self) -> None:
        evidence = make_evidence(said_at=NOON)
        made = make(evidence.shoebox)
        make_evidence(evidence.shoebox, said_at=NOON, quote="Something that was said later.")

        again = rebuild_representation(made, actor=make_person(made.workspace), now=NOON, version=1)

        assert len(again.body["rows"]) == 2
        assert (again.pk, again.version) == (made.pk, 2)
        assert Change.objects.filter(subject=str(made.ref), verb="representation-rebuilt").exists()

    def test_refuses_an_old_version(self) -> None:
        made = make(make_evidence(said_at=NOON).shoebox)
        person = make_person(made.workspace)
        rebuild_representation(made, actor=person, now=NOON)

        with pytest.raises(StaleVersion):
            rebuild_representation(made, actor=person, now=NOON, version=1)

    def test_never_builds_over_what_somebody_wrote(self) -> None:
        made = make(make_shoebox(), body={"rows": [ROW]})

        with pytest.raises(WrittenByHand, match="would lose their rows"):
            rebuild_representation(made, actor=make_person(made.workspace), now=NOON)


class TestBehind:
    def test_is_current_while_nothing_moved(self) -> None:
        assert representation_out(make(make_evidence(said_at=NOON).shoebox)).state == "current"

    def test_says_what_moved_since(self) -> None:
        evidence = make_evidence(said_at=NOON)
        made = make(evidence.shoebox)
        move(evidence, "moved")

        out = representation_out(made)

        assert out.state == "behind"
        assert out.behind == [f"e1 ({evidence.ref}) was verified, now moved."]

    def test_says_what_was_rejected_since(self) -> None:
        evidence = make_evidence(said_at=NOON)
        made = make(evidence.shoebox)
        Evidence.objects.filter(pk=evidence.pk).update(state="rejected", state_reason="Of another component.")

        assert representation_out(made).behind == [f"e1 ({evidence.ref}) was rejected since."]

    def test_is_current_again_after_a_rebuild(self) -> None:
        evidence = make_evidence(said_at=NOON)
        made = make(evidence.shoebox)
        move(evidence, "moved")

        again = rebuild_representation(made, actor=make_person(made.workspace), now=NOON)

        assert representation_out(again).state == "current"

    def test_costs_the_same_for_many(self, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
        shoebox = make_evidence(said_at=NOON).shoebox
        for _ in range(2):
            make(shoebox)
        rows = Representation.objects.select_related("shoebox", "made_by").all()

        with django_assert_max_num_queries(4):
            representations_out(list(rows.all()))
        for _ in range(4):
            make(shoebox)
        with django_assert_max_num_queries(4):
            assert len(representations_out(list(rows.all()))) == 6
