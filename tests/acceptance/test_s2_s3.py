"""Scenarios S2 and S3, as far as the history of the sample reaches: a Worker argues over JSON, a person decides.

S2 is a maintained doc that tickets contradict, S3 a line of decisions of which the newest commit is
the strongest. The commits that wrote the doc paragraph of S2 and the first Lua code are older than
the sample's history.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from evidence.models import Evidence
from evidence.services import review_evidence
from hypotheses.models import Hypothesis
from hypotheses.services import decide_hypothesis
from hypotheses.standing import hypothesis_out
from shoebox.models import Shoebox
from shoebox.schemas import ItemDraft
from shoebox.services import add_items
from tests.acceptance.worker import Worker, draft_of, places_of
from tests.factories import make_person, make_token
from tests.scenarios import Scenario
from yoimemory.access.models import Actor
from yoimemory.desk.indexing import index_workspace_and_recheck
from yoimemory.markers.models import Marker
from yoimemory.markers.services import take_over_markers
from yoimemory.products.models import Proposal
from yoimemory.products.services import apply_proposal, review_proposal
from yoimemory.refs import SourceRef
from yoimemory.sources.models import Workspace
from yoimemory.sources.services import register_workspace

pytestmark = pytest.mark.django_db

DOC = "docs/design/profiles-manifests-prompts.md"
LUA_REMOVED = "profile: remove lua profile resolver"


@dataclass
class Desk:
    """A Worker and a reviewer at the same workspace, with one shoebox between them."""

    workspace: Workspace
    worker: Worker
    reviewer: Actor
    scenario: Scenario
    box: dict[str, Any]
    claims: dict[str, Any]
    evidence: dict[str, Any]

    def argue(self, drafts: dict[str, dict[str, Any]]) -> None:
        """Offer the drafts in one call and keep what was stored under the scenario's names."""
        answer = self.worker.send("/evidence", {"shoebox": self.box["ref"], "drafts": list(drafts.values())})
        assert answer["refused"] == []
        self.evidence = dict(zip(drafts, answer["stored"], strict=True))
        for row in Evidence.objects.filter(state="suggested"):
            review_evidence(row, verdict="accept", actor=self.reviewer, now=timezone.now())

    def targets(self) -> dict[str, str]:
        return {name: claim["ref"] for name, claim in self.claims.items()}

    def mark(self, target: str, state: str, by_ref: str, reason: str, evidence: list[str]) -> None:
        """The Worker proposes a marker, the reviewer lets it stand."""
        body = {"target": target, "state": state, "by_ref": by_ref, "reason": reason, "evidence": evidence}
        made = self.worker.send("/markers", body)
        assert made["status"] == "proposed"
        take_over_markers(Marker.objects.filter(public_id=made["id"]), actor=self.reviewer, now=timezone.now())

    def missing(self) -> set[str]:
        """The must sources of which nothing was gathered; commits have other ids in the sample."""
        gathered = {str(SourceRef.parse(place).source) for place in places_of(self.worker, self.box["id"])}
        wanted = {str(SourceRef.parse(place).source) for place in self.scenario.must}
        return {source for source in wanted - gathered if not source.startswith("commit:")}

    def decide(self, name: str, after: str, reason: str) -> Hypothesis:
        found = Hypothesis.objects.with_people().get(public_id=self.claims[name]["id"])
        decide_hypothesis(found, after=after, reason=reason, actor=self.reviewer, now=timezone.now())
        return Hypothesis.objects.with_people().get(pk=found.pk)


@pytest.fixture
def desk(sample: Path, scenarios: dict[str, Scenario], request: pytest.FixtureRequest) -> Desk:
    """The scenario named by the test's class: its shoebox gathered, its claims proposed."""
    workspace, _ = register_workspace(sample, now=timezone.now())
    index_workspace_and_recheck(workspace, now=timezone.now())
    scenario, worker = scenarios[request.cls.SCENARIO], Worker(make_token(workspace)[1])
    box = worker.send("/shoeboxes", {"question": scenario.question, "as_of": scenario.as_of})
    claims = {
        row["id"]: worker.send("/hypotheses", {"shoebox": box["ref"], "claim": row["claim"]})
        for row in scenario.data["hypotheses"]
    }
    return Desk(workspace, worker, make_person(workspace), scenario, box, claims, {})


class TestScenarioS2:
    """Does declaring an MCP stdio server start it?"""

    SCENARIO = "S2"
    NAMES = ("E1", "E2", "E3", "E4", "E5")

    def test_gathers_the_claim_and_the_tickets_that_stand_against_it(self, desk: Desk) -> None:
        assert desk.missing() == set()

    def test_ends_with_the_claim_accepted_the_lines_marked_and_a_new_text_proposed(
        self, desk: Desk, sample: Path
    ) -> None:
        desk.argue({name: draft_of(desk.scenario, name, desk.targets()) for name in self.NAMES})
        assert [row["anchor"]["start_line"] for row in desk.evidence.values()] == [34, 35, 8, 9, 71]
        sought = desk.worker.send(f"/hypotheses/{desk.claims['H2']['id']}/contrary", {})
        assert sought["sought"]

        later = [desk.evidence[name]["ref"] for name in ("E3", "E4")]
        desk.mark(f"doc:{DOC}#L34", "contradicted", desk.scenario.place("E3"), "The Worker starts it.", later)
        accepted = desk.decide("H2", "accepted", "Registration and calls were both built, after the paragraph.")
        rejected = desk.decide("H1", "rejected", "The paragraph tells of the first slice only.")

        [marker] = Marker.objects.standing()
        assert (marker.state, marker.target) == ("contradicted", f"doc:{DOC}#L34")
        assert (accepted.status, rejected.status) == ("accepted", "rejected")
        assert not accepted.decisions.get().overridden
        assert hypothesis_out(accepted).recheck == hypothesis_out(rejected).recheck == []
        assert any("contradicted" in row for row in hypothesis_out(accepted).contradicting[0].caveats)

        before = (sample / DOC).read_text(encoding="utf-8")
        old = desk.scenario.evidence("E1")["quote"]
        after = before.replace(old, "A Worker initialises it at start to list its tools, and starts it for each call.")
        draft = {
            "target": "doc", "path": DOC, "content": after, "evidence": later, "shoebox": desk.box["ref"],
            "contrary": [desk.evidence["E1"]["ref"]], "rationale": "Two closed tickets built what the doc denies.",
        }  # fmt: skip
        proposal = desk.worker.send("/proposals", draft)
        assert proposal["state"] == "proposed"
        assert f"-{before.splitlines()[33]}" in proposal["diff"]
        assert (sample / DOC).read_text(encoding="utf-8") == before

    def test_reports_which_side_is_later(self, desk: Desk) -> None:
        desk.argue({name: draft_of(desk.scenario, name, desk.targets()) for name in self.NAMES})

        report = desk.worker.send("/representations", {"kind": "contradiction_report", "shoebox": desk.box["ref"]})

        about_h2 = [row for row in report["body"]["rows"] if row["about"].startswith("H2")]
        assert {row["one_refs"][0] for row in about_h2} == {desk.evidence[name]["ref"] for name in ("E3", "E4")}
        assert all(row["other_refs"] == [desk.evidence["E1"]["ref"]] for row in about_h2)


class TestScenarioS3:
    """Which Profile authoring language is binding?"""

    SCENARIO = "S3"
    NAMES = ("E1", "E2", "E3", "E4", "E5", "E6")

    def drafts(self, desk: Desk) -> dict[str, dict[str, Any]]:
        """The evidence of the scenario; the commit has another id in the sample, and the same subject."""
        hits = desk.worker.get(f"/search?q={LUA_REMOVED.replace(' ', '+')}&kinds=commit")["items"]
        commit = next(hit["ref"] for hit in hits if hit["title"] == LUA_REMOVED)
        drafts = {name: draft_of(desk.scenario, name, desk.targets()) for name in self.NAMES[:-1]}
        row = desk.scenario.evidence("E6")
        stance = [{"target": desk.targets()[name], "relation": said} for name, said in row["stance"].items()]
        drafts["E6"] = {"ref": commit, "quote": row["quote"], "relations": stance, "why": row["why_it_matters"]}
        return drafts

    def test_gathers_the_newer_directions_and_takes_the_oldest_by_hand(self, desk: Desk) -> None:
        assert desk.missing() <= {"ticket:00001KSKBPXFG", "ticket:00001KSTXNF6G"}

        shoebox = Shoebox.objects.get(public_id=desk.box["id"])
        drafts = [ItemDraft(ref=ref, rationale="An earlier direction.") for ref in sorted(desk.missing())]
        add_items(shoebox, drafts, actor=desk.reviewer, now=timezone.now())

        assert desk.missing() == set()

    def test_keeps_the_decision_that_stands_behind_a_second_header(self, desk: Desk) -> None:
        desk.argue(self.drafts(desk))

        assert desk.evidence["E2"]["anchor"]["start_line"] == 38
        assert desk.evidence["E2"]["said_by"] == "hare"
        assert desk.evidence["E2"]["said_at"].startswith("2026-05-30T01:39:47")

    def test_ends_with_the_older_decisions_superseded_and_a_review_that_asks_for_changes(
        self, desk: Desk, sample: Path
    ) -> None:
        desk.argue(self.drafts(desk))
        newest = desk.evidence["E6"]
        for name in ("E1", "E3", "E4"):
            older = desk.evidence[name]
            desk.mark(older["source_ref"], "superseded", newest["source_ref"], "Lua was removed.", [newest["ref"]])

        accepted = desk.decide("H2", "accepted", "The maintained rule and the removal leave only Decodal.")
        rejected = desk.decide("H1", "rejected", "The resolver is gone; no compatibility path is left.")

        assert Marker.objects.standing().filter(state="superseded").count() == 3
        assert (accepted.status, rejected.status) == ("accepted", "rejected")
        assert hypothesis_out(accepted).recheck == []
        [weakened] = hypothesis_out(rejected).recheck  # E4 spoke against Lua, and is itself superseded in part
        assert desk.evidence["E4"]["ref"] in weakened
        out = desk.worker.get(f"/evidence/{desk.evidence['E3']['id']}")
        assert any("superseded" in caveat for caveat in out["caveats"])

        thread = sample / ".yoi/tickets/00001KSVB1FFR/thread.md"
        before = thread.read_bytes()
        draft = {
            "target": "ticket_review", "path": "ticket:00001KSVB1FFR", "shoebox": desk.box["ref"],
            "content": "Lua is no longer an authoring path: write the Profile in Decodal.\n",
            "evidence": [desk.evidence["E5"]["ref"], newest["ref"]], "rationale": "The decision cited is superseded.",
        }  # fmt: skip
        made = desk.worker.send("/proposals", draft)
        proposal = Proposal.objects.get(public_id=made["id"])
        review_proposal(proposal, verdict="approve", reason="Agreed.", actor=desk.reviewer, now=timezone.now())
        apply_proposal(
            proposal, way="appended to the thread", review="request_changes", actor=desk.reviewer, now=timezone.now()
        )

        added = thread.read_bytes().removeprefix(before).decode()
        thread.write_bytes(before)
        assert "status: request_changes" in added
        assert "write the Profile in Decodal" in added

    def test_draws_the_directions_in_order_of_time(self, desk: Desk) -> None:
        desk.argue(self.drafts(desk))

        timeline = desk.worker.send("/representations", {"kind": "timeline", "shoebox": desk.box["ref"]})

        order = [row["refs"][0] for row in timeline["body"]["rows"]]
        named = {row["ref"]: name for name, row in desk.evidence.items()}
        dated = [named[ref] for ref in order]
        assert [name for name in dated if name in {"E2", "E3", "E6"}] == ["E2", "E3", "E6"]
