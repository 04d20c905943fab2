"""Scenario S1 as a person acts it out in a browser: gather, quote by three keys, argue, decide, export."""

from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from evidence.models import Evidence
from hypotheses.models import Hypothesis
from shoebox.models import Shoebox
from tests.browser.conftest import Person
from tests.scenarios import Scenario
from yoimemory.desk.indexing import index_workspace_and_recheck
from yoimemory.sources.services import register_workspace

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TASK = "ticket:00001KXKMX0QM"
AGAINST_STARTING = ("E2", "E3", "E4", "E5")


@pytest.fixture
def s1(sample: Path, scenarios: dict[str, Scenario], transactional_db: None) -> Scenario:
    workspace, _ = register_workspace(sample, now=timezone.now())
    index_workspace_and_recheck(workspace, now=timezone.now())
    return scenarios["S1"]


class TestScenarioS1InTheBrowser:
    def test_runs_from_the_question_to_the_artifact(self, person: Person, s1: Scenario, sample: Path) -> None:
        page = open_shoebox(person, s1)
        box = Shoebox.objects.get()
        assert missing(box, s1) == []
        for place in s1.must:
            expect(page.locator("main .ref", has_text=place).first).to_be_attached()

        for row in s1.data["hypotheses"]:
            propose(person, box, row["claim"])
        for name in AGAINST_STARTING:
            quote(person, box, s1, name)

        assert Evidence.objects.accepted().count() == len(AGAINST_STARTING)
        start, hold = Hypothesis.objects.order_by("number")
        for name, evidence in zip(AGAINST_STARTING, Evidence.objects.order_by("pk"), strict=True):
            assert evidence.start_line == s1.evidence(name)["line_start"]
            relations = {relation.target: relation.relation for relation in evidence.relations.all()}
            assert relations == {str(start.ref): "refutes", str(hold.ref): "supports"}

        decide(person, hold, "accepted", "Both dependencies are unresolved, and the maintained rule blocks acceptance.")
        decide(person, start, "rejected", "A queue click permits routing only.")
        export(person, box)

        folder = sample / ".yoi/tickets/00001KXKMX0QM/artifacts"
        written = [path for path in folder.iterdir() if box.public_id in path.read_text(encoding="utf-8")]
        assert {path.suffix for path in written} == {".md", ".json"}
        assert person.console == []
        for path in written:
            path.unlink()


def open_shoebox(person: Person, s1: Scenario) -> Page:
    page = person.open("/shoeboxes/new/")
    page.get_by_label("Question").fill(s1.question)
    page.locator("[name=task]").fill(TASK)
    page.locator("[name=as_of]").fill(s1.as_of.removesuffix("Z"))
    page.get_by_role("button", name="Open shoebox").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("May the orchestrator accept it")
    return page


def missing(box: Shoebox, s1: Scenario) -> list[str]:
    """The must sources that were not gathered."""
    gathered = {str(item.address.bare) for item in box.items.all()}
    return [place for place in s1.must if place not in gathered]


def propose(person: Person, box: Shoebox, claim: str) -> None:
    page = person.open(f"/shoeboxes/{box.public_id}/?tab=hypotheses")
    page.locator("#claim").fill(claim)
    page.get_by_role("button", name="Propose", exact=True).click()
    expect(page.get_by_text(claim[:40]).first).to_be_visible()
    page.close()


def quote(person: Person, box: Shoebox, s1: Scenario, name: str) -> None:
    """Take the whole line against H1, with the reason, then set the same words for H2."""
    row = s1.evidence(name)
    line = row["line_start"]
    page = person.open("/read/?" + urlencode({"ref": f"{s1.place(name)}#L{line}", "shoebox": box.public_id}))
    page.locator("#reader").focus()
    loads = list(person.loads)
    for key in ("Shift+J", "r", "1", "w"):
        page.keyboard.press(key)
    page.keyboard.type(row["why_it_matters"])
    page.keyboard.press("Enter")
    expect(page.locator("#strip-said")).to_contain_text("Captured and accepted")
    page.keyboard.press("Escape")
    page.locator(f"#L{line}").click()
    page.locator("#reader").focus()
    for key in ("Shift+J", "s", "2", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#quoted")).to_contain_text("H2")
    assert person.loads == loads
    page.close()


def decide(person: Person, hypothesis: Hypothesis, after: str, reason: str) -> None:
    page = person.open(f"/hypotheses/{hypothesis.public_id}/")
    page.locator("#decide-reason").fill(reason)
    page.locator("#decide [name=confirmed]").check()
    page.locator(f"#decide button[value={after}]").click()
    expect(page.locator("main")).to_contain_text(reason[:40])
    hypothesis.refresh_from_db()
    assert hypothesis.status == after
    page.close()


def export(person: Person, box: Shoebox) -> None:
    page = person.open(f"/shoeboxes/{box.public_id}/export/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("2 files would be written")
    page.get_by_role("button", name="Write 2 files").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("exactly this already")
    page.close()
