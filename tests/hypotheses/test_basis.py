"""What may bear on a claim: only what stands in its own workspace."""

import pytest

from hypotheses.basis import bases_of
from tests.factories import (
    NOON,
    make_evidence,
    make_hypothesis,
    make_person,
    make_relation,
    make_shoebox,
    make_system,
)
from yoimemory.markers.models import Marker
from yoimemory.markers.schemas import MarkerDraft
from yoimemory.markers.services import mark_staleness

pytestmark = pytest.mark.django_db


class TestBasesOf:
    def test_passes_by_evidence_and_markers_of_another_workspace(self) -> None:
        hypothesis = make_hypothesis()
        elsewhere = make_shoebox()
        make_relation(make_evidence(elsewhere, state="accepted"), hypothesis.ref, "supports")
        Marker.objects.create(  # the verb refuses such a target; the row may be older than the rule
            workspace=elsewhere.workspace, target=str(hypothesis.ref), target_source=str(hypothesis.ref), state="stale",
            reason="Said from elsewhere.", origin="worker", status="standing", made_by=make_system(), made_at=NOON,
        )  # fmt: skip

        basis = bases_of([hypothesis])[hypothesis.pk]

        assert (basis.cited, basis.markers) == ([], [])

    @pytest.mark.parametrize(("part", "said"), [("event-7", True), ("event-6", False)])
    def test_takes_a_marker_on_the_event_that_was_quoted(self, part: str, said: bool) -> None:
        hypothesis = make_hypothesis()
        thread = "ticket:00001KX6WVNPD/thread"
        evidence = make_evidence(hypothesis.shoebox, place=thread, hint="event-7 Review: approve")
        make_relation(evidence, hypothesis.ref, "supports")
        draft = MarkerDraft(target=f"{thread}#{part}", state="stale", reason="Taken back later.")
        marker = mark_staleness(
            draft, workspace=hypothesis.workspace, actor=make_person(hypothesis.workspace), now=NOON
        )

        [cited] = bases_of([hypothesis])[hypothesis.pk].cited

        assert cited.markers == ([marker] if said else [])
        assert cited.caveats == ([marker.caveat] if said else [])
