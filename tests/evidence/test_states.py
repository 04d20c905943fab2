"""What the states of evidence and of anchors mean is said once, and every page counts by it."""

import pytest
from django.test import Client
from django.urls import reverse

from evidence.filters import EvidenceFilter
from evidence.models import Evidence, Placement
from hypotheses.recheck import DRIFT_SAID
from tests.factories import make_evidence, make_owner, make_shoebox, make_workspace
from yoimemory.desk import needs

pytestmark = pytest.mark.django_db


class TestStates:
    def test_are_waiting_accepted_or_ended(self) -> None:
        said = [*Evidence.WAITING, Evidence.State.ACCEPTED, *Evidence.ENDED]

        assert sorted(said) == sorted(Evidence.State.values)

    def test_of_an_anchor_are_firm_or_drifted(self) -> None:
        assert sorted([*Placement.FIRM, *Placement.DRIFTED]) == sorted(Placement.State.values)
        assert tuple(DRIFT_SAID) == Placement.UNDERMINED

    def test_are_counted_alike_by_every_page(self, client: Client) -> None:
        workspace = make_workspace()
        shoebox = make_shoebox(workspace)
        for state in Evidence.State.values:
            if state != Evidence.State.SUPERSEDED:
                make_evidence(shoebox, state=state, why="It is the rule.", state_reason="Because.")
        own = Evidence.objects.in_workspace(workspace)
        client.force_login(make_owner().user)

        page = client.get(reverse("evidence:list"))

        waits = {"draft", "suggested", "needs_change"}
        assert {one.state for one in own.to_review()} == waits
        assert {one.state for one in needs.suggested(workspace)} == waits
        assert {one.state for one in EvidenceFilter({"state": "waiting"}, own).qs} == waits
        assert {one.state for one in EvidenceFilter({"state": "current"}, own).qs} == {*waits, "accepted"}
        assert page.context["waiting"] == 3
