"""Scenario S1 as a Worker acts it out: over JSON, from the question up to a proposal that a person decides."""

from pathlib import Path

import pytest
from django.utils import timezone

from tests.acceptance.worker import Worker, draft_of, places_of
from tests.factories import make_token
from tests.scenarios import Scenario
from yoimemory.desk.indexing import index_workspace_and_recheck
from yoimemory.sources.services import register_workspace

pytestmark = pytest.mark.django_db

TASK = "ticket:00001KXKMX0QM"


@pytest.fixture
def worker(sample: Path) -> Worker:
    workspace, _ = register_workspace(sample, now=timezone.now())
    run = index_workspace_and_recheck(workspace, now=timezone.now())
    assert run.unreadable == 0
    return Worker(make_token(workspace)[1])


class TestScenarioS1OverJson:
    def test_runs_from_the_question_to_a_proposal(self, worker: Worker, scenarios: dict[str, Scenario]) -> None:
        s1 = scenarios["S1"]

        box = worker.send("/shoeboxes", {"question": s1.question, "task": TASK, "as_of": s1.as_of})
        gathered = places_of(worker, box["id"])
        assert [place for place in s1.must if place not in gathered] == []

        h1, h2 = (
            worker.send("/hypotheses", {"shoebox": box["ref"], "claim": row["claim"]}) for row in s1.data["hypotheses"]
        )
        drafts = [draft_of(s1, name, {"H1": h1["ref"], "H2": h2["ref"]}) for name in ("E1", "E2", "E3", "E4", "E5")]
        answer = worker.send("/evidence", {"shoebox": box["ref"], "drafts": drafts})
        assert answer["refused"] == []
        assert [row["anchor"]["start_line"] for row in answer["stored"]] == [
            s1.evidence(name)["line_start"] for name in ("E1", "E2", "E3", "E4", "E5")
        ]
        assert {row["state"] for row in answer["stored"]} == {"suggested"}

        hold = worker.get(f"/hypotheses/{h2['id']}")
        assert len(hold["supporting"]) == 4

        timeline = worker.send("/representations", {"kind": "timeline", "shoebox": box["ref"]})
        assert timeline["body"]["rows"]

        proposal = worker.send(
            "/proposals",
            {
                "target": "ticket_artifact",
                "path": ".yoi/tickets/00001KXKMX0QM/artifacts/routing-evidence.md",
                "content": "# Hold\n\nBoth dependencies were unresolved as of the queue click.\n",
                "rationale": "The maintained rule blocks acceptance while a dependency is unresolved.",
                "evidence": [row["ref"] for row in answer["stored"]],
                "shoebox": box["ref"],
            },
        )
        assert proposal["state"] == "proposed"
        assert proposal["diff"]

    def test_may_propose_and_never_decide(self, worker: Worker, scenarios: dict[str, Scenario], sample: Path) -> None:
        s1 = scenarios["S1"]
        box = worker.send("/shoeboxes", {"question": s1.question, "task": TASK, "gather": False})
        claim = worker.send("/hypotheses", {"shoebox": box["ref"], "claim": "Hold."})
        stored = worker.send("/evidence", {"shoebox": box["ref"], "drafts": [draft_of(s1, "E2", {})]})["stored"][0]
        path = ".yoi/tickets/00001KXKMX0QM/artifacts/new.md"
        proposal = worker.send(
            "/proposals", {"target": "ticket_artifact", "path": path, "content": "x\n", "rationale": "Because."}
        )

        refusals = [
            worker.send(f"/hypotheses/{claim['id']}/decision", {"after": "accepted", "reason": "Yes."}, expect=403),
            worker.send(f"/evidence/{stored['id']}/review", {"verdict": "accept"}, expect=403),
            worker.send(f"/proposals/{proposal['id']}/review", {"verdict": "approve"}, expect=403),
            worker.send(f"/proposals/{proposal['id']}/apply", {}, expect=403),
        ]

        assert all(set(body) == {"code", "message", "hint", "fields", "request_id"} for body in refusals)
        assert not (sample / path).exists()

    def test_refuses_an_invented_quote_with_the_nearest_text(
        self, worker: Worker, scenarios: dict[str, Scenario]
    ) -> None:
        s1 = scenarios["S1"]
        box = worker.send("/shoeboxes", {"question": s1.question, "task": TASK, "gather": False})
        draft = draft_of(s1, "E2", {})
        draft["quote"] = draft["quote"].replace("queue/acceptance blockers", "queue/acceptance hints")

        answer = worker.send("/evidence", {"shoebox": box["ref"], "drafts": [draft]}, expect=200)

        assert answer["stored"] == []
        assert answer["refused"][0]["code"] == "not_found"
        assert "queue/acceptance blockers" in answer["refused"][0]["nearest"]
