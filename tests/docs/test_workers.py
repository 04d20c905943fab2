"""The four stories of the Workers, told once more as they stand in the document: over MCP and JSON, on the demo."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.test import Client as Browser
from django.utils import timezone

from tests.demo.conftest import demo, demo_folder
from tests.docs.reference import DOCS
from tests.docs.test_json_examples import fits
from tests.mcp.clients import broken_limits
from tests.mcp.conftest import Worker
from yoimemory.access.services import issue_token
from yoimemory.mcp import threads
from yoimemory.sources.models import Workspace

__all__ = ["demo", "demo_folder"]

TEXT = (DOCS / "workers.md").read_text(encoding="utf-8")
KINDS = ("shoebox", "evidence", "hypothesis", "representation", "proposal")


@dataclass(frozen=True)
class Step:
    """One call of the document and the answer that it shows."""

    kind: str
    asked: str
    shown: str


@dataclass(frozen=True)
class Story:
    """One heading with its calls."""

    title: str
    scope: str
    steps: tuple[Step, ...]


def stories() -> Iterator[Story]:
    for part in re.split(r"^## Story: ", TEXT, flags=re.M)[1:]:
        heading = re.match(r"(.*) \(scope (\w+)\)\n", part)
        assert heading
        blocks = re.findall(r"^```(mcp|text|http)\n(.*?)^```", part, re.DOTALL | re.M)
        pairs = list(zip(blocks[::2], blocks[1::2], strict=True))
        assert {(asked[0], shown[0]) for asked, shown in pairs} <= {("mcp", "text"), ("http", "http")}
        yield Story(heading[1], heading[2], tuple(Step(asked[0], asked[1], shown[1]) for asked, shown in pairs))


STORIES = tuple(stories())


@dataclass
class Teller:
    """One Worker that does what a story says, and keeps the refs that answers give."""

    secret: str
    browser: Browser
    refs: dict[str, str] = field(default_factory=dict)

    def tell(self, step: Step) -> list[str]:
        return self._call(step) if step.kind == "mcp" else self._request(step)

    def _call(self, step: Step) -> list[str]:
        name, _, arguments = self._filled(step.asked).partition("\n")
        result = Worker(self.secret).call(name, **json.loads(arguments))
        text = result.content[0].text
        self._learn(result.structured_content or {})
        wrong = broken_limits(result)
        return wrong + self._missing(self._filled(step.shown), text)

    @staticmethod
    def _missing(shown: str, text: str) -> list[str]:
        """The lines of the document that the answer does not have in this order."""
        wrong, lines = [], iter(text.split("\n"))
        for wanted in filter(None, (line.strip() for line in shown.split("\n"))):
            pattern = ".*".join(re.escape(part) for part in wanted.split("…"))
            if not any(re.fullmatch(pattern, line.strip()) for line in lines):
                wrong.append(f"{wanted!r} is not in, or not in this order:\n{text}")
                break
        return wrong

    def _request(self, step: Step) -> list[str]:
        head, _, body = self._filled(step.asked).partition("\n\n")
        first, *more = head.strip().split("\n")
        method, address = first.split(" ", 1)
        headers = dict(line.split(": ", 1) for line in more)
        answer = self.browser.generic(
            method, address, body, content_type="application/json",
            headers={**headers, "Authorization": f"Bearer {self.secret}"},
        )  # fmt: skip
        status, _, shown = step.shown.partition("\n\n")
        told = json.loads(answer.content)
        if answer.status_code != int(status.split()[1]):
            return [f"{first} answered {answer.status_code}: {told}"]
        return fits(json.loads(self._filled(shown)), told)

    def _filled(self, text: str) -> str:
        for kind, ref in self.refs.items():
            text = text.replace(f"{{{kind}}}", ref).replace(f"{{{kind}_id}}", ref.partition(":")[2])
        return text

    def _learn(self, data: dict[str, Any]) -> None:
        """The first ref of each kind of ours that an answer names, newest answer first."""
        listed = [*data.get("stored", []), *data.get("items", [])]
        named = [data.get("ref", ""), *(one.get("ref", "") for one in reversed(listed) if isinstance(one, dict))]
        for ref in named:
            kind = ref.partition(":")[0]
            if kind in KINDS:
                self.refs[kind] = ref


@pytest.mark.django_db
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.title)
def test_a_story_goes_as_it_is_told(
    story: Story, demo: Workspace, client: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "executor", None)
    _, secret = issue_token(workspace=demo, name=story.title.split()[1], scope=story.scope, now=timezone.now())
    teller = Teller(secret, client)

    for number, step in enumerate(story.steps, start=1):
        assert teller.tell(step) == [], f"step {number}: {step.asked}"


def test_there_are_four_stories_over_both_surfaces() -> None:
    kinds = {step.kind for story in STORIES for step in story.steps}

    assert len(STORIES) == 4
    assert kinds == {"mcp", "http"}
