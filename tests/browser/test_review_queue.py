"""The review queue and the pages of markers in a browser: judged by keys, clean under axe, narrow and wide."""

import pytest
from playwright.sync_api import expect

from evidence.models import Evidence
from evidence.schemas import EvidenceDraft
from evidence.services import extract_evidence
from tests.browser.conftest import OnDisk, Person, flaws, looks
from tests.factories import NOON, make_hypothesis, make_shoebox, make_worker
from yoimemory.access.services import actor_for_user
from yoimemory.markers.schemas import ContradictionDraft, MarkerDraft
from yoimemory.markers.services import mark_staleness, note_contradiction

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DOC = "doc:docs/work-items.md"
RULE = "Unresolved `depends_on` and incoming unresolved `blocks` are queue and acceptance blockers."
JAPANESE = "依存関係が解決するまで開始してはならない、と運用文書にある。"


@pytest.fixture
def waiting(workspace_on_disk: OnDisk) -> list[Evidence]:
    """One that supports and one that refutes, in that order of time."""
    box = make_shoebox(workspace_on_disk.workspace)
    target = str(make_hypothesis(box, claim="Start now.").ref)
    drafts = [
        EvidenceDraft(ref=DOC, quote=JAPANESE, why="So is this.", relation="supports", target=target),
        EvidenceDraft(ref=DOC, quote=RULE, why="It is the rule.", relation="refutes", target=target),
    ]
    return extract_evidence(box, drafts, actor=make_worker(workspace_on_disk.workspace), now=NOON).stored


class TestQueue:
    def test_shows_the_quote_in_its_context_contrary_first_and_goes_on_after_a_key(
        self, person: Person, waiting: list[Evidence]
    ) -> None:
        page = person.open("/review/")

        expect(page.locator("h1")).to_have_text("It refutes")
        expect(page.locator("blockquote").first).to_contain_text("acceptance blockers")
        expect(page.locator("blockquote").first).to_contain_text("## Blockers")
        page.keyboard.press("a")
        expect(page.locator("h1")).to_have_text("It supports")

        waiting[1].refresh_from_db()
        assert waiting[1].state == "accepted"
        assert person.console == []

    def test_fixes_and_accepts_in_one_step(self, person: Person, waiting: list[Evidence]) -> None:
        page = person.open(f"/evidence/{waiting[0].public_id}/")

        page.get_by_text("Fix and judge in one step").click()
        page.locator("#fix-why").fill("It limits the start.")
        page.get_by_role("button", name="Fix and accept").click()
        expect(page.get_by_text("Set right; the evidence is accepted.")).to_be_visible()

        waiting[0].refresh_from_db()
        assert (waiting[0].state, waiting[0].why) == ("accepted", "It limits the start.")
        assert person.loads == []


def test_pages_are_clean_under_axe(person: Person, owner: object, waiting: list[Evidence]) -> None:
    workspace, actor = waiting[0].workspace, actor_for_user(owner)  # type: ignore[arg-type]
    mark_staleness(MarkerDraft(target=DOC, state="stale", reason="Old."), workspace=workspace, actor=actor, now=NOON)
    draft = ContradictionDraft(left=DOC, right="ticket:00001KXKMX0QM", about="Whether it starts.")
    row = note_contradiction(draft, workspace=workspace, actor=actor, now=NOON)
    for path in (
        "/review/", f"/evidence/?shoebox={waiting[0].shoebox.public_id}", f"/evidence/{waiting[0].public_id}/",
        "/markers/", "/contradictions/", "/contradictions/new/", f"/contradictions/{row.public_id}/", "/reliability/",
    ):  # fmt: skip
        page = person.open(path)

        for look in looks(page, 1280, *((390,) if "contradictions" in path else ()), 360):
            assert flaws(page) == [], f"{path}, {look}"
        page.close()
