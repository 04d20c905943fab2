"""The matrix and the rating card in a browser: walked and rated by keys alone, clean under axe."""

import pytest
from playwright.sync_api import Locator, Page, expect

from evidence.models import Evidence
from hypotheses.models import Rating
from shoebox.models import Shoebox
from tests.browser.conftest import Person, flaws, looks
from tests.factories import NOON, make_evidence, make_hypothesis, make_person, make_shoebox

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

KEYS = {"1": "II", "2": "I", "3": "N", "4": "C", "5": "CC", "n": "NA"}


@pytest.fixture
def shoebox(transactional_db: None) -> Shoebox:
    """Seven claims, one for each key of the card, and two quotes; somebody else has rated one cell."""
    shoebox = make_shoebox()
    for number in range(1, 8):
        make_hypothesis(shoebox, claim=f"Claim number {number}.")
    for number in (1, 2):
        make_evidence(shoebox, quote=f"Line number {number} of the thread.", state="accepted")
    Rating.objects.create(
        hypothesis=shoebox.hypotheses.get(number=1), evidence=first_quote(shoebox), value="CC",
        rater=make_person(shoebox.workspace, name="second"), note="A thought of theirs.", rated_at=NOON,
    )  # fmt: skip
    return shoebox


def first_quote(shoebox: Shoebox) -> Evidence:
    return shoebox.evidence.order_by("pk")[0]


def focused(page: Page) -> Locator:
    return page.locator(":focus")


class TestCard:
    def test_is_rated_by_keys_alone_and_shows_the_others_only_then(self, person: Person, shoebox: Shoebox) -> None:
        evidence = first_quote(shoebox)
        page = person.open(f"/hypotheses/matrix/{shoebox.public_id}/rate/?evidence={evidence.public_id}")
        expect(page.locator("main")).not_to_contain_text("A thought of theirs.")
        claims = page.locator("[data-row] legend").all_inner_texts()

        for key in (*KEYS, "-"):
            page.keyboard.press("j")
            page.keyboard.press(key)
        page.get_by_role("button", name="Save, then see the others").press("Enter")

        expect(page.get_by_role("heading", level=1)).to_contain_text("Saved. What others said of e1")
        expect(page.locator("main")).to_contain_text("A thought of theirs.")
        mine = {
            rating.hypothesis.claim: rating.value
            for rating in Rating.objects.filter(rater__user__username="hare").select_related("hypothesis")
        }
        assert mine == dict(zip(claims, KEYS.values(), strict=False))
        assert person.loads == []
        assert person.console == []

    def test_hides_what_one_said_oneself_when_it_is_opened_again(self, person: Person, shoebox: Shoebox) -> None:
        evidence = first_quote(shoebox)
        address = f"/hypotheses/matrix/{shoebox.public_id}/rate/?evidence={evidence.public_id}"
        page = person.open(address)
        page.keyboard.press("j")
        page.keyboard.press("1")
        page.get_by_role("button", name="Save, then see the others").press("Enter")
        expect(page.get_by_role("heading", level=1)).to_contain_text("Saved.")

        page = person.open(address)

        expect(page.locator("input:checked")).to_have_count(7)
        assert {page.locator("input:checked").nth(at).input_value() for at in range(7)} == {""}


class TestMatrix:
    def test_is_walked_by_arrow_keys(self, person: Person, shoebox: Shoebox) -> None:
        page = person.open(f"/hypotheses/matrix/{shoebox.public_id}/")
        page.get_by_role("region", name="Matrix").focus()

        page.keyboard.press("ArrowRight")
        expect(focused(page)).to_contain_text("CC")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        place = page.evaluate("() => [document.activeElement.parentElement.rowIndex, document.activeElement.cellIndex]")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")

        assert place == [2, 2]
        expect(focused(page)).to_contain_text("Claim number 2.")

    def test_turns_round_folds_and_goes_to_the_card_by_keys(self, person: Person, shoebox: Shoebox) -> None:
        page = person.open(f"/hypotheses/matrix/{shoebox.public_id}/")

        page.keyboard.press("t")
        expect(page.get_by_role("region", name="Matrix, evidence as rows")).to_be_visible()
        page.keyboard.press("t")
        expect(page.get_by_role("region", name="Matrix", exact=True)).to_be_visible()
        page.keyboard.press("f")
        expect(page.get_by_role("button", name="Fold what tells nothing apart")).to_have_attribute(
            "aria-pressed", "true"
        )
        page.keyboard.press("r")

        expect(page.get_by_role("heading", level=1)).to_contain_text("would you expect to see this?")
        assert person.console == []


def test_both_pages_are_clean_under_axe(person: Person, shoebox: Shoebox) -> None:
    matrix = f"/hypotheses/matrix/{shoebox.public_id}/"
    for path in (matrix, f"{matrix}?transpose=1", f"{matrix}rate/?evidence={first_quote(shoebox).public_id}"):
        page = person.open(path)
        if "rate" not in path:
            expect(page.get_by_role("heading", name="What the lead rests on")).to_be_visible()

        for look in looks(page, 1280, 390):
            assert flaws(page) == [], f"{path}, {look}"
        page.close()
