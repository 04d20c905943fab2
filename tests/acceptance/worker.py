"""A Worker that acts out a scenario over JSON."""

import json
from typing import Any

from django.test import Client

from tests.scenarios import Scenario
from yoimemory.refs import SourceRef


class Worker:
    """A Worker that knows the address and its token, nothing else."""

    def __init__(self, secret: str) -> None:
        self.client, self.secret, self.calls = Client(), secret, 0

    def get(self, path: str) -> Any:
        response = self.client.get(f"/api/v1{path}", headers={"Authorization": f"Bearer {self.secret}"})
        assert response.status_code == 200, response.content
        return response.json()

    def send(self, path: str, body: dict[str, Any], *, expect: int = 201) -> Any:
        self.calls += 1
        response = self.client.post(
            f"/api/v1{path}",
            json.dumps(body),
            content_type="application/json",
            headers={"Authorization": f"Bearer {self.secret}", "Idempotency-Key": f"act-{self.calls}"},
        )
        assert response.status_code == expect, response.content
        return response.json()


def places_of(worker: Worker, shoebox: str) -> set[str]:
    """What was gathered, each as its document: fragments and revisions left out."""
    places: set[str] = set()
    cursor = ""
    while True:
        answer = worker.get(f"/shoeboxes/{shoebox}?include=items&cursor={cursor}")
        places |= {str(SourceRef.parse(item["ref"]).bare) for item in answer["items"]}
        cursor = answer["next_cursor"]
        if not cursor:
            return places


def draft_of(scenario: Scenario, name: str, targets: dict[str, str]) -> dict[str, Any]:
    """A piece of evidence of the scenario as a Worker offers it, with its stance toward each of these hypotheses."""
    row = scenario.evidence(name)
    relations = [
        {"target": ref, "relation": row["stance"][hypothesis]}
        for hypothesis, ref in targets.items()
        if hypothesis in row["stance"]
    ]
    return {
        "ref": scenario.place(name),
        "quote": row["quote"],
        "line": row["line_start"],
        "relations": relations,
        "why": row["why_it_matters"],
    }
