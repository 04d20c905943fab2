"""Reviewing evidence by keys: the list and the page of one piece, without a page load, clean under axe."""

import pytest
from playwright.sync_api import expect

from evidence.models import Evidence
from evidence.schemas import EvidenceDraft
from evidence.services import extract_evidence
from tests.browser.conftest import OnDisk, Person, flaws, looks
from tests.factories import NOON, make_hypothesis, make_shoebox, make_worker

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DOC = "doc:docs/work-items.md"
RULE = "Unresolved `depends_on` and incoming unresolved `blocks` are queue and acceptance blockers."
JAPANESE = "依存関係が解決するまで開始してはならない、と運用文書にある。"


@pytest.fixture
def suggested(workspace_on_disk: OnDisk) -> list[Evidence]:
    """Two suggestions of a Worker, one for and one against."""
    box = make_shoebox(workspace_on_disk.workspace)
    target = str(make_hypothesis(box, claim="Start now.").ref)
    drafts = [
        EvidenceDraft(ref=DOC, quote=RULE, why="It is the rule.", relation="refutes", target=target),
        EvidenceDraft(ref=DOC, quote=JAPANESE, why="So is this.", relation="supports", target=target),
    ]
    return extract_evidence(box, drafts, actor=make_worker(workspace_on_disk.workspace), now=NOON).stored


class TestList:
    def test_is_walked_and_judged_by_keys(self, person: Person, suggested: list[Evidence]) -> None:
        page = person.open("/evidence/")

        page.keyboard.press("j")
        expect(page.locator("li.row.cur")).to_contain_text("acceptance blockers")
        page.keyboard.press("a")
        expect(page.get_by_text("The evidence is accepted.")).to_be_visible()
        suggested[0].refresh_from_db()
        assert suggested[0].state == "accepted"
        page.keyboard.press("u")
        expect(page.get_by_text("The verdict was taken back")).to_be_visible()

        suggested[0].refresh_from_db()
        assert suggested[0].state == "suggested"
        assert person.loads == []
        assert person.console == []

    def test_opens_the_current_row(self, person: Person, suggested: list[Evidence]) -> None:
        page = person.open("/evidence/")

        for key in ("j", "j", "o"):
            page.keyboard.press(key)

        expect(page).to_have_url(f"{person.base}/evidence/{suggested[1].public_id}/")

    def test_narrows_without_a_page_load(self, person: Person, suggested: list[Evidence]) -> None:
        page = person.open("/evidence/")

        page.get_by_label("Relation").select_option("supports")

        expect(page.locator("li.row")).to_have_count(1)
        expect(page.locator("li.row")).to_contain_text("運用文書")
        assert "relation=supports" in page.url


class TestDetail:
    def test_takes_a_verdict_with_its_reason(self, person: Person, suggested: list[Evidence]) -> None:
        page = person.open(f"/evidence/{suggested[0].public_id}/")

        page.keyboard.press("d")
        expect(page.locator("#verdict")).to_contain_text("Say why, in one line")
        page.get_by_label("Reason", exact=True).fill("It is about other tickets.")
        page.get_by_role("button", name="Reject").click()

        expect(page.locator("#verdict")).to_contain_text("The evidence is rejected.")
        assert person.loads == []
        suggested[0].refresh_from_db()
        assert suggested[0].state_reason == "It is about other tickets."


def test_pages_of_evidence_are_clean_under_axe(person: Person, suggested: list[Evidence]) -> None:
    for path in ("/evidence/", f"/evidence/{suggested[0].public_id}/", "/read/?ref=doc:docs/nothing.md"):
        page = person.open(path)

        for look in looks(page, 1280, 390, 360):
            assert flaws(page) == [], f"{path}, {look}"
        page.close()
