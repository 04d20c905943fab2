"""The examples of the JSON reference, run one after the other as a Worker against the demo."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.demo.conftest import demo, demo_folder
from tests.docs.reference import DOCS
from yoimemory.access.services import issue_token
from yoimemory.sources.models import Workspace

__all__ = ["demo", "demo_folder"]

TEXT = (DOCS / "json-api.md").read_text(encoding="utf-8")


@dataclass
class Example:
    """One call with its answer, as the document shows them."""

    request: str
    headers: dict[str, str]
    body: str
    status: int
    answer_headers: dict[str, str]
    answer: Any


def _split(block: str) -> tuple[str, dict[str, str], str]:
    head, _, body = block.partition("\n\n")
    first, *lines = head.strip().split("\n")
    return first, dict(line.split(": ", 1) for line in lines), body.strip()


def examples() -> Iterator[Example]:
    blocks = re.findall(r"```http\n(.*?)```", TEXT, re.DOTALL)
    for asked, told in zip(blocks[::2], blocks[1::2], strict=True):
        request, headers, body = _split(asked)
        status, answer_headers, answer = _split(told)
        assert status.startswith("HTTP/1.1 "), f"The answer to {request} is missing."
        yield Example(request, headers, body, int(status.split()[1]), answer_headers, json.loads(answer))


def fits(shown: Any, told: Any, where: str = "answer") -> list[str]:
    """What of the shown answer the real one does not have; an ellipsis stands for anything."""
    if isinstance(shown, dict):
        if not isinstance(told, dict):
            return [f"{where} is no object"]
        return [
            wrong
            for key, value in shown.items()
            for wrong in (fits(value, told[key], f"{where}.{key}") if key in told else [f"{where}.{key} is missing"])
        ]
    if isinstance(shown, list):
        if not isinstance(told, list) or len(told) < len(shown):
            return [f"{where} is shorter than shown"]
        return [
            w
            for i, (one, other) in enumerate(zip(shown, told, strict=False))
            for w in fits(one, other, f"{where}[{i}]")
        ]
    if isinstance(shown, str) and "…" in shown:
        pattern = ".*".join(re.escape(part) for part in shown.split("…"))
        return [] if isinstance(told, str) and re.fullmatch(pattern, told, re.DOTALL) else [f"{where} is {told!r}"]
    if isinstance(shown, (int, float)) and not isinstance(shown, bool):
        return [] if isinstance(told, (int, float)) and not isinstance(told, bool) else [f"{where} is {told!r}"]
    return [] if shown == told else [f"{where} is {told!r}, not {shown!r}"]


@dataclass
class Story:
    """The client of one Worker, and the ids that earlier answers gave."""

    client: Client
    secret: str
    ids: dict[str, str] = field(default_factory=dict)

    def play(self, example: Example) -> list[str]:
        request, body = example.request, example.body
        for name, value in self.ids.items():
            request, body = request.replace(f"{{{name}}}", value), body.replace(f"{{{name}}}", value)
        method, address = request.split(" ", 1)
        response = self.client.generic(
            method, address, body, content_type="application/json",
            headers={**example.headers, "Authorization": f"Bearer {self.secret}"},
        )  # fmt: skip
        told = json.loads(response.content)
        if response.status_code != example.status:
            return [f"{request} answered {response.status_code}: {told}"]
        self._learn(address, told)
        return fits(example.answer, told) + fits(example.answer_headers, dict(response.headers), "headers")

    def _learn(self, address: str, told: Any) -> None:
        nouns = {"shoeboxes": "shoebox", "evidence": "evidence", "hypotheses": "hypothesis", "proposals": "proposal"}
        noun = nouns.get(address.rsplit("/", 1)[-1].split("?")[0])
        one = told["stored"][0] if told.get("stored") else told
        if noun and "id" in one:
            self.ids[noun] = one["id"]


@pytest.mark.django_db
def test_every_example_is_answered_as_shown(demo: Workspace, client: Client) -> None:
    _, secret = issue_token(workspace=demo, name="reader of the docs", scope="propose", now=timezone.now())
    story = Story(client, secret)

    wrong = [(example.request, found) for example in examples() if (found := story.play(example))]

    assert wrong == []


def test_there_are_examples_of_every_station() -> None:
    asked = " ".join(example.request for example in examples())

    for noun in ("search", "open", "shoeboxes", "evidence", "hypotheses", "representations", "proposals", "markers"):
        assert f"/api/v1/{noun}" in asked
